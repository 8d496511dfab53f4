"""`%braincode refs`: what the references of a text would send, without sending it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.journal import read_lines, resolve_session
from braincode_jupyter.notebook.tables import table
from braincode_jupyter.references import Content, SessionText, expand
from braincode_jupyter.views.clean import clean_text
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.session_context import read_context
from braincode_jupyter.views.snapshot import session_reference_text
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from braincode_jupyter.references import Expansion
    from braincode_jupyter.runtime import Sources
    from braincode_jupyter.views.speaker import Language


def references_text(text: str, *, sources: Sources, home: Path) -> str:
    """Resolve the references of a text and describe what they give.

    Parameters
    ----------
    text : str
        As it would stand in a cell.
    sources : Sources
        Where typed references look.
    home : Path
        Where sessions are.

    Returns
    -------
    str
        Plain text without terminal controls. `expand` raises where a run would be stopped.
    """
    records = _expanded(text, sources, home).records(0)
    if not records:
        return "No references: the text is sent as it is."
    rows = [
        (
            record.token,
            record.state,
            f"{record.size_bytes:,} B",
            ". ".join(part for part in (record.label, record.reason) if part),
        )
        for record in records
    ]
    return clean_text(table(rows) + "\nNothing was sent.")


def reference_preview(
    token: str, *, sources: Sources, home: Path, language: Language = "en"
) -> str:
    """Return what one reference would send: its label, then its text.

    Parameters
    ----------
    token : str
        As typed; anything else gives an empty text.
    sources : Sources
        Where typed references look.
    home : Path
        Where sessions are.
    language : {'en', 'fr', 'zh'}
        Of our own words; what would be sent is shown as it is.

    Returns
    -------
    str
        Not cleaned and not cut; keys are masked. `expand` raises where a run would be stopped.
    """
    say = speaker(language)
    parts: list[str] = []
    for reference in _expanded(token, sources, home).references:
        outcome = reference.outcome
        if isinstance(outcome, Content):
            parts.append(say.said(recorded("references", outcome.label)))
            parts.append(say.said(recorded("references", outcome.cut or "")))
            parts.append(outcome.text)
        else:
            parts.append(say.said(recorded("references", outcome.reason)))
            parts.append(say.said(recorded("warnings", outcome.hint)))
    return "\n".join(part for part in parts if part)


def _expanded(text: str, sources: Sources, home: Path) -> Expansion:
    def look_up(ref: str) -> SessionText | None:
        entry = resolve_session(home, ref)
        if entry is None:
            return None
        context = read_context(entry.facts, read_lines(entry.path).lines)
        return SessionText(
            session_id=entry.session_id, text=session_reference_text(context), uri=str(entry.path)
        )

    return expand(
        text,
        project_root=Path.cwd(),
        cells=sources.cells,
        variables=sources.variables,
        session_lookup=look_up,
    )
