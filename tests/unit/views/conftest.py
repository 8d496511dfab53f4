from __future__ import annotations

import sys
from pathlib import Path

# With importlib's import mode a test cannot import its neighbour; the records of this folder are
# shared by most of its tests.
sys.path.insert(0, str(Path(__file__).parent))
