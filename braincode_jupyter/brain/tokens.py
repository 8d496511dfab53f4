"""An upper estimate of the tokens that a text costs, made without any tokenizer.

The budget is checked before a call, so the estimate has to err on the high side for what we
really send: prose and code, but above all tables, JSON of numbers, logs and base64, where "four
characters a token" is wrong by a factor of three. Each digit and punctuation mark counts as one
token, each word as at least one, letters outside ASCII by what a byte-level vocabulary without
them would need.

Known trade-offs (accepted): prose is overestimated by half to two thirds; long words of rare
scripts may cost more than we say. Real usage replaces the estimate after the call.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache

_ASCII = bytes(range(128))
_LETTERS = string.ascii_letters.encode()
_UNKNOWN = "?"
"""What stands in the ASCII of a text for every other character; counted apart for that reason."""
_MARKS = _ASCII.translate(None, delete=_LETTERS + b" ?")
"""Digits, punctuation and control characters cost one token each."""
_ONLY_LETTERS = bytes(code if code in _LETTERS else ord(" ") for code in range(256))
_PIECE = re.compile(rb"[A-Z][a-z]{1,3}|[a-z]{1,4}|[A-Z]{1,2}")
"""A word costs one token for each four letters, a run of capitals one for each two."""
_LONG_WORD = re.compile(rb"[a-z]{17,}")
_LONG_WORD_EXTRA = 0.35
"""Tokens a letter, on top: what no vocabulary holds is spelled out in pairs of letters."""
_MOST_WORDS = 4096
"""Words whose tokens are kept: the prompts of a run repeat themselves."""
_NUMBER = re.compile(rb" (?=[0-9])")
_BLANKS = re.compile(rb" {2,}")
_BLANKS_PER_TOKEN = 8
_DENSE = re.compile(r"([A-Za-z0-9+/=_-]{24,})")
_DENSE_DIGITS = 0.08
"""Share of digits that tells base64 and digests from identifiers and paths."""
_EAST_ASIAN = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")
_TWO_BYTES = re.compile(r"[\u0080-\u07ff]")
_THREE_BYTES = re.compile(r"[\u0800-\u303f\ua000-\uabff\ud7b0-\uffff]")
_FOUR_BYTES = re.compile(r"[\U00010000-\U0010ffff]")


def estimate_tokens(text: str) -> int:
    """Estimate from above how many tokens a text costs.

    Parameters
    ----------
    text : str
        Any text, lone surrogates included.

    Returns
    -------
    int
        Tokens; 0 for an empty text, at most the number of UTF-8 bytes.
    """
    count, text = _without_dense(text)
    letters = text.encode("ascii", "replace")
    count += len(letters) - len(letters.translate(None, delete=_MARKS)) + text.count(_UNKNOWN)
    count += sum(map(_word_tokens, letters.translate(_ONLY_LETTERS).split()))
    count += len(_NUMBER.findall(letters))
    count += sum(1 + len(run) // _BLANKS_PER_TOKEN for run in _BLANKS.findall(letters))
    if text and not text.isascii():
        count += len(_EAST_ASIAN.findall(text)) - (-4 * len(_TWO_BYTES.findall(text)) // 5)
        count += 2 * len(_THREE_BYTES.findall(text)) + 3 * len(_FOUR_BYTES.findall(text))
    return max(count, 1) if text else 0


@lru_cache(maxsize=_MOST_WORDS)
def _word_tokens(word: bytes) -> int:
    extra = sum(1 + int(len(run) * _LONG_WORD_EXTRA) for run in _LONG_WORD.findall(word))
    return len(_PIECE.findall(word)) + extra


def _without_dense(text: str) -> tuple[int, str]:
    """Return the tokens of base64, digests and the like, and the text with a blank for each."""
    parts = _DENSE.split(text)
    count = 0
    for place in range(1, len(parts), 2):
        if tokens := _dense_tokens(parts[place]):
            count += tokens
            parts[place] = " "
    return count, "".join(parts)


def _dense_tokens(run: str) -> int:
    """Count base64, hexadecimal digests and the like; 0 for identifiers and paths."""
    digits = sum(map(str.isdigit, run))
    others = len(run) - digits
    return digits + others - others // 10 if digits > _DENSE_DIGITS * len(run) else 0
