"""What an offered text stands for, in a few words: a cell's first line, the shape of a variable.

Each detail is read from what the text itself resolves to, and a reference that resolves to nothing,
or to more than one cell, is left out: whoever takes an offer gets exactly what stood beside it.
Nothing is evaluated, and of a variable only type and shape are told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.grammar import parse_references
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.references import cell_label, find_cell, outline
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from braincode_jupyter.brain.grammar import Reference
    from braincode_jupyter.notebook.choices import Offers
    from braincode_jupyter.protocol.ports import CellSnapshot
    from braincode_jupyter.views.speaker import Language, Speaker

OfferKind = Literal[
    "cell", "markdown", "output", "variable", "file", "folder", "session",
    "prefix", "option", "subcommand", "value",
]  # fmt: skip

_DETAIL_CHARS = 64
"""One line beside the offer."""
_PREFIXES = {"@cell:": "cell", "@out:": "out", "@var:": "var", "@@last": "last"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferDetail:
    """An offered text and what it is."""

    text: str
    kind: OfferKind
    detail: str = ""

    def to_wire(self) -> dict[str, object]:
        """Return it as the page reads it."""
        return {"text": self.text, "kind": self.kind, "detail": self.detail}


def offer_details(
    texts: Sequence[str], offers: Offers, language: Language = "en"
) -> tuple[OfferDetail, ...]:
    """Say what offered texts stand for.

    Parameters
    ----------
    texts : sequence of str
        As completion found them.
    offers : Offers
        Where they come from.
    language : {'en', 'fr', 'zh'}
        Of our own words.

    Returns
    -------
    tuple of OfferDetail
        In their order, those without meaning left out; without terminal controls.
    """
    reader = _Reader(offers, speaker(language))
    return tuple(found for text in texts if (found := reader.read(text)) is not None)


class _Reader:
    """Reads each source at most once."""

    def __init__(self, offers: Offers, say: Speaker) -> None:
        self._offers = offers
        self._say = say
        self._flags = {row.flag for row in offers.options}
        self._cells: Sequence[CellSnapshot] | None = None
        self._prompts: Mapping[str, str] | None = None

    def read(self, text: str) -> OfferDetail | None:
        """Return one detail; None if the text stands for nothing."""
        if text in _PREFIXES:
            detail = self._say.named("prefixes", _PREFIXES[text])
            return OfferDetail(text=text, kind="prefix", detail=detail)
        if text.startswith("@"):
            return self._reference(text)
        if text in self._flags:
            detail = self._say.named("options", text.removeprefix("--"))
            return OfferDetail(text=text, kind="option", detail=detail)
        if text in self._offers.subcommands:
            detail = self._say.named("subcommands", text)
            return OfferDetail(text=text, kind="subcommand", detail=detail)
        return OfferDetail(text=text, kind="value")

    def _reference(self, text: str) -> OfferDetail | None:
        is_open = text.startswith('@"') and text.endswith("/")
        token = f'{text}"' if is_open else text
        found = parse_references(token)
        if len(found) != 1 or found[0].token != token:
            return None
        (reference,) = found
        match reference.kind:
            case "file":
                kind: OfferKind = "folder" if reference.target.endswith("/") else "file"
                return OfferDetail(text=text, kind=kind)
            case "session":
                return self._session(text, reference)
            case "variable":
                return self._variable(text, reference)
            case "cell" | "output":
                return self._cell(text, reference)

    def _session(self, text: str, reference: Reference) -> OfferDetail:
        if self._prompts is None:
            source = self._offers.prompts
            self._prompts = source() if source else {}
        prompt = self._prompts.get(reference.target, "")
        return OfferDetail(text=text, kind="session", detail=clean_line(prompt, _DETAIL_CHARS))

    def _variable(self, text: str, reference: Reference) -> OfferDetail | None:
        variables = self._offers.variables
        try:
            value = variables.get(reference.target) if variables else None
        except KeyError:
            return None
        say = self._say
        shape = clean_line(outline(value), _DETAIL_CHARS)
        detail = say.said(recorded("references", shape))
        if reference.option:
            detail = say("offers.withRows", value=detail)
        return OfferDetail(text=text, kind="variable", detail=detail)

    def _cell(self, text: str, reference: Reference) -> OfferDetail | None:
        if self._cells is None:
            source = self._offers.cells
            self._cells = source.cells() if source else ()
        try:
            cell = find_cell(reference, self._cells)
        except UnresolvedReferenceError:
            return None
        if reference.kind == "output":
            say = self._say
            said = next((output.text for output in cell.outputs if output.text.strip()), "")
            said = said or (say("offers.picture") if cell.outputs else say("offers.noOutput"))
            return OfferDetail(text=text, kind="output", detail=_first_line(said))
        count = f"[{cell.execution_count}] " if cell.execution_count else ""
        kind: OfferKind = "cell" if cell.cell_type == "code" else "markdown"
        line = _first_line(_without_label(cell.source))
        return OfferDetail(text=text, kind=kind, detail=f"{count}{line}".strip())


def _without_label(source: str) -> str:
    """Return a source without the line that gives its label."""
    label = cell_label(source)
    lines = source[:20_000].split("\n")
    kept = [line for line in lines if not (label and cell_label(line) == label)]
    return "\n".join(kept)


def _first_line(text: str) -> str:
    line = next((line for line in text.split("\n") if line.strip()), "")
    return clean_line(line, _DETAIL_CHARS)
