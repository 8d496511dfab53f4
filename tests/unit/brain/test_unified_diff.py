from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braincode_jupyter.brain.unified_diff import (
    MAX_DIFFED_LINES,
    apply_patch,
    read_patch,
    show_change,
)
from braincode_jupyter.errors import UsageError

_OLD = "one\ntwo\nthree\nfour\nfive\n"
_PATCH = """\
--- a/x.txt
+++ b/x.txt
@@ -2,3 +2,3 @@
 two
-three
+THREE
 four
"""


def applied(patch: str, before: str | None) -> str | None:
    (one,) = read_patch(patch)
    return apply_patch(one, before)


def test_a_plain_patch_and_one_of_git_are_the_same() -> None:
    header = "diff --git a/x.txt b/x.txt\nindex 123abc..456def 100644\n"

    expected = "one\ntwo\nTHREE\nfour\nfive\n"
    assert applied(_PATCH, _OLD) == expected
    assert applied(header + _PATCH, _OLD) == expected


def test_a_hunk_moves_to_the_one_place_where_its_lines_stand() -> None:
    assert applied(_PATCH, "new\nnew\n" + _OLD) == "new\nnew\none\ntwo\nTHREE\nfour\nfive\n"
    with pytest.raises(UsageError, match="does not fit"):
        applied(_PATCH, "x\n" + _OLD + _OLD)
    with pytest.raises(UsageError, match="does not fit"):
        applied(_PATCH, _OLD.replace("four", "4"))


def test_files_are_made_and_taken_away() -> None:
    made = "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
    gone = "--- a/new.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"

    assert applied(made, None) == "a\nb"
    assert applied(gone, "a\nb\n") is None
    for patch, before in ((made, "there"), (gone, None), (gone, "a\nb\nc\n"), (_PATCH, None)):
        with pytest.raises(UsageError):
            applied(patch, before)


def test_line_ends_are_kept() -> None:
    assert applied(_PATCH, _OLD.replace("\n", "\r\n")) == (
        "one\r\ntwo\r\nTHREE\r\nfour\r\nfive\r\n"
    )
    end = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n"
    assert applied(end, "a\nb") == "A\nb"
    twice = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n a\n"
    assert applied(twice, "a\nb\na") == "a\nB\na"
    with pytest.raises(UsageError):
        applied(_PATCH, _OLD.replace("three\n", "three\r\n"))


@pytest.mark.parametrize(
    "patch",
    [
        "", "\n\n", "hello", "*** Begin Patch\n", "--- a/x\n", "--- a/x\n+++ b/x\n",
        "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n",
        "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n",
        "--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n",
        "--- a//etc/x\n+++ b//etc/x\n@@ -1 +1 @@\n-a\n+b\n",
        '--- "a/x"\n+++ "b/x"\n@@ -1 +1 @@\n-a\n+b\n',
        "--- a/~x\n+++ b/~x\n@@ -1 +1 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n",
        "--- a/x\n+++ b/x\n@@ what @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n*b\n",
        "diff --git a/x b/y\nrename from x\nrename to y\n",
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n",
        "diff --git a/x b/x\nGIT binary patch\nliteral 1\n",
        "diff --git a/x b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/x b/x\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" * 2,
        "".join(f"--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-a\n+b\n" for n in range(51)),
        "--- a/x\n+++ b/x\n" + "@@ -1 +1 @@\n-a\n+b\n" * 501,
    ],
)  # fmt: skip
def test_r34_what_is_not_understood_refuses_the_whole_patch(patch: str) -> None:
    with pytest.raises(UsageError, match="nothing was written"):
        read_patch(patch)


_TEXTS = st.one_of(
    st.none(),
    st.lists(st.sampled_from(["a", "b", "", "c d", "é", "-x", "+y", "@@", "\\"]), max_size=25).map(
        "\n".join
    ),
    st.lists(st.sampled_from(["a", "b", ""]), max_size=25).map(lambda lines: "".join(
        f"{line}\n" for line in lines
    )),
)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(_TEXTS, _TEXTS)
def test_a_change_that_is_shown_is_the_change(before: str | None, after: str | None) -> None:
    shown = show_change("x", before, after)

    if (before or "") == (after or ""):
        return
    assert applied(shown, before) == after


def test_very_large_changes_are_shown_whole_and_soon() -> None:
    count = MAX_DIFFED_LINES * 4
    before = "".join(f"{n % 7}\n" for n in range(count))
    after = "".join(f"{n % 5}\n" for n in range(count))
    started = time.process_time()

    shown = show_change("x", before, after)

    assert applied(shown, before) == after
    assert time.process_time() - started < 2


def test_a_patch_made_to_be_slow_is_refused_soon() -> None:
    hunk = "@@ -1,1000 +1,1000 @@\n" + " a\n" * 999 + "-b\n+c\n"
    started = time.process_time()

    with pytest.raises(UsageError):
        applied("--- a/x\n+++ b/x\n" + hunk, "a\n" * 200_000)

    assert time.process_time() - started < 3
