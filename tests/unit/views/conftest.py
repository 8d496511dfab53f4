from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

# With importlib's import mode a test cannot import its neighbour; the records of this folder are
# shared by most of its tests.
sys.path.insert(0, str(Path(__file__).parent))

# The first example imports the Markdown parser, and a busy machine is no defect of ours.
settings.register_profile("views", deadline=None)
settings.load_profile("views")
