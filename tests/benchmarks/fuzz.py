"""Send made-up texts through the parser and the drawing of the card, by hand.

Usage: ``python tests/benchmarks/fuzz.py [COUNT [SEED]]``; 100,000 texts take half an hour or more.
The test of the same (``tests/browser/gallery/test_fuzzed_text.py``) sends 1,000.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

GALLERY = Path(__file__).parents[1] / "browser" / "gallery"

if __name__ == "__main__":
    sys.path.insert(0, str(GALLERY))
    runpy.run_path(str(GALLERY / "fuzzed_text.py"), run_name="__main__")
