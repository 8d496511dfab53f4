"""What can be completed at a place in a cell: references, options and their values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.grammar import WHITESPACE, format_reference, parse_references
from braincode_jupyter.notebook.choices import Found, Offers
from braincode_jupyter.references import cell_tokens, file_tokens, limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MAGIC = "braincode"
_FRAGMENT = re.compile(
    rf"(?<![^{WHITESPACE}])"
    r'(@(?:cell:|out:|var:)?"(?:[^"\\\r\n]|\\.){0,2000}'
    rf"|@@?[^{WHITESPACE}@`]{{0,1000}})\Z"
)
_PREFIXES = ("@cell:", "@out:", "@var:", "@@last")
_PLACES = ("above", "-1")
_PROBE = "@probe/7f3a9c51"
"""A token that no text holds already."""


def find(offers: Offers, text: str, *, line: int, column: int) -> Found:
    """Return what can stand at the cursor.

    Parameters
    ----------
    offers : Offers
        Where completions come from.
    text : str
        The whole cell.
    line, column : int
        Cursor, both from 0.

    Returns
    -------
    Found
        Empty outside of our magics.
    """
    lines = text.split("\n")
    before = lines[line][:column]
    finder = _Finder(offers=offers)
    head = next((index for index, found in enumerate(lines) if found.strip()), 0)
    if lines[head].startswith(f"%%{_MAGIC}") and line > head:
        body = "\n".join([*lines[head + 1 : line], before])
        return finder.reference(body) or Found()
    words = before.lstrip()
    if lines[head].startswith(f"%%{_MAGIC}"):
        rest, first = words.removeprefix(f"%%{_MAGIC}"), ()
    else:
        rest, first = words.removeprefix(f"%{_MAGIC}"), offers.subcommands
    if rest == words or not rest.startswith((" ", "\t")):
        return Found()
    return finder.reference(before) or finder.words(rest.lstrip(), first=first)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finder:
    """Looks for completions in what is offered."""

    offers: Offers

    def words(self, words: str, *, first: Sequence[str]) -> Found:
        """Complete a flag, the value of one, or a first word."""
        *earlier, last = re.split(r"[ \t]+", words)
        flag, equals, value = last.partition("=")
        if equals:
            return self._value(flag, value)
        if earlier and earlier[-1].startswith("--") and not last.startswith("-"):
            found = self._value(earlier[-1], last)
            if found.texts:
                return found
        if last.startswith("-"):
            used = set(earlier)
            flags = (row.flag for row in self.offers.options)
            return _matching(last, (flag for flag in flags if flag not in used))
        return _matching(last, first) if not any(earlier) else Found()

    def _value(self, flag: str, typed: str) -> Found:
        row = next((row for row in self.offers.options if row.flag == flag), None)
        if row is None or not row.metavar:
            return Found()
        known = row.choices or self.offers.values.get(flag, tuple)()
        named, comma, last = typed.rpartition(",")
        taken = set(named.split(","))
        found = _matching(last, (name for name in known if name not in taken))
        texts = tuple(f"{named}{comma}{text}" for text in found.texts)
        return Found(fragment=typed, texts=texts)

    def reference(self, before: str) -> Found | None:
        """Complete a reference that is being typed; None if the cursor is not in one."""
        match = _FRAGMENT.search(before[-4_000:])
        if match is None:
            return None
        fragment = match[1]
        start = before[: len(before) - len(fragment)]
        if not _is_read(start):
            return None
        texts = tuple(dict.fromkeys(self._tokens(fragment)))
        return Found(fragment=fragment, texts=texts[: limits.OFFERED_NAMES])

    def _tokens(self, fragment: str) -> Iterable[str]:
        offers = self.offers
        if fragment.startswith("@@"):
            ids = offers.sessions() if offers.sessions else ()
            tokens = ("@@last", *filter(None, (format_reference("session", i) for i in ids)))
            yield from (token for token in tokens if token.startswith(fragment))
            return
        yield from (word for word in _PREFIXES if word.startswith(fragment) and word != fragment)
        yield from self._typed(fragment)
        is_typed = fragment.startswith(_PREFIXES[:3])
        if offers.project_root is not None and not is_typed:
            path = _unquoted(fragment.removeprefix("@"))
            yield from file_tokens(path, root=offers.project_root())

    def _typed(self, fragment: str) -> Iterable[str]:
        """Yield cells, outputs and variables; outputs only once ``@out:`` is typed."""
        offers = self.offers
        tokens: list[str] = []
        if offers.cells is not None and not fragment.startswith("@var:"):
            kind: Literal["cell", "output"] = "output" if fragment.startswith("@out:") else "cell"
            cells = offers.cells.cells()
            tokens += cell_tokens(cells, kind=kind)
            if fragment.startswith(("@cell:", "@out:")):
                prefix = fragment.partition(":")[0]
                tokens += [f"{prefix}:{place}" for place in _PLACES]
                ids = (format_reference(kind, c.cell_id) for c in cells if not c.is_running)
                tokens += [token for token in ids if token]
        if offers.variables is not None and not fragment.startswith(("@cell:", "@out:")):
            names = offers.variables.names()
            tokens += filter(None, (format_reference("variable", name) for name in names))
        wanted = fragment.replace('"', "")
        for token in tokens:
            if token.replace('"', "").startswith(wanted):
                yield token
            if token == fragment and token.startswith("@var:"):
                yield f"{token}!rows"


def _is_read(start: str) -> bool:
    """Whether a token behind this text is read as one: the text does not end in code."""
    probe = f"{start}{_PROBE}"
    return any(found.start == len(start) for found in parse_references(probe))


def _matching(typed: str, names: Iterable[str]) -> Found:
    texts = tuple(name for name in names if name.startswith(typed))
    return Found(fragment=typed, texts=texts[: limits.OFFERED_NAMES])


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    return re.sub(r'\\(["\\])', r"\1", text[1:])
