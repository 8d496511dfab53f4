"""Text from outside, made safe to draw: no terminal controls, nothing hidden.

Trade-off: invisible characters are shown as marks such as ``⟨U+202E⟩`` and not dropped, because a
reader should see that somebody put them there. Joiners and variation selectors stay where scripts
and emoji need them.
"""

from __future__ import annotations

import re
from functools import lru_cache

MAX_LABEL_CHARS = 200
"""Length of a name, a label or a title; characters."""
_MOST_LINES = 1024
"""Lines that are kept cleaned: the records of a run say the same names again and again."""

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_ESCAPES = re.compile(
    "(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\\\|\x9c)?"
    "|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]{0,4096}(?:\x1b\\\\|\x9c)?"
    "|(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]?"
    "|\x1b[ -/]{0,8}[0-~]?"
)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HIDDEN = re.compile(
    "(?P<sign>[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\U000e0000-\U000e0fff])"
    "(?P<rest>(?:(?P=sign)|[\U000e0000-\U000e0fff])*)"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe0e\ufe0f"
_KEYCAPS = "#*0123456789"


def clean_text(text: str) -> str:
    """Return ``text`` without terminal controls and with hidden characters made visible.

    Parameters
    ----------
    text : str
        Text from a model, a file or an output.

    Returns
    -------
    str
        Newlines and tabs stay. Escape sequences, C0 and C1 controls and what a carriage return
        overwrote are gone; bidirectional controls and invisible characters are marks; a lone
        surrogate is ``U+FFFD``.

    References
    ----------
    ECMA-48, sections 5.3 and 5.4; Unicode Technical Report 36, section 2.
    """
    if not _SUSPECT.search(text):
        return text
    text = text.replace("\r\n", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = "\n".join(map(_last_written, text.split("\n")))
    text = _CONTROLS.sub("", text)
    text = _SURROGATES.sub("\ufffd", text)
    return _HIDDEN.sub(_mark, text)


def clean_line(text: str, limit: int = MAX_LABEL_CHARS) -> str:
    """Return ``text`` cleaned, on one line, cut at ``limit`` characters with an ellipsis."""
    return _one_line(text[: limit * 4], limit)


def clip_text(text: str, limit: int) -> str:
    """Return ``text`` cleaned; what is beyond ``limit`` characters is counted, not shown."""
    cleaned = clean_text(text[:limit])
    rest = len(text) - limit
    return f"{cleaned}\n… {rest:,} more characters" if rest > 0 else cleaned


def count_hidden(text: str) -> int:
    """Return how many characters of ``text`` `clean_text` shows as marks."""
    if not _SUSPECT.search(text):
        return 0
    found = 0
    for match in _HIDDEN.finditer(text):
        if not _belongs(match):
            found += len(match.group())
    return found


@lru_cache(maxsize=_MOST_LINES)
def _one_line(text: str, limit: int) -> str:
    line = " ".join(clean_text(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _last_written(line: str) -> str:
    """Return what stays of a line in which carriage returns wrote over earlier text."""
    return next((part for part in reversed(line.split("\r")) if part), "")


def _mark(match: re.Match[str]) -> str:
    if _belongs(match):
        return match.group()
    size = len(match.group())
    code = f"U+{ord(match.group('sign')):04X}"
    return f"⟨{code}⟩" if size == 1 else f"⟨{code} ×{size}⟩"


def _belongs(match: re.Match[str]) -> bool:
    """Tell whether a joiner or selector stands where a script or an emoji needs it."""
    sign = match.group()
    before = match.string[match.start() - 1 : match.start()]
    if sign in _SELECTORS:
        return bool(before) and (not before.isascii() or before in _KEYCAPS)
    if sign in _JOINERS:
        after = match.string[match.end() : match.end() + 1]
        return bool(before and after) and not before.isascii() and not after.isascii()
    return False
