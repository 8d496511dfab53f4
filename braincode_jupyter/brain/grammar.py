r"""The grammar of references: which parts of a request point at something.

One pass over the user's own text finds the tokens; nothing is looked up here.

=============================  =========  ===============================================
token                          kind       target
=============================  =========  ===============================================
``@path``                      file       path as typed
``@"my data.csv"``             file       path with blanks or ``@``; ``\"`` and ``\\`` inside
``@@id``, ``@@last``           session    session id, a prefix of one, or ``last``
``@cell:LABEL``                cell       label, id, ``[3]``, ``-1`` or ``above``
``@out:[3]``                   output     as for a cell
``@var:NAME``                  variable   plain name
``@var:NAME!rows``             variable   the same, option ``rows``
=============================  =========  ===============================================

A token starts at the start of the text or after whitespace (`WHITESPACE`, the class of the
original, which is not Python's). A bare target has no whitespace, no ``@`` and no backtick in it;
sentence punctuation behind it, and CJK text that follows Latin text without a blank, do not belong
to it. Quotes (``@"…"``, ``@cell:"…"``, ``@var:"…"``) hold any such target together; the original
has no quoting and reads ``@"a b"`` as ``@"a``. ``\@`` stays text, code (fenced or between
backticks) is not looked at, and ``@image`` is no reference.

References
----------
Braincode prompt references, token grammar; the differences are intended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

TokenKind = Literal["file", "session", "cell", "output", "variable"]

WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"  # JavaScript's \s
)
"""Whitespace as a body of a character class."""
MAX_TARGET_CHARS = 1_024
"""A longer target is no reference; longer than any path that systems take in practice."""

_CJK = (
    "\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U00020000-\U0003ffff"
)
_CJK_STOPS = "\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f\uff61\uff64"
_TOKEN = re.compile(
    rf"(?<![^{WHITESPACE}])"
    r"(?P<marker>@@|@(?P<prefix>cell:|out:|var:)|@)"
    rf'(?:"(?P<quoted>(?:[^"\\\r\n]|\\.){{1,{2 * MAX_TARGET_CHARS}}})"'
    rf"|(?P<bare>[^{WHITESPACE}@`{_CJK_STOPS}]+))"
)
_OPTION = re.compile(r"!([a-z]{1,16})(?![\w!])")
_ESCAPE = re.compile(r'\\(["\\])')
_SENTENCE_TAIL = re.compile(rf"(?<=[A-Za-z0-9_\])])[{_CJK}][^./\\]*$")
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<", "\uff09": "\uff08"}
_TRAILING = ".,;:!?*'\"\u2019\u201d\u00bb\u2026\u2014"
_POSSESSIVES = ("'s", "\u2019s")
_KINDS: dict[str, TokenKind] = {"cell:": "cell", "out:": "output", "var:": "variable"}
_PREFIXES: dict[TokenKind, str] = {
    "file": "@",
    "session": "@@",
    "cell": "@cell:",
    "output": "@out:",
    "variable": "@var:",
}
_FENCE = re.compile(r"[ \t>]*((?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)")
_BACKTICKS = re.compile(r"`+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One reference of a request, as typed.

    Parameters
    ----------
    token : str
        Text of the token, marker and quotes included; ``prompt[start:end]``.
    kind : TokenKind
        What it points at.
    target : str
        What stands behind the marker, without quotes and option.
    option : str
        Word behind ``!``; variables only, else empty.
    start, end : int
        Span in the prompt; code points.
    """

    token: str
    kind: TokenKind
    target: str
    option: str = ""
    start: int = 0
    end: int = 0


def parse_references(prompt: str) -> tuple[Reference, ...]:
    """Return the references of a request in order, each token once.

    Parameters
    ----------
    prompt : str
        The user's own text; any text is fine.

    Returns
    -------
    tuple of Reference
        In order of first occurrence. Time is linear in the length of the text.
    """
    if "@" not in prompt:
        return ()
    found: dict[str, Reference] = {}
    for begin, end in _prose_spans(prompt):
        for match in _TOKEN.finditer(prompt, begin, end):
            reference = _reference(match)
            if reference is not None:
                found.setdefault(reference.token, reference)
    return tuple(found.values())


