"""Streamed text of one agent: what was sent, what waits, and a bounded rest to send again."""

from __future__ import annotations

import re

from braincode_jupyter.widget.formatted_text import FormattedText

KEPT_CHARS = 64_000
"""Newest characters kept of one agent."""
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")

Item = dict[str, object]


class TextStream:
    """Text of one agent's current reply.

    Offsets count characters from the start of the reply. A reply that starts again gets a new
    ``attempt`` number, so that a browser never joins the pieces of two replies. When more waits
    than is kept, the oldest is let go: the next piece then starts beyond the last one, which the
    card shows as a cut.

    Parameters
    ----------
    is_formatted : bool
        The text is Markdown: what is settled of it is sent as blocks, and not as text any more.
    """

    __slots__ = (
        "_base",
        "_end",
        "_formatted",
        "_fresh",
        "_fresh_chars",
        "_is_restarted",
        "_kept",
        "_sent",
        "attempt",
    )

    def __init__(self, *, is_formatted: bool = False) -> None:
        self.attempt = 0
        self._formatted = FormattedText() if is_formatted else None
        self._kept = ""
        self._base = 0
        self._end = 0
        self._sent = 0
        self._fresh: list[str] = []
        self._fresh_chars = 0
        self._is_restarted = False

    @property
    def is_waiting(self) -> bool:
        """Whether there is something that was not sent."""
        is_unsent = self._formatted is not None and self._formatted.is_waiting
        return self._sent < self._end or self._is_restarted or is_unsent

    def add(self, offset: int, text: str) -> None:
        """Take a piece that starts ``offset`` characters into the reply."""
        if offset != self._end:
            if 0 < offset < self._end:
                text = text[self._end - offset :]
            else:
                self._restart(offset)
        self._fresh.append(text)
        self._fresh_chars += len(text)
        self._end += len(text)
        if self._fresh_chars > KEPT_CHARS:
            self._join()

    def take(self, limit: int, *, context_id: str) -> Item:
        """Return at most ``limit`` characters that wait, as one item of a message."""
        self._join()
        settled = self._formatted.take() if self._formatted else None
        start = self._sent - self._base
        text = self._kept[start : start + limit]
        item = self._item(self._sent, text, context_id=context_id)
        if settled:
            item["settled"] = settled
        self._sent += len(text)
        self._is_restarted = False
        return item

    def again(
        self, limit: int, *, context_id: str, attempt: int, offset: int, until: int = 0
    ) -> Item | None:
        """Return at most ``limit`` characters sent beyond ``offset``; None when none is missing.

        Parameters
        ----------
        limit : int
            Characters of text.
        context_id : str
            Whose text.
        attempt, offset, until : int
            What the page has: of which reply, how much of it, and how much of that is settled.

        Returns
        -------
        dict or None
            One item of a message; with everything that is settled, if the page lacks some of it.
        """
        self._join()
        is_same = attempt == self.attempt
        is_known = is_same and self._base <= offset <= self._sent
        settled = self._formatted.until if self._formatted else 0
        is_settled = is_same and until == settled
        if is_known and offset == self._sent and is_settled:
            return None
        start = max(offset if is_known else self._base, self._sent - limit, settled)
        text = self._kept[start - self._base : self._sent - self._base]
        item = self._item(start, text, context_id=context_id)
        if self._formatted and not is_settled:
            item["settled"] = self._formatted.whole()
        return item

    def _restart(self, offset: int) -> None:
        self.attempt += offset == 0
        self._is_restarted = True
        self._kept = ""
        self._fresh.clear()
        self._fresh_chars = 0
        self._base = self._sent = self._end = offset
        if self._formatted:
            # What began in the middle cannot be read as Markdown.
            self._formatted = FormattedText() if offset == 0 else None

    def _join(self) -> None:
        """Join the new pieces to what is kept, and let go of what is too old."""
        if not self._fresh:
            return
        # A lone surrogate cannot be sent as UTF-8; one for one, so that offsets stay right.
        joined = _LONE_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", "".join(self._fresh))
        self._fresh.clear()
        self._fresh_chars = 0
        self._kept = (self._kept + joined)[-KEPT_CHARS:]
        self._base = self._end - len(self._kept)
        self._sent = max(self._sent, self._base)
        if self._formatted:
            self._formatted.add(joined)
            self._sent = max(self._sent, self._formatted.until)

    def _item(self, offset: int, text: str, *, context_id: str) -> Item:
        return {"contextId": context_id, "attempt": self.attempt, "offset": offset, "text": text}
