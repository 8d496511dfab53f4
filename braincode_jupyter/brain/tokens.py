"""An upper estimate of the tokens that a text costs, made without any tokenizer.

The budget is checked before a call, so the estimate has to err on the high side for what we
really send: prose and code, but above all tables, JSON of numbers, logs and base64, where "four
characters a token" is wrong by a factor of three. Each digit and punctuation mark counts as one
token, each word as at least one, letters outside ASCII by what a byte-level vocabulary without
them would need.

Known trade-offs (accepted): prose is overestimated by a third to a half; long words of rare
scripts may cost more than we say. Real usage replaces the estimate after the call.
"""

from __future__ import annotations

import re

LETTERS_PER_TOKEN = 4
"""Of a lower-case word; vocabularies hold common words whole, so this is high."""
CAPITALS_PER_TOKEN = 2
"""Of a run of capitals, such as a constant or base64."""
BLANKS_PER_TOKEN = 8
"""Of indentation and padding."""

_CAPITALS = re.compile(r"[A-Z]+(?![a-z])")
_WORD = re.compile(r"[A-Z]?[a-z]+")
_SINGLE = re.compile(r"[0-9!-/:-@\[-`{-~\x00-\x1f\x7f\u3040-\u9fff\uac00-\ud7af]")
_BLANKS = re.compile(r" {2,}")
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
    count = len(_SINGLE.findall(text))
    count += sum(1 + (len(w) - 1) // LETTERS_PER_TOKEN for w in _WORD.findall(text))
    count += sum(1 + (len(w) - 1) // CAPITALS_PER_TOKEN for w in _CAPITALS.findall(text))
    count += sum(1 + len(run) // BLANKS_PER_TOKEN for run in _BLANKS.findall(text))
    if text and not text.isascii():
        count += -(-2 * len(_TWO_BYTES.findall(text)) // 3)
        count += 2 * len(_THREE_BYTES.findall(text)) + 3 * len(_FOUR_BYTES.findall(text))
    return max(count, 1) if text else 0
