"""Keeping a long conversation with tools within what its model takes and its Brain allows.

Known trade-off (accepted): nothing is summarised, which would be one more call. The oldest results
of tools are replaced by a line that says so, with name, size and digest, so that the model can call
again for what it still needs; the newest turn stays whole. Above that stands a limit in bytes, over
which no request is made at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from braincode_jupyter.brain.tokens import estimate_tokens
from braincode_jupyter.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.models.agents import StreamEnd
    from braincode_jupyter.protocol.tools import ToolReturn, ToolUse

SOFT_SHARE: Final = 0.7
"""Share of a model's context that a request may fill, the room for its reply left out."""
MAX_REQUEST_BYTES: Final = int(2 * 1024 * 1024 * 0.88)
"""Text of one request; a larger one is refused by providers. As in the original."""
MIN_STUBBED_CHARS: Final = 400
"""A shorter result is left alone: its stub would save nothing."""


@dataclass(slots=True, kw_only=True)
class _Result:
    use: ToolUse
    given: ToolReturn
    tokens: int
    is_stub: bool = False


@dataclass(slots=True, kw_only=True)
class _Exchange:
    end: StreamEnd
    said_tokens: int
    said_bytes: int
    results: list[_Result]


@dataclass(slots=True, kw_only=True)
class LongTalk:
    """The turns of one conversation, as they are sent again with each request.

    Parameters
    ----------
    prompt : str
        What every request begins with.
    more_tokens : int
        What else every request holds: the tools.
    context_tokens : int
        What the model takes.
    reply_tokens : int
        Room that its reply needs.
    input_tokens : int or None
        What the Brain wants a request to hold at most; None: as much as the model takes.
    """

    prompt: str
    more_tokens: int
    context_tokens: int
    reply_tokens: int
    input_tokens: int | None = None
    _exchanges: list[_Exchange] = field(default_factory=list["_Exchange"], init=False)
    _prompt_tokens: int = field(default=-1, init=False)

    @property
    def sent_tokens(self) -> int:
        """Upper estimate of the next request."""
        if self._prompt_tokens < 0:
            self._prompt_tokens = estimate_tokens(self.prompt)
        turns = sum(
            one.said_tokens + sum(result.tokens for result in one.results)
            for one in self._exchanges
        )
        return self._prompt_tokens + self.more_tokens + turns

    @property
    def exchanges(self) -> tuple[tuple[StreamEnd, tuple[tuple[ToolUse, ToolReturn], ...]], ...]:
        """All turns, in order."""
        return tuple(
            (one.end, tuple((result.use, result.given) for result in one.results))
            for one in self._exchanges
        )

    def add(self, end: StreamEnd, text: str, returns: Sequence[tuple[ToolUse, ToolReturn]]) -> None:
        """Add a turn: what the model said and what its tools gave."""
        said = text + "".join(use.arguments for use, _ in returns)
        self._exchanges.append(
            _Exchange(
                end=end,
                said_tokens=estimate_tokens(said),
                said_bytes=_bytes(said),
                results=[
                    _Result(use=use, given=given, tokens=estimate_tokens(given.text))
                    for use, given in returns
                ],
            )
        )

    def fit(self) -> int:
        """Replace the oldest results until the next request fits.

        Returns
        -------
        int
            How many were replaced now.

        Raises
        ------
        ModelError
            With code ``context_too_long`` if it is over the limit in bytes all the same.
        """
        replaced = 0
        room = self._room()
        for result in self._oldest():
            if self.sent_tokens <= room and self._sent_bytes() <= MAX_REQUEST_BYTES:
                break
            result.given = replace(result.given, text=_stub(result))
            result.tokens = estimate_tokens(result.given.text)
            result.is_stub = True
            replaced += 1
        size = self._sent_bytes()
        if size > MAX_REQUEST_BYTES:
            raise ModelError(
                f"The conversation has {size:,} bytes; at most {MAX_REQUEST_BYTES:,} are sent.",
                code="context_too_long",
            )
        return replaced

    def _room(self) -> int:
        room = max(int(self.context_tokens * SOFT_SHARE) - self.reply_tokens, 1)
        return room if self.input_tokens is None else min(room, self.input_tokens)

    def _oldest(self) -> list[_Result]:
        """Return the results that may go: none of the newest turn, nothing short, none twice."""
        return [
            result
            for one in self._exchanges[:-1]
            for result in one.results
            if not result.is_stub and len(result.given.text) >= MIN_STUBBED_CHARS
        ]

    def _sent_bytes(self) -> int:
        turns = sum(
            one.said_bytes + sum(_bytes(result.given.text) for result in one.results)
            for one in self._exchanges
        )
        return _bytes(self.prompt) + turns


def _stub(result: _Result) -> str:
    text = result.given.text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return (
        f"[left out to keep the conversation short enough: {result.use.name} gave "
        f"{len(text):,} characters, sha256 {digest}; call it again for what you still need of it]"
    )


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
