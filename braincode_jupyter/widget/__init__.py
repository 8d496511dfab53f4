"""The live card: an anywidget, the messages that feed it, and its built front end.

`RunWidget` shows one run while it goes on. `Batcher` is the observer of a run (the protocol of
``runtime.settings.RunObserver``, met by shape): it collects views and streamed text on the loop of
the run and sends at most ten messages a second, none while nothing happens.

Invariants: Python decides and the browser draws; the browser never sets a trait. Messages are
numbered, hold what changed, and can be sent again, so the bytes of a run grow with its content and
a lost message costs one request. The answer comes as blocks, each once when it is settled, and the
rest behind them as text. Buffers are bounded. Callbacks for clicks may come on any thread and only
hand over.

May import ``views``, ``protocol`` and ``errors``; anywidget and ipywidgets inside its modules
alone, so that importing this package costs nothing. Every name is resolved on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter import lazy

if TYPE_CHECKING:
    from braincode_jupyter.widget.batcher import Batcher as Batcher
    from braincode_jupyter.widget.replies import (
        accept_replies_anywhere as accept_replies_anywhere,
    )
    from braincode_jupyter.widget.run_widget import RunWidget as RunWidget

__all__ = ["Batcher", "RunWidget", "accept_replies_anywhere"]

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "batcher": ("Batcher",),
        "replies": ("accept_replies_anywhere",),
        "run_widget": ("RunWidget",),
    },
)
