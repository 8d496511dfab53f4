"""`CardApprover`: asks a person on the card, else at the input prompt, else nobody.

Whatever happens, there is an answer, and silence is a no: ten minutes where a page shows the
question, half a minute elsewhere, at once where nobody can be asked. A page is asked for a sign
every few seconds while a question waits. One that was closed falls silent: then the prompt asks,
or, beside the cell, the answer is no.

Known trade-off: a page whose kernel hears nothing while another cell blocks it (no subshells) is
taken for closed after the same half minute.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from braincode_jupyter.notebook.prompting import CannotAsk, PromptDesk, hand_over
from braincode_jupyter.protocol.approval_records import MAX_MODEL_WORDS, MAX_SHOWN_CHARS
from braincode_jupyter.protocol.tools import ApprovalAnswer
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.exact import to_exact
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from braincode_jupyter.protocol.tools import ApprovalRequest

Decision: TypeAlias = Literal["approve", "deny", "approve_same"]

PAGE_WAIT_S = 3.0
"""How long a page that was just drawn may take for its first sign."""
PROMPT_WAIT_S = 30.0
"""How long a prompt waits."""
HEARTBEAT_S = 5.0
"""How often a page is asked for a sign while it shows a question."""
LOST_AFTER_S = 30.0
"""So long a page may be silent (security, section 15): a reload takes less."""

_HOW_TO_ALLOW = "To allow it, run the cell with {flags}."
_FLAGS = {"read": "--yes", "write": "--allow-edits or --yes", "execute": "--yes"}
_YES = frozenset({"y", "yes"})
_SAME = frozenset({"s", "same"})
_ALL = frozenset({"a", "all"})


class _Questions(Protocol):
    def ask(
        self, approval_id: str, nonce: str, *, digest: str, answer: Callable[[str], None]
    ) -> None: ...

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

    def on_page(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back on every sign of the page, on any thread; what is returned ends that."""
        ...

    def call_page(self) -> None:
        """Ask the page for a sign."""
        ...


class CardApprover:
    """Asks the reader of one run.

    Parameters
    ----------
    desk : PromptDesk
        For where no page answers.
    page : Page or None
        The card; may be set later, before the run starts.
    page_wait_s, prompt_wait_s, lost_after_s : float
        As `PAGE_WAIT_S`, `PROMPT_WAIT_S` and `LOST_AFTER_S`.
    """

    def __init__(
        self,
        desk: PromptDesk,
        *,
        page: Page | None = None,
        page_wait_s: float = PAGE_WAIT_S,
        prompt_wait_s: float = PROMPT_WAIT_S,
        lost_after_s: float = LOST_AFTER_S,
    ) -> None:
        self.page = page
        self._desk = desk
        self._page_wait_s = page_wait_s
        self._prompt_wait_s = prompt_wait_s
        self._lost_after_s = lost_after_s

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
        answer: asyncio.Future[Decision] = loop.create_future()
        page.questions.ask(
            request.approval_id,
            request.nonce,
            digest=request.bound_sha256,
            answer=lambda said: hand_over(loop, answer, said),
        )
        try:
            with _Ear(page) as ear:
                return await self._listen(request, ear, answer=answer)
        finally:
            page.questions.take_back(request.approval_id)

    async def _listen(
        self, request: ApprovalRequest, ear: _Ear, *, answer: asyncio.Future[Decision]
    ) -> ApprovalAnswer:
        """Wait for the page as long as it is there, then ask at the prompt where that is served."""
        is_there = ear.page.is_reached or await ear.hears(answer, self._page_wait_s)
        # Beside the cell, with another cell in its way: the page may be heard when that ends.
        if (is_there or not self._desk.is_served) and await self._is_answered(ear, answer):
            return ApprovalAnswer(decision=answer.result(), by="human")
        if self._desk.is_served:
            return await self._ask_both(request, answer)
        how = _HOW_TO_ALLOW.format(flags=_flags(request))
        reason = f"No page with the question was heard of for {self._lost_after_s:g} s. {how}"
        return ApprovalAnswer(decision="deny", by="timeout", reason=reason)

    async def _is_answered(self, ear: _Ear, answer: asyncio.Future[Decision]) -> bool:
        """Wait for the answer; False as soon as the page was silent for too long."""
        beat_s = min(HEARTBEAT_S, self._lost_after_s)
        silent_s = 0.0
        while silent_s < self._lost_after_s:
            if await ear.hears(answer, beat_s):
                silent_s = 0.0
                # A sign comes at once; the next one is asked for a beat later.
                await asyncio.wait({answer}, timeout=beat_s)
            else:
                silent_s += beat_s
            if answer.done():
                return True
        return False

    async def _ask_both(
        self, request: ApprovalRequest, answer: asyncio.Future[Decision]
    ) -> ApprovalAnswer:
        """Ask at the prompt, and take the answer of a page that comes back, whichever is first."""
        async with asyncio.TaskGroup() as group:
            prompt = group.create_task(self._ask_at_prompt(request))
            await asyncio.wait({prompt, answer}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                prompt.cancel()
                return ApprovalAnswer(decision=answer.result(), by="human")
        return prompt.result()

    async def _ask_at_prompt(self, request: ApprovalRequest) -> ApprovalAnswer:
        exact = to_exact(request.shown)
        needs_all = bool(exact.whole or exact.hidden)
        say = speaker()
        wants = say("words.wantsTo", effect=say(f"effects.{request.effect}"))
        head = f"{request.role}{wants}{clean_line(request.action, 400)}"
        if request.model_words:
            said = clean_line(request.model_words, MAX_MODEL_WORDS)
            head += f"\n{say.because(say('words.modelSaid'), said)}"
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


class _Ear:
    """Hears the signs of a page while a question waits.

    Parameters
    ----------
    page : Page
        The card.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self._loop = asyncio.get_running_loop()
        self._sign: asyncio.Future[bool] = self._loop.create_future()
        self._stop: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        self._stop = self.page.on_page(
            lambda: hand_over(self._loop, self._sign, True)  # noqa: FBT003 - a result
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    async def hears(self, answer: asyncio.Future[Decision], wait_s: float) -> bool:
        """Ask the page for a sign; return whether one came in time, or the answer, which is one."""
        self._sign = self._loop.create_future()
        self.page.call_page()
        heard = {self._sign, answer}
        await asyncio.wait(heard, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        return self._sign.done() or answer.done()


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
