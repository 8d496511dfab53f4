"""What the tools of a run made, in a person's hands: plots, and tables as frames."""

from __future__ import annotations

import csv
import sys
from base64 import b64decode
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

from braincode_jupyter.errors import MissingDependencyError, UnknownNameError, UsageError
from braincode_jupyter.protocol.approval_records import ArtifactMade
from braincode_jupyter.protocol.tables import TABLE_MEDIA_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.tables import TableShape
    from braincode_jupyter.views.run_view import RunView


@dataclass(frozen=True, slots=True, kw_only=True)
class RunArtifact:
    """Something that a tool made.

    Parameters
    ----------
    name : str
        As on the card.
    role : str
        Whose tool made it.
    media_type : str
        ``image/png``, ``image/jpeg`` or ``text/csv``.
    data : bytes
        The image, or CSV in UTF-8.
    shape : TableShape or None
        How large a table is, and how much of it is here; None for an image.
    """

    name: str
    role: str
    media_type: str
    data: bytes
    shape: TableShape | None = None

    @property
    def csv(self) -> str:
        """A table as CSV text.

        Raises
        ------
        UsageError
            If it is no table.
        """
        if self.media_type != TABLE_MEDIA_TYPE:
            raise UsageError(
                f"{self.name!r} is an image, no table.", hint="Its bytes are in .data."
            )
        return self.data.decode("utf-8")

    def frame(self) -> Any:  # noqa: ANN401 - of whichever library is there
        """Return a table as a data frame: of polars if that alone is in use, else of pandas.

        Text stays text, so that ``007`` keeps its zeros. `shape` says whether all rows are here.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            A new one.

        Raises
        ------
        UsageError
            If it is no table.
        MissingDependencyError
            If neither library is installed.
        """
        text = self.csv
        prefers_polars = "polars" in sys.modules and "pandas" not in sys.modules
        libraries = ("polars", "pandas") if prefers_polars else ("pandas", "polars")
        library = next((name for name in libraries if find_spec(name) is not None), None)
        if library is None:
            raise MissingDependencyError(
                "A frame needs pandas or polars.", hint="The text of the table is in .csv."
            )
        read = _read_polars if library == "polars" else _read_pandas
        return read(text, texts=self._names("text"), times=self._names("time"))

    def _names(self, kind: str) -> list[str]:
        header = self.csv.partition("\n")[0]
        names = next(csv.reader([header]), list[str]())
        kinds = () if self.shape is None else self.shape.kinds
        return [name for name, found in zip(names, kinds, strict=False) if found == kind]

    def _repr_png_(self) -> bytes | None:
        return self.data if self.media_type == "image/png" else None

    def _repr_jpeg_(self) -> bytes | None:
        return self.data if self.media_type == "image/jpeg" else None

    def __repr__(self) -> str:
        size = f"{len(self.data):,} bytes"
        if self.shape is not None:
            size = f"{self.shape.kept_rows:,} rows × {len(self.shape.kinds):,} columns, {size}"
        return f"RunArtifact({self.name!r}, {self.media_type}, {size})"


class Artifacts(dict[str, RunArtifact]):
    """Artifacts by name; one that is not there is told with the near names."""

    def __missing__(self, name: str) -> RunArtifact:
        """Say which there are."""
        raise UnknownNameError("artifact of this run", name, self)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


def artifacts_of(view: RunView, records: Iterable[object]) -> Artifacts:
    """Return what the tools of a run made and the session file kept.

    Parameters
    ----------
    view : RunView
        The folded view, which names them.
    records : iterable
        All records of the run.

    Returns
    -------
    Artifacts
        By the names on the card, in the order of the agents.
    """
    made = {
        (record.context_id, record.uri): record
        for record in records
        if isinstance(record, ArtifactMade)
    }
    found = Artifacts()
    for agent in view.agents:
        for one in agent.artifacts:
            record = made.get((agent.context_id, one.uri))
            data = b"" if record is None else _data(record)
            if record is not None and one.media_type is not None and data:
                found[one.label] = RunArtifact(
                    name=one.label,
                    role=agent.role,
                    media_type=one.media_type,
                    data=data,
                    shape=record.table,
                )
    return found


def _data(record: ArtifactMade) -> bytes:
    """Return what the record holds; empty if that is nothing, or no base64."""
    text = record.data or ""
    if record.media_type == TABLE_MEDIA_TYPE:
        return text.encode("utf-8", "replace")
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return b""


def _read_pandas(text: str, *, texts: list[str], times: list[str]) -> Any:  # noqa: ANN401 - optional
    return import_module("pandas").read_csv(
        StringIO(text),
        dtype=dict.fromkeys(texts, "str"),
        parse_dates=times,
        keep_default_na=False,
        na_values=[""],
    )


def _read_polars(text: str, *, texts: list[str], times: list[str]) -> Any:  # noqa: ANN401 - optional
    polars = import_module("polars")
    return polars.read_csv(
        BytesIO(text.encode()),
        schema_overrides=dict.fromkeys(texts, polars.String),
        try_parse_dates=bool(times),
    )
