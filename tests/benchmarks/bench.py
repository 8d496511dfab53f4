"""Print what is measured beside the targets of the design: ``python tests/benchmarks/bench.py``.

Nothing is asserted: a busy machine makes every number worse. Run it on an idle one.
"""

from __future__ import annotations

import os
import platform
import sys

from rows import table
from runs import parallel_rows, request_rows
from sessions import session_rows
from surface import surface_rows


def main() -> None:
    """Measure everything and print one table."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    sys.stdout.write(f"Python {platform.python_version()}, {os.cpu_count()} cores{load}\n\n")
    rows = [*parallel_rows(), *request_rows(), *session_rows(), *surface_rows()]
    sys.stdout.write(f"{table(rows)}\n")


if __name__ == "__main__":
    main()
