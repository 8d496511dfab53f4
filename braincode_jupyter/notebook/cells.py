"""The cells of this notebook as the kernel saw them run, in the order of the notebook if known.

Works in every front end, without an extension: IPython's events tell which cell runs, the hooks of
the kernel's display publisher and display hook tell what is shown, and what is printed is copied on
its way through ``write``. Where a front end pushes a snapshot of the notebook right before a cell
runs, that gives order, markdown cells and unsaved text for as long as this cell is the last one
that was started; else the saved file gives cells that have not run yet.

Invariants: what the user sees is not changed; nothing here raises into a cell of the user; memory
is bounded by ``references.limits``; the notebook file is only read. What turns records into cells
is imported when cells are first asked for, since this module is loaded with the extension.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from braincode_jupyter.notebook.cell_record import CellRecord, Raised, shown
from braincode_jupyter.references import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from braincode_jupyter.protocol.ports import CellSnapshot

Message = dict[str, Any]
"""A message of the kernel, on its way out."""
Events = Any
"""IPython's `EventManager`, which is not typed."""
MAX_ANNOUNCED = 256
"""Cells that a front end has scheduled with a snapshot and that have not begun."""


def session_file() -> str | None:
    """Return the path of the notebook as Jupyter told it when the kernel started."""
    return os.environ.get("JPY_SESSION_NAME")


def open_notebook() -> Path | None:
    """Return the file of the open notebook; None if Jupyter did not tell, or it was moved."""
    told = session_file()
    path = Path(told) if told else None
    return path if path is not None and path.is_absolute() and path.is_file() else None


