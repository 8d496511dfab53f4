"""`%braincode replay`: show a session as it went, without a call, for whoever wants to watch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.notebook.display import open_display
from braincode_jupyter.notebook.loop import wait
from braincode_jupyter.notebook.slot import Slot
from braincode_jupyter.notebook.words import split_words
from braincode_jupyter.runtime import DEFAULT_SPEED, SystemClock, prepare_play
from braincode_jupyter.runtime.settings import default_home

if TYPE_CHECKING:
    from braincode_jupyter.notebook.display import RunDisplay
    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.state import Notebook
    from braincode_jupyter.runtime import Playing

_HOW = "Write %braincode replay [ID] [--speed N], with N such as 1 or 20."
_MAX_SPEED = 1_000.0


def replay(access: ShellAccess, notebook: Notebook, rest: str) -> None:
    """Show a session as it went; on a page it leaves the kernel free.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    notebook : Notebook
        Shared state of the process.
    rest : str
        Perhaps the start of a session id, perhaps ``--speed`` and a number.

    Raises
    ------
    UsageError
        If there is no such session, or the speed is no number above 0.
    """
    session_id, speed = _read(rest)
    playing = prepare_play(session_id, default_home(), speed=speed, clock=SystemClock())
    display = open_display(
        access,
        playing.view,
        slot=Slot(access),
        stop=playing.stop,
        loop=notebook.loop.loop(),
    )
    job = notebook.loop.submit(_show(playing, display))
    notebook.track(playing.session_id, playing, job)
    if not access.place().has_page:
        wait(job)


async def _show(playing: Playing, display: RunDisplay) -> None:
    """Show it to its end; what the card then keeps is the run itself, with its own times."""
    try:
        run = await playing.execute(display)
    except BaseException:
        display.finish()
        raise
    display.finish(run.view)


def _read(rest: str) -> tuple[str, float]:
    session_id, speed = "last", DEFAULT_SPEED
    words = [word.text for word in split_words(rest)]
    while words:
        word = words.pop(0)
        flag, has_value, value = word.partition("=")
        if flag == "--speed":
            speed = _to_speed(value if has_value else words.pop(0) if words else "")
        elif word.startswith("-"):
            raise UnknownNameError("option of %braincode replay", word[:40], ["--speed"])
        else:
            session_id = word
    return session_id, speed


def _to_speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= _MAX_SPEED:
        raise UsageError(f"{text[:40]!r} is no speed.", hint=_HOW)
    return speed
