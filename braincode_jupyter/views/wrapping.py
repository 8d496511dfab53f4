"""Lines for a terminal: wrapped prose, bullets, packed items; code and tables stay whole."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WIDTH = 80
"""Columns; code, tables and addresses may be longer."""
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


def packed(items: Iterable[str]) -> list[str]:
    """Put as many items on a line as fit, and never break one."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= WIDTH:
            lines[-1] += f", {item}"
        else:
            lines.append(f"  {item}")
    return lines


def bullets(items: Iterable[str], indent: str = "  ") -> list[str]:
    """Return one item a line, or more where it is long."""
    return [line for item in items for line in wrap(f"- {item}", indent, len(indent) + 2)]


def wrap(text: str, indent: str = "", hanging: int | None = None) -> list[str]:
    """Wrap every line of a text; a word that is longer than a line stays whole."""
    after = " " * (len(indent) if hanging is None else hanging)
    lines: list[str] = []
    for line in text.splitlines():
        first = after if lines else indent
        lines.extend(
            textwrap.wrap(
                line,
                WIDTH,
                initial_indent=first,
                subsequent_indent=after,
                break_long_words=False,
                break_on_hyphens=False,
                drop_whitespace=True,
                replace_whitespace=False,
                expand_tabs=False,
            )
            or [""]
        )
    return lines


def markdown_lines(text: str, width: int = WIDTH) -> list[str]:
    """Wrap Markdown and leave its code and tables as they are."""
    return list(_wrapped(text, width))


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Wrap prose; code and table rows stay as they are, so that they can be copied."""
    fence = ""
    for line in text.strip("\n").splitlines():
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        is_prose = not fence and not found and not line.lstrip().startswith("|")
        if not is_prose or len(line) <= width:
            yield line
            continue
        indent = line[: len(line) - len(line.lstrip())]
        yield from textwrap.wrap(
            line,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