def format_reference(kind: TokenKind, target: str, *, option: str = "") -> str | None:
    """Return the shortest token that parses back to exactly this target.

    Parameters
    ----------
    kind : TokenKind
        What it points at.
    target : str
        Path, session, label or name.
    option : str
        Word to put behind ``!``; variables only.

    Returns
    -------
    str or None
        None if no form works: the target holds a line break or a backtick, or is too long.
    """
    prefix, suffix = _PREFIXES[kind], f"!{option}" if option else ""
    escaped = target.replace("\\", "\\\\").replace('"', '\\"')
    forms = [f'{prefix}"{escaped}"{suffix}']
    if '"' not in target:
        forms.insert(0, f"{prefix}{target}{suffix}")
    for token in forms:
        wanted = Reference(token=token, kind=kind, target=target, option=option, end=len(token))
        if "`" not in target and parse_references(token) == (wanted,):
            return token
    return None


def _reference(match: re.Match[str]) -> Reference | None:
    """Return what one match means, or None if it is no reference after all."""
    prompt, start = match.string, match.start()
    kind = _kind(match)
    quoted = match["quoted"]
    is_image = quoted is None and _is_image_word(kind, match["bare"])
    if quoted is not None:
        target = _ESCAPE.sub(r"\1", quoted)
        end = match.end()
        tail = _OPTION.match(prompt, end) if kind == "variable" else None
        option = tail[1] if tail else ""
        end = tail.end() if tail else end
    else:
        target = _bare_target(match["bare"])
        end = match.start("bare") + len(target)
        target, _, option = target.partition("!") if kind == "variable" else (target, "", "")
    if not target or len(target) > MAX_TARGET_CHARS or is_image:
        return None
    return Reference(
        token=prompt[start:end], kind=kind, target=target, option=option, start=start, end=end
    )


def _kind(match: re.Match[str]) -> TokenKind:
    if match["marker"] == "@@":
        return "session"
    return _KINDS.get(match["prefix"] or "", "file")


def _is_image_word(kind: TokenKind, target: str) -> bool:
    """Tell ``@image`` and ``@image:…``, which mean the image role, from a file."""
    return kind == "file" and (_bare_target(target) == "image" or target.startswith("image:"))


def _bare_target(text: str) -> str:
    """Return a bare target without the sentence that goes on behind it."""
    if len(text) > MAX_TARGET_CHARS:
        return ""
    stripped = _without_punctuation(text)
    return _without_punctuation(_SENTENCE_TAIL.sub("", stripped))


def _without_punctuation(text: str) -> str:
    end = len(text)
    while end:
        if _is_trailing(text, end):
            end -= 1
        elif text.endswith(_POSSESSIVES, 0, end):
            end -= len(_POSSESSIVES[0])
        else:
            break
    return text[:end]


def _is_trailing(text: str, end: int) -> bool:
    """Whether the last character of ``text[:end]`` is punctuation of the sentence."""
    last = text[end - 1]
    opener = _CLOSERS.get(last)
    if opener is None:
        return last in _TRAILING
    return text.count(last, 0, end) > text.count(opener, 0, end)


def _prose_spans(prompt: str) -> Iterator[tuple[int, int]]:
    """Yield the pieces of the text that are not code."""
    if "`" not in prompt and "~~~" not in prompt:
        yield 0, len(prompt)
        return
    begin = 0
    for code_begin, code_end in _code_spans(prompt):
        yield begin, code_begin
        begin = code_end
    yield begin, len(prompt)


def _code_spans(prompt: str) -> Iterator[tuple[int, int]]:
    """Yield fenced blocks and inline code, in order."""
    paragraph: int | None = None
    fence, fence_start, position = "", 0, 0
    for line in _LINE.findall(prompt):
        match = _FENCE.match(line)
        if fence:
            if match and not match[1] and match[2].startswith(fence) and not match[3].strip():
                yield fence_start, position + len(line)
                fence = ""
        elif match and not (match[2][0] == "`" and "`" in match[3]):
            yield from _inline_spans(prompt, paragraph, position)
            paragraph, fence, fence_start = None, match[2], position
        elif not line.strip():
            yield from _inline_spans(prompt, paragraph, position)
            paragraph = None
        elif paragraph is None:
            paragraph = position
        position += len(line)
    if fence:
        yield fence_start, position
    else:
        yield from _inline_spans(prompt, paragraph, position)


def _inline_spans(prompt: str, begin: int | None, end: int) -> Iterator[tuple[int, int]]:
    """Yield code spans of one paragraph: a run of backticks up to the next run as long."""
    if begin is None:
        return
    runs = [(m.start(), m.end()) for m in _BACKTICKS.finditer(prompt, begin, end)]
    partner: list[int | None] = [None] * len(runs)
    latest: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        partner[index] = latest.get(length)
        latest[length] = index
    index = 0
    while index < len(runs):
        other = partner[index]
        start = runs[index][0]
        if other is None or (start > 0 and prompt[start - 1] == "\\"):
            index += 1
            continue
        yield start, runs[other][1]
        index = other + 1
