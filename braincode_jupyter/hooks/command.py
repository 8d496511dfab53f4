"""Running one hook: through the shell, guarded, with limits on time and output.

The command line is the file's own, to the last character; the event comes on standard input. The
shell gets the short list of `child_environment` and `HOOK_SOURCE`. The guard ends the command and
all that it started: when it ends, when its time is up, when the run is stopped, and when the
kernel dies.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from braincode_jupyter.hooks.points import MAX_OUTPUT_BYTES, HookOutput
from braincode_jupyter.machine.child_guard import guard_command
from braincode_jupyter.machine.programs import child_environment

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.outside import HookHandler

HOOK_SOURCE: Final = "BRAINCODE_HOOK_SOURCE"
"""Variable that names the file of the hook."""
STOP_WAIT_S: Final = 4.0
"""How long the guard may take to end a command."""


async def run_command(handler: HookHandler, line: bytes, *, cwd: Path) -> HookOutput:
    """Run a hook to its end.

    Parameters
    ----------
    handler : HookHandler
        A hook without a reason to be skipped.
    line : bytes
        Its input, one line.
    cwd : Path
        The project.

    Returns
    -------
    HookOutput
        Every failure is one of these, too.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *guard_command("once", limit_bytes=MAX_OUTPUT_BYTES),
            *_shell(handler.command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=cwd,
            env=child_environment({HOOK_SOURCE: handler.path}),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return HookOutput(exit_code=None, problem=f"could not be started: {error}")
    try:
        async with asyncio.timeout(handler.timeout_s):
            return await _finish(process, line)
    except TimeoutError:
        return HookOutput(exit_code=None, problem=f"ended after {handler.timeout_s:g} s")
    finally:
        await _stop(process)


async def _finish(process: asyncio.subprocess.Process, line: bytes) -> HookOutput:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        return HookOutput(exit_code=None, problem="could not be talked to")
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(line)
        await process.stdin.drain()
    # The input stays open: its end tells the guard to stop.
    stdout, stderr = await asyncio.gather(process.stdout.read(), process.stderr.read())
    return HookOutput(
        exit_code=await process.wait(),
        stdout=stdout[:MAX_OUTPUT_BYTES].decode(errors="replace"),
        stderr=stderr[:MAX_OUTPUT_BYTES].decode(errors="replace"),
    )


async def _stop(process: asyncio.subprocess.Process) -> None:
    """End the guard and with it the command; bounded, also for a run that is stopped."""
    if process.stdin is not None:
        process.stdin.close()
    if process.returncode is not None:
        return
    if sys.platform != "win32":
        with suppress(ProcessLookupError):
            process.terminate()
    try:
        async with asyncio.timeout(STOP_WAIT_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
            await process.wait()


def _shell(command: str) -> list[str]:
    if sys.platform == "win32":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", command]
    return ["/bin/sh", "-c", command]
