"""The user's variables, without a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Namespace:
    """A `VariableSource` over given values."""

    def __init__(self, **values: object) -> None:
        self.values = values

    def names(self) -> Sequence[str]:
        return list(self.values)

    def get(self, name: str) -> object:
        return self.values[name]
