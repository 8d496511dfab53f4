from __future__ import annotations

from braincode_jupyter.notebook.local_models import ProgressLine, weights_text


def test_weights_are_listed_with_size_and_licence() -> None:
    text = weights_text()

    assert "Apache-2.0" in text
    assert "MiB" in text
    assert "%braincode local install [small|better|tiny]" in text


def test_progress_is_told_at_once_at_the_end_and_when_something_else_begins() -> None:
    lines: list[str] = []
    progress = ProgressLine(lines.append)
    mib = 1 << 20

    progress(0, 100 * mib, "part 1")
    for done in range(1, 50):
        progress(done * mib, 100 * mib, "part 1")
    progress(50 * mib, 100 * mib, "verifying")
    progress(100 * mib, 100 * mib, "verifying")

    assert lines[0].endswith("0%  0 of 100 MiB  part 1")
    assert lines[-2].endswith("50%  50 of 100 MiB  verifying")
    assert lines[-1].startswith("█" * 24 + " 100%")
    assert len(lines) < 10


def test_progress_without_a_size_is_told_too() -> None:
    lines: list[str] = []

    ProgressLine(lines.append)(0, 0, "asking")

    assert lines == ["░" * 24 + "   0%  0 of 0 MiB  asking"]
