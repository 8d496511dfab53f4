"""`%braincode approve` and `deny`: answer what a run in the background asks, without a card.

Nothing is approved that was not shown: `approve` alone prints each call in full and numbers it, and
a number means exactly what was printed, by its digest. A denial needs no showing.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.views.speaker import speaker
from braincode_jupyter.views.words import asking_words, model_said

if TYPE_CHECKING:
    from braincode_jupyter.notebook.state import Asked, Notebook
    from braincode_jupyter.views.approval_view import ApprovalView

_ID_CHARS = 8
_HOW = "%braincode approve NUMBER approves exactly what is shown here, %braincode deny NUMBER not."


def approve_text(notebook: Notebook, which: str) -> str:
    """Show what waits for an answer, or approve one of what was shown.

    Parameters
    ----------
    notebook : Notebook
        Knows the runs that go on.
    which : str
        A number that was shown; empty: show.

    Returns
    -------
    str
        What waits, or what was approved.

    Raises
    ------
    UsageError
        If nothing waits, or what was shown does not wait any more.
    UnknownNameError
        If no such number was shown.
    """
    if not which:
        waiting = notebook.waiting()
        notebook.shown_to_approve = waiting
        return "\n\n".join([*_numbered(notebook, waiting), _HOW])
    asked = _shown(notebook, which)
    words = _words(notebook, asked)
    if not notebook.answer(asked, "approve"):
        error = _too_late()
        raise error
    return f"Approved: {words}"


def deny_text(notebook: Notebook, which: str) -> str:
    """Deny what waits for an answer.

    Parameters
    ----------
    notebook : Notebook
        Knows the runs that go on.
    which : str
        A number that `approve_text` showed; empty: everything that waits.

    Returns
    -------
    str
        What was denied.

    Raises
    ------
    UsageError
        If nothing waits, or what was shown does not wait any more.
    UnknownNameError
        If no such number was shown.
    """
    chosen = [_shown(notebook, which)] if which else notebook.waiting()
    words = [_words(notebook, asked) for asked in chosen]
    denied = [
        text for asked, text in zip(chosen, words, strict=True) if notebook.answer(asked, "deny")
    ]
    if not denied:
        error = _too_late()
        raise error
    return "\n".join(f"Denied: {text}" for text in denied)


def _numbered(notebook: Notebook, waiting: list[Asked]) -> list[str]:
    return [
        _in_full(notebook.approval_of(asked), number, asked.session_id)
        for number, asked in enumerate(waiting, start=1)
    ]


def _in_full(approval: ApprovalView | None, number: int, session_id: str) -> str:
    if approval is None:
        return f"{number}. is answered already"
    head = f"{number}. {asking_words(speaker(), approval)} (run {session_id[:_ID_CHARS]})"
    said = [model_said(speaker(), approval)] if approval.model_words else []
    exact = textwrap.indent(approval.whole or approval.shown, "    ", lambda _: True)
    return "\n".join([head, *said, exact])


def _words(notebook: Notebook, asked: Asked) -> str:
    approval = notebook.approval_of(asked)
    if approval is None:
        error = _too_late()
        raise error
    return asking_words(speaker(), approval)


def _shown(notebook: Notebook, which: str) -> Asked:
    shown = {str(number): one for number, one in enumerate(notebook.shown_to_approve, start=1)}
    if not shown:
        raise UsageError("Nothing was shown yet.", hint="%braincode approve shows what waits.")
    if which not in shown:
        raise UnknownNameError("number", which[:64], shown)
    return shown[which]


def _too_late() -> UsageError:
    return UsageError(
        "This does not wait for an answer any more.", hint="%braincode approve shows what does."
    )
