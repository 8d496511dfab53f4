from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell

import braincode_jupyter
from braincode_jupyter.errors import BraincodeError, UsageError
from braincode_jupyter.journal import session_path
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import Run


class Counting(ScriptedModel):
    def __init__(self) -> None:
        super().__init__(self.said)
        self.asked: list[str] = []

    def said(self, call: ModelCall) -> object:
        self.asked.append(call.role)
        is_worker = call.call_kind == "worker"
        return json.dumps({"summary": f"result of {call.role}"}) if is_worker else None


@pytest.fixture
def model(own_home: Path) -> Iterator[Counting]:
    model = Counting()
    use_models(model)
    yield model
    use_models(None)


@pytest.fixture
def cut(model: Counting, tmp_path: Path) -> tuple[Run, Path]:
    """Leave a session as a kernel does that is killed after its two workers."""
    whole = braincode_jupyter.run("why", roles="analyst,librarian,security", heuristic=True)
    path = session_path(tmp_path / ".braincode", whole.session_id)
    lines = path.read_bytes().splitlines(keepends=True)
    ends = [n for n, one in enumerate(lines) if json.loads(one)["type"] == "worker_end"]
    path.write_bytes(b"".join(lines[: ends[1] + 1]))
    model.asked.clear()
    return whole, path


@pytest.mark.parametrize("form", ["", "{id}", "@@{id} --max-tokens 90000", "--as again", "named"])
def test_the_line_magic_goes_on_with_what_is_left(
    form: str, *, model: Counting, cut: tuple[Run, Path], line: Callable[[str], str]
) -> None:
    whole, _ = cut
    InteractiveShell.instance().user_ns["named"] = whole

    printed = line(f"resume {form.format(id=whole.session_id[:8])}")

    assert model.asked == ["analyst"]
    assert whole.answer in printed
    run = InteractiveShell.instance().user_ns["again" if "--as" in form else "_braincode"]
    assert (run.session_id, run.status, run.answer) == (
        whole.session_id,
        "completed",
        whole.answer,
    )


def test_a_complete_run_is_shown_with_a_sentence(
    model: Counting, cut: tuple[Run, Path], line: Callable[[str], str]
) -> None:
    whole, path = cut
    line("resume")
    model.asked.clear()
    size = path.stat().st_size

    printed = line(f"resume {whole.session_id}")

    assert "Nothing to resume" in printed
    assert whole.answer in printed
    assert (model.asked, path.stat().st_size) == ([], size)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("resume", "No session can be resumed"),
        ("resume 0000", "No session starts with"),
        ("resume --brain x", "--brain"),
        ("resume a b", "is no option"),
        ("replay --speed fast", "is no speed"),
        ("replay --speed 0", "is no speed"),
        ("replay --loud", "--loud"),
    ],
)
def test_what_cannot_be_done_is_said(
    text: str, said: str, *, line: Callable[[str], str], model: Counting
) -> None:
    with pytest.raises(UsageError, match=said):
        line(text)
    assert model.asked == []


def test_python_resumes_the_same(model: Counting, cut: tuple[Run, Path]) -> None:
    whole, path = cut
    lines = path.read_bytes()

    run = braincode_jupyter.resume()
    again = braincode_jupyter.resume(whole.session_id[:8])
    path.write_bytes(lines)
    awaited = asyncio.run(braincode_jupyter.resume_async(whole.session_id))

    assert {one.answer for one in (run, again, awaited)} == {whole.answer}
    assert model.asked == ["analyst", "analyst"]
    with pytest.raises(BraincodeError, match="brain"):
        braincode_jupyter.resume(whole.session_id, brain="x")


def test_a_replay_draws_all_and_asks_nobody(
    model: Counting, cut: tuple[Run, Path], line: Callable[[str], str]
) -> None:
    whole, path = cut
    line("resume")
    model.asked.clear()
    before = path.read_bytes(), sorted(path.parent.iterdir())

    printed = line(f"replay {whole.session_id[:8]} --speed 0.02")

    assert whole.answer in printed
    assert "running" in printed or "working" in printed
    assert (path.read_bytes(), sorted(path.parent.iterdir())) == before
    assert model.asked == []
