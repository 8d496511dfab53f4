"""SQL over the referenced frames: DuckDB with its doors shut, reading Arrow tables in place.

Shut before the first query and locked: files, network, extensions, look-up of Python variables.
What a query may be is decided by DuckDB's own parser: exactly one statement of its kind ``SELECT``
(``WITH``, ``FROM``, ``VALUES``, ``DESCRIBE`` and ``SUMMARIZE`` are of that kind). Memory, time,
rows and text have limits. Frames are looked at as they were at the first query of a worker.
"""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.arrow import CannotCopy, has_arrow, to_arrow
from braincode_jupyter.tools.granted import Granted, one_of, text_argument, text_schema
from braincode_jupyter.tools.plain_table import plain_table
from braincode_jupyter.tools.tables import is_shown, read_table, table_artifact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from braincode_jupyter.protocol.ports import VariableSource
    from braincode_jupyter.protocol.tables import Table

MAX_SQL_CHARS = 16_384
"""One statement."""
MAX_TEXT_CHARS = 24_576
"""The table of one answer."""
_CHUNK_ROWS = 1_000
_LOOKS = ("describe", "desc", "summarize", "show")
"""Statements that look at a table, and make none for the user."""
_CELL_CHARS = 80
_ERROR_CHARS = 600
_STOPPED = (
    "The query was stopped after {seconds:g} s. Narrow it: filter early, aggregate, and avoid "
    "joins without a condition."
)
_CONFIGURATION = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "python_scan_all_frames": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "temp_directory": "",
}
_INSTALL = "query_data needs {what}: the user can install it with pip install '{extra}'."
_EXTRA = "braincode_jupyter[data]"


_PARAMETERS: Mapping[str, JsonValue] = {
    **text_schema(
        sql="One SQL statement.",
        name="Short name of the result for the user, for example revenue_by_region.",
    ),
    "required": list[JsonValue](["sql"]),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlLimits:
    """Limits of one query.

    Parameters
    ----------
    rows : int
        Rows given back.
    run_s : float
        Longest run; seconds.
    memory_mb : int
        Memory of the database; megabytes.
    """

    rows: int = 200
    run_s: float = 30.0
    memory_mb: int = 1_024


class SqlTools:
    """The tool ``query_data``; a `Toolset`.

    Parameters
    ----------
    variables : VariableSource or None
        None where there are none.
    granted : Granted
        What the request referenced.
    owner : str
        Context id of the worker, part of the uris of its tables.
    limits : SqlLimits or None
        None: the defaults.
    """

    def __init__(
        self,
        variables: VariableSource | None,
        *,
        granted: Granted,
        owner: str = "",
        limits: SqlLimits | None = None,
    ) -> None:
        self._variables, self._granted = variables, granted
        self._owner, self._limits = owner, limits or SqlLimits()
        self._unnamed = 0
        self._database: _Database | None = None
        self._lock = asyncio.Lock()

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tool, if a variable was referenced and DuckDB is there."""
        if not self._granted.variables or find_spec("duckdb") is None:
            return ()
        names = one_of(self._granted.variables)
        return (
            ToolSpec(
                name="query_data",
                description=(
                    "Run one read-only SQL statement (DuckDB dialect: SELECT, WITH, DESCRIBE or "
                    f"SUMMARIZE) over the referenced data frames. Tables: {names}. At most "
                    f"{self._limits.rows} rows come back, so aggregate. No files, no network. The "
                    "user is shown the result as a table."
                ),
                parameters=_PARAMETERS,
                timeout_s=self._limits.run_s + 60.0,
                is_sequential=True,
            ),
        )

    def target(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the statement that would run.

        Returns
        -------
        ToolTarget
            With the exact statement.

        Raises
        ------
        ToolRefused
            If it is no text or too long, or DuckDB is missing.
        """
        if name != "query_data":
            raise ToolRefused(f"There is no tool {name!r} here.")
        sql = text_argument(arguments, "sql", limit=MAX_SQL_CHARS)
        _check_installed()
        return ToolTarget(action="query_data (read-only SQL)", shown=sql)

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, target: ToolTarget
    ) -> ToolReturn:
        """Run the statement.

        Returns
        -------
        ToolReturn
            A table as text with its number of rows, or why there is none.

        Raises
        ------
        ToolRefused
            If the statement is no longer what it was.
        """
        if self.target(name, arguments) != target:
            raise ToolRefused("The statement has changed since; make the call again.")
        async with self._lock:
            if self._database is None:
                self._database = await asyncio.to_thread(self._open)
            given, table = await self._query(self._database, target.shown)
        return given if table is None else self._with_table(given, table, arguments.get("name"))

    async def aclose(self) -> None:
        """Close the database; a query that still runs is stopped."""
        database, self._database = self._database, None
        if database is not None:
            await asyncio.to_thread(database.close)

    def _open(self) -> _Database:
        return _Database(self._granted.values(self._variables), self._limits)

    def _with_table(self, given: ToolReturn, table: Table, name: object) -> ToolReturn:
        self._unnamed += 0 if name else 1
        artifact = table_artifact(
            table,
            name if isinstance(name, str) else "",
            place=f"query:{self._owner}",
            fallback=f"result {self._unnamed}",
        )
        return replace(given, artifacts=(artifact,))

    async def _query(self, database: _Database, sql: str) -> tuple[ToolReturn, Table | None]:
        try:
            return await asyncio.to_thread(database.answer, sql)
        except asyncio.CancelledError:
            database.stop()
            self._database = None
            raise


