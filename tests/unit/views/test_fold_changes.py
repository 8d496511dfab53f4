"""What a card says of the changes of a run, from its records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.protocol import records as r
from braincode_jupyter.protocol.change_records import ChangedFile, CheckResult
from braincode_jupyter.protocol.records import parse_record
from braincode_jupyter.views.fold import close_view, fold, fold_all, start_view
from braincode_jupyter.views.fold_changes import MAX_FILES
from braincode_jupyter.views.html import to_html
from braincode_jupyter.views.speaker import speaker
from braincode_jupyter.views.text import to_text

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import RunView

FILES = (
    ChangedFile(path="a.py", status="M", insertions=2, deletions=1),
    ChangedFile(path="b.py", status="??", insertions=5, deletions=0),
    ChangedFile(path="c.py", status="D", is_outside_ledger=True),
)
FAILED = CheckResult(
    name="pytest",
    command="python",
    args=("-m", "pytest"),
    status="failed",
    exit_code=1,
    duration_ms=1_500,
    stdout="x" * 5_000 + "\n1 failed",
    stderr="</pre><script>",
)


def collected(files: tuple[ChangedFile, ...] = FILES, iteration: int = 0) -> r.AnyRecord:
    return r.ChangesCollected(timestamp=2, changed_files=files, fix_iteration=iteration)


def checked(status: str = "failed", *results: CheckResult) -> r.AnyRecord:
    return r.ChecksRan(
        timestamp=3, status=status, reason="Why.", patch_kind="backend", results=results
    )


def after(*records: r.AnyRecord) -> RunView:
    view = fold(start_view("s"), r.RunStart(timestamp=1, run_id="r", prompt="do it"))
    for record in records:
        view = fold(view, record)
    return view


def test_changed_files_stand_on_the_card_while_their_checks_run() -> None:
    view = after(collected())

    assert [(f.path, f.state, f.is_by_command) for f in view.changes.files] == [
        ("a.py", "changed", False),
        ("b.py", "new", False),
        ("c.py", "removed", True),
    ]
    assert (view.changes.added, view.changes.removed) == (7, 1)
    assert (view.phase, view.changes.checks_state) == ("checking", "running")


def test_checks_say_how_they_ended_and_the_end_of_what_they_wrote() -> None:
    view = after(collected(), checked("failed", FAILED))

    changes = view.changes
    (check,) = changes.checks
    assert (changes.checks_state, changes.kind) == ("failed", "backend")
    assert (check.state, check.exit_code, check.command) == ("failed", 1, "python -m pytest")
    assert check.output.endswith("1 failed\n</pre><script>")
    assert len(check.output) < 2_600


def test_a_round_of_mending_drops_the_old_verdict_from_the_card() -> None:
    decided = r.ReviewDecided(timestamp=4, decision="changes_requested", rationale="No.")

    view = after(
        collected(),
        checked("failed", FAILED),
        decided,
        r.FixStarted(timestamp=5, iteration=1, trigger="checks_failed"),
    )

    assert (view.changes.fix_iteration, view.changes.fix_trigger) == (1, "checks_failed")
    assert (view.review.state, view.review.rationale) == ("pending", "")


def test_a_change_that_was_taken_back_is_off_the_card() -> None:
    fix = r.FixStarted(timestamp=5, iteration=1, trigger="changes_requested")

    view = after(collected(), checked("passed"), fix, collected((), 1))

    assert view.changes.files == ()
    assert view.changes.checks_state == "none"
    assert "Changes" not in to_text(view)


def test_checks_that_did_not_end_with_the_run_did_not_pass() -> None:
    view = close_view(after(collected()))

    assert view.changes.checks_state == "skipped"
    assert "ended before" in speaker().said(view.changes.checks_reason)


def test_text_and_html_say_files_and_checks_as_text() -> None:
    view = after(
        collected(),
        checked("failed", FAILED),
        r.FixStarted(timestamp=5, iteration=2, trigger="checks_failed"),
    )

    text, html = to_text(view), to_html(view)

    for said in (text, html):
        assert "Changes: 3 files, +7 \u22121, checks failed" in said
        assert "a.py changed, +2 \u22121" in said
        assert "c.py removed, by a command" in said
        assert "pytest failed (exit 1), 1.5 s: python -m pytest" in said
        assert "mended 2 times, because checks failed" in said
    assert "1 failed" in text
    assert "<script>" not in html


def test_the_originals_summary_of_a_patch_is_enough() -> None:
    lines = (
        {
            "timestamp": 1,
            "type": "patch_summary",
            "changedFiles": [{"path": "x.ts", "status": "A"}, {"path": "y.ts", "status": "R"}],
            "preExistingChangedFiles": [],
            "diffStats": {"filesChanged": 2, "insertions": 2, "deletions": 1},
            "attempt": 1,
        },
    )

    view = fold_all("s", [parse_record(line) for line in lines])

    assert [(f.path, f.state, f.added) for f in view.changes.files] == [
        ("x.ts", "new", None),
        ("y.ts", "changed", None),
    ]


@given(st.integers(0, 3 * MAX_FILES))
def test_a_card_names_few_files_and_counts_all(count: int) -> None:
    files = tuple(ChangedFile(path=f"{n}.py", status="M") for n in range(count))

    changes = after(collected(files)).changes

    assert len(changes.files) == min(count, MAX_FILES)
    assert len(changes.files) + changes.more_files == count
