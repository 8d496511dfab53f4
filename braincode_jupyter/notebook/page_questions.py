"""What the page asks the kernel: one question for each comm, and at most one answer.

Nothing is kept for a page, so a reload, a second tab or a restart needs no care, and nothing is
sent unasked. A question is data of the browser: it is checked by who answers it, and what goes
wrong there is no answer. Questions are taken on whatever thread the kernel gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from braincode_jupyter.errors import BraincodeError
from braincode_jupyter.notebook.page_comm import comm_targets, data_of

Answer = dict[str, object]
Answering = Callable[[Mapping[str, object]], Answer | None]
"""Takes a question and gives its answer, or None for a message that has none."""


class PageQuestions:
    """Comm targets of the extension in the page.

    Parameters
    ----------
    answers : mapping
        Name of a comm target to the function that answers.
    """

    def __init__(self, answers: Mapping[str, Answering]) -> None:
        self._targets = {name: _on_open(answer) for name, answer in answers.items()}

    def register(self) -> None:
        """Begin to answer; there must be a kernel."""
        for name, on_open in self._targets.items():
            comm_targets().register_target(name, on_open)

    def unregister(self) -> None:
        """Answer no more."""
        for name, on_open in self._targets.items():
            comm_targets().unregister_target(name, on_open)


def _on_open(answering: Answering) -> Callable[[Any, Any], None]:
    def on_open(comm: Any, message: Any) -> None:  # noqa: ANN401 - a comm has no types
        from braincode_jupyter.notebook.magics import guarded  # noqa: PLC0415 - light load

        try:
            with guarded():
                answer = answering(data_of(message))
        except BraincodeError:  # in the log; the page does without
            answer = {}
        if answer is not None:
            comm.send(answer)
            comm.close()

    return on_open
