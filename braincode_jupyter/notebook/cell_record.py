"""What one cell did, remembered within limits while it runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.ports import CellOutput, CellSnapshot
from braincode_jupyter.references import cell_label, limits, stream_output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from braincode_jupyter.protocol.sections import ImagePart

_HALF = limits.KEPT_OUTPUT_CHARS // 2


class _StreamText:
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

    def output(self) -> CellOutput:
        """Return what is kept, with a mark where text is missing."""
        self._shorten()
        mark = f"\n[… {self._dropped:,} characters cut …]\n" if self._dropped else ""
        return stream_output(self.name, f"{self._head}{mark}{''.join(self._tail)}")

    def _shorten(self) -> None:
        joined = "".join(self._tail)
        kept = joined[-_HALF:]
        self._dropped += len(joined) - len(kept)
        self._tail, self._tail_chars = [kept], len(kept)


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
        self._outputs: list[CellOutput | _StreamText] = []
        self._display_ids: dict[str, int] = {}
        self._clears_on_next = False

    def add_text(self, name: str, text: str) -> None:
        """Take text that was printed."""
        self._clear_if_due()
        last = self._outputs[-1] if self._outputs else None
        if isinstance(last, _StreamText) and last.name == name:
            last.add(text)
            return
        if len(self._outputs) < limits.KEPT_OUTPUTS:
            stream = _StreamText(name)
            stream.add(text)
            self._outputs.append(stream)

    def add_output(self, output: CellOutput, display_id: str = "") -> None:
        """Take something displayed, a result or an error."""
        self._clear_if_due()
        if len(self._outputs) >= limits.KEPT_OUTPUTS and output.kind != "error":
            return
        if display_id:
            self._display_ids[display_id] = len(self._outputs)
        self._outputs.append(output)

    def update_output(self, display_id: str, output: CellOutput) -> bool:
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
            self._display_ids.clear()

    def images(self) -> Iterator[ImagePart]:
        """Yield the pictures that are held."""
        for output in self._outputs:
            if isinstance(output, CellOutput) and output.image is not None:
                yield output.image

    def drop_images(self) -> None:
        """Put a note in place of each picture."""
        for index, output in enumerate(self._outputs):
            if isinstance(output, CellOutput) and output.image is not None:
                size = len(output.image.data)
                note = f"[picture {output.image.media_type}, {size:,} bytes, no longer held]"
                text = f"{output.text}\n{note}".lstrip()
                self._outputs[index] = replace(output, image=None, text=text)

    def snapshot(self) -> CellSnapshot:
        """Return the cell as it is now."""
        outputs = (
            item.output() if isinstance(item, _StreamText) else item for item in self._outputs
        )
        return CellSnapshot(
            cell_id=self.cell_id,
            label=self.label,
            source=self.source,
            execution_count=self.execution_count,
            outputs=tuple(output for output in outputs if output.text or output.image),
            is_running=self.is_running,
        )

    def _clear_if_due(self) -> None:
        if self._clears_on_next:
            self.clear(wait=False)
