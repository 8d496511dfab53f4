"""What JupyterLab's sessions panel asks the kernel: pages of sessions, and the card of one.

A page opens a comm and asks; each question has a number and gets one answer with the same number.
Nothing is kept for a page, so a reload, a second tab or a restart needs no care. Questions only
read. They are taken on whatever thread the kernel gives them, also while a cell runs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from braincode_jupyter.errors import BraincodeError, UsageError
from braincode_jupyter.notebook.page_comm import comm_targets, data_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from braincode_jupyter.journal import SessionShelf

PANEL_TARGET = "braincode.sessions"
"""Name of the comm target that the page asks."""
MAX_CARD_BYTES = 4_000_000
"""Largest card that is sent to the panel; JSON."""

Answer = dict[str, object]


class SessionPanel:
    """Answers the panel.

    Parameters
    ----------
    home : callable
        Gives the home folder, at the first question.
    max_card_bytes : int
        As `MAX_CARD_BYTES`.
    """

    def __init__(self, home: Callable[[], Path], *, max_card_bytes: int = MAX_CARD_BYTES) -> None:
        self._home = home
        self._max_card_bytes = max_card_bytes
        self._shelf: SessionShelf | None = None

    def register(self) -> None:
        """Begin to answer."""
        comm_targets().register_target(PANEL_TARGET, self._on_open)

    def unregister(self) -> None:
        """Answer no more."""
        comm_targets().unregister_target(PANEL_TARGET, self._on_open)

    def answer(self, question: Mapping[str, object]) -> Answer:
        """Answer one question of a page.

        Parameters
        ----------
        question : mapping
            ``kind`` is ``list`` (with ``query``, ``start`` and ``limit``) or ``open`` (with
            ``sessionId``).

        Returns
        -------
        dict
            ``kind`` is ``page``, ``run``, or ``error`` with a message and a hint.
        """
        from braincode_jupyter.notebook.magics import guarded  # noqa: PLC0415 - light load

        try:
            with guarded():
                return self._answer(question)
        except BraincodeError as error:
            return {"kind": "error", "message": str(error), "hint": error.hint}

    def _answer(self, question: Mapping[str, object]) -> Answer:
        match question.get("kind"):
            case "list":
                return self._page(question)
            case "open":
                return self._run(question.get("sessionId"))
            case _:
                raise UsageError(
                    "The panel asked something that this version does not know.",
                    hint="Restart the kernel, and reload the page, after an update.",
                )

    def _page(self, question: Mapping[str, object]) -> Answer:
        query, start, limit = question.get("query"), question.get("start"), question.get("limit")
        page = self._sessions().page(
            query if isinstance(query, str) else "",
            start=start if isinstance(start, int) else 0,
            limit=limit if isinstance(limit, int) else 1,
        )
        return {"kind": "page", "page": page.to_wire()}

    def _sessions(self) -> SessionShelf:
        if self._shelf is None:
            from braincode_jupyter.journal import SessionShelf  # noqa: PLC0415 - light load

            self._shelf = SessionShelf(self._home())
        return self._shelf

    def _run(self, session_id: object) -> Answer:
        from braincode_jupyter.runtime import read_run  # noqa: PLC0415 - light load

        if not isinstance(session_id, str) or not session_id:
            raise UsageError("No session was named.", hint="Choose one in the list.")
        view = read_run(session_id[:256], self._home()).view.to_wire()
        if len(json.dumps(view)) > self._max_card_bytes:
            raise UsageError(
                "This card is too large for the panel.",
                hint=f"In a cell: %braincode show {session_id[:8]}",
            )
        return {"kind": "run", "view": view}

    def _on_open(self, comm: Any, _message: object) -> None:  # noqa: ANN401 - untyped library
        def reply(message: Any) -> None:  # noqa: ANN401 - untyped library
            question = data_of(message)
            comm.send({**self.answer(question), "id": question.get("id")})

        comm.on_msg(reply)
