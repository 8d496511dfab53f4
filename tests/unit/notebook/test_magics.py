from __future__ import annotations

import signal
from _thread import interrupt_main
from typing import TYPE_CHECKING, Any

import pytest

import braincode_jupyter
from braincode_jupyter.errors import (
    BraincodeError,
    ModelError,
    RunCancelledError,
    RunError,
    UnknownNameError,
    UnresolvedReferenceError,
    UsageError,
)
from braincode_jupyter.notebook import use_models
from braincode_jupyter.notebook.magics import guarded
from braincode_jupyter.notebook.options import OPTIONS_BY_FLAG
from braincode_jupyter.notebook.subcommands import SUBCOMMANDS
from braincode_jupyter.runtime import Run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall

Shell = Any
ROLES = "--roles librarian,analyst"


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def shell(shell: Shell, model: ScriptedModel) -> Shell:
    use_models(model)
    return shell


def prompts_of(model: ScriptedModel) -> str:
    return "\n".join(call.prompt.user for call in model.calls)


def test_a_cell_runs_to_its_end_and_binds_the_run(shell: Shell, run: Callable[[str], str]) -> None:
    printed = run(f"%%braincode {ROLES} --as answer\nWhy did it fall?")

    result = shell.user_ns["answer"]
    assert isinstance(result, Run)
    assert shell.user_ns["_braincode"] is result
    assert list(result.workers) == ["analyst"]
    assert "Scripted answer of librarian." in printed
    assert printed.startswith("braincode: ")


def test_B01_nothing_of_a_request_is_expanded(
    shell: Shell, run: Callable[[str], str], model: ScriptedModel
) -> None:
    shell.user_ns.update(x=7, name="secret-value")
    typed = 'Explain {"a": {"b": 1}} f"{x:>10}" \\frac{1}{2} {undefined} {{x}} $name $$ ${HOME}'

    run(f"%%braincode --heuristic {ROLES}\n{typed}\n!ls\n%time\nwhat??")

    assert shell.user_ns["_braincode"].records[0].prompt == f"{typed}\n!ls\n%time\nwhat??"
    assert typed in prompts_of(model)
    assert "secret-value" not in prompts_of(model)


@pytest.mark.parametrize("end", ["", "?", "??"])
def test_B03_nothing_of_a_line_is_expanded(
    run: Callable[[str], str], model: ScriptedModel, end: str
) -> None:
    run("name = 'secret-value'")
    text = f"compare the price of $name and ${{HOME}} and {{name}} and $$x$$ in all tables{end}"

    printed = run(f"%braincode plan {text}")

    assert "Nothing has run." in printed
    assert text in prompts_of(model)
    assert "secret-value" not in prompts_of(model)


def test_a_dry_run_shows_the_plan_and_asks_nobody_but_the_router(
    shell: Shell, run: Callable[[str], str], model: ScriptedModel
) -> None:
    printed = run(f"%%braincode --dry-run --heuristic {ROLES}\nWhy?")

    assert "Nothing has run." in printed
    assert model.calls == []
    assert "_braincode" not in shell.user_ns


def test_B04_a_failed_call_fails_the_cell_and_keeps_the_run(
    shell: Shell, run: Callable[[str], str]
) -> None:
    refused = ModelError("Key refused.", code="authentication", provider="openai", hint="Set it.")
    use_models(ScriptedModel({"primary": refused}))

    with pytest.raises(RunError):
        run(f"%%braincode {ROLES}\nWhy?")

    assert shell.user_ns["_braincode"].status == "failed"
    assert shell.user_ns["_braincode"].workers["analyst"].status == "completed"


def test_a_question_back_is_no_failure(shell: Shell, run: Callable[[str], str]) -> None:
    run("%%braincode\nfix it")

    assert shell.user_ns["_braincode"].status in {"needs_clarification", "completed"}


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Let Ctrl-C raise, as in a terminal; a process that only runs tests may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_the_run_and_ends_in_one_line(shell: Shell, run: Callable[[str], str]) -> None:
    def script(call: ModelCall) -> Reply | None:
        if call.call_kind != "primary":
            return None
        interrupt_main()
        return Reply(text="late", delay_s=60)

    use_models(ScriptedModel(script))

    with pytest.raises(RunCancelledError, match="interrupted"):
        run(f"%%braincode {ROLES}\nWhy?")

    assert shell.user_ns["_braincode"].status == "cancelled"


def _refuse_every_call(call: ModelCall) -> str:
    raise AssertionError(f"{call.role} was asked")


