"""Questions that a page may answer once each, proven by a nonce.

A nonce travels in messages alone. It is in no trait, no view and no journal, so a saved notebook, a
re-opened tab or an old message answers nothing.
"""

from __future__ import annotations

import hmac
import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DECISIONS = frozenset({"approve", "deny", "approve_same"})
"""What a page may answer."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    nonce: str
    answer: Callable[[str], None]


class Questions:
    """Those of one card; answers come on whatever thread takes the click.

    Parameters
    ----------
    send : callable
        Takes one message for the page.
    """

    def __init__(self, send: Callable[[dict[str, object]], None]) -> None:
        self._send = send
        self._open: dict[str, _Question] = {}
        self._lock = threading.Lock()

    def ask(self, approval_id: str, nonce: str, *, answer: Callable[[str], None]) -> None:
        """Let the page answer.

        Parameters
        ----------
        approval_id : str
            Which question of the view.
        nonce : str
            Must come back with the answer.
        answer : callable
            Takes one of `DECISIONS`, at most once; it may only hand over.
        """
        with self._lock:
            self._open[approval_id] = _Question(nonce=nonce, answer=answer)
        self._tell(approval_id, nonce)

    def take_back(self, approval_id: str) -> None:
        """Take no answer to this question any more."""
        with self._lock:
            self._open.pop(approval_id, None)

    def tell_again(self) -> None:
        """Tell a page that was drawn later what it may answer."""
        with self._lock:
            waiting = [(approval_id, one.nonce) for approval_id, one in self._open.items()]
        for approval_id, nonce in waiting:
            self._tell(approval_id, nonce)

    def take(self, message: Mapping[str, object]) -> None:
        """Take an answer; a late, repeated, unknown or forged one does nothing."""
        approval_id, nonce = message.get("approvalId"), message.get("nonce")
        decision = message.get("decision")
        with self._lock:
            question = self._open.get(approval_id) if isinstance(approval_id, str) else None
            is_answer = isinstance(decision, str) and decision in DECISIONS
            if question is None or not is_answer or not _is_same(question.nonce, nonce):
                _log.warning("An answer that fits no open question was ignored.")
                return
            self._open.pop(str(approval_id))
        question.answer(str(decision))

    def _tell(self, approval_id: str, nonce: str) -> None:
        self._send({"kind": "approval", "approvalId": approval_id, "nonce": nonce})


def _is_same(nonce: str, given: object) -> bool:
    return isinstance(given, str) and hmac.compare_digest(
        nonce.encode(), given.encode("utf-8", "surrogatepass")
    )
