"""`CardApprover`: asks a person on the card, else at the input prompt, else nobody.

Whatever happens, there is an answer, and silence is a no: ten minutes where a page shows the
question, half a minute elsewhere, at once where nobody can be asked.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

from braincode_jupyter.notebook.prompting import CannotAsk, PromptDesk, hand_over
from braincode_jupyter.protocol.approval_records import MAX_SHOWN_CHARS
from braincode_jupyter.protocol.tools import ApprovalAnswer
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.exact import to_exact
from braincode_jupyter.views.words import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from braincode_jupyter.protocol.tools import ApprovalRequest

PAGE_WAIT_S = 3.0
"""How long a page that was just drawn may take for its first sign."""
PROMPT_WAIT_S = 30.0
"""How long a prompt waits, and a page of which nothing was heard."""

_HOW_TO_ALLOW = "To allow it, run the cell with {flags}."
_FLAGS = {"read": "--yes", "write": "--allow-edits or --yes", "execute": "--yes"}
_YES = frozenset({"y", "yes"})
_SAME = frozenset({"s", "same"})
_ALL = frozenset({"a", "all"})


class _Questions(Protocol):
    def ask(self, approval_id: str, nonce: str, *, answer: Callable[[str], None]) -> None: ...

    def take_back(self, approval_id: str) -> None: ...


class Page(Protocol):
    """A card on a page, such as `RunWidget`."""

    @property
    def is_reached(self) -> bool:
        """Whether it has spoken, so that clicks on it arrive."""
        ...

    @property
    def questions(self) -> _Questions:
        """What it may answer."""
        ...

    def on_page(self, callback: Callable[[], None]) -> None:
        """Call back on every sign of the page, on any thread."""
        ...


class CardApprover:
    """Asks the reader of one run.

    Parameters
    ----------
    desk : PromptDesk
        For where no page answers.
    page : Page or None
        The card; may be set later, before the run starts.
    page_wait_s, prompt_wait_s : float
        As `PAGE_WAIT_S` and `PROMPT_WAIT_S`.
    """

    def __init__(
        self,
        desk: PromptDesk,
        *,
        page: Page | None = None,
        page_wait_s: float = PAGE_WAIT_S,
        prompt_wait_s: float = PROMPT_WAIT_S,
    ) -> None:
        self.page = page
        self._desk = desk
        self._page_wait_s = page_wait_s
        self._prompt_wait_s = prompt_wait_s

    async def decide(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Return the answer of the reader; never later than ``request.timeout_s``.

        Parameters
        ----------
        request : ApprovalRequest
            What to ask.

        Returns
        -------
        ApprovalAnswer
            A denial where nobody answered, or nobody could be asked.
        """
        if len(request.shown) > MAX_SHOWN_CHARS:
            reason = f"It is too long to be shown whole ({len(request.shown):,} characters)."
            return ApprovalAnswer(decision="deny", by="policy", reason=reason)
        try:
            async with asyncio.timeout(request.timeout_s):
                if self.page is None:
                    return await self._ask_at_prompt(request)
                return await self._ask_on_page(request, self.page)
        except TimeoutError:
            return _silent(request.timeout_s)

    async def _ask_on_page(self, request: ApprovalRequest, page: Page) -> ApprovalAnswer:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Literal["approve", "deny", "approve_same"]] = loop.create_future()
        page.questions.ask(
            request.approval_id, request.nonce, answer=lambda said: hand_over(loop, answer, said)
        )
        try:
            if await _is_reached(page, answer, self._page_wait_s):
                return ApprovalAnswer(decision=await answer, by="human")
            if self._desk.is_served:
                return await self._ask_at_prompt(request)
            # Beside the cell, with another cell in its way: the page may be heard when that ends.
            if await _is_reached(page, answer, self._prompt_wait_s):
                return ApprovalAnswer(decision=await answer, by="human")
            return _silent(self._page_wait_s + self._prompt_wait_s)
        finally:
            page.questions.take_back(request.approval_id)

    async def _ask_at_prompt(self, request: ApprovalRequest) -> ApprovalAnswer:
        exact = to_exact(request.shown)
        needs_all = bool(exact.whole or exact.hidden)
        head = (
            f"{request.role} wants to {EFFECTS[request.effect]}: {clean_line(request.action, 400)}"
        )
        shown = _indented(exact.shown)
        try:
            if needs_all:
                notes = f"{exact.hidden} hidden characters are shown as marks.\n"
                question = f"\n{head}\n{shown}\n{notes if exact.hidden else ''}"
                said = await self._prompt(f"{question}Show [a]ll before you decide, or [N]o: ")
                if said not in _ALL:
                    return _said(None if said is None else "no", self._prompt_wait_s)
                shown = _indented(exact.whole or exact.shown)
            said = await self._prompt(
                f"\n{head}\n{shown}\n[y]es, [s]ame again in this run, or [N]o: "
            )
        except CannotAsk:
            how = _HOW_TO_ALLOW.format(flags=_flags(request))
            reason = f"Nobody can be asked here. {how}"
            return ApprovalAnswer(decision="deny", by="no_front_end", reason=reason)
        return _said(said, self._prompt_wait_s)

    async def _prompt(self, text: str) -> str | None:
        said = await self._desk.ask(text, timeout_s=self._prompt_wait_s)
        return None if said is None else said.strip().lower()


async def _is_reached(page: Page, answer: asyncio.Future[Any], wait_s: float) -> bool:
    """Wait for a sign of the page, or its answer, which is one."""
    loop = asyncio.get_running_loop()
    sign: asyncio.Future[object] = loop.create_future()
    page.on_page(lambda: hand_over(loop, sign, True))  # noqa: FBT003 - a result
    if not page.is_reached:
        await asyncio.wait({sign, answer}, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
    return page.is_reached or answer.done()


def _said(said: str | None, waited_s: float) -> ApprovalAnswer:
    if said is None:
        return _silent(waited_s)
    if said in _SAME:
        return ApprovalAnswer(decision="approve_same", by="human")
    return ApprovalAnswer(decision="approve" if said in _YES else "deny", by="human")


def _silent(waited_s: float) -> ApprovalAnswer:
    return ApprovalAnswer(
        decision="deny", by="timeout", reason=f"Nobody answered within {waited_s:g} s."
    )


def _flags(request: ApprovalRequest) -> str:
    return "--allow-compute or --yes" if request.tool == "run_python" else _FLAGS[request.effect]


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.split("\n"))
