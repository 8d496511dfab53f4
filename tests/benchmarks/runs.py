"""Whole runs on the scripted model: overhead over the critical path, own CPU, bytes, memory."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rows import Row

from braincode_jupyter.brain.roles import INTERNAL_ROLES, ROLES
from braincode_jupyter.models import warm_up
from braincode_jupyter.protocol.usage import TokenUsage
from braincode_jupyter.runtime import Run, RunArguments, Sources, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Sequence

LATENCY_S = 0.2
STEPS = 4
"""Router, workers side by side, primary, review: the calls that wait for each other."""
WORKERS_PER_RUN = 8
"""A plan holds each role once, so many workers are several runs at once, as in several cells."""
RATIO_TARGETS = {1: None, 4: 1.03, 16: 1.05, 64: 1.15}
SUMMARY_CHARS = 2_000
PRIVATE_CHARS = 20_000
REQUEST = "Why did revenue fall in the third quarter?"

_PRIMARY = "analyst"
_SUPPORT = [
    role
    for role in ROLES
    if role not in INTERNAL_ROLES and role not in {_PRIMARY, "review", "imageMaker"}
]


def script(workers: int, *, summary_chars: int = 0, private_chars: int = 0) -> dict[str, Reply]:
    """Give a plan with independent workers, and their replies."""
    roles = [*_SUPPORT[:workers], _PRIMARY]
    plan = {
        "role": _PRIMARY,
        "workers": [
            {"role": role, "goal": f"Look as {role}.", "reason": "bench"} for role in roles
        ],
        "todos": [{"id": f"do-{role.lower()}", "title": role, "role": role} for role in roles],
        "dependencies": [],
    }
    result = json.dumps({"summary": "s" * summary_chars or "Done."})
    approval = json.dumps({"decision": "approved", "summary": "Fine.", "rationale": "Fine."})
    replies = {
        "router": json.dumps(plan),
        "primary": "The answer.",
        "review": approval,
        **dict.fromkeys(_SUPPORT[:workers], f"{'p' * private_chars}\n{result}"),
    }
    # With given usage the scripted model does not count tokens, which is no work of a run.
    usage = TokenUsage(input=1, output=1, total=2)
    return {key: Reply(text=text, usage=usage) for key, text in replies.items()}


async def _runs(shares: Sequence[int], home: Path, models: Sequence[ScriptedModel]) -> list[Run]:
    prepared = [
        prepare_run(
            REQUEST,
            RunArguments(
                mode="radical",
                review=True,
                max_workers=share + 2,
                home=home,
                project_root=home,
                models=model,
            ),
            Sources(),
        )
        for share, model in zip(shares, models, strict=True)
    ]
    return list(await asyncio.gather(*(one.execute() for one in prepared)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What came of some runs at once."""

    runs: list[Run]
    wall_s: float
    cpu_s: float

    @property
    def calls(self) -> int:
        return sum(len(run.calls) for run in self.runs)


def play(workers: int, *, latency_s: float = LATENCY_S) -> Played:
    """Play N parallel workers to the end of their runs."""
    full, rest = divmod(workers, WORKERS_PER_RUN)
    shares = [WORKERS_PER_RUN] * full + ([rest] if rest else [])
    models = [ScriptedModel(script(share), latency_s=latency_s) for share in shares]
    with TemporaryDirectory() as folder:
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        runs = asyncio.run(_runs(shares, Path(folder), models))
        cpu_s, wall_s = time.process_time() - cpu_s, time.perf_counter() - wall_s
    done = sum(len(run.workers) for run in runs)
    expected = workers + len(runs)
    if done not in {workers, expected} or any(run.status != "completed" for run in runs):
        raise RuntimeError(f"{done} of {workers} workers ended: {[run.status for run in runs]}")
    return Played(runs=runs, wall_s=wall_s, cpu_s=cpu_s)


def parallel_rows() -> list[Row]:
    """Measure wall time over the critical path, and own CPU a call."""
    play(1, latency_s=0.0)  # imports and caches
    rows: list[Row] = []
    for workers, target in RATIO_TARGETS.items():
        played = min((play(workers) for _ in range(3)), key=lambda one: one.wall_s)
        count = len(played.runs)
        note = f"{count} run(s) at once, {played.calls} calls of 200 ms, best of 3"
        ratio = played.wall_s / (STEPS * LATENCY_S)
        rows.append(
            Row(
                what=f"wall / critical path, {workers} workers",
                measured=ratio,
                target=target,
                note=note,
            )
        )
    busy = play(64, latency_s=0.0)
    rows.append(
        Row(
            what="own CPU per model call",
            measured=busy.cpu_s / busy.calls * 1e3,
            unit="ms",
            target=1.0,
            note="64 workers, journal, view and preparation included",
        )
    )
    return rows


def _sent_bytes(run: Run) -> int:
    return sum(len((c.prompt.system + c.prompt.user).encode()) for c in run.calls)


def request_rows() -> list[Row]:
    """Measure what is sent for N workers that answer 2 KB and hold 20 KB of private text."""
    sent: dict[int, int] = {}
    for workers in (1, 2, 4, WORKERS_PER_RUN):
        replies = script(workers, summary_chars=SUMMARY_CHARS, private_chars=PRIVATE_CHARS)
        with TemporaryDirectory() as folder:
            runs = asyncio.run(_runs([workers], Path(folder), [ScriptedModel(replies)]))
        sent[workers] = _sent_bytes(runs[0])
    last, first = WORKERS_PER_RUN, 1
    per_worker = (sent[last] - sent[first]) / (last - first)
    early = (sent[2] - sent[1]) / 1
    # A shared history repeats in each call everything that was said before it.
    shared = sum(i * (SUMMARY_CHARS + PRIVATE_CHARS) for i in range(last + 2))
    isolated = sent[last] - sent[first] + (SUMMARY_CHARS * 2)
    return [
        Row(
            what="request bytes per further worker",
            measured=per_worker / 1e3,
            unit="KB",
            target=6.0,
            note=f"2 KB results, 20 KB private; N = 1 to {last}",
        ),
        Row(
            what="growth: last step / first step",
            measured=(sent[last] - sent[4]) / (last - 4) / early,
            target=1.1,
            note="1 is linear",
        ),
        Row(
            what="isolated / shared history, growing part",
            measured=isolated / shared,
            note=f"N = {last}; every call sees all before it = {shared / 1e3:,.0f} KB",
        ),
    ]


def _peak_kib() -> int:
    """Return the most memory that this process has held; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def main_memory() -> None:
    """Print the growth of this process over a run of 64 workers; to be run as a script."""
    before = _peak_kib()
    warm_up()  # the model library, as in a kernel with keys
    play(64, latency_s=0.01)
    sys.stdout.write(f"{_peak_kib() - before}\n")


if __name__ == "__main__":
    main_memory()
