"""Text on its way to a model and back, where half characters must not break anything."""

from __future__ import annotations

_HIGH = range(0xD800, 0xDC00)


def without_lone_surrogates(text: str) -> str:
    """Return a text that can be encoded: halves that belong together joined, lone ones marked."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class PieceJoiner:
    """Takes the pieces of a stream and gives whole characters.

    A provider may send the two halves of a character in two pieces; the first half waits for the
    second one.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what can be shown now."""
        text = self._held + piece
        self._held = ""
        if text and ord(text[-1]) in _HIGH:
            text, self._held = text[:-1], text[-1]
        return without_lone_surrogates(text)

    def rest(self) -> str:
        """Return what was held back to the end, as a mark."""
        held, self._held = self._held, ""
        return without_lone_surrogates(held)
