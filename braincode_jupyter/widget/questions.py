"""Questions that a page may answer once each, proven by a nonce and the digest of what it shows.

A nonce travels in messages alone. It is in no trait, no view and no journal, so a saved notebook, a
re-opened tab or an old message answers nothing. What answers nothing is told of, with the reason.
"""

from __future__ import annotations

import hmac
import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from braincode_jupyter.protocol.tools import IgnoredBecause

DECISIONS = frozenset({"approve", "deny", "approve_same"})
"""What a page may answer."""
MAX_CLOSED = 64
"""Questions that are remembered after they were decided."""
MAX_TOLD = 100
"""Ignored answers that are told of; a page that sends more is only logged."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    nonce: str
    digest: str
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
        self._closed: dict[str, IgnoredBecause] = {}
        self._ignored_callbacks: list[Callable[[str, IgnoredBecause], None]] = []
        self._told = 0
        self._lock = threading.Lock()

    def on_ignored(self, callback: Callable[[str, IgnoredBecause], None]) -> None:
        """Call ``callback`` with what an ignored answer named, and why it was ignored.

        Parameters
        ----------
        callback : callable
            Called on whatever thread takes the click; it may only hand over.
        """
        self._ignored_callbacks.append(callback)

    def ask(
        self, approval_id: str, nonce: str, *, digest: str, answer: Callable[[str], None]
    ) -> None:
        """Let the page answer.

        Parameters
        ----------
        approval_id : str
            Which question of the view.
        nonce : str
            Must come back with the answer.
        digest : str
            Of all that an approval binds; must come back as well.
        answer : callable
            Takes one of `DECISIONS`, at most once; it may only hand over.
        """
        with self._lock:
            self._closed.pop(approval_id, None)
            self._open[approval_id] = _Question(nonce=nonce, digest=digest, answer=answer)
        self._tell(approval_id, nonce)

    def take_back(self, approval_id: str) -> None:
        """Take no answer to this question any more."""
        with self._lock:
            if self._open.pop(approval_id, None) is not None:
                self._close(approval_id, "late")

    def tell_again(self) -> None:
        """Tell a page that was drawn later what it may answer."""
        with self._lock:
            waiting = [(approval_id, one.nonce) for approval_id, one in self._open.items()]
        for approval_id, nonce in waiting:
            self._tell(approval_id, nonce)

    def take(self, message: Mapping[str, object]) -> None:
        """Take an answer; a late, repeated, unknown or forged one does nothing."""
        given_id = message.get("approvalId")
        approval_id = given_id if isinstance(given_id, str) else ""
        with self._lock:
            question = self._open.get(approval_id)
            why = self._why_not(approval_id, question, message)
            if question is not None and why is None:
                del self._open[approval_id]
                self._close(approval_id, "repeated")
        if question is not None and why is None:
            question.answer(str(message["decision"]))
        else:
            self._ignore(approval_id, why or "unknown")

    def answer_here(self, approval_id: str, *, digest: str, decision: str) -> bool:
        """Answer a question for the person at the kernel, who needs no nonce; from any thread.

        Parameters
        ----------
        approval_id : str
            Which question.
        digest : str
            Of what the person saw.
        decision : str
            One of `DECISIONS`.

        Returns
        -------
        bool
            False if it does not wait any more, or is another one by now.
        """
        with self._lock:
            question = self._open.get(approval_id)
            if question is None or not _is_same(question.digest, digest):
                return False
            del self._open[approval_id]
            self._close(approval_id, "repeated")
        question.answer(decision)
        return True

    def _why_not(
        self, approval_id: str, question: _Question | None, message: Mapping[str, object]
    ) -> IgnoredBecause | None:
        """Return why an answer counts for nothing; None: it counts."""
        if question is None:
            return self._closed.get(approval_id, "unknown")
        decision = message.get("decision")
        if not isinstance(decision, str) or decision not in DECISIONS:
            return "unreadable"
        if not _is_same(question.nonce, message.get("nonce")):
            return "wrong_nonce"
        return None if _is_same(question.digest, message.get("digest")) else "wrong_digest"

    def _close(self, approval_id: str, why: IgnoredBecause) -> None:
        self._closed[approval_id] = why
        while len(self._closed) > MAX_CLOSED:
            del self._closed[next(iter(self._closed))]

    def _ignore(self, approval_id: str, why: IgnoredBecause) -> None:
        _log.warning("An answer to an approval was ignored: %s.", why)
        self._told += 1
        if self._told <= MAX_TOLD:
            for callback in self._ignored_callbacks:
                callback(approval_id, why)

    def _tell(self, approval_id: str, nonce: str) -> None:
        self._send({"kind": "approval", "approvalId": approval_id, "nonce": nonce})


def _is_same(expected: str, given: object) -> bool:
    return isinstance(given, str) and hmac.compare_digest(
        expected.encode(), given.encode("utf-8", "surrogatepass")
    )
