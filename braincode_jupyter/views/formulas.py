"""Formulas in Markdown stay as their author wrote them: there underscores and stars are no marks.

Only the source is kept; nobody here typesets it. What begins and ends a formula is as in Pandoc,
so that amounts such as ``$5 and $6`` are none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

_FORMULA = re.compile(
    # Bounded, so that many beginnings without an end cost little.
    r"\$\$.{1,2000}?\$\$"
    r"|\\\[.{1,2000}?\\\]"
    r"|\\\(.{1,2000}?\\\)"
    r"|\$(?![\s$])[^$`\n]{1,1000}(?<![\s\\])\$(?!\d)",
    re.DOTALL,
)


def keep_formulas(parser: MarkdownIt) -> None:
    """Let a parser leave formulas alone.

    Parameters
    ----------
    parser : MarkdownIt
        The parser; a formula becomes a token ``formula`` with its whole source.

    References
    ----------
    Pandoc's ``tex_math_dollars``, https://pandoc.org/MANUAL.html.
    """
    parser.inline.ruler.before("escape", "formula", _formula)


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as the parser calls it
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = found.group()
    state.pos = found.end()
    return True
