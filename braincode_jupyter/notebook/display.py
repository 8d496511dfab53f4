"""Show a run where it was asked for: live, and at the end as what the notebook keeps.

A page gets the widget while the run lives. A kernel without a page (nbclient, papermill) and a
terminal get text. In every kernel the display ends as the static bundle, written once, so that a
saved notebook needs no kernel, no network and no widget state.
"""

from __future__ import annotations

import contextlib
import logging
from collections import deque
from typing import TYPE_CHECKING, cast

from braincode_jupyter.errors import AssetsNotBuiltError
from braincode_jupyter.home.language import spoken_language
from braincode_jupyter.views.bundle import to_bundle
from braincode_jupyter.views.html import to_html
from braincode_jupyter.views.steady import to_steady
from braincode_jupyter.views.text import to_brief, to_progress_line, to_text

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.slot import Slot
    from braincode_jupyter.views.run_view import RunView
    from braincode_jupyter.views.speaker import Language
    from braincode_jupyter.widget import RunWidget

OPEN_CARDS = 16
"""Live cards of ended runs that a reloaded page can still draw; an open one takes some 100 kB."""

_ENDED: deque[RunWidget] = deque()
_LIVE_STATES = frozenset({"queued", "running"})
_log = logging.getLogger(__name__)


class RunDisplay:
    """A display of one run: observes it, and is finished once. This one shows nothing.

    Parameters
    ----------
    view : RunView
        The run before its first step.

    Attributes
    ----------
    page : RunWidget or None
        The live card, where there is one.
    """

    def __init__(self, view: RunView) -> None:
        self.view = view
        self.is_finished = False
        self.page: RunWidget | None = None

    def on_view(self, view: RunView) -> None:
        """Take a new view; on the loop of the run. What comes after the end is dropped."""
        if not self.is_finished:
            self.view = view
            self.show_live(view)

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        """Take streamed text; on the loop of the run. What comes after the end is dropped."""
        if not self.is_finished:
            self.show_text(context_id, offset, text)

    def finish(self, view: RunView | None = None) -> None:
        """Show the final state, once.

        Parameters
        ----------
        view : RunView or None
            None: the last view that was observed. A run that was given up shows as interrupted,
            which is how its session file reads.
        """
        if self.is_finished:
            return
        self.is_finished = True
        self.show_final(_ended(view or self.view))

    def show_live(self, view: RunView) -> None:
        """Show a view of the living run."""

    def show_text(self, context_id: str, offset: int, text: str) -> None:
        """Show streamed text."""

    def show_final(self, view: RunView) -> None:
        """Show the last view."""


class StaticDisplay(RunDisplay):
    """For a kernel without a page: the bundle at the start and at the end.

    Parameters
    ----------
    slot : Slot
        Where in the output of the cell.
    view : RunView
        The run before its first step.
    """

    def __init__(self, slot: Slot, view: RunView) -> None:
        super().__init__(view)
        self._slot = slot
        slot.show(_saved(view, spoken_language()))

    def show_final(self, view: RunView) -> None:
        """Replace the first bundle by the last one."""
        self._slot.show(_saved(view, spoken_language()))


class CardDisplay(RunDisplay):
    """For a page: the live widget, then the bundle.

    Once shown, the widget is written to by the loop of the run alone.

    Parameters
    ----------
    slot : Slot
        Where in the output of the cell.
    view : RunView
        The run before its first step.
    stop : callable
        Called when the reader asks the run to stop.
    loop : AbstractEventLoop
        Loop of the run.
    """

    def __init__(
        self, slot: Slot, view: RunView, *, stop: Callable[[], None], loop: AbstractEventLoop
    ) -> None:
        from braincode_jupyter.widget import (  # noqa: PLC0415 - on a page alone
            RunWidget,
            accept_replies_anywhere,
        )

        super().__init__(view)
        self._slot = slot
        self._loop = loop
        self._widget = RunWidget(view, plain=_unfinished_text, html=_unfinished_html)
        self._widget.on_stop(stop)
        accept_replies_anywhere(cast("object", self._widget.comm))
        self._observer = self._widget.make_observer(loop)
        self.page = self._widget
        slot.show(self._widget)

    def show_live(self, view: RunView) -> None:
        """Hand the view to the page."""
        self._observer.on_view(view)

    def show_text(self, context_id: str, offset: int, text: str) -> None:
        """Hand the text to the page."""
        self._observer.on_text(context_id, offset, text)

    def show_final(self, view: RunView) -> None:
        """Replace the widget by the bundle, and let the widget show the end as well.

        A page that was reloaded during the run does not take the replacement: there the widget is
        all that tells of the end. So it stays open until `OPEN_CARDS` later runs have ended.
        """
        self._slot.show(_saved(view, spoken_language(self._widget.page_language)))
        with contextlib.suppress(RuntimeError):  # the loop is closed: nothing is sent any more
            self._loop.call_soon_threadsafe(self._end, view)

    def _end(self, view: RunView) -> None:
        self._observer.on_view(view)
        self._observer.close()
        _ENDED.append(self._widget)
        while len(_ENDED) > OPEN_CARDS:
            _ENDED.popleft().close()


class TerminalDisplay(RunDisplay):
    """For a terminal: one line whenever the state changes, then what came of it.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    view : RunView
        The run before its first step.
    """

    def __init__(self, access: ShellAccess, view: RunView) -> None:
        super().__init__(view)
        self._access = access
        self._line = ""
        self.show_live(view)

    def show_live(self, view: RunView) -> None:
        """Print one line if it says something new."""
        line = to_progress_line(view, spoken_language())
        if line != self._line and view.state in _LIVE_STATES:
            self._line = line
            self._access.write(line)

    def show_final(self, view: RunView) -> None:
        """Print the answer and who took part."""
        self._access.write(f"\n{to_brief(view, spoken_language())}")


def _saved(view: RunView, language: Language) -> dict[str, object]:
    """Make what the notebook keeps."""
    # Tools such as nbval compare the text of two executions, so it holds no id and no time; those
    # are in the HTML and the JSON.
    return {**to_bundle(view, language), "text/plain": to_text(to_steady(view), language)}


def _ended(view: RunView) -> RunView:
    """Never show "running" where nothing runs: so will the session file of such a run read."""
    if view.state not in _LIVE_STATES:
        return view
    return view.model_copy(update={"state": "interrupted", "is_stopping": False})


# What a reader sees where the widget cannot be drawn: then the run's kernel is gone.
def _unfinished_text(view: RunView) -> str:
    return to_text(_ended(view), spoken_language())


def _unfinished_html(view: RunView) -> str:
    return to_html(_ended(view), spoken_language())


def open_display(
    access: ShellAccess,
    view: RunView,
    *,
    slot: Slot,
    stop: Callable[[], None],
    loop: AbstractEventLoop,
) -> RunDisplay:
    """Return the richest display that works here, shown.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    view : RunView
        The run before its first step.
    slot : Slot
        Where in the output of the cell.
    stop : callable
        Called when the reader asks the run to stop.
    loop : AbstractEventLoop
        Loop of the run.

    Returns
    -------
    RunDisplay
        To observe the run with.
    """
    place = access.place()
    if not place.has_kernel:
        return TerminalDisplay(access, view)
    if place.has_page:
        try:
            return CardDisplay(slot, view, stop=stop, loop=loop)
        except (AssetsNotBuiltError, ImportError) as error:
            _log.warning("the live card is not available: %s", error)
    return StaticDisplay(slot, view)
