"""What a kernel and a page pay: loading, streaming, memory, the size of the bundle."""

from __future__ import annotations

import asyncio
import gzip
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rows import Row

from braincode_jupyter.views import start_view
from braincode_jupyter.widget import Batcher

if TYPE_CHECKING:
    from collections.abc import Mapping

LOADS = 5
DELTAS = 30_000
DELTAS_PER_S = 3_000
BATCHES_PER_S = 100
"""Deltas arrive in small bursts, as from a socket."""

_LOAD = """
import sys, time
from IPython.core.interactiveshell import InteractiveShell
import ipykernel, ipywidgets
shell = InteractiveShell.instance()
started = time.process_time()
shell.run_line_magic("load_ext", "braincode_jupyter")
print(time.process_time() - started, "pydantic_ai" in sys.modules)
"""


def _python(*arguments: str, environment: Mapping[str, str] | None = None) -> str:
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=environment,
    )
    return ended.stdout.strip()


def loading_row() -> Row:
    """Measure loading with bytecode at hand, as pip leaves it; a checkout may have none."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        _python("-c", _LOAD, environment=environment)
        loads = [_python("-c", _LOAD, environment=environment).split() for _ in range(LOADS)]
    if any(model_library == "True" for _, model_library in loads):
        raise RuntimeError("loading the extension loaded the model library")
    return Row(
        what="%load_ext, CPU over ipywidgets",
        measured=statistics.median(float(seconds) for seconds, _ in loads) * 1e3,
        unit="ms",
        target=15,
        note=f"median of {LOADS} processes, from bytecode, no model library",
    )


async def _stream(
    batcher_messages: list[dict[str, object]], *, are_taken: bool
) -> tuple[float, float]:
    """Stream at the target rate, or only wait as for it; CPU seconds and wall seconds."""
    loop = asyncio.get_running_loop()
    batcher = Batcher(batcher_messages.append, loop, view=start_view("bench"))
    burst = DELTAS_PER_S // BATCHES_PER_S
    started_s, cpu_s = time.perf_counter(), time.process_time()
    for i in range(DELTAS // burst):
        for j in range(burst if are_taken else 0):
            batcher.on_text("worker", (i * burst + j) * 4, "word")
        await asyncio.sleep(max(0.0, started_s + (i + 1) / BATCHES_PER_S - time.perf_counter()))
    batcher.close()
    return time.process_time() - cpu_s, time.perf_counter() - started_s


def streaming_rows() -> list[Row]:
    messages: list[dict[str, object]] = []
    cpu_s, wall_s = asyncio.run(_stream(messages, are_taken=True))
    waiting_s, _ = asyncio.run(_stream([], are_taken=False))
    return [
        Row(
            what="kernel CPU per streamed delta",
            measured=cpu_s / DELTAS * 1e6,
            unit="us",
            target=5,
            note=f"{DELTAS / wall_s:,.0f} a second, event loop included",
        ),
        Row(
            what="of that, the event loop alone",
            measured=waiting_s / DELTAS * 1e6,
            unit="us",
            note=f"wakes {BATCHES_PER_S} times a second, takes nothing",
        ),
        Row(what="messages to the page", measured=len(messages) / wall_s, unit="/s", target=20),
    ]


def memory_rows() -> list[Row]:
    kib = int(_python(str(Path(__file__).with_name("runs.py"))))
    if kib == 0:
        return []
    note = "growth of the peak, model library included; scripted model"
    return [
        Row(what="memory of a 64-worker run", measured=kib / 1024, unit="MiB", target=60, note=note)
    ]


def bundle_row() -> Row:
    static = Path(__file__).parents[2] / "braincode_jupyter" / "widget" / "static"
    files = sorted(static.glob("*.*s"))
    if not files:
        raise RuntimeError("the front end is not built: pip install -e .")
    size = sum(len(gzip.compress(path.read_bytes())) for path in files)
    return Row(
        what="front-end bundle, gzipped",
        measured=size / 1024,
        unit="KiB",
        target=60,
        note=", ".join(path.name for path in files),
    )


def surface_rows() -> list[Row]:
    return [loading_row(), *streaming_rows(), *memory_rows(), bundle_row()]
