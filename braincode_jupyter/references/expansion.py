"""Turn the references of a request into labelled sections, before any model call.

``@path`` and ``@@session`` that cannot be had are *missing*, with a reason that the models and the
card see. Typed references (``@cell:``, ``@out:``, ``@var:``) that do not resolve, and anything
refused (outside the project, secret, no regular file, over a limit of the whole request), stop the
run here. What comes out is data: nothing in it is looked at for references again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from braincode_jupyter.brain.grammar import Reference, format_reference, parse_references
from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.machine.paths import names_near
from braincode_jupyter.references import limits
from braincode_jupyter.references.cells import resolve_cell
from braincode_jupyter.references.content import (
    Content,
    Expansion,
    Missing,
    ResolvedReference,
    encoded,
)
from braincode_jupyter.references.files import resolve_file
from braincode_jupyter.references.sessions import SessionLookup, resolve_session
from braincode_jupyter.references.text import counted
from braincode_jupyter.references.variables import resolve_variable

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.ports import CellSource, VariableSource


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Where references of each kind look."""

    project_root: Path
    cells: CellSource | None
    variables: VariableSource | None
    session_lookup: SessionLookup | None
    vision: bool | None


def expand(
    prompt: str,
    *,
    project_root: Path,
    cells: CellSource | None = None,
    variables: VariableSource | None = None,
    session_lookup: SessionLookup | None = None,
    vision: bool | None = None,
) -> Expansion:
    """Resolve all references of a request.

    Parameters
    ----------
    prompt : str
        The user's own text.
    project_root : Path
        Folder that ``@path`` is relative to and must stay inside.
    cells : CellSource or None
        Cells of the open notebook; None where there is none.
    variables : VariableSource or None
        Variables of the user; None where there are none.
    session_lookup : callable or None
        Gives a `SessionText` for a session id, a prefix of one or ``last``, or None.
    vision : bool or None
        Whether the models see; plots of cells are attached only if True, else announced. An
        ``@path`` to an image is attached in any case.

    Returns
    -------
    Expansion
        Sections, images, warnings, and records once a time is given.

    Raises
    ------
    UnresolvedReferenceError
        If a typed reference does not resolve, a reference is refused, or a limit of the whole
        request is passed.
    """
    places = _Places(
        project_root=project_root,
        cells=cells,
        variables=variables,
        session_lookup=session_lookup,
        vision=vision,
    )
    resolved: list[ResolvedReference] = []
    prose: list[str] = []
    references = parse_references(prompt)
    if len(references) > limits.MAX_TOKENS:
        _refuse_many(f"more than {limits.MAX_TOKENS:,} words after @")
    for reference in references:
        outcome = _resolve(reference, places)
        if outcome is None:
            prose.append(reference.target)
            continue
        outcome = _without_keys(outcome)
        resolved.append(ResolvedReference(reference=reference, outcome=outcome))
        _check_totals(resolved)
    masked = tuple(
        f"{item.reference.token}: masked as possible keys: {counted(item.outcome.masked, 'value')}."
        for item in resolved
        if isinstance(item.outcome, Content) and item.outcome.masked
    )
    warnings = tuple(
        f"{item.reference.token} was not sent: {item.outcome.reason}. {item.outcome.hint}".strip()
        for item in resolved
        # Without a hint the card's line on the reference says it all.
        if isinstance(item.outcome, Missing) and item.outcome.hint
    )
    unquoted = _unquoted_names(prompt, prose, project_root)
    return Expansion(references=tuple(resolved), warnings=(*warnings, *masked, *unquoted))


def _unquoted_names(prompt: str, prose: list[str], root: Path) -> tuple[str, ...]:
    """Return a sentence for each file whose name was cut at its first blank or @."""
    names = names_near("", root=root) if prose else ()
    meant = {
        name: format_reference("file", name)
        for word in prose[: limits.MAX_REFERENCES]
        for name in names
        if name != word and name.startswith(word) and f"@{name}" in prompt
    }
    return tuple(f"@{name} was not sent: write {token}." for name, token in meant.items() if token)


def _resolve(reference: Reference, places: _Places) -> Content | Missing | None:
    """Return what one reference gives; None for a word that stays prose."""
    match reference.kind:
        case "file":
            return resolve_file(reference, root=places.project_root)
        case "session":
            return resolve_session(reference, lookup=places.session_lookup)
        case "variable":
            return resolve_variable(reference, source=places.variables)
        case "cell" | "output":
            return resolve_cell(reference, source=places.cells, vision=places.vision)


def _without_keys(outcome: Content | Missing) -> Content | Missing:
    """Mask what looks like a key before anything is sent (security R74)."""
    if isinstance(outcome, Missing):
        return outcome
    text, count = mask_keys(outcome.text)
    return replace(outcome, text=text, masked=count) if count else outcome


def _refuse_many(what: str) -> NoReturn:
    raise UnresolvedReferenceError(
        f"The request has {what}.", hint="Name fewer, or send @ as plain text with --no-refs."
    )


def _check_totals(resolved: list[ResolvedReference]) -> None:
    """Raise if the request brings too much."""
    if len(resolved) > limits.MAX_REFERENCES:
        _refuse_many(f"more than {limits.MAX_REFERENCES} references")
    contents = [item.outcome for item in resolved if isinstance(item.outcome, Content)]
    text = sum(len(encoded(content.text)) for content in contents)
    pictures = sum(len(image.data) for content in contents for image in content.images)
    for size, limit, what in (
        (text, limits.MAX_TOTAL_BYTES, "text"),
        (pictures, limits.MAX_TOTAL_IMAGE_BYTES, "images"),
    ):
        if size > limit:
            token = resolved[-1].reference.token
            raise UnresolvedReferenceError(
                f"With {token!r} the references bring {size:,} bytes of {what} (limit {limit:,}).",
                hint="Name fewer or smaller things.",
            )
