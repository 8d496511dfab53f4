from __future__ import annotations

import base64
import io
import json
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
from watched_kernel import Kernel, plain

from braincode_jupyter.notebook.cells import ShellCells
from braincode_jupyter.references import limits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


# Field report B22: stream text, a table, a plot and an error, in order.


def test_everything_a_cell_puts_out_is_kept_in_order() -> None:
    kernel = Kernel()
    info = kernel.start("x", "#| label: mixed\nwork()")
    print("one")  # noqa: T201
    print("warned", file=sys.stderr)  # noqa: T201
    kernel.display.send("display_data", {"data": {"text/plain": "   a\n0  1"}})
    kernel.display.send("display_data", {"data": {"text/plain": "<Figure>", "image/png": PNG}})
    print("two")  # noqa: T201
    kernel.result.send("execute_result", {"data": {"text/plain": "42"}})
    kernel.end(info, error=ValueError("it broke"))

    (cell,) = kernel.cells()

    assert (cell.cell_id, cell.label, cell.execution_count) == ("x", "mixed", 1)
    assert [(o.kind, o.name, o.text) for o in cell.outputs] == [
        ("stream", "stdout", "one\n"),
        ("stream", "stderr", "warned\n"),
        ("display", "", "   a\n0  1"),
        ("display", "", "<Figure>"),
        ("stream", "stdout", "two\n"),
        ("result", "", "42"),
        ("error", "ValueError", "it broke"),
    ]
    assert cell.outputs[3].image is not None


def test_the_running_cell_is_marked_and_streams_are_left_as_they_were() -> None:
    kernel = Kernel()
    stream = sys.stdout
    info = kernel.start("a", "x")

    assert [cell.is_running for cell in kernel.cells()] == [True]
    kernel.end(info)

    assert [cell.is_running for cell in kernel.cells()] == [False]
    assert sys.stdout is stream
    assert "write" not in vars(stream)


def test_messages_pass_unchanged_even_if_they_make_no_sense() -> None:
    kernel = Kernel()
    kernel.start("a", "x")

    for content in (
        None,
        {},
        {"data": 3},
        {"data": {"image/png": 3}},
        {"data": {}, "transient": 1},
    ):
        assert kernel.display.send("display_data", content)["content"] is content
    assert kernel.display.send("odd", {"data": {"text/plain": ["x"]}})


def test_updates_replace_and_clearing_forgets() -> None:
    kernel = Kernel()
    info = kernel.start("a", "x")
    shown = {"data": {"text/plain": "first"}, "transient": {"display_id": "d"}}
    kernel.display.send("display_data", shown)
    kernel.end(info)
    later = kernel.start("b", "y")
    update = {"data": {"text/plain": "second"}, "transient": {"display_id": "d"}}
    kernel.display.send("update_display_data", update)
    print("gone")  # noqa: T201
    kernel.display.send("clear_output", {"wait": True})
    print("kept")  # noqa: T201
    kernel.end(later)

    assert [[o.text for o in cell.outputs] for cell in kernel.cells()] == [["second"], ["kept\n"]]


def test_a_cell_that_runs_again_takes_its_old_place_away() -> None:
    kernel = Kernel()
    kernel.run("a", "one", "1")
    kernel.run("b", "two", "2")
    kernel.run("a", "one changed", "3")

    found = [(cell.cell_id, cell.source, cell.execution_count) for cell in kernel.cells()]
    assert found == [("b", "two", 2), ("a", "one changed", 3)]


def test_without_ids_cells_are_told_apart_by_label_and_count() -> None:
    kernel = Kernel()
    kernel.run(None, "#| label: x\n1")
    kernel.run(None, "plain")
    kernel.run(None, "plain")
    kernel.run(None, "#| label: x\n2")

    assert [(cell.label, cell.execution_count) for cell in kernel.cells()] == [
        ("", 2), ("", 3), ("x", 4)
    ]  # fmt: skip


def test_what_a_cell_runs_inside_belongs_to_it() -> None:
    kernel = Kernel()
    outer = kernel.start("a", "outer")
    inner = kernel.start(None, "inner")
    print("inside")  # noqa: T201
    kernel.end(inner)
    print("after")  # noqa: T201
    kernel.end(outer)

    (cell,) = kernel.cells()
    assert (cell.source, cell.outputs[0].text) == ("outer", "inside\nafter\n")


def test_a_cell_whose_end_was_never_told_does_not_swallow_the_next() -> None:
    kernel = Kernel()
    kernel.start("a", "lost")
    kernel.run("b", "next", "text")

    assert kernel.cells()[-1].outputs[0].text == "text"
    assert "write" not in vars(sys.stdout)


def test_an_end_without_a_start_is_passed_over() -> None:
    kernel = Kernel()

    kernel.end(SimpleNamespace())

    assert kernel.cells() == []


def test_a_hostile_exception_is_named_without_running_its_code() -> None:
    class BadError(Exception):
        def __str__(self) -> str:
            raise AssertionError("str")

    kernel = Kernel()
    info = kernel.start("a", "x")
    kernel.end(info, error=BadError("plain", object()))

    (output,) = kernel.cells()[0].outputs
    assert output.name.endswith("BadError")
    assert output.text == "plain, <object>"


def test_a_kernel_without_result_hooks_gets_a_description_of_the_value() -> None:
    kernel = Kernel()
    source = ShellCells(
        events=kernel.events, display_pub=kernel.display, displayhook=object(),
        notebook_file=lambda: None,
    )  # fmt: skip
    source.register()
    info = kernel.start("a", "6*7")
    kernel.end(info, value=42)

    assert source.cells()[0].outputs[0].text == "int: 42"


