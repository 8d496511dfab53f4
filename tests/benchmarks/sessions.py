"""The journal: appending, and reading a session of a hundred thousand records."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rows import Row
from runs import play

from braincode_jupyter.journal import (
    list_sessions,
    open_session,
    read_lines,
    read_records,
    resolve_session,
)
from braincode_jupyter.views import fold_all
from braincode_jupyter.views.session_context import read_context
from braincode_jupyter.views.snapshot import compact_snapshot, session_reference_text

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        plain = _append(records, count=APPENDS, durable_every=0, home=Path(folder))
        grouped = _append(records, count=APPENDS, durable_every=GROUP, home=Path(folder))
    note = f"mean of {APPENDS:,} records of a real run"
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


def _timed(times: int, work: object) -> float:
    """Return the median time of some calls; seconds."""
    taken: list[float] = []
    for _ in range(times):
        started_s = time.perf_counter()
        work()  # type: ignore[operator]
        taken.append(time.perf_counter() - started_s)
    return statistics.median(taken)


def reading_rows(records: Sequence[AnyRecord]) -> list[Row]:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        _append(records, count=RECORDS, durable_every=0, home=home)
        entry = list_sessions(home)[0]
        size_mb = entry.path.stat().st_size / 1e6
        listed_s = _timed(3, lambda: list_sessions(home))
        folded_s = _timed(
            3, lambda: fold_all(read_records(entry.path), session_id=entry.session_id)
        )

        def snapshot() -> str:
            found = resolve_session(home, entry.session_id)
            if found is None:
                raise RuntimeError("the session is gone")
            lines = read_lines(found.path).lines
            return session_reference_text(read_context(found.facts, lines))

        cold_s = _timed(3, snapshot)
        context = read_context(entry.facts, read_lines(entry.path).lines)
        live_s = _timed(9, lambda: compact_snapshot(context))
    how = f"{RECORDS:,} records, {size_mb:,.0f} MB"
    return [
        Row(what="list a session", measured=listed_s, unit="s", note=how),
        Row(what="read and fold it", measured=folded_s, unit="s", note=how),
        Row(what="list and fold it", measured=listed_s + folded_s, unit="s", target=1.0, note=how),
        Row(what="its @@ snapshot, cold", measured=cold_s * 1e3, unit="ms", target=5.0, note=how),
        Row(what="its @@ snapshot, live", measured=live_s * 1e3, unit="ms", target=0.5, note=how),
    ]


def session_rows() -> list[Row]:
    records = play(8, latency_s=0.0).runs[0].records
    return [*append_rows(records), *reading_rows(records)]
