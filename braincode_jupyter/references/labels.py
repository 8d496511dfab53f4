"""Labels of cells; light, as it is asked whenever a cell runs."""

from __future__ import annotations

import re
from typing import cast

_LABEL_LINE = re.compile(r"#\|[ \t]*label[ \t]*:[ \t]*(\S[^\n]*)")
_TAG_PREFIX = "braincode:"
_LABEL_LINES = 30
"""Lines at the top of a cell in which a label may stand."""
_LABEL_CHARS = 200


def cell_label(source: str, *, tags: object = ()) -> str:
    """Return the label of a cell: ``#| label: name``, else a tag ``braincode:name``, else "".

    Parameters
    ----------
    source : str
        Source of the cell.
    tags : object
        Tags of its metadata; anything but a list of strings counts as none.

    Returns
    -------
    str
        At most 200 characters.

    References
    ----------
    Quarto, cell options, https://quarto.org/docs/reference/cells/cells-jupyter.html.
    """
    for line in source[:20_000].split("\n", _LABEL_LINES)[:_LABEL_LINES]:
        stripped = line.strip()
        if match := _LABEL_LINE.fullmatch(stripped):
            return match[1].strip("\"' \t")[:_LABEL_CHARS]
        if stripped and not stripped.startswith(("#", "%%")):
            break
    names = cast("list[object]", tags) if isinstance(tags, (list, tuple)) else []
    for tag in names:
        if isinstance(tag, str) and tag.startswith(_TAG_PREFIX):
            return tag.removeprefix(_TAG_PREFIX)[:_LABEL_CHARS]
    return ""
