"""What one cell did, remembered within limits while it runs.

Kept as it came, and turned into a `CellSnapshot` only when somebody asks: this module is loaded
with the extension, so it imports little and makes plain classes, which cost
less than data classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from braincode_jupyter.references import limits
from braincode_jupyter.references.labels import cell_label

if TYPE_CHECKING:
    from collections.abc import Mapping

_HALF = limits.KEPT_OUTPUT_CHARS // 2
_IMAGE_CHARS = limits.MAX_IMAGE_BYTES * 4 // 3 + 4
_TEXT_TYPES = ("text/plain", "text/markdown", "text/latex", "text/html")


class Shown:
    """Something displayed, or the value of the last expression.

    Parameters
    ----------
    kind : {"result", "display"}
        Which of the two.
    data : dict
        MIME type to content, what is too large left out.
    """

    def __init__(self, kind: Literal["result", "display"], data: dict[str, object]) -> None:
        self.kind: Literal["result", "display"] = kind
        self.data = data

    @property
    def image_chars(self) -> int:
        """Length of the pictures, as base64."""
        values = (value for key, value in self.data.items() if key.startswith("image/"))
        return sum(len(value) for value in values if isinstance(value, (str, bytes)))

    def drop_images(self) -> None:
        """Put a note in place of the pictures."""
        for key in [key for key in self.data if key.startswith("image/")]:
            note = _picture_note(key, self.data.pop(key))
            self.data["text/plain"] = f"{self.data.get('text/plain', '')}\n{note}".lstrip()


class Raised:
    """The exception that ended a cell."""

    def __init__(self, name: str, message: str) -> None:
        self.name = name
        self.message = message


class Printed:
    """Text printed in a row: its start and its end, at small cost for each piece."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._head = ""
        self._tail: list[str] = []
        self._tail_chars = 0
        self._dropped = 0

    def add(self, text: str) -> None:
        """Take one piece."""
        room = _HALF - len(self._head)
        if room > 0:
            self._head += text[:room]
            text = text[room:]
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            if self._tail_chars > 2 * _HALF or len(self._tail) > _HALF:
                self._shorten()

    @property
    def text(self) -> str:
        """What is kept, with a mark where text is missing."""
        self._shorten()
        mark = f"\n[… {self._dropped:,} characters cut …]\n" if self._dropped else ""
        return f"{self._head}{mark}{''.join(self._tail)}"

    def _shorten(self) -> None:
        joined = "".join(self._tail)
        kept = joined[-_HALF:]
        self._dropped += len(joined) - len(kept)
        self._tail, self._tail_chars = [kept], len(kept)


def shown(kind: Literal["result", "display"], data: Mapping[str, object]) -> Shown:
    """Return what is kept of a MIME bundle.

    Parameters
    ----------
    kind : {"result", "display"}
        Value of the last expression, or something displayed.
    data : mapping
        MIME type to content, as the kernel sends it.

    Returns
    -------
    Shown
        Text within its limit, pictures that can be attached, names alone of all other types.
    """
    kept: dict[str, object] = {}
    notes: list[str] = []
    for key, value in data.items():
        if key in _TEXT_TYPES:
            kept[key] = value[: 4 * limits.KEPT_OUTPUT_CHARS] if isinstance(value, str) else ""
        elif not key.startswith("image/"):
            kept[key] = ""
        elif isinstance(value, (str, bytes)) and len(value) <= _IMAGE_CHARS:
            kept[key] = value
        else:
            notes.append(_picture_note(key, value))
    if notes:
        kept["text/plain"] = "\n".join([str(kept.get("text/plain", "")), *notes]).lstrip()
    return Shown(kind, kept)


class CellRecord:
    """A cell that has run or is running in this kernel.

    Parameters
    ----------
    cell_id : str
        As the front end tells it; empty if it does not.
    source : str
        As typed.
    """

    def __init__(self, cell_id: str, source: str) -> None:
        self.cell_id = cell_id
        self.source = source[: limits.KEPT_SOURCE_CHARS]
        self.label = cell_label(source)
        self.execution_count: int | None = None
        self.is_running = True
        self.dropped_outputs = 0
        self._outputs: list[Printed | Shown | Raised] = []
        self._display_ids: dict[str, int] = {}
        self._clears_on_next = False

    def add_text(self, name: str, text: str) -> None:
        """Take text that was printed."""
        self._clear_if_due()
        last = self._outputs[-1] if self._outputs else None
        if isinstance(last, Printed) and last.name == name:
            last.add(text)
            return
        if len(self._outputs) >= limits.KEPT_OUTPUTS:
            self.dropped_outputs += 1
            return
        stream = Printed(name)
        stream.add(text)
        self._outputs.append(stream)

    def add_output(self, output: Shown | Raised, display_id: str = "") -> None:
        """Take something displayed, a result or an error."""
        self._clear_if_due()
        if len(self._outputs) >= limits.KEPT_OUTPUTS and not isinstance(output, Raised):
            self.dropped_outputs += 1
            return
        if display_id:
            self._display_ids[display_id] = len(self._outputs)
        self._outputs.append(output)

    def update_output(self, display_id: str, output: Shown) -> bool:
        """Replace what was displayed under an id; False if that was elsewhere."""
        index = self._display_ids.get(display_id)
        if index is None:
            return False
        self._outputs[index] = output
        return True

    def clear(self, *, wait: bool) -> None:
        """Forget the outputs, at once or when the next one comes."""
        self._clears_on_next = wait
        if not wait:
            self._outputs.clear()
            self.dropped_outputs = 0
            self._display_ids.clear()

    @property
    def outputs(self) -> tuple[Printed | Shown | Raised, ...]:
        """Everything kept, in order."""
        return tuple(self._outputs)

    @property
    def image_chars(self) -> int:
        """Length of all pictures that are held, as base64."""
        return sum(item.image_chars for item in self._outputs if isinstance(item, Shown))

    def drop_images(self) -> None:
        """Put a note in place of each picture."""
        for item in self._outputs:
            if isinstance(item, Shown):
                item.drop_images()

    def _clear_if_due(self) -> None:
        if self._clears_on_next:
            self.clear(wait=False)


def _picture_note(media_type: str, value: object) -> str:
    size = len(value) * 3 // 4 if isinstance(value, (str, bytes)) else 0
    return f"[picture {media_type}, about {size:,} bytes, not held]"
