"""One place in the output of a cell, filled again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from braincode_jupyter.notebook.shell import ShellAccess


class Slot:
    """A display that later calls replace.

    Parameters
    ----------
    access : ShellAccess
        The shell that displays.
    """

    def __init__(self, access: ShellAccess) -> None:
        self._access = access
        self._display_id = f"braincode-{uuid4().hex}"
        self._is_shown = False

    def show(self, data: object) -> None:
        """Show a MIME bundle or an object, in place of what the slot holds."""
        self._access.display(data, display_id=self._display_id, update=self._is_shown)
        self._is_shown = True

    def say(self, text: str) -> None:
        """Show a line of text."""
        self.show({"text/plain": text})

    @property
    def is_shown(self) -> bool:
        """Something was shown."""
        return self._is_shown