@pytest.mark.parametrize(
    ("cell", "error"),
    [
        ("%%braincode\n\n", UsageError),
        ("%%braincode --reviw\nx", UnknownNameError),
        ("%%braincode don't stop\nx", UsageError),
        ('%%braincode --brain "a b\nx', UsageError),
        ("%%braincode --brain nope\nx", UnknownNameError),
        ("%%braincode --roles nobody\nx", UnknownNameError),
        ("%%braincode\nlook at @var:nope", UnresolvedReferenceError),
        ("%%braincode\nlook at @cell:nope", UnresolvedReferenceError),
        ("%%braincode --continue 0000\nx", UsageError),
        ("%%braincode\nkey sk-proj-" + "a1B2" * 12, UsageError),
        ("%braincode nope", UnknownNameError),
        ("%braincode roles please", UsageError),
        ("%braincode plan", UsageError),
        ("%braincode local instal", UnknownNameError),
        ("%braincode local install --fro x", UsageError),
        ("%braincode local install --from missing.gguf", UsageError),
        ("%braincode local install huge", UnknownNameError),
        ("%braincode show 0000", UsageError),
        ("%braincode stop", UsageError),
        ("%braincode refs @var:nope", UnresolvedReferenceError),
    ],
)
def test_bad_input_is_an_error_with_a_hint_before_any_call(
    run: Callable[[str], str], cell: str, error: type[BraincodeError]
) -> None:
    use_models(ScriptedModel(_refuse_every_call))

    with pytest.raises(error) as caught:
        run(cell)

    assert caught.value.hint


@pytest.mark.parametrize("cell", ["%%braincode", "%%braincode\n", "%%braincode --review\n \n"])
def test_an_empty_cell_gets_the_usage_in_three_lines(run: Callable[[str], str], cell: str) -> None:
    with pytest.raises(UsageError) as caught:
        run(cell)

    assert len("\n".join(caught.value._render_traceback_()).splitlines()) == 3


@pytest.mark.parametrize("cell", ["%%braincode", "%%braincode --review\nwhy", "%%time"])
def test_enter_at_a_prompt_begins_or_goes_on_with_the_request(shell: Shell, cell: str) -> None:
    assert shell.check_complete(cell) == ("incomplete", "")
    assert shell.check_complete(f"{cell}\n\n")[0] == "complete"


@pytest.mark.parametrize("line", ["what is in df?", "price is $name and {name}", "shwo me"])
def test_B05_a_request_on_the_line_magic_is_told_where_it_goes(
    run: Callable[[str], str], line: str
) -> None:
    with pytest.raises(UsageError) as caught:
        run(f"%braincode {line}")

    assert "below a line with %%braincode" in caught.value.hint


def test_help_names_every_option_and_every_subcommand(run: Callable[[str], str]) -> None:
    text = run("%braincode")

    assert run("%braincode help") == text
    assert [flag for flag in OPTIONS_BY_FLAG if f"  {flag}" not in text] == []
    assert [name for name in SUBCOMMANDS if f"%braincode {name}" not in text] == []
    assert max(len(line) for line in text.splitlines()) <= 80


def test_sessions_are_listed_and_shown(shell: Shell, run: Callable[[str], str]) -> None:
    assert "No sessions yet" in run("%braincode sessions")
    run(f"%%braincode {ROLES}\nWhy did it fall?")
    session_id = shell.user_ns["_braincode"].session_id

    listed = run("%braincode sessions")
    run(f"shown = %braincode show {session_id[:8]}")

    assert f"{session_id[:8]}  20" in listed
    assert "Why did it fall?" in listed
    assert shell.user_ns["shown"].answer == "Scripted answer of librarian."


def test_a_session_is_continued_in_the_same_file(
    shell: Shell, run: Callable[[str], str], model: ScriptedModel
) -> None:
    run(f"%%braincode {ROLES}\nWhy did it fall?")
    first = shell.user_ns["_braincode"].session_id
    run(f"%%braincode {ROLES} --continue\nAnd why then?")

    assert shell.user_ns["_braincode"].session_id == first
    assert "Why did it fall?" in model.calls[-1].prompt.user


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("roles", "statistician"),
        ("brains", "notebook"),
        ("models", "openai/"),
        ("local", "Apache-2.0"),
        ("doctor", "Home folder"),
        ("prove", "has to be"),
        ("refs nothing here", "No references"),
        ("mcp", "No MCP servers"),
        ("hooks", "No hooks"),
        ("skills", "No skills"),
        ("trust", "asks for nothing"),
    ],
)
def test_subcommands_tell_what_they_are_for(
    run: Callable[[str], str], line: str, says: str
) -> None:
    assert says in run(f"%braincode {line}")


def test_what_a_project_asks_for_is_shown_approved_and_revoked(
    run: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / ".mcp.json").write_text(
        '{"mcpServers": {"db": {"command": "serve", "trusted": true}}}', encoding="utf-8"
    )
    with pytest.raises(UsageError, match="not shown"):
        run("%braincode trust approve db")

    assert "inert: not approved" in run("%braincode trust")
    assert "Approved mcp:db" in run("%braincode trust approve db")
    assert "trusted: starts with a run" in run("%braincode mcp")
    assert "Revoked mcp:db" in run("%braincode trust revoke mcp:db")
    assert "inert:" in run("%braincode mcp")


