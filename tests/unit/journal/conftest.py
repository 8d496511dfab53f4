"""Samples and the second reader for tests of session files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[2]
# Tests are imported one by one, without a package; the shared reader is found by its plain name.
sys.path.insert(0, str(_TESTS))


@pytest.fixture
def sessions() -> Path:
    return _TESTS / "fixtures" / "sessions"
