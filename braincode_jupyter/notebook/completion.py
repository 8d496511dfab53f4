r"""Completion of ``@`` references and of the options of the magics, in every front end.

A matcher of IPython's second matcher interface (8.6 and later) is appended to the completer's own
list. It looks at text, file names, labels and names of variables; it evaluates nothing and never
raises. It answers only in cells of `%%braincode` and on lines of `%braincode`.

References
----------
IPython, ``IPython.core.completer``, matcher API v2.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from braincode_jupyter.brain.grammar import WHITESPACE, format_reference, parse_references
from braincode_jupyter.references import cell_tokens, file_tokens, limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.ports import CellSource, VariableSource

_MAGIC = "braincode"
_IDENTIFIER = "braincode_jupyter.completion"
_PRIORITY = 1_000
_FRAGMENT = re.compile(
    rf"(?<![^{WHITESPACE}])"
    r'(@(?:cell:|out:|var:)?"(?:[^"\\\r\n]|\\.){0,2000}'
    rf"|@@?[^{WHITESPACE}@`]{{0,1000}})\Z"
)
_PREFIXES = ("@cell:", "@out:", "@var:", "@@last")
_PLACES = ("above", "-1")
_PROBE = "@probe/7f3a9c51"
"""A token that no text holds already."""


class OptionRow(Protocol):
    """What completion needs of a row of the option table."""

    @property
    def flag(self) -> str:
        """For example ``--mode``."""
        ...

    @property
    def metavar(self) -> str:
        """Empty for a switch."""
        ...

    @property
    def choices(self) -> tuple[str, ...]:
        """All values, where they are few."""
        ...

    @property
    def later(self) -> str:
        """Empty for an option that exists."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """Where completions come from; all of it is optional.

    Parameters
    ----------
    project_root : callable or None
        Gives the folder that ``@path`` is relative to.
    cells : CellSource or None
        Cells of the open notebook.
    variables : VariableSource or None
        Variables of the user.
    sessions : callable or None
        Gives ids of recent sessions, the newest first.
    options : sequence of OptionRow
        Options of `%%braincode`.
    values : mapping
        Flag to a callable that gives the values of the option; comma lists are completed item by
        item.
    subcommands : sequence of str
        First words of `%braincode`.
    """

    project_root: Callable[[], Path] | None = None
    cells: CellSource | None = None
    variables: VariableSource | None = None
    sessions: Callable[[], Sequence[str]] | None = None
    options: Sequence[OptionRow] = ()
    values: Mapping[str, Callable[[], Sequence[str]]] = field(
        default_factory=dict[str, "Callable[[], Sequence[str]]"]
    )
    subcommands: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Completions at the cursor.

    Parameters
    ----------
    fragment : str
        Text before the cursor that they replace.
    texts : tuple of str
        What can stand there instead, best first.
    """

    fragment: str = ""
    texts: tuple[str, ...] = ()


class ReferenceCompletion:
    """Completes references and options.

    Parameters
    ----------
    offers : Offers
        Where completions come from.
    """

    def __init__(self, offers: Offers) -> None:
        self._offers = offers
        self._matcher: Callable[[Any], dict[str, object]] | None = None

    def attach(self, shell: Any) -> None:  # noqa: ANN401 - traitlets are not typed
        """Add the matcher to a shell's completer; a second call does nothing."""
        completer = getattr(shell, "Completer", None)
        if completer is None or self._matcher is not None:
            return

        def match(context: Any) -> dict[str, object]:  # noqa: ANN401 - a provisional class
            return self._answer(context)

        marked: Any = match
        marked.matcher_api_version = 2
        marked.matcher_identifier = _IDENTIFIER
        marked.matcher_priority = _PRIORITY
        completer.custom_matchers.append(match)
        self._matcher = match

    def detach(self, shell: Any) -> None:  # noqa: ANN401 - traitlets are not typed
        """Take the matcher back; a second call does nothing."""
        matchers: list[object] = getattr(getattr(shell, "Completer", None), "custom_matchers", [])
        if self._matcher in matchers:
            matchers.remove(self._matcher)
        self._matcher = None

    def complete(self, text: str, line: int, column: int) -> Found:
        """Return what can stand at the cursor.

        Parameters
        ----------
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
        head = next((i for i, found in enumerate(lines) if found.strip()), 0)
        if lines[head].startswith(f"%%{_MAGIC}") and line >= head:
            return self._in_cell(lines, head, line, before)
        words = before.lstrip()
        if words.startswith(f"%{_MAGIC} "):
            rest = words.removeprefix(f"%{_MAGIC} ")
            return self._reference(before) or self._in_words(rest, first=self._offers.subcommands)
        return Found()

    def _in_cell(self, lines: list[str], head: int, line: int, before: str) -> Found:  # noqa: PLR0917
        if line == head:
            return self._reference(before) or self._in_words(before.partition(" ")[2], first=())
        body = "\n".join([*lines[head + 1 : line], before])
        return self._reference(body) or Found()

    def _in_words(self, words: str, *, first: Sequence[str]) -> Found:
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
            flags = (row.flag for row in self._offers.options if not row.later)
            return _matching(last, (flag for flag in flags if flag not in used))
        return _matching(last, first) if not any(earlier) else Found()

    def _value(self, flag: str, typed: str) -> Found:
        row = next((row for row in self._offers.options if row.flag == flag), None)
        if row is None or not row.metavar:
            return Found()
        known = row.choices or self._offers.values.get(flag, tuple)()
        named, comma, last = typed.rpartition(",")
        taken = set(named.split(","))
        found = _matching(last, (name for name in known if name not in taken))
        texts = tuple(f"{named}{comma}{text}" for text in found.texts)
        return Found(fragment=typed, texts=texts)

    def _reference(self, before: str) -> Found | None:
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
        offers = self._offers
        if fragment.startswith("@@"):
            ids = offers.sessions() if offers.sessions else ()
            tokens = ("@@last", *filter(None, (format_reference("session", i) for i in ids)))
            yield from (token for token in tokens if token.startswith(fragment))
            return
        yield from (prefix for prefix in _PREFIXES if prefix.startswith(fragment))
        yield from self._typed(fragment)
        is_typed = fragment.startswith(_PREFIXES[:3])
        if offers.project_root is not None and not is_typed:
            path = _unquoted(fragment.removeprefix("@"))
            yield from file_tokens(path, root=offers.project_root())

    def _typed(self, fragment: str) -> Iterable[str]:
        """Yield cells, outputs and variables; outputs only once ``@out:`` is typed."""
        offers = self._offers
        tokens: list[str] = []
        if offers.cells is not None and not fragment.startswith("@var:"):
            kind = "output" if fragment.startswith("@out:") else "cell"
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

    def _answer(self, context: Any) -> dict[str, object]:  # noqa: ANN401 - a provisional class
        """Answer IPython; whatever goes wrong gives no completion."""
        found = Found()
        with suppress(Exception):
            found = self.complete(context.full_text, context.cursor_line, context.cursor_position)
        completion: Any = import_module("IPython.core.completer").SimpleCompletion
        return {
            "completions": [completion(text=text, type="reference") for text in found.texts],
            "matched_fragment": found.fragment,
            "suppress": bool(found.texts),
            "ordered": True,
        }


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
