"""Large table files as references: shape, schema and statistics of their start.

The file that is already open is read, never its path again. With polars, pandas or pyarrow
installed the summary has no cell values in it; without any of them the first lines stand in.
"""

from __future__ import annotations

import io
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, BinaryIO

from braincode_jupyter.references import limits
from braincode_jupyter.references.content import Content, Missing, too_large
from braincode_jupyter.references.frames import describe_frame
from braincode_jupyter.references.text import clip, clip_line

if TYPE_CHECKING:
    from braincode_jupyter.machine.paths import Located

TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".parquet"})
_LINE_CHARS = 1_000


def table_content(located: Located, stream: BinaryIO, *, size_bytes: int) -> Content | Missing:
    """Return a summary of a large CSV or TSV file, or of a Parquet file.

    Parameters
    ----------
    located : Located
        The file.
    stream : file
        Opened for reading bytes.
    size_bytes : int
        Its size.

    Returns
    -------
    Content or Missing
        Missing if it is no table, or a Parquet file that cannot be read here.
    """
    if located.path.suffix.lower() == ".parquet":
        return _parquet(located, stream, size_bytes)
    data = stream.read(limits.TABLE_SAMPLE_BYTES)
    if b"\0" in data:
        return Missing(kind="file", uri=located.uri, reason="binary file")
    whole = len(data) >= size_bytes
    if not whole:
        data = data[: data.rfind(b"\n") + 1] or data
    separator = "\t" if located.path.suffix.lower() == ".tsv" else ","
    frame = _read_csv(data, separator)
    description = describe_frame(frame)
    if description is None:
        return _first_lines(located, data, size_bytes)
    part = "" if whole else f"the first {len(data):,} of {size_bytes:,} bytes; "
    return _content(
        located,
        size_bytes,
        text=f"Summary of {part}{description.text}",
        label=description.label,
    )


def _content(located: Located, size_bytes: int, *, text: str, label: str) -> Content:
    shown, _ = clip(text, limits.MAX_SNAPSHOT_CHARS)
    return Content(
        kind="file",
        uri=located.uri,
        label=f"{located.relative}, {label}",
        text=shown,
        cut=f"a summary of {size_bytes:,} bytes",
    )


def _read_csv(data: bytes, separator: str) -> object:
    """Return a frame of any installed library, or None."""
    if find_spec("polars") is not None:
        pl = import_module("polars")
        try:
            return pl.read_csv(
                io.BytesIO(data),
                separator=separator,
                infer_schema_length=10_000,
                ignore_errors=True,
                truncate_ragged_lines=True,
                encoding="utf8-lossy",
            )
        except (pl.exceptions.PolarsError, ValueError):
            return None
    if find_spec("pandas") is not None:
        try:
            return import_module("pandas").read_csv(
                io.BytesIO(data), sep=separator, on_bad_lines="skip", encoding_errors="replace"
            )
        except ValueError:
            return None
    return None


def _first_lines(located: Located, data: bytes, size_bytes: int) -> Content:
    lines = data[: 1024 * 1024].decode("utf-8-sig", errors="replace").split("\n")
    head = [clip_line(line.rstrip("\r"), _LINE_CHARS) for line in lines[: limits.TABLE_HEAD_LINES]]
    text = "\n".join([f"First {len(head)} lines of {size_bytes:,} bytes:", *head])
    return _content(located, size_bytes, text=text, label=f"first {len(head)} lines")


def _parquet(located: Located, stream: BinaryIO, size_bytes: int) -> Content | Missing:
    if size_bytes > limits.MAX_PARQUET_BYTES:
        return too_large(located.uri, size_bytes, limits.MAX_PARQUET_BYTES)
    if find_spec("pyarrow") is None:
        reason = "reading Parquet needs pyarrow, which is not installed"
        return Missing(kind="file", uri=located.uri, reason=reason)
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        reader = parquet.ParquetFile(stream)
        rows, names = int(reader.metadata.num_rows), list(reader.schema_arrow.names)
        columns = names[: limits.FRAME_COLUMNS]
        batches = reader.iter_batches(batch_size=limits.FRAME_SAMPLE_ROWS, columns=columns)
        batch = next(iter(batches), None)
        empty = reader.schema_arrow.empty_table().select(columns)
        frame = empty if batch is None else arrow.Table.from_batches([batch])
    except (arrow.ArrowException, OSError, ValueError):
        return Missing(kind="file", uri=located.uri, reason="is no readable Parquet file")
    description = describe_frame(frame)
    text = description.text if description else ""
    heading = f"Parquet file, {rows:,} rows × {len(names):,} columns, {size_bytes:,} bytes."
    further = [clip_line(str(name), limits.NAME_CHARS) for name in names[limits.FRAME_COLUMNS :]]
    more = f"\nFurther columns: {', '.join(further[: limits.FRAME_NAMES])}" if further else ""
    return _content(
        located,
        size_bytes,
        text=f"{heading}\nSummary of its first rows; {text}{more}",
        label=f"table {rows:,} × {len(names):,}, schema and statistics",
    )