class _Database:
    """A shut database with the frames as its tables."""

    def __init__(self, values: Mapping[str, object], limits: SqlLimits) -> None:
        duckdb = import_module("duckdb")
        self._duckdb, self._limits = duckdb, limits
        configuration = {**_CONFIGURATION, "memory_limit": f"{limits.memory_mb}MB"}
        self.connection: Any = duckdb.connect(":memory:", config=configuration)
        self._names: list[str] = []
        self._notes: list[str] = []
        self._guard = threading.Lock()
        self._is_stopped = False
        for name, value in values.items():
            try:
                frame = to_arrow(value)
            except CannotCopy as reason:
                self._notes.append(f"{name} is no table here: {reason}.")
                continue
            self.connection.register(name, frame.table)
            self._names.append(name)
            if frame.cut:
                self._notes.append(f"{name} is {frame.cut}.")
        self.connection.execute("SET lock_configuration = true")

    def answer(self, sql: str) -> tuple[ToolReturn, Table | None]:
        """Run one statement; give what is told of it, and the table with perhaps more rows."""
        with self._guard:
            started = time.monotonic()
            timer = threading.Timer(self._limits.run_s, self.connection.interrupt)
            timer.start()
            try:
                names, rows = self._rows(sql)
                table = self._table(sql, names, rows)
            except ToolRefused as refusal:
                return self._failure(str(refusal), "refused"), None
            except self._duckdb.InterruptException:
                reason = _STOPPED.format(seconds=self._limits.run_s)
                return self._failure(reason, "time limit"), None
            except self._duckdb.Error as error:
                return self._failure(_reason(error), type(error).__name__), None
            finally:
                timer.cancel()
        notes = "".join(f"\nNote: {note}" for note in self._notes)
        given = ToolReturn(
            text=f"{_table(names, rows, self._limits.rows)}{notes}",
            details={
                "rows": min(len(rows), self._limits.rows),
                "is_cut": len(rows) > self._limits.rows,
                "duration_s": round(time.monotonic() - started, 3),
            },
        )
        return given, table

    def stop(self) -> None:
        """Stop the query that runs, and run no other."""
        self._is_stopped = True
        self.connection.interrupt()

    def close(self) -> None:
        """Stop, wait for the query that runs, and free everything."""
        self.stop()
        with self._guard:
            self.connection.close()

    def _rows(self, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
        if self._is_stopped:
            raise ToolRefused("This worker is over; no query is run for it any more.")
        self._check(sql)
        cursor = self.connection.execute(sql)
        names = [str(column[0]) for column in cursor.description]
        return names, cursor.fetchmany(self._limits.rows + 1)

    def _table(self, sql: str, names: list[str], rows: list[tuple[object, ...]]) -> Table | None:
        """Return the result for the user, with rows beyond those that were fetched."""
        if sql.lstrip().lower().startswith(_LOOKS):
            return None
        try:
            wire = plain_table(names, chain(rows, self._more(len(rows))))
        except self._duckdb.InterruptException:  # what the model gets had come in time
            wire = {**plain_table(names, rows), "rows": None}
        table = read_table(wire)
        return table if table is not None and is_shown(table) else None

    def _more(self, fetched: int) -> Iterator[tuple[object, ...]]:
        """Go on in the result; whoever stops reading stops the query."""
        while fetched > self._limits.rows and (rows := self.connection.fetchmany(_CHUNK_ROWS)):
            yield from rows

    def _check(self, sql: str) -> None:
        statements = self.connection.extract_statements(sql)
        select = self._duckdb.StatementType.SELECT
        if len(statements) != 1 or statements[0].type != select:
            raise ToolRefused(
                "Only one reading statement is run: SELECT, WITH, DESCRIBE or SUMMARIZE. "
                "Nothing was run."
            )

    def _failure(self, reason: str, kind: str) -> ToolReturn:
        notes = " ".join(self._notes)
        known = f"Tables: {one_of(self._names)}. {notes}".strip()
        return ToolReturn(
            text=f"{reason}\n{known} DESCRIBE a table to see its columns.",
            is_error=True,
            details={"ended": kind},
        )


def _check_installed() -> None:
    if find_spec("duckdb") is None:
        raise ToolRefused(_INSTALL.format(what="DuckDB", extra=_EXTRA))
    if not has_arrow():
        raise ToolRefused(_INSTALL.format(what="pyarrow", extra=_EXTRA))


def _reason(error: Exception) -> str:
    text = str(error)
    if (
        "file system operations are disabled" in text
        or type(error).__name__ == "PermissionException"
    ):
        return "Files and network are out of reach here: query the referenced tables only."
    return text if len(text) <= _ERROR_CHARS else f"{text[:_ERROR_CHARS]} …"


def _table(names: list[str], rows: list[tuple[object, ...]], limit: int) -> str:
    """Return rows as a small table, with their number; it ends where the text is full."""
    lines = [" | ".join(map(_cell, names))]
    size = len(lines[0])
    shown = 0
    for row in rows[:limit]:
        line = " | ".join(map(_cell, row))
        size += len(line) + 1
        if size > MAX_TEXT_CHARS:
            break
        lines.append(line)
        shown += 1
    return "\n".join([*lines, _count(shown, len(rows), limit)])


def _count(shown: int, found: int, limit: int) -> str:
    if found > limit:
        return f"(the first {shown:,} rows; there are more: aggregate, or add WHERE or LIMIT)"
    if shown < found:
        return f"({shown:,} of {found:,} rows, as the text is full: choose fewer columns or rows)"
    return f"({found:,} row{'' if found == 1 else 's'})"


def _cell(value: object) -> str:
    text = "NULL" if value is None else f"{value:.10g}" if type(value) is float else str(value)
    text = "".join(char if char.isprintable() else " " for char in text[: _CELL_CHARS + 1])
    return text if len(text) <= _CELL_CHARS else f"{text[:_CELL_CHARS]}…"