@pytest.mark.parametrize("line", ["undo", "trust approve", "trust maybe db", "undo 00000000"])
def test_an_incomplete_undo_or_trust_is_refused(run: Callable[[str], str], line: str) -> None:
    with pytest.raises(UsageError):
        run(f"%braincode {line}")


def test_a_run_that_edited_nothing_has_nothing_to_undo(
    shell: Shell, run: Callable[[str], str]
) -> None:
    run(f"%%braincode {ROLES}\nWhy?")
    session_id = shell.user_ns["_braincode"].session_id

    assert "edited no files" in run(f"%braincode undo {session_id[:8]}")


def test_refs_tell_what_would_be_sent(
    shell: Shell, run: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("hello", encoding="utf-8")
    shell.user_ns["rows"] = [1, 2, 3]

    text = run("%braincode refs look at @notes.md and @var:rows and @gone.md")

    assert "@notes.md" in text
    assert "@var:rows" in text
    assert "missing" in text


def test_run_and_plan_take_the_same_arguments(shell: Shell, model: ScriptedModel) -> None:
    plan = braincode_jupyter.plan("Why?", roles="librarian,analyst")
    run = braincode_jupyter.run("Why?", roles=("librarian", "analyst"), as_="mine")

    assert plan.role == "librarian"
    assert run.answer == "Scripted answer of librarian."
    assert shell.user_ns["mine"] is run
    assert braincode_jupyter.read_session(run.session_id[:8]).answer == run.answer


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"rols": "a"}, UnknownNameError),
        ({"roles": "a,,b"}, UsageError),
        ({"as_": "class"}, UsageError),
        ({"continue_session": "../x"}, UsageError),
        ({"continue_session": 3}, UsageError),
        ({"max_workers": "3"}, UsageError),
        ({"max_tokens": True}, UsageError),
        ({"max_tokens": 1.5}, UsageError),
        ({"max_cost": "1"}, UsageError),
        ({"max_cost": float("nan")}, UsageError),
        ({"max_cost": 0}, UsageError),
        ({"mode": "fast"}, UsageError),
        ({"brain": 3}, UsageError),
        ({"roles": ["analyst", 5]}, UsageError),
        ({"roles": 5}, UsageError),
        ({"home": 5}, UsageError),
        ({"as_": 5}, UsageError),
    ],
)
@pytest.mark.usefixtures("shell")
def test_bad_keywords_are_usage_errors(
    options: dict[str, Any], error: type[UsageError], model: ScriptedModel
) -> None:
    with pytest.raises(error):
        braincode_jupyter.run("Why?", **options)

    assert model.calls == []


@pytest.mark.parametrize("prompt", [5, None, b"why?", ["why?"]])
@pytest.mark.usefixtures("shell")
def test_a_request_that_is_no_text_is_a_usage_error(prompt: str) -> None:
    with pytest.raises(UsageError):
        braincode_jupyter.run(prompt)


def test_paths_may_be_given_as_text(shell: Shell, tmp_path: Path) -> None:
    run = braincode_jupyter.run("Why?", home=str(tmp_path / "there"), roles=["analyst"])

    assert shell.user_ns["_braincode"] is run
    assert len(list((tmp_path / "there" / "sessions").glob("*.jsonl"))) == 1


@pytest.mark.usefixtures("shell")
async def test_run_async_leaves_the_loop_of_the_caller_free() -> None:
    run = await braincode_jupyter.run_async("Why?", roles="librarian,analyst")

    assert run.status == "completed"


def test_a_bug_of_ours_is_one_line_with_an_id() -> None:
    match = r"ZeroDivisionError, error [0-9a-f]{8}\."
    with pytest.raises(RunError, match=match) as caught, guarded():
        raise ZeroDivisionError("secret detail")

    assert "secret detail" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_loading_twice_and_unloading_leaves_no_trace(shell: Shell) -> None:
    braincode_jupyter.load_ipython_extension(shell)
    braincode_jupyter.unload_ipython_extension(shell)
    braincode_jupyter.unload_ipython_extension(shell)

    assert "braincode" not in shell.magics_manager.magics["line"]
    assert not any("braincode" in str(f) for f in shell.events.callbacks["pre_run_cell"])


@pytest.mark.parametrize("rest", ["", "last --html page.html", "page.html"])
def test_a_run_is_exported_by_the_line_magic(
    tmp_path: Path, run: Callable[[str], str], rest: str
) -> None:
    run(f"%%braincode {ROLES}\nWhy did it fall?")

    printed = run(f"%braincode export {rest}")

    assert "one page that loads nothing" in printed
    pages = list(tmp_path.glob("*.html"))
    assert len(pages) == 1
    assert pages[0].name in printed
    assert (pages[0].name == "page.html") == bool(rest)


def test_a_wrong_word_after_export_writes_nothing(
    tmp_path: Path, run: Callable[[str], str]
) -> None:
    with pytest.raises(UsageError, match="--pdf"):
        run("%braincode export last --pdf")

    assert list(tmp_path.glob("*.*ml")) == []
