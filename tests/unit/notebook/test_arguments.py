from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.notebook.arguments import CellArguments, parse_arguments
from braincode_jupyter.notebook.options import OPTIONS_BY_FLAG
from braincode_jupyter.notebook.words import MAX_LINE_CHARS, Word, split_words

if TYPE_CHECKING:
    from braincode_jupyter.protocol.tools import ApprovalAnswer, ApprovalRequest

KEY = "sk-proj-" + "a1B2c3D4e5" * 4


def test_empty_line_asks_for_nothing() -> None:
    assert parse_arguments("  ") == CellArguments()


def test_each_option_sets_its_field() -> None:
    line = (
        "--mode radical --brain brain --roles librarian,coder --no-review --max-workers 3 "
        "--max-tokens=200_000 --continue 0f3a --background --as answer --heuristic --no-refs "
        "--need-to-know --max-cost 0.50 --replay=only"
    )

    assert parse_arguments(line) == CellArguments(
        mode="radical",
        brain="brain",
        roles=("librarian", "coder"),
        review=False,
        max_workers=3,
        max_tokens=200_000,
        continue_session="0f3a",
        background=True,
        as_name="answer",
        heuristic=True,
        expand_references=False,
        need_to_know=True,
        max_cost=0.5,
        replay="only",
    )


def test_permissions_go_to_the_runtime_with_who_is_asked() -> None:
    class Nobody:
        async def decide(self, request: ApprovalRequest) -> ApprovalAnswer:
            raise AssertionError(request)

    parsed = parse_arguments("--allow-edits --allow-compute --yes")
    arguments, nobody = parsed.to_run_arguments(), Nobody()

    assert (arguments.allow_edits, arguments.allow_compute, arguments.yes) == (True, True, True)
    assert arguments.approver is None
    assert parsed.to_run_arguments(approver=nobody).approver is nobody
    assert parse_arguments("").to_run_arguments().yes is False


def test_team_means_roles() -> None:
    assert parse_arguments("--team a,b") == parse_arguments("--roles a,b")


@pytest.mark.parametrize(
    "line", ["--continue", "--continue last", "--continue @@last", "--continue=@@"]
)
def test_continue_alone_means_the_newest_session(line: str) -> None:
    assert parse_arguments(line).continue_session == "@@last"


def test_continue_before_another_option_takes_no_value() -> None:
    arguments = parse_arguments("--continue --review")

    assert (arguments.continue_session, arguments.review) == ("@@last", True)


def test_runtime_gets_everything_but_what_is_the_notebooks() -> None:
    arguments = parse_arguments("--mode auto --roles a --as x --dry-run").to_run_arguments()

    assert (arguments.mode, arguments.roles, arguments.models) == ("auto", ("a",), None)


def test_quotes_keep_blanks_and_backslashes() -> None:
    words = split_words(r"""--a "b  c" --d='C:\x y' don't""")

    assert words == [
        Word(text="--a", position=1),
        Word(text="b  c", position=5, is_quoted=True),
        Word(text=r"--d=C:\x y", position=12),
        Word(text="don't", position=25),
    ]


@pytest.mark.parametrize(
    ("line", "position"),
    [
        ("don't stop", 1),
        ("--review don't stop", 10),
        ("--continue 'it''s'", 15),
        ('--brain notebook "', 18),
        ("--as 'x", 6),
        ('"--review"', 1),
    ],
)
def test_B02_prose_and_stray_quotes_are_refused_with_their_position(
    line: str, position: int
) -> None:
    with pytest.raises(UsageError, match=f"character {position} "):
        parse_arguments(line)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("--reviw", "--review or --no-review"), ("--modee", "--mode"), ("--Team", "--team")],
)
def test_unknown_option_names_the_near_ones_alone(typed: str, meant: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"Did you mean {meant}\?"):
        parse_arguments(typed)


@pytest.mark.parametrize(
    "line",
    [
        "--mode",
        "--mode loud",
        "--mode=",
        "--roles a,,b",
        "--roles",
        "--max-workers 0",
        "--max-workers 65",
        "--max-workers ten",
        "--max-workers -1",
        "--max-tokens " + "9" * 3_000,
        "--max-tokens ٣",
        "--max-cost 0",
        "--max-cost -1",
        "--max-cost nan",
        "--max-cost 1e3",
        "--max-cost $1",
        "--as class",
        "--as 1x",
        "--as get_ipython",
        "--as a.b",
        "--continue ../x",
        "--review=yes",
        "--review --no-review",
        "--review --review",
        "--roles a --team b",
        "--background --dry-run",
        "-x",
        "--",
        "-",
        "--=",
    ],
)
def test_what_makes_no_sense_is_a_usage_error(line: str) -> None:
    with pytest.raises(UsageError):
        parse_arguments(line)


@pytest.mark.parametrize("line", [f"--api-key {KEY}", f"--token={KEY}", f"--brain {KEY}", KEY])
def test_keys_are_refused_and_not_repeated(line: str) -> None:
    with pytest.raises(UsageError, match="history are stored") as caught:
        parse_arguments(line)

    assert KEY[:12] not in str(caught.value)


def test_too_long_a_line_is_refused() -> None:
    with pytest.raises(UsageError, match="are read"):
        parse_arguments("x" * (MAX_LINE_CHARS + 1))


def test_a_message_repeats_a_short_piece_only() -> None:
    with pytest.raises(UsageError) as caught:
        parse_arguments("y" * 4_000)

    assert len(str(caught.value)) < 300


LINES = st.lists(
    st.one_of(
        st.sampled_from([*OPTIONS_BY_FLAG, "--nope", "'", '"', "=", "a,b", "7", "{x}", "$x", "?"]),
        st.text(max_size=12),
    ),
    max_size=8,
).flatmap(lambda words: st.sampled_from([" ".join(words), "".join(words), "\t".join(words)]))


@given(LINES)
def test_any_line_is_read_or_refused_with_a_hint(line: str) -> None:
    refusal = UsageError("", hint="none")
    try:
        parse_arguments(line)
    except UsageError as error:
        refusal = error

    assert refusal.hint
    assert "\x1b" not in refusal.message


@given(
    st.lists(
        st.text(alphabet=st.characters(exclude_characters="\"'", exclude_categories=["Cs"])),
        max_size=6,
    )
)
def test_quoted_words_come_back_as_they_were(values: list[str]) -> None:
    line = " ".join(f'"{value}"' for value in values)

    assert [word.text for word in split_words(line)] == values
