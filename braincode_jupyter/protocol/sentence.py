"""A text of ours that is in no language yet: whoever draws it says it in that of the reader."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field

from braincode_jupyter.protocol.packet import Packet


class Sentence(Packet):
    """One text of the catalogue, and what stands in its places."""

    key: str
    """Group and name in the catalogue: ``reasons.timeout``."""
    values: "dict[str, str | int | Sentence]" = Field(default_factory=dict)
    """Texts from outside as they came, numbers, and other sentences."""
    english: str = ""
    """What a record says, for a reader who does not know the key; empty if no record has it."""

    def __str__(self) -> str:
        return self.english or self.key

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


Said: TypeAlias = str | Sentence
"""A text from outside as it came, or a sentence of ours."""


def sentence(key: str, **values: str | int | Sentence) -> Sentence:
    """Return a text of the catalogue with its values; the keys are checked by a contract test."""
    return Sentence(key=key, values=values)
