"""Collects what happens in a run and sends it to the browser, a few times a second.

A browser takes some hundred messages a second and a server drops what is beyond its limits, so all
agents of a run share one stream of at most ten messages a second. Each is numbered and holds what
changed of the view and the text that came since the last one. Nothing is sent while nothing
happens. What a browser missed is sent again when it asks.

Known trade-off: text beyond `FLUSH_CHARS` a message waits for the next one, and a stream that
stays faster than that loses its oldest text on the card, never in the journal or in `run.answer`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, cast

from braincode_jupyter.widget.text_stream import TextStream
from braincode_jupyter.widget.view_changes import changes_between

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping

    from braincode_jupyter.views.run_view import RunView
    from braincode_jupyter.widget.text_stream import Item

FLUSH_CHARS = 60_000
"""Characters of streamed text in one message: 0.6 MB/s, below the usual limit of 1 MB/s."""
REPLAY_CHARS = 400_000
"""Characters of streamed text that are sent again at most."""
MAX_STREAMS = 256
"""Agents whose text is streamed."""

_log = logging.getLogger(__name__)


class Batcher:
    """Observer of a run that feeds a widget; lives on the loop of the run.

    Parameters
    ----------
    send : callable
        Takes one message, a JSON object; for example ``widget.send``.
    loop : asyncio.AbstractEventLoop
        The loop of the run; all methods are called on it.
    period_s : float
        Least time between two messages; seconds.
    view : RunView or None
        The view that the browser has already.
    on_close : callable or None
        Told the last view when the run is over, after the last message.
    """

    def __init__(
        self,
        send: Callable[[dict[str, object]], None],
        loop: asyncio.AbstractEventLoop,
        *,
        period_s: float = 0.1,
        view: RunView | None = None,
        on_close: Callable[[RunView], None] | None = None,
    ) -> None:
        self._send = send
        self._loop = loop
        self._period_s = period_s
        self._on_close = on_close
        self._latest = view
        self._sent = view
        self._streams: dict[str, TextStream] = {}
        self._waiting: set[str] = set()
        self._handle: asyncio.Handle | None = None
        self._flushed_at = float("-inf")
        self._seq = 0
        self._is_closed = False

    @property
    def latest(self) -> RunView | None:
        """The newest view."""
        return self._latest

    def on_view(self, view: RunView) -> None:
        """Take a new view; the newest one is sent, those between are not."""
        self._latest = view
        self._schedule()

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        """Take streamed text of one agent; offset 0 after text was seen starts it again."""
        stream = self._streams.get(context_id)
        if stream is None:
            if len(self._streams) >= MAX_STREAMS:
                return
            stream = self._streams[context_id] = TextStream(
                is_formatted=self._is_answer(context_id)
            )
        stream.add(offset, text)
        self._waiting.add(context_id)
        if self._handle is None:
            self._schedule()

    def resend(self, have: Mapping[str, object]) -> None:
        """Send the whole view and the text that a browser lacks.

        Parameters
        ----------
        have : mapping
            Per context id an object with ``attempt``, ``offset`` and ``until``, as the browser
            told it; what is not of this form counts as nothing.
        """
        share = REPLAY_CHARS // max(1, len(self._streams))
        items: list[Item] = []
        for context_id, stream in self._streams.items():
            attempt, offset, until = _known(have.get(context_id))
            item = stream.again(
                share, context_id=context_id, attempt=attempt, offset=offset, until=until
            )
            if item is not None:
                items.append(item)
        if self._sent is not None:
            view = self._sent.to_wire()
            self._deliver({"kind": "sync", "seq": self._seq, "view": view, "items": items})

    def close(self) -> None:
        """Send what is left and stop; later calls do nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        self._flush()
        if self._on_close is not None and self._latest is not None:
            self._on_close(self._latest)

    def _is_answer(self, context_id: str) -> bool:
        """Tell whether this agent writes the answer, which is Markdown."""
        agents = self._latest.agents if self._latest else ()
        return any(one.context_id == context_id and one.kind == "primary" for one in agents)

    def _schedule(self) -> None:
        if self._handle is None and not self._is_closed:
            wait_s = max(0.0, self._flushed_at + self._period_s - self._loop.time())
            self._handle = self._loop.call_later(wait_s, self._flush)

    def _flush(self) -> None:
        self._handle = None
        self._flushed_at = self._loop.time()
        message: dict[str, object] = {"kind": "delta", "seq": self._seq + 1}
        if patch := self._patch():
            message["patch"] = patch
        if items := self._items():
            message["items"] = items
        if patch or items:
            self._seq += 1
            self._deliver(message)
        if self._waiting:
            self._schedule()

    def _patch(self) -> dict[str, object] | None:
        before, after = self._sent, self._latest
        if after is None or before is after:
            return None
        self._sent = after
        return {"set": after.to_wire()} if before is None else changes_between(before, after)

    def _items(self) -> list[Item]:
        share = FLUSH_CHARS // max(1, len(self._waiting))
        items: list[Item] = []
        for context_id in sorted(self._waiting):
            stream = self._streams[context_id]
            if stream.is_waiting:
                items.append(stream.take(share, context_id=context_id))
            if not stream.is_waiting:
                self._waiting.discard(context_id)
        return items

    def _deliver(self, message: dict[str, object]) -> None:
        try:
            self._send(message)
        except Exception:
            # The edge to the browser: a card that cannot be fed must not break the run. A message
            # that is lost leaves a gap in the numbers, and the browser asks for it.
            _log.warning("The card could not be updated.", exc_info=True)


def _known(have: object) -> tuple[int, int, int]:
    """Return attempt, offset and settled characters that a browser told, or -1 for each."""
    if isinstance(have, dict):
        told = cast("dict[object, object]", have)
        attempt, offset, until = (told.get(name) for name in ("attempt", "offset", "until"))
        if isinstance(attempt, int) and isinstance(offset, int):
            return attempt, offset, until if isinstance(until, int) else 0
    return -1, -1, -1
