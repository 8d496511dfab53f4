"""A kernel's shell as `ShellCells` sees it, driven by hand."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

from braincode_jupyter.notebook.cells import ShellCells

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.protocol.ports import CellSnapshot

Message = dict[str, object]


def plain(cell_id: str, source: str, **more: object) -> dict[str, object]:
    """Return a code cell as a notebook holds it."""
    return {"id": cell_id, "cell_type": "code", "source": source, "outputs": [], **more}


class Events:
    def __init__(self) -> None:
        self.callbacks: dict[str, list[Callable[..., object]]] = {
            "pre_run_cell": [], "post_run_cell": []
        }  # fmt: skip

    def register(self, event: str, function: Callable[..., object]) -> None:
        self.callbacks[event].append(function)

    def unregister(self, event: str, function: Callable[..., object]) -> None:
        self.callbacks[event].remove(function)

    def trigger(self, event: str, argument: object) -> None:
        for function in list(self.callbacks[event]):
            function(argument)


class Publisher:
    """A publisher of a kernel: hooks see each message and give it back."""

    def __init__(self) -> None:
        self.hooks: list[Callable[[Message], Message]] = []

    def register_hook(self, hook: Callable[[Message], Message]) -> None:
        self.hooks.append(hook)

    def unregister_hook(self, hook: Callable[[Message], Message]) -> bool:
        if hook in self.hooks:
            self.hooks.remove(hook)
            return True
        return False

    def send(self, kind: str, content: object) -> Message:
        message: Message = {"header": {"msg_type": kind}, "msg_type": kind, "content": content}
        for hook in list(self.hooks):
            message = hook(message)
        return message


class Kernel:
    """What `ShellCells` is given by a kernel's shell, driven by hand."""

    def __init__(self, **given: object) -> None:
        self.events, self.display, self.result = Events(), Publisher(), Publisher()
        self.count = 0
        self.source = ShellCells(
            events=self.events,
            display_pub=self.display,
            displayhook=self.result,
            **{"notebook_file": lambda: None, **given},  # pyright: ignore[reportArgumentType]
        )
        self.source.register()

    def start(self, cell_id: str | None, source: str) -> SimpleNamespace:
        info = SimpleNamespace(cell_id=cell_id, raw_cell=source)
        self.events.trigger("pre_run_cell", info)
        return info

    def end(self, info: object, error: BaseException | None = None, value: object = None) -> None:
        self.count += 1
        result = SimpleNamespace(
            info=info, execution_count=self.count, error_in_exec=error, error_before_exec=None,
            result=value,
        )  # fmt: skip
        self.events.trigger("post_run_cell", result)

    def run(self, cell_id: str | None, source: str, printed: str = "") -> None:
        info = self.start(cell_id, source)
        if printed:
            sys.stdout.write(printed)
        self.end(info)

    def cells(self) -> list[CellSnapshot]:
        return list(self.source.cells())
