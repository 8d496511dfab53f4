"""`RunWidget`: the live card of one run, an anywidget.

Known trade-off: the built bundle is text inside the widget's state (about 50 kB), because a widget
module is loaded from a blob and can fetch nothing. The saved form of a card is the fallback text
and the static bundle, so widget state need not be saved.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

import anywidget
import traitlets

from braincode_jupyter.views.bundle import MIME_TYPE
from braincode_jupyter.views.speaker import language_named
from braincode_jupyter.widget.assets import read_asset
from braincode_jupyter.widget.batcher import Batcher
from braincode_jupyter.widget.questions import Questions

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from braincode_jupyter.views.run_view import RunView
    from braincode_jupyter.views.speaker import Language

Bundle = dict[str, object]


class RunWidget(anywidget.AnyWidget):
    """Live card of one run.

    Traits are written by this class alone; the browser only sends messages.

    Parameters
    ----------
    view : RunView
        The run as it is now.
    plain : callable
        Makes the ``text/plain`` fallback of a view.
    html : callable
        Makes the ``text/html`` fallback of a view: escaped, without script and style.

    Attributes
    ----------
    questions : Questions
        What the page may answer.
    is_reached : bool
        Whether a page has spoken to this card, so that clicks on it arrive.

    Raises
    ------
    AssetsNotBuiltError
        If the front end was not built.
    """

    view = traitlets.Dict().tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)

    def __init__(
        self, view: RunView, *, plain: Callable[[RunView], str], html: Callable[[RunView], str]
    ) -> None:
        self._run_view = view
        self._plain = plain
        self._html = html
        self._observer: Batcher | None = None
        self._observer_loop: asyncio.AbstractEventLoop | None = None
        self._stop_callbacks: list[Callable[[], None]] = []
        self._retry_callbacks: list[Callable[[str], None]] = []
        self._page_callbacks: list[Callable[[], None]] = []
        self._revoke_callbacks: list[Callable[[str], None]] = []
        self.questions = Questions(self.send_message)
        self.is_reached = False
        self.page_language: Language | None = None
        super().__init__(
            view=view.to_wire(), _esm=read_asset("run-widget.js"), _css=read_asset("run-widget.css")
        )
        self.on_msg(self._on_message)  # pyright: ignore[reportUnknownMemberType] - ipywidgets has no types

    @property
    def run_view(self) -> RunView:
        """The newest view."""
        latest = self._observer.latest if self._observer else None
        return latest or self._run_view

    def make_observer(self, loop: asyncio.AbstractEventLoop, *, period_s: float = 0.1) -> Batcher:
        """Return the observer that feeds this card; one per card.

        Parameters
        ----------
        loop : asyncio.AbstractEventLoop
            Loop of the run; the observer is used on it alone.
        period_s : float
            Least time between two messages; seconds.

        Returns
        -------
        Batcher
            Its ``close`` shows the last view and keeps it in the trait.
        """
        self._observer_loop = loop
        self._observer = Batcher(
            self.send_message, loop, period_s=period_s, view=self._run_view, on_close=self.show_view
        )
        return self._observer

    def send_message(self, message: dict[str, object]) -> None:
        """Send one message to the browser, from any thread."""
        self.send(message)  # pyright: ignore[reportUnknownMemberType] - ipywidgets has no types

    def show_view(self, view: RunView) -> None:
        """Show a view and keep it in the trait; called from one thread at a time.

        Parameters
        ----------
        view : RunView
            Usually the last one of a run.
        """
        self._run_view = view
        self.view = view.to_wire()

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when Stop is pressed.

        Parameters
        ----------
        callback : callable
            Called on whatever thread takes the click, so it may only hand over, for example with
            ``loop.call_soon_threadsafe``; called again when Stop is pressed again.
        """
        self._stop_callbacks.append(callback)

    def on_retry(self, callback: Callable[[str], None]) -> None:
        """Call ``callback`` with a context id when a worker is to be run again.

        Parameters
        ----------
        callback : callable
            Called on whatever thread takes the click, so it may only hand over; the context id is
            what the page says, and names perhaps nobody.
        """
        self._retry_callbacks.append(callback)

    def on_revoke(self, callback: Callable[[str], None]) -> None:
        """Call ``callback`` with the id of a grant that is taken back, as `on_retry` does."""
        self._revoke_callbacks.append(callback)

    def on_page(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call ``callback`` on every sign of a page, on whatever thread takes it.

        Parameters
        ----------
        callback : callable
            It may only hand over.

        Returns
        -------
        callable
            Takes it back.
        """
        self._page_callbacks.append(callback)
        return lambda: self._page_callbacks.remove(callback)

    def call_page(self) -> None:
        """Ask for a sign of every page that shows this card; from any thread."""
        self.send_message({"kind": "call"})

    def _on_message(self, _widget: object, content: object, _buffers: object) -> None:
        """Take a message of the browser; what we do not know is ignored."""
        if not isinstance(content, dict):
            return
        message = cast("dict[str, object]", content)
        match message.get("kind"):
            case "ping":
                self._note_page()
                self.send_message({"kind": "pong", "now": time.time() * 1000})
            case "ready":
                self.page_language = language_named(message.get("language")) or self.page_language
                self._note_page()
                self.questions.tell_again()
                self._resend(message.get("have"))
            case "here":
                self._note_page()
            case "answer":
                self._note_page()
                self.questions.take(message)
            case "revoke":
                self._revoke(message.get("approvalId"))
            case "stop":
                for callback in self._stop_callbacks:
                    callback()
            case "retry":
                self._retry(message.get("contextId"))
            case _:
                pass

    def _retry(self, context_id: object) -> None:
        if isinstance(context_id, str):
            for callback in self._retry_callbacks:
                callback(context_id)

    def _note_page(self) -> None:
        self.is_reached = True
        for callback in tuple(self._page_callbacks):
            callback()

    def _revoke(self, grant_id: object) -> None:
        """Take a grant back; it needs no proof, since the worst is one more question."""
        if isinstance(grant_id, str):
            for callback in self._revoke_callbacks:
                callback(grant_id)

    def _resend(self, have: object) -> None:
        known = cast("dict[str, object]", have) if isinstance(have, dict) else {}
        observer, loop = self._observer, self._observer_loop
        if observer is not None and loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(observer.resend, known)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[Bundle, Bundle] | None:  # noqa: ANN401 - the signature of the base class
        """Return the widget view, with the run as JSON, text and HTML for readers without it."""
        made = cast("tuple[Bundle, Bundle] | None", super()._repr_mimebundle_(**kwargs))  # pyright: ignore[reportUnknownMemberType] - untyped base
        if made is None:
            return None
        data, metadata = made
        view = self.run_view
        forms = {"text/plain": self._plain(view), "text/html": self._html(view)}
        return {**data, MIME_TYPE: view.to_wire(), **forms}, metadata
