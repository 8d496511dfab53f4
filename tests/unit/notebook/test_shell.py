from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell

from braincode_jupyter.notebook.place import Place
from braincode_jupyter.notebook.shell import (
    MAGIC,
    CellAwaiter,
    ShellAccess,
    keep_question_marks,
    version_note,
)

OURS = "get_ipython().run_cell_magic('braincode', '', 'x\\n')\n"


@pytest.mark.parametrize(
    "line",
    [
        "%braincode plan what is in df?",
        "%braincode plan why??",
        "  %braincode refs @x?\n",
    ],
)
def test_B05_a_line_that_ends_in_a_question_mark_calls_our_magic(line: str) -> None:
    (kept,) = keep_question_marks([line])

    rest = line.strip().removeprefix("%braincode ")
    assert kept == f"get_ipython().run_line_magic('braincode', {rest!r})\n"


@pytest.mark.parametrize(
    "cell",
    [
        ["%braincode\n"],
        ["%braincode?\n"],
        ["%braincode ?\n"],
        ["%braincode plan x\n"],
        ["%%braincode\n", "%braincode plan x?\n"],
        ["text = '''\n", "%braincode plan x?\n", "'''\n"],
        ["%braincode plan a\\\n", "b?\n"],
        ["df?\n"],
        ["%braincodes plan x?\n"],
    ],
)
def test_every_other_cell_stays_as_it_is(cell: list[str]) -> None:
    assert keep_question_marks(cell) == cell


def test_lines_below_a_comment_are_still_the_head_of_the_cell() -> None:
    kept = keep_question_marks(["# why\n", "\n", "%braincode plan x?\n", "y = 1\n"])

    assert kept[2].startswith("get_ipython().run_line_magic('braincode'")
    assert kept[3] == "y = 1\n"


def test_only_the_call_of_our_cell_magic_is_awaited() -> None:
    awaiter = CellAwaiter(InteractiveShell())
    other = "get_ipython().run_cell_magic('time', '', 'x\\n')\n"

    assert awaiter([OURS]) == [f"await {OURS.replace('braincode', '_braincode_awaited')}"]
    assert awaiter([other]) == [other]
    assert awaiter(["x = 1\n", OURS]) == ["x = 1\n", OURS]


@pytest.mark.parametrize("text", ["resume", "resume first --as x", "retry it's"])
def test_a_line_that_starts_a_run_is_awaited_where_it_stands_alone(text: str) -> None:
    shell = InteractiveShell()
    awaiter = CellAwaiter(shell)
    (line,) = shell.transform_cell(f"%braincode {text}").splitlines(keepends=True)

    assert awaiter([line]) == [f"await {line.replace('braincode', '_braincode_awaited')}"]
    assert awaiter([line, "x = 1\n"]) == [line, "x = 1\n"]


@pytest.mark.parametrize("text", ["show", "sessions", "plan resume it", "resumed"])
def test_other_lines_are_not_awaited(text: str) -> None:
    shell = InteractiveShell()
    (line,) = shell.transform_cell(f"%braincode {text}").splitlines(keepends=True)

    assert CellAwaiter(shell)([line]) == [line]


def test_a_cell_inside_another_one_is_not_awaited() -> None:
    shell = InteractiveShell()
    awaiter = CellAwaiter(shell)
    awaiter.register()

    shell.events.trigger("pre_run_cell", None)
    assert awaiter([OURS]) == [OURS]
    shell.events.trigger("post_run_cell", None)
    assert awaiter([OURS]) != [OURS]


def test_without_autoawait_nothing_is_awaited() -> None:
    shell = InteractiveShell()
    shell.autoawait = False

    assert CellAwaiter(shell)([OURS]) == [OURS]


def test_a_terminal_has_no_page() -> None:
    assert ShellAccess(InteractiveShell()).place() == Place()


def test_nothing_is_left_behind() -> None:
    shell = InteractiveShell()
    shell.kernel = object()
    access = ShellAccess(shell)
    before = list(shell.input_transformers_cleanup), list(shell.input_transformers_post)

    access.install(
        str,
        lambda line, cell: line + cell,
        awaited=lambda line, cell: line + cell,
        awaited_line=str,
    )
    assert len(shell.input_transformers_cleanup) == len(before[0]) + 2
    assert len(shell.input_transformers_post) == len(before[1]) + 1
    access.remove()

    assert (shell.input_transformers_cleanup, shell.input_transformers_post) == before
    assert not [
        name for kind in shell.magics_manager.magics.values() for name in kind if MAGIC in name
    ]
    assert not [f for f in shell.events.callbacks["pre_run_cell"] if "Awaiter" in str(f)]


def test_bound_names_are_the_users_but_the_private_one() -> None:
    shell = InteractiveShell()

    ShellAccess(shell).bind(_braincode=1, answer=2)

    assert (shell.user_ns["_braincode"], shell.user_ns["answer"]) == (1, 2)
    assert "_braincode" in shell.user_ns_hidden
    assert "answer" not in shell.user_ns_hidden


@pytest.mark.parametrize(
    ("running", "says"),
    [
        ("IPython 8.17.2", "IPython 8.17 is older than 8.18"),
        ("ipykernel 6.28.0", "ipykernel 6.28 is older than 6.29"),
        ("ipykernel 7.3.1", "With ipykernel 7.3 clicks on a card arrive when its cell has ended"),
    ],
)
def test_one_sentence_tells_of_an_old_version(running: str, says: str) -> None:
    package, version = running.split()
    found = {"IPython": "9.18.1", "ipykernel": "7.4.0", package: version}

    assert str(version_note(has_kernel=True, version_of=found.__getitem__)).startswith(says)


def test_versions_of_today_need_no_sentence() -> None:
    found = {"IPython": "9.18.1", "ipykernel": "7.4.0"}

    assert version_note(has_kernel=True, version_of=found.__getitem__) is None


def test_a_terminal_does_not_care_for_the_kernel() -> None:
    found = {"IPython": "8.18.0", "ipykernel": "5.0"}

    assert version_note(has_kernel=False, version_of=found.__getitem__) is None
