"""The journal: appending, and reading a session of a hundred thousand records."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rows import Row
from runs import play

from braincode_jupyter.journal import list_sessions, open_session, read_lines
from braincode_jupyter.runtime import read_run
from braincode_jupyter.views.session_context import CONTEXT_TYPES, SessionContext, read_context
from braincode_jupyter.views.snapshot import compact_snapshot, session_reference_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from braincode_jupyter.protocol.records import AnyRecord

RECORDS = 100_000
APPENDS = 20_000
GROUP = 50
"""Records per durable one: the share in a run, where starts and ends are durable."""


def _append(records: Sequence[AnyRecord], *, count: int, durable_every: int, home: Path) -> float:
    """Append records of a real run over and over; microseconds a record."""
    writer = open_session(home, f"bench-{durable_every}")
    started_s = time.perf_counter()
    for i in range(count):
        is_durable = durable_every > 0 and i % durable_every == 0
        writer.append(records[i % len(records)], durable=is_durable)
    elapsed_s = time.perf_counter() - started_s
    writer.close()
    return elapsed_s / count * 1e6


def append_rows(records: Sequence[AnyRecord]) -> list[Row]:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        plain, grouped = (
            min(_append(records, count=APPENDS, durable_every=every, home=home) for _ in range(3))
            for every in (0, GROUP)
        )
    size = statistics.mean(len(record.model_dump_json(by_alias=True)) for record in records)
    note = f"best of 3 x {APPENDS:,} records of a real run, {size:,.0f} bytes on average"
    return [
        Row(what="append, crash-safe", measured=plain, unit="us", target=15, note=note),
        Row(
            what="append, power-safe, grouped",
            measured=grouped,
            unit="us",
            target=25,
            note=f"every {GROUP}th on the disk before it returns",
        ),
    ]


def _taken_s(work: Callable[[], object]) -> float:
    """Return what some reading costs: CPU seconds, so that a busy machine counts less."""
    started_s = time.process_time()
    work()
    return time.process_time() - started_s


def reading_rows(records: Sequence[AnyRecord]) -> list[Row]:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        _append(records, count=RECORDS, durable_every=0, home=home)
        entry = list_sessions(home)[0]
        size_mb = entry.path.stat().st_size / 1e6
        listed_s = _taken_s(lambda: list_sessions(home))
        shown_s = _taken_s(lambda: read_run(entry.session_id, home))

        def in_short() -> SessionContext:
            lines = read_lines(entry.path, types=CONTEXT_TYPES).lines
            return read_context(entry.facts, lines)

        context_s = _taken_s(in_short)
        context = in_short()
        cold_s = _taken_s(lambda: session_reference_text(context))
        live_s = statistics.median(_taken_s(lambda: compact_snapshot(context)) for _ in range(9))
    how = f"CPU; {RECORDS:,} records of real runs, {size_mb:,.0f} MB"
    from_file = "CPU; the lines that a snapshot shows"
    return [
        Row(what="list a session", measured=listed_s, unit="s", note=how),
        Row(what="read its newest run", measured=shown_s, unit="s", note="CPU; as %braincode show"),
        Row(what="list and read it", measured=listed_s + shown_s, unit="s", target=1.0, note=how),
        Row(what="fold its file for @@", measured=context_s, unit="s", note=from_file),
        Row(
            what="its @@ snapshot, cold",
            measured=cold_s * 1e3,
            unit="ms",
            target=5.0,
            note="CPU; from the folded file",
        ),
        Row(
            what="its @@ snapshot, live", measured=live_s * 1e3, unit="ms", target=0.5, note="again"
        ),
    ]


def session_rows() -> list[Row]:
    records = play(8, latency_s=0.0).runs[0].records
    return [*append_rows(records), *reading_rows(records)]
