"""One gate for each class of danger (security.md G5): a second one fails here."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Trees = dict[str, ast.Module]

PROMPT_BUILDER = {"brain/flow.py"}
MODEL_LIBRARY = {"models/agents.py"}
SHELL = {"notebook/shell.py"}
SPAWNERS = {
    "hooks/command.py",
    "machine/child_guard.py",
    "machine/programs.py",
    "models/carriers.py",
    "models/local.py",
    "tools/sandbox.py",  # tries whether bubblewrap works
    "tools/scratch_child.py",
    "tools/scratch_process.py",
}
FILE_WRITERS = {
    "home/json_files.py",
    "home/paths.py",
    "journal/files.py",
    "journal/lock.py",
    "journal/spill.py",
    "journal/writer.py",
    "machine/paths.py",  # makes the folders of a place
    "machine/whole_file.py",  # the page of an export, that a person named
    "machine/writing.py",
    "models/carriers.py",
    "models/weights.py",
    "tools/scratch_child.py",
    "tools/scratch_process.py",  # the folder of a scratch kernel
    "tools/transfer.py",
    "runtime/prove.py",  # a throw-away project for `%braincode prove`
}
OUTSIDE_TASK_GROUPS = {
    "notebook/display.py",
    "notebook/loop.py",
    "tools/scratch_pool.py",  # a start that fails must not end the run; the pool awaits it
    "widget/batcher.py",
}
BROAD_HANDLERS = {
    "hooks/dispatch.py",  # a hook that fails breaks nothing
    "models/client.py",  # what model libraries raise is open-ended
    "models/weights.py",  # an optional download client
    "notebook/magics.py",
    "references/frames.py",  # objects of the user, whose methods may raise anything
    "references/variables.py",
    "runtime/orchestrator.py",
    "runtime/toolbox.py",  # what a tool raises is text for the model
    "tools/evidence.py",  # frames of the user
    "tools/mcp_servers.py",  # what the SDK raises is open-ended
    "tools/scratch_child.py",  # another process: there it is an edge
    "tools/transfer.py",
    "widget/batcher.py",  # a card that cannot be fed must not break the run
}

_SHELL_INTERNALS = {"user_ns", "user_global_ns", "kernel", "history_manager", "kernel_app"}
_WRITING_CALLS = {"write_text", "write_bytes", "mkdir", "makedirs", "rename", "unlink", "rmtree"}
_WRITING_FLAGS = {"O_CREAT", "O_WRONLY", "O_RDWR", "O_APPEND", "O_TRUNC"}
_WRITING_MODE = re.compile(r"(?=.*[wax+])[rwaxbt+]{1,3}")
COPIES = {"tools/transfer.py", "tools/scratch_child.py"}
"""The user's kernel writes plain values, the scratch kernel reads them, never the other way."""
_BANNED_NAMES = {"eval", "exec", "compile", "__import__", "input", "breakpoint"}
_BANNED_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "code"}
_VAGUE_NAMES = re.compile(
    r"(^|_)(utils?|helpers?|common|misc|core|base|managers?|handlers?|services?|engine)(_|$)"
)


def _offenders(trees: Trees, finds: Callable[[ast.AST], bool]) -> set[str]:
    return {name for name, tree in trees.items() if any(finds(node) for node in ast.walk(tree))}


