"""Pages and a search over all sessions, for a list that stays quick with ten thousand of them.

A file is read when its row is asked for, and again when it has changed. One answer takes bounded
time: a search stops where its time is over and says where to go on.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from braincode_jupyter.journal.listing import find_candidates, read_entry
from braincode_jupyter.journal.lock import is_being_written
from braincode_jupyter.views.session_rows import PROMPT_CHARS, SessionPage, to_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from braincode_jupyter.journal.listing import Candidate
    from braincode_jupyter.views.session_context import SessionFacts
    from braincode_jupyter.views.session_rows import SessionRow

MAX_ROWS: Final = 100
"""Rows of one page."""
MAX_QUERY_CHARS: Final = 200
"""Longest search text."""
MAX_KEPT: Final = 20_000
"""Sessions that are remembered; a hundred of them take some 50 kB."""
ANSWER_S: Final = 0.4
"""Time that one answer may take; seconds."""
_SEARCHED_CHARS: Final = 2_000
"""Characters of a request that are searched."""
_ID_CHARS: Final = 4
"""Fewer are no beginning of an id."""
_UNFINISHED: Final = frozenset({"interrupted", ""})


@dataclass(frozen=True, slots=True)
class _Known:
    stamp: tuple[int, int]
    facts: SessionFacts
    searched: str

    def holds(self, word: str) -> bool:
        """Whether a search for this word finds it."""
        # A number that is looked for stands somewhere in most ids.
        start = word.removeprefix("@@")
        is_id = len(start) >= _ID_CHARS and self.facts.session_id.casefold().startswith(start)
        return is_id or word in self.searched


class SessionShelf:
    """All sessions of a home; any thread may ask.

    Parameters
    ----------
    home : Path
        The home folder.
    answer_s : float
        As `ANSWER_S`.
    clock : callable
        Gives seconds; any start.
    """

    def __init__(
        self,
        home: Path,
        *,
        answer_s: float = ANSWER_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self._answer_s = answer_s
        self._clock = clock
        self._lock = threading.Lock()
        self._candidates: Sequence[Candidate] = ()
        self._known: dict[str, _Known] = {}

    def page(self, query: str = "", *, start: int = 0, limit: int = MAX_ROWS) -> SessionPage:
        """Return the next rows.

        Parameters
        ----------
        query : str
            Words that a row holds, all of them, in its request, models or state, or its id begins
            with; empty: all.
        start : int
            ``next_start`` of the page before; 0 looks at the folder anew.
        limit : int
            Greatest number of rows, at most `MAX_ROWS`.

        Returns
        -------
        SessionPage
            May hold fewer rows than asked for, or none, before the end is reached.
        """
        words = query[:MAX_QUERY_CHARS].casefold().split()
        limit = min(max(1, limit), MAX_ROWS)
        with self._lock:
            deadline = self._clock() + self._answer_s
            if start <= 0:
                self._candidates = find_candidates(self._home)
            at, total = max(0, start), len(self._candidates)
            rows: list[SessionRow] = []
            while at < total and len(rows) < limit:
                row = self._row(self._candidates[at], words)
                at += 1
                if row is not None:
                    rows.append(row)
                if self._clock() > deadline:
                    break
        return SessionPage(
            rows=tuple(rows),
            next_start=at if at < total else None,
            looked_at=min(at, total),
            total=total,
        )

    def _row(self, candidate: Candidate, words: Sequence[str]) -> SessionRow | None:
        known = self._read(candidate)
        if not all(known.holds(word) for word in words):
            return None
        is_open = known.facts.detail in _UNFINISHED
        return to_row(known.facts, is_running=is_open and is_being_written(candidate.path))

    def _read(self, candidate: Candidate) -> _Known:
        stamp = (candidate.updated_ms, candidate.size_bytes)
        known = self._known.get(candidate.session_id)
        if known is not None and known.stamp == stamp:
            return known
        facts = read_entry(candidate, with_usage=True).facts
        prompt = facts.prompt or ""
        state = facts.detail or facts.status
        parts = (prompt[:_SEARCHED_CHARS], state, *facts.models)
        # The rest of the facts can be long, and is not shown in a row.
        short = replace(facts, prompt=prompt[: 4 * PROMPT_CHARS], summary=None)
        known = _Known(stamp=stamp, facts=short, searched=" ".join(parts).casefold())
        if len(self._known) >= MAX_KEPT:
            self._known.clear()
        self._known[candidate.session_id] = known
        return known
