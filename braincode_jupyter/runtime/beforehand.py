"""Figures for the embedded model, which cannot call tools: computed before the run, and said so.

They are put into the run only where every model that could read them is the embedded one, so they
stay on this machine. Nothing but referenced variables is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.protocol.sections import Section
from braincode_jupyter.tools.evidence import precomputed_evidence
from braincode_jupyter.tools.granted import granted_by

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.ports import VariableSource
    from braincode_jupyter.protocol.run_records import ReferenceUsed
    from braincode_jupyter.protocol.sections import Resolution

EVIDENCE_TITLE = "Computed beforehand"
COMPUTED_BEFOREHAND = "The embedded model cannot call tools; figures were computed beforehand."
"""What the card says then."""


def evidence_sections(
    prompt: str,
    references: Iterable[ReferenceUsed],
    *,
    variables: VariableSource | None,
    resolutions: Iterable[Resolution],
) -> tuple[Section, ...]:
    """Return what a worker with tools would have computed on the referenced frames.

    Parameters
    ----------
    prompt : str
        The request; columns that it names come first.
    references : iterable of ReferenceUsed
        What it referenced.
    variables : VariableSource or None
        Where the variables are; they are not changed.
    resolutions : iterable of Resolution
        The models of every role of the run, planner included.

    Returns
    -------
    tuple of Section
        One, or none: other models can call tools themselves, and there may be no frame.
    """
    if not _is_embedded_alone(resolutions):
        return ()
    values = granted_by(references).values(variables)
    text = precomputed_evidence(values, prompt) if values else ""
    if not text:
        return ()
    return (
        Section(
            kind="reference",
            owner="user",
            source=f"evidence:{','.join(values)}",
            title=EVIDENCE_TITLE,
            text=mask_keys(text)[0],
        ),
    )


def _is_embedded_alone(resolutions: Iterable[Resolution]) -> bool:
    candidates = [candidate for found in resolutions for candidate in found.candidates]
    return bool(candidates) and all(candidate.is_local_demo for candidate in candidates)
