"""Print what a page pays in a real JupyterLab: ``python tests/benchmarks/browser.py``.

Needs Chromium and the built front end. Nothing is asserted: a busy machine makes every number
worse. Run it on an idle one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

if __name__ == "__main__":
    wanted = [f"-k={sys.argv[1]}"] if len(sys.argv) > 1 else []
    measured = str(TESTS / "browser" / "measure_lab.py")
    sys.exit(pytest.main(["-q", "-s", "-p", "no:cacheprovider", *wanted, measured]))