def test_a_failing_source_of_streams_never_reaches_the_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Sealed(io.StringIO):
        __slots__ = ()

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(name)

    kernel = Kernel()
    monkeypatch.setattr(sys, "stdout", Sealed())
    kernel.run("a", "x", "text")
    monkeypatch.setattr(sys, "stdout", None)
    kernel.run("b", "y")

    assert len(kernel.cells()) == 2


def test_memory_is_bounded_and_what_is_gone_is_said() -> None:
    kernel = Kernel()
    info = kernel.start("a", "x" * 1_000_000)
    for number in range(20_000):
        sys.stdout.write(f"line {number}\n")
    for _ in range(400):
        kernel.display.send("display_data", {"data": {"text/plain": "y" * 100_000}})
    kernel.end(info, error=ValueError("last"))
    for number in range(limits.KEPT_CELLS + 10):
        kernel.run(f"id{number}", "z")

    kept = kernel.cells()
    assert len(kept) == limits.KEPT_CELLS
    assert kept[-1].cell_id == f"id{limits.KEPT_CELLS + 9}"


def test_long_output_keeps_start_end_and_error() -> None:
    kernel = Kernel()
    info = kernel.start("a", "x")
    for number in range(50_000):
        sys.stdout.write(f"line {number}\n")
    for _ in range(400):
        kernel.display.send("display_data", {"data": {"text/plain": "y"}})
    kernel.end(info, error=ValueError("last"))

    outputs = kernel.cells()[0].outputs
    assert "line 0\n" in outputs[0].text
    assert "line 49999" in outputs[0].text
    assert "characters cut" in outputs[0].text
    assert len(outputs[0].text) < 2 * limits.KEPT_OUTPUT_CHARS
    assert outputs[-2].text == "last"
    assert "further outputs not held" in outputs[-1].text


def test_the_oldest_pictures_are_let_go_with_a_note() -> None:
    kernel = Kernel()
    large = "A" * (4 * 1024 * 1024)
    for number in range(12):
        info = kernel.start(f"c{number}", "plot")
        kernel.display.send("display_data", {"data": {"image/png": large}})
        kernel.end(info)

    cells = kernel.cells()
    assert "not held" in cells[0].outputs[0].text
    assert cells[0].outputs[0].image is None
    assert cells[-1].outputs[0].image is not None


def test_copying_what_is_printed_costs_little() -> None:
    kernel = Kernel()
    info = kernel.start("a", "x")
    started = time.process_time()
    for _ in range(20_000):
        sys.stdout.write("x")
    seconds = time.process_time() - started
    kernel.end(info)

    assert seconds < 2


def test_cells_that_ran_before_are_known_by_their_source() -> None:
    kernel = Kernel(inputs=lambda: ["", "import x", "#| label: early\ny = 1", "load", "ask"])
    kernel.count = 3
    kernel.run("d", "ask")

    found = [(cell.label, cell.execution_count, cell.source) for cell in kernel.cells()]
    assert found == [
        ("", 1, "import x"),
        ("early", 2, "#| label: early\ny = 1"),
        ("", 3, "load"),
        ("", 4, "ask"),
    ]


def write_notebook(path: Path, cells: Sequence[dict[str, object]]) -> None:
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}))


def test_the_saved_file_gives_cells_that_have_not_run_and_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    write_notebook(path, [
        plain("a", "old text"),
        plain("n", "#| label: later\nx", execution_count=9),
    ])  # fmt: skip
    before = path.read_bytes()
    kernel = Kernel(notebook_file=lambda: str(path))
    kernel.run("a", "new text")

    found = [(cell.label, cell.source, cell.execution_count) for cell in kernel.cells()]

    assert found == [("", "new text", 1), ("later", "#| label: later\nx", None)]
    assert path.read_bytes() == before


def test_a_front_end_with_other_ids_is_matched_by_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    write_notebook(path, [plain("a", "one"), plain("b", "two")])
    kernel = Kernel(notebook_file=lambda: str(path))
    kernel.run("vscode-cell:1", "two", "printed")

    found = [(cell.cell_id, cell.execution_count) for cell in kernel.cells()]

    assert found == [("a", None), ("b", 1)]


@pytest.mark.parametrize(
    "name", ["none.ipynb", "folder.ipynb", "text.txt", "bad.ipynb", "a\0b", ""]
)
def test_a_file_that_cannot_be_read_gives_no_cells(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "text.txt").write_text("{}")
    (tmp_path / "bad.ipynb").write_text("[" * 50_000)

    assert Kernel(notebook_file=lambda: f"{tmp_path}/{name}").cells() == []


def test_unregistering_twice_leaves_nothing_behind() -> None:
    kernel = Kernel()
    kernel.start("a", "x")

    kernel.source.unregister()
    kernel.source.unregister()

    assert kernel.display.hooks == kernel.result.hooks == []
    assert not any(kernel.events.callbacks.values())
    assert "write" not in vars(sys.stdout)


def test_a_plain_shell_without_a_kernel_is_watched_too(tmp_path: Path) -> None:
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell(config=config, ipython_dir=str(tmp_path))
    source = ShellCells(
        events=shell.events, display_pub=shell.display_pub, displayhook=shell.displayhook,
        notebook_file=lambda: None,
    )  # fmt: skip
    source.register()

    shell.run_cell("#| label: math\nprint('hi')\n6*7", store_history=True)
    shell.run_cell("1/0", store_history=True)
    source.unregister()

    first, second = source.cells()
    assert (first.label, first.execution_count) == ("math", 1)
    assert "hi\n" in first.outputs[0].text
    assert "42" in first.outputs[0].text
    assert second.outputs[-1].name == "ZeroDivisionError"
