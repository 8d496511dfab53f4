"""Split a magic line into words, with the position of each.

Quotes only keep blanks together. There are no escapes, no expansion and no comments, so a Windows
path, a brace or a dollar sign is just text, and an apostrophe inside a word (``don't``) is too.
"""

from __future__ import annotations

from dataclasses import dataclass

from braincode_jupyter.errors import UsageError

MAX_LINE_CHARS = 4_096
"""Longest magic line that is read."""

_QUOTES = "\"'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of a magic line.

    Parameters
    ----------
    text : str
        Without the quotes around it.
    position : int
        Of its first character on the line, from 1.
    is_quoted : bool
        It stood in quotes, so it is never an option.
    """

    text: str
    position: int
    is_quoted: bool = False


def split_words(line: str) -> list[Word]:
    """Split a magic line.

    Parameters
    ----------
    line : str
        What follows the name of the magic.

    Returns
    -------
    list of Word
        In order.

    Raises
    ------
    UsageError
        If the line is too long, or a quote is not closed or not followed by a blank.
    """
    if len(line) > MAX_LINE_CHARS:
        raise UsageError(
            f"The magic line has {len(line):,} characters, {MAX_LINE_CHARS:,} are read.",
            hint="Put the request on the lines below it.",
        )
    words: list[Word] = []
    start = _skip_blanks(line, 0)
    while start < len(line):
        word, end = _read_word(line, start)
        words.append(word)
        start = _skip_blanks(line, end)
    return words


def _skip_blanks(line: str, start: int) -> int:
    while start < len(line) and line[start].isspace():
        start += 1
    return start


def _read_word(line: str, start: int) -> tuple[Word, int]:
    if line[start] in _QUOTES:
        text, end = _read_quoted(line, start)
        return Word(text=text, position=start + 1, is_quoted=True), end
    end = start
    while end < len(line) and not line[end].isspace():
        opens_value = line[end - 1] == "=" and line.startswith("--", start) and end > start
        if opens_value and line[end] in _QUOTES:
            text, after = _read_quoted(line, end)
            return Word(text=line[start:end] + text, position=start + 1), after
        end += 1
    return Word(text=line[start:end], position=start + 1), end


def _read_quoted(line: str, start: int) -> tuple[str, int]:
    close = line.find(line[start], start + 1)
    if close < 0:
        raise UsageError(
            f"The quote at character {start + 1} of the magic line is not closed.",
            hint="Close it, or put the request on the lines below.",
        )
    after = close + 1
    if after < len(line) and not line[after].isspace():
        raise UsageError(
            f"No blank follows the quote that ends at character {after} of the magic line.",
            hint="Use the other kind of quote around a value that holds one.",
        )
    return line[start + 1 : close], after
