"""Print what a large run costs a page: ``python tests/benchmarks/large.py``.

Needs Chromium and the built front end. Nothing is asserted: a busy machine makes every number
worse. Run it on an idle one.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
GALLERY = TESTS / "browser" / "gallery"

if __name__ == "__main__":
    sys.path[:0] = [str(GALLERY), str(TESTS)]
    runpy.run_path(str(GALLERY / "measure_large.py"), run_name="__main__")
