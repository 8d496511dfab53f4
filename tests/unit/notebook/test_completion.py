from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter

from braincode_jupyter.brain.grammar import parse_references
from braincode_jupyter.notebook.choices import Offers
from braincode_jupyter.notebook.completion import ReferenceCompletion
from braincode_jupyter.protocol.ports import CellOutput, CellSnapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Cells:
    def cells(self) -> Sequence[CellSnapshot]:
        output = (CellOutput(kind="result", text="1"),)
        return (
            CellSnapshot(cell_id="id1", label="load data", source="x", execution_count=1),
            CellSnapshot(cell_id="id2", label="", source="y", execution_count=2, outputs=output),
            CellSnapshot(cell_id="id3", label="ask", source="z", is_running=True),
        )


class Variables:
    def names(self) -> Sequence[str]:
        return ["sales", "salt", "数据"]

    def get(self, name: str) -> object:
        raise AssertionError("completion looks at names alone")


def option(flag: str, metavar: str = "", choices: tuple[str, ...] = ()) -> Any:  # noqa: ANN401
    return SimpleNamespace(flag=flag, metavar=metavar, choices=choices)


OPTIONS = (
    option("--mode", "MODE", ("auto", "radical")),
    option("--brain", "ID"),
    option("--roles", "A,B"),
    option("--review"),
)


@pytest.fixture
def completion(tmp_path: Path) -> ReferenceCompletion:
    (tmp_path / "my data.csv").write_text("x")
    (tmp_path / "notes.md").write_text("x")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("x")
    return ReferenceCompletion(
        Offers(
            project_root=lambda: tmp_path,
            cells=Cells(),
            variables=Variables(),
            sessions=lambda: ["2026-a", "2026-b"],
            options=OPTIONS,
            values={
                "--brain": lambda: ("notebook", "brain"),
                "--roles": lambda: ("librarian", "coder", "analyst"),
            },
            subcommands=("doctor", "sessions", "show"),
        )
    )


def texts(completion: ReferenceCompletion, text: str) -> tuple[str, ...]:
    lines = text.split("\n")
    return completion.complete(text, len(lines) - 1, len(lines[-1])).texts


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("@not", ("@notes.md",)),
        ("@my", ('@"my data.csv"',)),
        ('@"my d', ('@"my data.csv"',)),
        ("@docs/", ("@docs/a.md",)),
        ("@do", ("@docs/",)),
        ("@@", ("@@last", "@@2026-a", "@@2026-b")),
        ("@@2026-b", ("@@2026-b",)),
        ("@cell:lo", ('@cell:"load data"',)),
        ('@cell:"lo', ('@cell:"load data"',)),
        ("@cell:ab", ("@cell:above",)),
        (
            "@out:",
            ('@out:"load data"', "@out:[2]", "@out:above", "@out:-1", "@out:id1", "@out:id2"),
        ),
        ("@var:sal", ("@var:sales", "@var:salt")),
        ("@var:sales", ("@var:sales", "@var:sales!rows")),
        ("@va", ("@var:", "@var:sales", "@var:salt", "@var:数据")),
        ("@zzz", ()),
    ],
)
def test_references_are_completed(
    completion: ReferenceCompletion, typed: str, expected: tuple[str, ...]
) -> None:
    assert texts(completion, f"%%braincode\nlook at {typed}") == expected


def test_a_lone_at_sign_offers_every_kind(completion: ReferenceCompletion) -> None:
    found = texts(completion, "%%braincode\n@")

    for text in ("@cell:", "@out:", "@var:", "@@last", "@var:sales", "@notes.md"):
        assert text in found


def test_what_is_offered_parses_back(completion: ReferenceCompletion) -> None:
    for text in texts(completion, "%%braincode\n@"):
        if not text.endswith((":", "/")):
            assert [found.token for found in parse_references(f"see {text} .")] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "@no",
        "x = 1\n%%braincode\n@no",
        "%%time\n@no",
        "%%braincode\nmail@no",
        "%%braincode\n```\n@no",
        "%%braincode\n`@no",
        "%%braincode\nwords",
        "",
    ],
)
def test_nothing_is_offered_elsewhere(completion: ReferenceCompletion, text: str) -> None:
    if text == "%%braincode\n`@no":
        text += "` `@no"
    assert texts(completion, text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%braincode --", ("--mode", "--brain", "--roles", "--review")),
        ("%%braincode --review --r", ("--roles",)),
        ("%%braincode --mode ", ("auto", "radical")),
        ("%%braincode --mode=r", ("radical",)),
        ("%%braincode --brain no", ("notebook",)),
        ("%%braincode --roles librarian,", ("librarian,coder", "librarian,analyst")),
        ("%%braincode --roles librarian,c", ("librarian,coder",)),
        ("%%braincode --review ", ()),
        ("%braincode s", ("sessions", "show")),
        ("x = 1\n%braincode do", ("doctor",)),
        ("%braincode show @@2026-a", ("@@2026-a",)),
        ("%braincodes s", ()),
    ],
)
def test_options_values_and_subcommands_are_completed(
    completion: ReferenceCompletion, text: str, expected: tuple[str, ...]
) -> None:
    assert texts(completion, text) == expected


def completer() -> IPCompleter:
    return IPCompleter(namespace={"sales": 1}, use_jedi=True)


def test_ipython_asks_the_matcher_and_suppresses_its_own(completion: ReferenceCompletion) -> None:
    shell = SimpleNamespace(Completer=completer())
    completion.attach(shell)
    completion.attach(shell)
    text = "%%braincode\nlook at @my"

    with provisionalcompleter():
        found = list(shell.Completer.completions(text, len(text)))

    assert [text[: item.start] + item.text for item in found] == [
        '%%braincode\nlook at @"my data.csv"'
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("%%braincode --mo", "option"),
        ("%%braincode --mode ra", "value"),
        ("%%braincode\n@my", "reference"),
    ],
)
def test_each_offer_says_what_it_is(completion: ReferenceCompletion, text: str, kind: str) -> None:
    shell = SimpleNamespace(Completer=completer())
    completion.attach(shell)

    with provisionalcompleter():
        found = [item.type for item in shell.Completer.completions(text, len(text))]

    assert found == [kind]


def test_other_cells_are_completed_as_before(completion: ReferenceCompletion) -> None:
    shell = SimpleNamespace(Completer=completer())
    completion.attach(shell)

    with provisionalcompleter():
        found = [item.text for item in shell.Completer.completions("sal", 3)]

    assert "sales" in found


def test_detaching_leaves_the_completer_as_it_was(completion: ReferenceCompletion) -> None:
    shell = SimpleNamespace(Completer=completer())
    completion.attach(shell)

    completion.detach(shell)
    completion.detach(shell)

    assert shell.Completer.custom_matchers == []
    completion.attach(SimpleNamespace())


def test_a_source_that_fails_gives_no_completion_and_no_error(tmp_path: Path) -> None:
    def broken() -> Path:
        raise OSError("gone")

    shell = SimpleNamespace(Completer=completer())
    ReferenceCompletion(Offers(project_root=broken)).attach(shell)
    text = "%%braincode\n@x"

    with provisionalcompleter():
        found = [item.text for item in shell.Completer.completions(text, len(text))]

    assert "@x" not in found
