from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braincode_jupyter.brain.command_words import read_command
from braincode_jupyter.brain.permission import Policy, decide
from braincode_jupyter.brain.tool_rules import read_rules
from braincode_jupyter.protocol.tools import ToolRefused
from braincode_jupyter.tools.command import exec_command, shell
from braincode_jupyter.tools.group import MAX_RETURN_BYTES, ToolGroup
from braincode_jupyter.tools.sets import project_toolset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.tools.changes import EditRecord
    from tests.unit.tools.conftest import Use

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
PYTHON = Path(sys.executable).name


async def test_words_reach_the_program_as_they_were_read(root: Path, use: Use) -> None:
    (root / "show.py").write_text("import sys; print(sys.argv[1:])")

    given = await use(exec_command(root), cmd=f"{PYTHON} show.py 'a b' \"*\" '$HOME' ';' '--x=1'")

    assert "['a b', '*', '$HOME', ';', '--x=1']" in given.text
    assert given.details["exitCode"] == 0


@pytest.mark.parametrize(
    "cmd", ["true; touch m", "true && touch m", "echo $(touch m)", "echo `touch m`", "true > m",
            "true | tee m", "A=1 touch m", "touch m &", "true\ntouch m", "echo *", "echo ~", "'"]
)  # fmt: skip
async def test_r41_without_a_shell_nothing_that_needs_one_runs(
    cmd: str, root: Path, use: Use
) -> None:
    given = await use(exec_command(root), cmd=cmd)

    assert given.is_error
    assert "shell" in given.text
    assert not (root / "m").exists()


@posix
async def test_the_shell_runs_its_text_and_reads_no_profile(
    root: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "rc").write_text("echo canary-profile")
    for name in ("ENV", "BASH_ENV"):
        monkeypatch.setenv(name, str(root / "rc"))
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key")

    given = await use(shell(root), command="echo a | tr a b; env; exit 3")

    assert given.text.startswith("[exit status 3]\nb\n")
    assert "canary" not in given.text
    assert given.details["exitCode"] == 3


@posix
async def test_a_command_is_bound_to_its_folder_and_may_not_leave(root: Path, use: Use) -> None:
    (root / "sub").mkdir()
    (root / "out").symlink_to(root.parent / "outside")

    inside = await use(exec_command(root), cmd="pwd", workdir="sub")
    assert (root / "sub").resolve().as_posix() in inside.text
    for workdir in ("..", "out", "/", "none", "~"):
        assert (await use(exec_command(root), cmd="pwd", cwd=workdir)).is_error


@posix
def test_r40_the_program_that_was_found_is_shown_and_one_of_the_project_is_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "tool").write_text("#!/bin/sh\n")
    (root / "tool").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(root), "/usr/bin", "/bin"]))

    found = exec_command(root).target({"cmd": "env -i"})
    mine = exec_command(root).target({"cmd": "tool"})
    through_shell = shell(root).target({"cmd": "tool x"})
    complex_one = shell(root).target({"cmd": "env | cat"})

    assert found.program is not None
    assert f"program: {found.program}" in found.shown
    assert (mine.program, through_shell.program, complex_one.program) == (None, None, None)
    assert "inside the project" in mine.shown
    allow = read_rules({"commands": [{"pattern": "tool", "policy": "allow"}]})
    policy = Policy(mode="ask", rules=allow)
    assert decide(exec_command(root).spec, mine, policy).action == "ask"


@posix
async def test_r40_a_program_exchanged_after_the_decision_is_not_run(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = root.parent / "bin1", root.parent / "bin2"
    for folder in (first, second):
        folder.mkdir()
    (second / "tool").write_text("#!/bin/sh\necho second\n")
    (second / "tool").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(first), str(second), "/bin"]))
    group, arguments = ToolGroup([exec_command(root)]), {"cmd": "tool"}
    target = group.target("exec_command", arguments)
    (first / "tool").write_text(f"#!/bin/sh\ntouch {root}/marker\n")
    (first / "tool").chmod(0o755)

    with pytest.raises(ToolRefused, match="changed"):
        await group.call("exec_command", arguments, target=target)
    assert not (root / "marker").exists()


async def test_slow_and_huge_outputs_are_bounded_and_say_so(root: Path, use: Use) -> None:
    (root / "slow.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(60)")
    (root / "huge.py").write_text("import sys\nfor n in range(200000): print(n)\nsys.exit(1)")

    slow = await use(exec_command(root), cmd=f"{PYTHON} slow.py", timeout=1_000)
    huge = await use(exec_command(root), cmd=f"{PYTHON} huge.py", maxOutputBytes=48_000)

    assert slow.is_error
    assert "ended after 1 s" in slow.text
    assert "begun" in slow.text
    assert huge.text.rstrip().endswith("199999")
    assert "left out" in huge.text
    assert len(huge.text.encode()) <= MAX_RETURN_BYTES


