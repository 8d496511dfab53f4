r"""Completion of ``@`` references and of the options of the magics, in every front end.

A matcher of IPython's second matcher interface (8.6 and later) is appended to the completer's own
list. It looks at text, file names, labels and names of variables; it evaluates nothing and never
raises. It answers only in cells of `%%braincode` and on lines of `%braincode`; what looks for
completions is imported at the first of those (``offered``).

References
----------
IPython, ``IPython.core.completer``, matcher API v2.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from braincode_jupyter.notebook.choices import Found, Offers

if TYPE_CHECKING:
    from collections.abc import Callable

_IDENTIFIER = "braincode_jupyter.completion"
_PRIORITY = 1_000
"""Above IPython's own matchers, which take ``@`` for an operator."""


class ReferenceCompletion:
    """Completes references and options.

    Parameters
    ----------
    offers : Offers
        Where completions come from.
    """

    def __init__(self, offers: Offers) -> None:
        self._offers = offers
        self._matcher: Callable[[Any], dict[str, object]] | None = None

    def attach(self, shell: Any) -> None:  # noqa: ANN401 - traitlets are not typed
        """Add the matcher to a shell's completer; a second call does nothing."""
        completer = getattr(shell, "Completer", None)
        if completer is None or self._matcher is not None:
            return

        def match(context: Any) -> dict[str, object]:  # noqa: ANN401 - a provisional class
            return self._answer(context)

        marked: Any = match
        marked.matcher_api_version = 2
        marked.matcher_identifier = _IDENTIFIER
        marked.matcher_priority = _PRIORITY
        completer.custom_matchers.append(match)
        self._matcher = match

    def detach(self, shell: Any) -> None:  # noqa: ANN401 - traitlets are not typed
        """Take the matcher back; a second call does nothing."""
        matchers: list[object] = getattr(getattr(shell, "Completer", None), "custom_matchers", [])
        if self._matcher in matchers:
            matchers.remove(self._matcher)
        self._matcher = None

    def complete(self, text: str, line: int, column: int) -> Found:
        """Return what can stand at the cursor.

        Parameters
        ----------
        text : str
            The whole cell.
        line, column : int
            Cursor, both from 0.

        Returns
        -------
        Found
            Empty outside of our magics.
        """
        if "%braincode" not in text:
            return Found()
        from braincode_jupyter.notebook.offered import find  # noqa: PLC0415 - light load

        return find(self._offers, text, line=line, column=column)

    def _answer(self, context: Any) -> dict[str, object]:  # noqa: ANN401 - a provisional class
        """Answer IPython; whatever goes wrong gives no completion."""
        found = Found()
        with suppress(Exception):
            found = self.complete(context.full_text, context.cursor_line, context.cursor_position)
        completion: Any = import_module("IPython.core.completer").SimpleCompletion
        return {
            "completions": [completion(text=text, type=_type_of(text)) for text in found.texts],
            "matched_fragment": found.fragment,
            "suppress": bool(found.texts),
            "ordered": True,
        }


def _type_of(text: str) -> str:
    """Return the word that a front end shows beside an offer."""
    if text.startswith("--"):
        return "option"
    return "reference" if text.startswith("@") else "value"