class ShellCells:
    """Cells of the open notebook; a `CellSource`.

    Parameters
    ----------
    events : Events
        Of the shell.
    display_pub, displayhook : object
        Of the shell; hooks are registered where they take any, which those of a kernel do.
    inputs : callable or None
        Gives the sources of all cells executed so far, by execution count; for those that ran
        before `register`.
    notebook_file : callable
        Gives the path of the saved notebook, or None.
    """

    def __init__(
        self,
        *,
        events: Events,
        display_pub: object,
        displayhook: object,
        inputs: Callable[[], Sequence[str]] | None = None,
        notebook_file: Callable[[], str | None] = session_file,
    ) -> None:
        self._events = events
        self._display_pub = display_pub
        self._displayhook = displayhook
        self._inputs = inputs
        self._notebook_file = notebook_file
        self._records: dict[str, CellRecord] = {}
        self._running: list[object] = []
        self._current: CellRecord | None = None
        self._taps: list[_Tap] = []
        self._announced: dict[str, tuple[CellSnapshot, ...]] = {}
        self._latest: tuple[CellSnapshot, ...] = ()
        self._pushed: tuple[CellSnapshot, ...] = ()
        self._saved: tuple[tuple[object, ...], tuple[CellSnapshot, ...]] = ((), ())

    def register(self) -> None:
        """Start to watch."""
        self._events.register("pre_run_cell", self._on_start)
        self._events.register("post_run_cell", self._on_end)
        for place, hook in self._hooks():
            _call(place, "register_hook", hook)

    def unregister(self) -> None:
        """Stop to watch, and forget nothing; a second call does nothing."""
        for event, function in (("pre_run_cell", self._on_start), ("post_run_cell", self._on_end)):
            with suppress(ValueError):
                self._events.unregister(event, function)
        for place, hook in self._hooks():
            _call(place, "unregister_hook", hook)
        self._remove_taps()

    def accept_snapshot(self, data: object) -> bool:
        """Take the notebook as a front end has it now, right before it runs a cell.

        Parameters
        ----------
        data : object
            ``{"running": id, "cells": [cell of the notebook format 4, …]}``; without ``cells`` the
            ones sent last are meant, so that *Run All* sends them once. Other keys are ignored.

        Returns
        -------
        bool
            False if it was refused: wrong shape or too large. That cell does without.
        """
        from braincode_jupyter.notebook.notebook_order import (  # noqa: PLC0415 - light load
            announced_cell,
            pushed_cells,
        )

        running = announced_cell(data)
        if running is None:
            return False
        if "cells" in cast("dict[str, object]", data):
            found = pushed_cells(data)
            if found is None:
                self._announced.pop(running, None)
                return False
            self._latest = found
        self._announced[running] = self._latest
        while len(self._announced) > MAX_ANNOUNCED:
            del self._announced[next(iter(self._announced))]
        return True

    def cells(self) -> Sequence[CellSnapshot]:
        """Return the cells known now, in notebook order as far as it is known."""
        return self._joined(self._pushed)

    def cells_on_page(self, data: object) -> Sequence[CellSnapshot]:
        """Return the cells known now if a front end's notebook is this; nothing is kept.

        Parameters
        ----------
        data : object
            As for `accept_snapshot`; what is refused there counts as nothing.

        Returns
        -------
        sequence of CellSnapshot
            In the order of the page.
        """
        from braincode_jupyter.notebook.notebook_order import (  # noqa: PLC0415 - light load
            pushed_cells,
        )

        return self._joined(pushed_cells(data) or ())

    def _joined(self, page: tuple[CellSnapshot, ...]) -> Sequence[CellSnapshot]:
        from braincode_jupyter.notebook.notebook_order import (  # noqa: PLC0415 - light load
            merged,
            recorded_cell,
        )

        kept = list(self._records.values())
        records = [recorded_cell(record) for record in kept]
        first = min((r.execution_count for r in kept if r.execution_count), default=None)
        earlier = [recorded_cell(record) for record in self._earlier(first)]
        base = page or self._from_file()
        return merged(base, records, earlier=earlier, is_page=bool(page))

    def _hooks(self) -> tuple[tuple[object, Callable[[Message], Message]], ...]:
        return ((self._display_pub, self._on_display), (self._displayhook, self._on_result))

    def _on_start(self, info: object = None) -> None:
        """Begin a record; a cell that a cell runs belongs to the outer one."""
        with suppress(Exception):
            cell_id = _text(getattr(info, "cell_id", None))
            if self._running and not cell_id:
                self._running.append(info)
                return
            self._remove_taps()
            self._running = [info]
            record = CellRecord(cell_id, _text(getattr(info, "raw_cell", None)))
            self._current = record
            self._pushed = self._announced.pop(cell_id, ())
            self._remember(record)
            self._taps = [_Tap(name, self._on_text) for name in ("stdout", "stderr")]

    def _on_end(self, result: object = None) -> None:
        """End the record; what failed is its last output."""
        with suppress(Exception):
            info = getattr(result, "info", None)
            if not self._running or self._running[0] is not info:
                self._running = self._running[:1]
                return
            self._running.clear()
            record, self._current = self._current, None
            self._remove_taps()
            if record is not None:
                self._finish(record, result)

    def _finish(self, record: CellRecord, result: object) -> None:
        record.is_running = False
        count = getattr(result, "execution_count", None)
        record.execution_count = count if type(count) is int else None
        error = getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None)
        value = getattr(result, "result", None)
        is_kernel = hasattr(self._display_pub, "register_hook")
        tells_results = hasattr(self._displayhook, "register_hook")
        if isinstance(error, BaseException):
            from braincode_jupyter.references.kinds import (  # noqa: PLC0415 - light load
                exception_message,
                type_name,
            )

            name = type_name(error).removeprefix("__main__.")
            record.add_output(Raised(name, exception_message(error)))
        elif value is not None and is_kernel and not tells_results:  # older kernels
            from braincode_jupyter.references import describe  # noqa: PLC0415 - light load

            record.add_output(shown("result", {"text/plain": describe(value).text}))
        self._remember(record)
        self._forget_images()

    def _on_text(self, name: str, text: str) -> None:
        if self._current is not None:
            self._current.add_text(name, text)

    def _on_display(self, message: Message) -> Message:
        with suppress(Exception):
            self._take(message, kind="display")
        return message

    def _on_result(self, message: Message) -> Message:
        with suppress(Exception):
            self._take(message, kind="result")
        return message

    def _take(self, message: Message, *, kind: str) -> None:
        """Take what a message of the kernel displays, updates or clears."""
        content = cast("Mapping[str, object]", message["content"])
        message_type = message.get("msg_type") or message["header"]["msg_type"]
        if message_type == "clear_output":
            if self._current is not None:
                self._current.clear(wait=bool(content.get("wait")))
            return
        data = cast("Mapping[str, object]", content["data"])
        output = shown("result" if kind == "result" else "display", data)
        transient, display_id = content.get("transient"), ""
        if isinstance(transient, dict):
            named = cast("Mapping[str, object]", transient)
            display_id = _text(named.get("display_id"))
        if message_type == "update_display_data":
            any(
                record.update_output(display_id, output)
                for record in reversed(list(self._records.values()))
            )
        elif self._current is not None:
            self._current.add_output(output, display_id)

    def _remember(self, record: CellRecord) -> None:
        """Keep a record under its id, else its label, else its execution count."""
        for key in [key for key, kept in self._records.items() if kept is record]:
            del self._records[key]
        key = record.cell_id or (f"label {record.label}" if record.label else "")
        self._records.pop(key, None)
        self._records[key or f"count {record.execution_count}"] = record
        while len(self._records) > limits.KEPT_CELLS:
            del self._records[next(iter(self._records))]

    def _forget_images(self) -> None:
        """Drop the oldest pictures once all together are too large."""
        total = 0
        for record in reversed(list(self._records.values())):
            total += record.image_chars
            if total > limits.KEPT_IMAGE_BYTES:
                record.drop_images()

    def _remove_taps(self) -> None:
        for tap in self._taps:
            tap.remove()
        self._taps = []

    def _earlier(self, first: int | None) -> list[CellRecord]:
        """Return cells that ran before we watched: their sources, without outputs."""
        if self._inputs is None:
            return []
        sources = list(self._inputs())[: limits.KEPT_CELLS if first is None else first]
        records: list[CellRecord] = []
        for count, source in enumerate(sources):
            if count and source.strip():
                record = CellRecord("", source)
                record.execution_count, record.is_running = count, False
                records.append(record)
        return records

    def _from_file(self) -> tuple[CellSnapshot, ...]:
        """Return the cells of the saved notebook; read again only when it has changed."""
        name = self._notebook_file()
        if not name:
            return ()
        try:
            state = Path(name).stat()
        except (OSError, ValueError):
            return ()
        key = (name, state.st_mtime_ns, state.st_size)
        if self._saved[0] != key:
            from braincode_jupyter.notebook.notebook_order import (  # noqa: PLC0415 - light load
                saved_cells,
            )

            self._saved = (key, saved_cells(Path(name)))
        return self._saved[1]