@posix
async def test_a_command_that_detaches_leaves_nothing_alive(root: Path, use: Use) -> None:
    background = "setsid sh -c 'echo $$ > pid; exec sleep 60' >/dev/null 2>&1 &"

    given = await use(shell(root), cmd=f"{background} while ! test -s pid; do :; done")

    assert given.details["ended"] == "itself"
    with pytest.raises(ProcessLookupError):
        os.kill(int((root / "pid").read_text()), 0)


@posix
async def test_a_cancelled_command_is_ended(root: Path) -> None:
    group, arguments = ToolGroup([shell(root)]), {"cmd": "echo $$ > pid; exec sleep 60"}
    target = group.target("shell", arguments)
    call = asyncio.ensure_future(group.call("shell", arguments, target=target))
    await asyncio.to_thread(_until, root / "pid")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    with pytest.raises(ProcessLookupError):
        os.kill(int((root / "pid").read_text()), 0)


def _until(path: Path) -> None:
    while not path.exists() or not path.read_text().strip():
        pass


@pytest.mark.parametrize(
    "arguments",
    [{}, {"cmd": ""}, {"cmd": "a\0b"}, {"cmd": "none-such-program"}, {"cmd": ["ls"]},
    {"cmd": "x" * 20_000},
     {"cmd": "pwd", "timeoutMs": 900_000}, {"cmd": "pwd", "background": True}],
)  # fmt: skip
async def test_commands_that_cannot_run_are_refused(
    arguments: dict[str, object], root: Path, use: Use
) -> None:
    assert (await use(exec_command(root), **arguments)).is_error


_PIECES = st.sampled_from([
    "touch m", "touch 'm'", "t\\ouch m", ";", "&&", "|", "$(touch m)", "`touch m`", "\n", ">m",
    "true", " ",
    "env touch m", "sh -c 'touch m'", "X=1", "&", "(", ")", "'", '"', "*", "$HOME", "./evil",
    "\r", "#",
])  # fmt: skip


@posix
@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    commands=st.lists(
        st.lists(_PIECES, min_size=1, max_size=6).map(" ".join), min_size=10, max_size=10
    )
)
def test_5_000_hostile_commands_are_never_allowed_unasked(commands: list[str], root: Path) -> None:
    group = project_toolset(root, mode="ask")
    rules = read_rules({"commands": [{"pattern": "true", "policy": "allow"}]})
    specs = {spec.name: spec for spec in group.specs()}

    for text in commands:
        for name in ("exec_command", "shell"):
            try:
                target = group.target(name, {"cmd": text})
            except ToolRefused:
                assert name == "exec_command"
                continue
            assert target.command == text
            assert decide(specs[name], target, Policy()).action == "deny"
            if decide(specs[name], target, Policy(mode="ask", rules=rules)).action == "allow":
                assert (read_command(text).words or ("",))[0] == "true"
            else:
                assert decide(specs[name], target, Policy(mode="edits")).action == "deny"


def test_what_each_mode_offers(root: Path) -> None:
    def keep(_records: Sequence[EditRecord]) -> None:
        return

    looking = ("list_files", "read_file", "search_files", "git_diff", "get_changed_files")
    edits = ("edit_file", "apply_patch")
    commands = ("exec_command", "shell") if os.name == "posix" else ("exec_command",)

    def names(mode: str, **more: object) -> tuple[str, ...]:
        group = project_toolset(root, mode=mode, **more)  # pyright: ignore[reportArgumentType] - test data
        return tuple(spec.name for spec in group.specs())

    assert names("read-only", keep=keep) == looking
    assert names("edits", keep=keep) == looking + edits
    assert names("ask", keep=keep) == names("all", keep=keep) == looking + edits + commands
    assert names("all") == looking + commands
    assert names("edits", keep=keep, disabled=frozenset({"edit_file"})) == (*looking, "apply_patch")


def test_every_tool_says_what_it_can_do(root: Path) -> None:
    group = project_toolset(root, mode="all", keep=lambda _records: None)

    effects = {spec.name: (spec.effect, spec.is_sequential) for spec in group.specs()}

    for name, (effect, is_sequential) in effects.items():
        assert is_sequential is (effect != "read"), name
    assert effects["edit_file"][0] == effects["apply_patch"][0] == "write"
    assert effects["exec_command"][0] == "execute"
