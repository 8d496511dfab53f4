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

_PIECE = re.compile(
    # A word costs one token for each four letters, a run of capitals one for each two; digits,
    # punctuation, control characters and the characters of East Asian scripts cost one each.
    r"[A-Z][a-z]{1,3}|[a-z]{1,4}|[A-Z]{1,2}"
    r"|[0-9!-/:-@\[-`{-~\x00-\x1f\x7f\u3040-\u9fff\uac00-\ud7af]| (?=[0-9])"
)
_LONG_WORD = re.compile(r"[a-z]{17,}")
_LONG_WORD_EXTRA = 0.35
"""Tokens a letter, on top: what no vocabulary holds is spelled out in pairs of letters."""
_BLANKS = re.compile(r" {2,}")
_BLANKS_PER_TOKEN = 8
_DENSE = re.compile(r"[A-Za-z0-9+/=_-]{24,}")
_DENSE_DIGITS = 0.08
"""Share of digits that tells base64 and digests from identifiers and paths."""
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
    count = sum(map(_dense_tokens, _DENSE.findall(text)))
    text = _DENSE.sub(lambda run: " " if _dense_tokens(run[0]) else run[0], text)
    count += len(_PIECE.findall(text))
    count += sum(1 + int(len(w) * _LONG_WORD_EXTRA) for w in _LONG_WORD.findall(text))
    count += sum(1 + len(run) // _BLANKS_PER_TOKEN for run in _BLANKS.findall(text))
    if text and not text.isascii():
        count += -(-4 * len(_TWO_BYTES.findall(text)) // 5)
        count += 2 * len(_THREE_BYTES.findall(text)) + 3 * len(_FOUR_BYTES.findall(text))
    return max(count, 1) if text else 0


def _dense_tokens(run: str) -> int:
    """Count base64, hexadecimal digests and the like; 0 for identifiers and paths."""
    digits = sum(map(str.isdigit, run))
    others = len(run) - digits
    return digits + others - others // 10 if digits > _DENSE_DIGITS * len(run) else 0
