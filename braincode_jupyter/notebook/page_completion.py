"""Completion and previews for a page that asks: what can stand at the cursor, and what it sends.

The page sends its cell, its cursor and, unless the user forbids it, the cells as it shows them;
answers are bounded, nothing is evaluated and nothing is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from braincode_jupyter.errors import BraincodeError
from braincode_jupyter.home.language import spoken_language
from braincode_jupyter.views.clean import clip_text
from braincode_jupyter.views.speaker import language_named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from braincode_jupyter.notebook.choices import Offers
    from braincode_jupyter.notebook.page_questions import Answer
    from braincode_jupyter.protocol.ports import CellSnapshot, CellSource
    from braincode_jupyter.runtime import Sources
    from braincode_jupyter.views.speaker import Language

MAX_CELL_CHARS = 262_144
"""Longest cell in which completion is offered."""
PREVIEW_CHARS = 2_000
"""Text of one preview."""


class PageCompletion:
    """Answers the completer of a page.

    Parameters
    ----------
    offers : Offers
        Where completions come from.
    cells_on_page : callable
        Gives the cells of the notebook, when the page sends them along.
    preview : callable
        Gives what a token would send, or raises `BraincodeError`.
    """

    def __init__(
        self,
        offers: Offers,
        *,
        cells_on_page: Callable[[object], Sequence[CellSnapshot]],
        preview: Callable[[str, Sources, Language], str],
    ) -> None:
        self._offers = offers
        self._cells_on_page = cells_on_page
        self._preview = preview

    def answer(self, question: Mapping[str, object]) -> Answer:
        """Answer one question.

        Parameters
        ----------
        question : mapping
            ``kind`` is ``offers`` (with ``text``, and ``line`` and ``column`` of the cursor, from
            0, the column in code points), or ``preview`` (with the ``token``). Both may have
            ``cells``, as a snapshot has, and the id of the ``active`` one; and the ``language`` of
            the page.

        Returns
        -------
        dict
            ``fragment`` and ``items``, or ``preview``; empty for a question that is none.
        """
        offers = replace(self._offers, cells=self._cells(question))
        language = spoken_language(language_named(question.get("language")))
        match question:
            case {"kind": "offers", "text": str(text), "line": int(line), "column": int(column)}:
                return _offered(offers, text, line=line, column=column, language=language)
            case {"kind": "preview", "token": str(token)} if len(token) <= PREVIEW_CHARS:
                return {"preview": self._previewed(token, offers, language)}
            case _:
                return {}

    def _cells(self, question: Mapping[str, object]) -> CellSource | None:
        if "cells" not in question:
            return self._offers.cells
        active = question.get("active")
        return _Cells(
            tuple(
                replace(cell, is_running=cell.is_running or cell.cell_id == active)
                for cell in self._cells_on_page(question)
            )
        )

    def _previewed(self, token: str, offers: Offers, language: Language) -> str:
        from braincode_jupyter.runtime import Sources  # noqa: PLC0415 - light load

        try:
            sources = Sources(cells=offers.cells, variables=offers.variables)
            text = self._preview(token, sources, language)
        except BraincodeError as error:
            text = str(error)
        return clip_text(text, PREVIEW_CHARS)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cells that a question brought along."""

    found: Sequence[CellSnapshot]

    def cells(self) -> Sequence[CellSnapshot]:
        """Return them."""
        return self.found


def _offered(offers: Offers, text: str, *, line: int, column: int, language: Language) -> Answer:
    from braincode_jupyter.notebook.offer_details import (  # noqa: PLC0415 - light load
        offer_details,
    )
    from braincode_jupyter.notebook.offered import find  # noqa: PLC0415 - light load

    is_inside = 0 <= line <= text.count("\n") and column >= 0
    if len(text) > MAX_CELL_CHARS or not is_inside or "%braincode" not in text:
        return {}
    found = find(offers, text, line=line, column=column)
    details = offer_details(found.texts, offers, language)
    return {"fragment": found.fragment, "items": [detail.to_wire() for detail in details]}
