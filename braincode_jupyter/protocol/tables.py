"""Tables that tools made: their first rows as CSV text, and what is known of the whole."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet

ColumnKind = Literal["text", "number", "bool", "time"]
"""What the values of a column are, so that CSV text reads back as what it was."""
TABLE_MEDIA_TYPE = "text/csv"


class TableShape(Packet):
    """How large a table is, and how much of it is kept."""

    columns: int
    """Columns of the whole table."""
    rows: int | None = None
    """Rows of the whole table; absent if nobody counted them."""
    kept_rows: int
    """Rows that are kept, from the first on."""
    kinds: tuple[ColumnKind, ...]
    """Kind of each column that is kept, from the first on."""

    @property
    def is_whole(self) -> bool:
        """Whether all of it is kept."""
        return self.rows == self.kept_rows and self.columns == len(self.kinds)


class Table(Packet):
    """A table that a tool made."""

    csv: str
    """A line of names, then the rows that are kept; an absent value is an empty cell."""
    shape: TableShape
    """Its size."""