def _called(node: ast.AST) -> str:
    """Return the dotted name that a call names; empty for anything else."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        yield node.module
    elif _called(node).split(".")[-1] in {"import_module", "__import__"}:
        first = node.args[0] if isinstance(node, ast.Call) and node.args else None
        if isinstance(first, ast.Constant):
            yield str(first.value)


def _imports(node: ast.AST, tops: set[str]) -> bool:
    return any(name.split(".")[0] in tops for name in _imported(node))


def test_r2_one_module_builds_prompts(package_trees: Trees) -> None:
    found = _offenders(package_trees, lambda node: _called(node).split(".")[-1] == "Prompt")

    assert found == PROMPT_BUILDER


def test_one_module_knows_the_model_library(package_trees: Trees) -> None:
    found = _offenders(package_trees, lambda node: _imports(node, {"pydantic_ai"}))

    assert found <= MODEL_LIBRARY


def test_one_module_touches_the_shell_and_the_kernel(package_trees: Trees) -> None:
    notebook = {k: tree for k, tree in package_trees.items() if k.startswith("notebook/")}

    found = _offenders(
        notebook, lambda node: isinstance(node, ast.Attribute) and node.attr in _SHELL_INTERNALS
    )

    assert found <= SHELL


def test_one_module_starts_processes(package_trees: Trees) -> None:
    found = _offenders(
        package_trees,
        lambda node: (
            _imports(node, {"subprocess", "multiprocessing", "pty"})
            or bool(
                re.search(r"create_subprocess|os\.(system|popen|exec|spawn|fork)", _called(node))
            )
        ),
    )

    assert found <= SPAWNERS


def test_no_process_is_started_through_a_shell(package_trees: Trees) -> None:
    found = _offenders(
        package_trees,
        lambda node: (
            (isinstance(node, ast.keyword) and node.arg == "shell")
            or "subprocess_shell" in _called(node)
        ),
    )

    assert found == set()


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _WRITING_FLAGS
    name = _called(node).split(".")[-1]
    if not isinstance(node, ast.Call) or name not in {"open", "fdopen"}:
        return name in _WRITING_CALLS
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    modes = [value.value for value in given if isinstance(value, ast.Constant)]
    return any(isinstance(mode, str) and _WRITING_MODE.fullmatch(mode) for mode in modes)


def test_g5_files_are_written_by_the_journal_and_the_weights_alone(package_trees: Trees) -> None:
    found = _offenders(package_trees, _writes)

    assert found <= FILE_WRITERS


def test_no_task_runs_without_an_owner(package_trees: Trees) -> None:
    found = _offenders(
        package_trees,
        lambda node: (
            _called(node).endswith(("create_task", "ensure_future"))
            and "group" not in _called(node).lower()
        ),
    )

    assert found <= OUTSIDE_TASK_GROUPS


def _swallows_everything(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    is_broad = node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"}
    last = node.body[-1]
    return is_broad and not (isinstance(last, ast.Raise) and last.exc is None)


def test_everything_is_caught_at_the_edges_alone(package_trees: Trees) -> None:
    assert _offenders(package_trees, _swallows_everything) <= BROAD_HANDLERS


def test_nothing_evaluates_text_or_reads_code_in_data(package_trees: Trees) -> None:
    found = _offenders(
        package_trees,
        lambda node: _called(node) in _BANNED_NAMES or _imports(node, _BANNED_MODULES),
    )

    assert found <= COPIES


def test_sockets_are_opened_by_libraries_alone(package_trees: Trees) -> None:
    found = _offenders(
        package_trees,
        lambda node: (
            _imports(node, {"socket", "socketserver", "ssl"})
            or _imports(node, {"urllib3", "requests"})
        ),
    )

    assert found == set()


@pytest.mark.parametrize(
    "danger", ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"]
)
def test_r74_the_front_end_never_makes_markup_from_text(
    danger: str, front_end_paths: dict[str, Path]
) -> None:
    found = [n for n, path in front_end_paths.items() if danger in path.read_text(encoding="utf-8")]

    assert found == []


def test_the_front_end_never_evaluates_text(front_end_paths: dict[str, Path]) -> None:
    danger = re.compile(r"\beval\(|new Function\(|setTimeout\(['\"]")

    found = [n for n, p in front_end_paths.items() if danger.search(p.read_text(encoding="utf-8"))]

    assert found == []


def test_file_names_say_what_a_file_owns(
    package_paths: dict[str, Path], front_end_paths: dict[str, Path]
) -> None:
    names = [*package_paths, *front_end_paths]

    vague = [n for n in names if _VAGUE_NAMES.search(re.split(r"[/.]", n)[-2].replace("-", "_"))]

    assert vague == []


def test_every_ignore_names_its_rule_and_its_reason(package_paths: dict[str, Path]) -> None:
    whole = re.compile(r"# (noqa: [A-Z]+\d+(, [A-Z]+\d+)*|pyright: ignore\[[\w, ]+\]) - \S")
    lines = [
        f"{name}:{number}"
        for name, path in package_paths.items()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"#\s*(noqa|type: ignore|pyright: ignore)", line) and not whole.search(line)
    ]

    assert lines == []


def test_nothing_is_left_for_later(package_paths: dict[str, Path]) -> None:
    unfinished = re.compile(r"raise NotImplementedError|\b(TODO|FIXME|XXX|HACK)\b")

    found = [
        n for n, p in package_paths.items() if unfinished.search(p.read_text(encoding="utf-8"))
    ]

    assert found == []
