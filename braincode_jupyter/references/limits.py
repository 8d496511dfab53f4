"""Every limit on what a reference may bring, in one place.

``bytes`` are bytes of a file or of UTF-8 text, ``chars`` are code points. A user may not raise
them; what is over a limit is cut with a mark, *missing* with a reason, or refused, never silently
dropped.
"""

from __future__ import annotations

MAX_REFERENCES = 64
"""References in one request; words that stay prose do not count."""
MAX_TOKENS = 1_000
"""Words after ``@`` in one request, those included that stay prose: each is looked up once."""
MAX_TOTAL_BYTES = 1024 * 1024
"""Text of all references of one request together."""
MAX_FILE_BYTES = 65_536
"""A text file that is sent whole; also the rendered text of a notebook file."""
MAX_IMAGE_BYTES = 5 * 1024 * 1024
"""One image; the smallest limit among the large providers."""
MAX_TOTAL_IMAGE_BYTES = 20 * 1024 * 1024
"""All images of one request together."""
MAX_SNAPSHOT_CHARS = 24_576
"""One snapshot: session, cell, output or variable."""

MAX_NOTEBOOK_BYTES = 64 * 1024 * 1024
"""A notebook file that is parsed at all; most of a large one is pictures."""
MAX_NOTEBOOK_CELLS = 2_000
"""Cells looked at in one notebook file."""
MAX_SOURCE_CHARS = 12_000
"""Source of one cell."""
MAX_OUTPUT_CHARS = 6_000
"""Text of one output of a cell."""
MAX_OUTPUTS = 40
"""Outputs of one cell."""
MAX_CELL_IMAGES = 4
"""Pictures of one cell that are attached."""

TABLE_SAMPLE_BYTES = 4 * 1024 * 1024
"""Start of a large CSV or TSV file that is read for its summary."""
MAX_PARQUET_BYTES = 4 * 1024 * 1024 * 1024
"""A Parquet file that is opened for its summary."""
TABLE_HEAD_LINES = 5
"""Lines of a large table shown when no data-frame library is installed."""

FRAME_COLUMNS = 40
"""Columns described with type and statistics."""
FRAME_NAMES = 200
"""Further columns that are only named."""
FRAME_SAMPLE_ROWS = 20_000
"""Rows that statistics are made from, spread over the whole frame."""
FRAME_BUDGET_S = 0.8
"""Time for statistics; columns after that have only a type. Seconds."""
FRAME_ROWS = 5
"""Rows that ``!rows`` adds."""
FRAME_CELL_CHARS = 60
"""One cell value in those rows."""
NAME_CHARS = 80
"""A column, key, type or parameter name."""

ARRAY_SAMPLE = 100_000
"""Elements of an array that statistics are made from."""
CONTAINER_DEPTH = 3
"""Levels of nested containers that are opened."""
CONTAINER_ITEMS = 20
"""Items shown of one container."""
CONTAINER_TEXT_CHARS = 200
"""A string inside a container."""
TEXT_CHARS = 20_000
"""A string that is itself the variable."""
INTEGER_BITS = 1_024
"""A larger integer is told by its length only."""
ESTIMATOR_PARAMETERS = 60
"""Parameters shown of a scikit-learn estimator."""

NEAR_NAMES = 3
"""Near names offered when something does not resolve."""

KEPT_CELLS = 500
"""Cells remembered of a kernel session; the oldest are forgotten first."""
KEPT_OUTPUTS = 200
"""Outputs remembered of one cell."""
KEPT_OUTPUT_CHARS = 4 * MAX_OUTPUT_CHARS
"""Text remembered of one output, its start and its end; more than is ever sent."""
KEPT_SOURCE_CHARS = 262_144
"""Source remembered of one cell."""
KEPT_IMAGE_BYTES = 32 * 1024 * 1024
"""Pictures remembered of all cells together; the oldest are forgotten first."""
MAX_SNAPSHOT_BYTES = 16 * 1024 * 1024
"""Text of a notebook that a front end pushes to the kernel."""
MAX_OPEN_NOTEBOOK_BYTES = 32 * 1024 * 1024
"""The open notebook's file, read for cells that have not run."""

OFFERED_NAMES = 200
"""Completions offered at once."""