class _Tap:
    """Copies what is written to ``sys.stdout`` or ``sys.stderr`` while a cell runs.

    The stream stays the same object; its ``write`` is shadowed on the instance and uncovered again.
    A stream that takes no attributes is left alone.
    """

    def __init__(self, name: str, take: Callable[[str, str], None]) -> None:
        self._stream: object = getattr(sys, name)
        self._write: Callable[[str], object] | None = None
        original: Callable[[str], object] | None = getattr(self._stream, "write", None)
        if original is None:
            return

        def write(text: str) -> object:
            written = original(text)
            if self._write is not None and type(text) is str:
                with suppress(Exception):
                    take(name, text)
            return written

        with suppress(AttributeError, TypeError):
            self._stream.write = write  # pyright: ignore[reportAttributeAccessIssue] - any stream
            self._write = write

    def remove(self) -> None:
        """Uncover the stream's own ``write``, unless somebody has covered ours."""
        ours, self._write = self._write, None
        with suppress(AttributeError, TypeError):
            if ours is not None and vars(self._stream).get("write") is ours:
                del self._stream.write  # pyright: ignore[reportAttributeAccessIssue] - any stream


def _call(place: object, method: str, hook: Callable[[Message], Message]) -> None:
    """Call a method of the kernel's publishers, where there is one."""
    function: object = getattr(place, method, None)
    if callable(function):
        with suppress(ValueError):
            function(hook)


def _text(value: object) -> str:
    return value if type(value) is str else ""
