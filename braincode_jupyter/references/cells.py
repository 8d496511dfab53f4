"""Cells and outputs of the open notebook as references.

A cell is named by its label (``labels``), its id, its execution count ``[3]``, its age (``-1`` is
the last one that was executed before this), or ``above``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.brain.grammar import format_reference
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.references import limits
from braincode_jupyter.references.content import Content
from braincode_jupyter.references.text import (
    clip,
    clip_line,
    counted,
    fenced,
    near_hint,
    plain_output,
    without_payloads,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.brain.grammar import Reference
    from braincode_jupyter.protocol.ports import CellOutput, CellSnapshot, CellSource
    from braincode_jupyter.protocol.sections import ImagePart

_BY_COUNT = re.compile(r"\[(\d{1,9})\]")
_BY_AGE = re.compile(r"-(\d{1,6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedCell:
    """Text and pictures of a cell, and how much was cut."""

    text: str
    images: tuple[ImagePart, ...] = ()
    dropped_chars: int = 0
    dropped_outputs: int = 0
    announced_images: int = 0

    @property
    def cut(self) -> str | None:
        """What was left out, in words."""
        counts = (
            (self.dropped_chars, "character"),
            (self.dropped_outputs, "output"),
            (self.announced_images, "picture"),
        )
        said = [counted(count, what) for count, what in counts if count]
        return f"{', '.join(said)} left out" if said else None


def resolve_cell(
    reference: Reference, *, source: CellSource | None, vision: bool | None
) -> Content:
    """Return source and outputs, or the outputs alone, of the cell that a reference names.

    Parameters
    ----------
    reference : Reference
        Of kind ``cell`` or ``output``.
    source : CellSource or None
        None where there is no notebook.
    vision : bool or None
        Attach plots; anything but True: they are announced.

    Returns
    -------
    Content
        At most `limits.MAX_SNAPSHOT_CHARS` of text.

    Raises
    ------
    UnresolvedReferenceError
        If there is no such cell, or more than one.
    """
    if source is None:
        raise UnresolvedReferenceError(
            f"{reference.token} points at a cell, but there is no notebook here.",
            hint="Use it in a notebook cell, or name a file.",
        )
    cell = find_cell(reference, source.cells())
    outputs_only = reference.kind == "output"
    rendered = render_cell(cell, outputs_only=outputs_only, vision=bool(vision))
    text, dropped = clip(rendered.text, limits.MAX_SNAPSHOT_CHARS, keep_end=True)
    cuts = [f"{dropped:,} characters left out"] if dropped else []
    if rendered.cut:
        cuts.append(rendered.cut)
    return Content(
        kind="output" if outputs_only else "cell",
        uri=f"cell:{cell.cell_id or cell.label or cell.execution_count}",
        label=_describe(cell, outputs_only=outputs_only),
        text=text,
        images=rendered.images,
        cut="; ".join(cuts) or None,
    )


def render_cell(
    cell: CellSnapshot, *, number: int | None = None, outputs_only: bool = False, vision: bool
) -> RenderedCell:
    """Return a cell as text: heading, source, then its outputs in order.

    Parameters
    ----------
    cell : CellSnapshot
        The cell.
    number : int or None
        Its position, from 1, where that helps.
    outputs_only : bool
        Leave the source out.
    vision : bool
        Give pictures out; False: announce them.

    Returns
    -------
    RenderedCell
        Each part within its limit, with a mark where it was cut.
    """
    parts = [_heading(cell, number)]
    dropped = 0
    if not outputs_only:
        clean = without_payloads(cell.source)
        source, dropped = clip(clean, limits.MAX_SOURCE_CHARS, keep_end=True)
        parts.append(fenced(source, "python" if cell.cell_type == "code" else cell.cell_type))
    images: list[ImagePart] = []
    announced = 0
    shown = cell.outputs[: limits.MAX_OUTPUTS]
    for position, output in enumerate(shown, start=1):
        text, lost = clip(plain_output(output.text), limits.MAX_OUTPUT_CHARS, keep_end=True)
        dropped += lost
        attach = vision and output.image is not None and len(images) < limits.MAX_CELL_IMAGES
        if output.image is not None and attach:
            images.append(output.image)
        elif output.image is not None:
            announced += 1
        parts.append(_output_text(output, position, text, is_attached=attach))
    left = len(cell.outputs) - len(shown)
    if left:
        parts.append(f"[… {left} further outputs left out …]")
    if outputs_only and not cell.outputs:
        parts.append("This cell has no output.")
    return RenderedCell(
        text="\n".join(parts),
        images=tuple(images),
        dropped_chars=dropped,
        dropped_outputs=left,
        announced_images=announced,
    )


def cell_tokens(cells: Sequence[CellSnapshot], *, kind: str = "cell") -> tuple[str, ...]:
    """Return tokens that name one cell each: by label, else by execution count, else by id.

    Parameters
    ----------
    cells : sequence of CellSnapshot
        All cells; a running one cannot be named.
    kind : {"cell", "output"}
        What the tokens ask for.

    Returns
    -------
    tuple of str
        In the order of the cells; a cell that no token names alone is left out.
    """
    wanted = "output" if kind == "output" else "cell"
    labels = Counter(cell.label for cell in cells)
    ids = Counter(cell.cell_id for cell in cells)
    latest = {cell.execution_count: cell for cell in cells}
    tokens: list[str] = []
    for cell in cells:
        count = cell.execution_count
        is_reserved = _is_number(cell.label) or labels[cell.label] > 1
        is_taken = ids[cell.cell_id] > 1 or cell.cell_id in labels or _is_number(cell.cell_id)
        names = (
            "" if is_reserved else cell.label,
            f"[{count}]" if count and latest[count] is cell else "",
            "" if is_taken else cell.cell_id,
        )
        found = (format_reference(wanted, name) for name in names if name)
        token = next(filter(None, found), None)
        if token and not cell.is_running:
            tokens.append(token)
    return tuple(tokens)


def _is_number(name: str) -> bool:
    return bool(_BY_COUNT.fullmatch(name) or _BY_AGE.fullmatch(name))


def find_cell(reference: Reference, cells: Sequence[CellSnapshot]) -> CellSnapshot:
    """Return the cell that a reference names.

    Parameters
    ----------
    reference : Reference
        Of kind ``cell`` or ``output``.
    cells : sequence of CellSnapshot
        All cells, the one that asks marked as running.

    Returns
    -------
    CellSnapshot
        One of them.

    Raises
    ------
    UnresolvedReferenceError
        If there is no such cell, or more than one.
    """
    target = reference.target
    by_count, by_age = _BY_COUNT.fullmatch(target), _BY_AGE.fullmatch(target)
    if by_count:
        found = [cell for cell in cells if cell.execution_count == int(by_count[1])][-1:]
    elif by_age:
        found = _by_age(cells, int(by_age[1]))
    else:
        found = [cell for cell in cells if cell.label == target]
        found = found or [cell for cell in cells if cell.cell_id == target]
        if not found and target == "above":
            found = _above(cells)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(cell.cell_id for cell in found[:6])
        raise UnresolvedReferenceError(
            f"{len(found)} cells have the label {target!r} that {reference.token} names.",
            hint=f"Name one by its id: {ids}.",
        )
    what = "output" if reference.kind == "output" else "cell"
    raise UnresolvedReferenceError(
        f"There is no {what} {reference.token} in this notebook.",
        hint=near_hint(reference.token, cell_tokens(cells, kind=reference.kind))
        or "No other cell is known yet: run one first.",
    )


def _by_age(cells: Sequence[CellSnapshot], age: int) -> list[CellSnapshot]:
    """Return the cell that was executed as the ``age``-th last before the running one."""
    executed = [cell for cell in cells if cell.execution_count and not cell.is_running]
    executed.sort(key=lambda cell: cell.execution_count or 0)
    return [executed[-age]] if 1 <= age <= len(executed) else []


def _above(cells: Sequence[CellSnapshot]) -> list[CellSnapshot]:
    """Return the cell above the running one, else the last one executed."""
    for position, cell in enumerate(cells):
        if cell.is_running and position:
            return [cells[position - 1]]
    return _by_age(cells, 1)


def _heading(cell: CellSnapshot, number: int | None) -> str:
    facts = [f"id {clip_line(cell.cell_id, limits.NAME_CHARS)}"] if cell.cell_id else []
    if cell.label:
        facts.append(f"label {clip_line(cell.label, limits.NAME_CHARS)}")
    facts.append(cell.cell_type)
    if cell.cell_type == "code":
        count = cell.execution_count
        facts.append(f"executed as [{count}]" if count else "not executed")
    return f"Cell {number if number else ''}".strip() + f" ({', '.join(facts)}):"


def _output_text(output: CellOutput, position: int, text: str, *, is_attached: bool) -> str:
    name = clip_line(output.name, limits.NAME_CHARS)
    kinds = {
        "stream": name or "stdout",
        "result": "result",
        "display": "display",
        "error": f"error {name}".strip(),
    }
    lines = [f"Output {position}, {kinds[output.kind]}:"]
    if text:
        lines.append(fenced(text.removesuffix("\n"), "text"))
    if output.image is not None:
        fate = "attached" if is_attached else "not attached"
        size = len(output.image.data)
        lines.append(f"[picture {output.image.media_type}, {size:,} bytes, {fate}]")
    return "\n".join(lines)


def _describe(cell: CellSnapshot, *, outputs_only: bool) -> str:
    name = clip_line(cell.label or cell.cell_id or f"[{cell.execution_count}]", limits.NAME_CHARS)
    outputs = counted(len(cell.outputs), "output")
    if outputs_only:
        return f"{outputs} of cell {name}"
    lines = cell.source.count("\n") + 1 if cell.source else 0
    return f"cell {name}, {counted(lines, 'line')}, {outputs}"
