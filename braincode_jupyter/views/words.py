"""What text and HTML say of the parts of a view, put together from the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.tables import TABLE_MEDIA_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from braincode_jupyter.views.approval_view import ApprovalView
    from braincode_jupyter.views.run_view import (
        AgentView,
        AnswerView,
        ArtifactView,
        AttemptView,
        FindingView,
        MatrixColumn,
        ReferenceView,
        ReviewView,
        RunView,
        SectionView,
        ToolCallView,
    )
    from braincode_jupyter.views.speaker import Speaker

_ID_CHARS = 12
"""Characters of a session id that are enough to find it."""


def state_words(say: Speaker, agent: AgentView) -> str:
    """Return an agent's state in words, with what it waits for."""
    waits = ""
    if agent.waiting_for and agent.state in {"waiting", "running"}:
        waits = say("words.waitingFor", what=say.said(agent.waiting_for))
    is_said = bool(waits) and agent.state == "waiting"
    return say.told(
        (
            "" if is_said else say(f"agentStates.{agent.state}"),
            say("words.retried", number=agent.retries + 1) if agent.retries > 0 else "",
            say("words.keptResult") if agent.is_kept else "",
            waits,
        )
    )


def run_state_words(say: Speaker, view: RunView) -> str:
    """Return the state of a run in words; while it runs, what is being done or waited for."""
    if view.state != "running":
        return say(f"runStates.{view.state}")
    if view.is_stopping:
        return say("words.stopping")
    if view.approvals:
        return say("agentStates.waiting_for_approval")
    return say(f"phases.{view.phase}") or say("runStates.running")


def request_rest(view: RunView) -> str:
    """Return what the request says beyond its title."""
    return view.request.strip().removeprefix(view.title).strip()


def error_title(say: Speaker, view: RunView) -> str:
    """Return the heading above the reason of a run without answer."""
    return say("text.error") if view.state == "failed" else say("text.endedEarly")


def reference_words(say: Speaker, reference: ReferenceView) -> str:
    """Return what was sent of a reference, or why nothing was."""
    if reference.state == "missing":
        return say.because(say("words.missing"), reference.reason or reference.label)
    label = say.said(reference.label)
    if reference.state != "cut" or not reference.reason:
        return label
    return f"{label} ({say.because(say('words.cut'), reference.reason)})"


def review_words(say: Speaker, review: ReviewView) -> str:
    """Return the decision, or why there is none."""
    state = say(f"reviewStates.{review.state}")
    if review.reason:
        return say.because(state, review.reason)
    distance = say.named("independence", review.independence)
    return say.told((state, distance))


def review_points(say: Speaker, review: ReviewView) -> tuple[str, ...]:
    """Return findings, required changes, blocking issues and risks, each with its name."""
    return (
        *(f"{say('words.blocking')}{issue}" for issue in review.blocking_issues),
        *(f"{say('words.requiredChange')}{say.said(change)}" for change in review.required_changes),
        *(_finding_words(say, finding) for finding in review.findings),
        *(f"{say('words.residual')}{say.said(risk)}" for risk in review.residual_risks),
    )


def attempt_words(say: Speaker, attempt: AttemptView) -> str:
    """Return a failed attempt: which model, why, and what it spent all the same."""
    words = say(
        "text.failedAttempt",
        number=attempt.attempt,
        model=attempt.model_id,
        code=say.named("codes", attempt.code),
    )
    spent = "" if attempt.tokens is None else say("said.tokens", count=attempt.tokens)
    return say.because(say.told((words, spent)), attempt.message)


def agent_points(
    say: Speaker, agent: AgentView, artifacts: Iterable[ArtifactView]
) -> tuple[str, ...]:
    """Return failed attempts, risks, open questions, artifacts and tool calls, one a line."""
    return (
        *(attempt_words(say, one) for one in agent.attempts),
        *(f"{say('words.risk')}{risk}" for risk in agent.risks),
        *(f"{say('words.open')}{question}" for question in agent.next_questions),
        *(artifact_words(say, one) for one in artifacts),
        *(tool_words(say, call) for call in agent.tool_calls),
    )


def answer_title(say: Speaker, answer: AnswerView) -> str:
    """Return the heading of the answer; an answer that is not whole says so."""
    title = say("words.answer")
    is_whole = answer.state == "completed"
    return title if is_whole else f"{title} ({say(f'answerStates.{answer.state}')})"


def cell_sign(say: Speaker, cell: str) -> str:
    """Return what stands in a cell of the matrix."""
    return say(f"matrixSigns.{cell}") or "–"


def tool_words(say: Speaker, call: ToolCallView) -> str:
    """Return a tool call: what it did, how it ended, how much came back, who let it."""
    action = call.action or call.name
    words = say("text.tool", action=action, state=say(f"toolStates.{call.state}"))
    facts = [
        call.progress,
        "" if call.chars is None else say("text.chars", count=call.chars),
        say.because(say.said(call.approver), call.reason) if call.approver else "",
        "" if call.approver else say.said(call.reason),
        say.said(call.isolation),
    ]
    return say.told((words, *facts))


def asking_words(say: Speaker, approval: ApprovalView) -> str:
    """Return who asks for what."""
    wants = say("words.wantsTo", effect=say(f"effects.{approval.effect}"))
    return f"{approval.role}{wants}{approval.action}"


def asked_because(say: Speaker, approval: ApprovalView) -> str:
    """Return which rule asks; empty if the request does not say."""
    reason = say.said(approval.reason)
    return say("words.askedBecause", reason=reason) if reason else ""


def model_said(say: Speaker, approval: ApprovalView) -> str:
    """Return what the model said of its call, marked as such; empty if it said nothing."""
    words = approval.model_words
    return say.because(say("words.modelSaid"), words) if words else ""


def artifact_words(say: Speaker, artifact: ArtifactView) -> str:
    """Return what an artifact is and its name; of one that a result names, where it is."""
    label = artifact.label
    if artifact.media_type is None:
        named = f"{label} ({artifact.uri})"
    elif artifact.media_type == TABLE_MEDIA_TYPE:
        named = say("text.table", label=label)
    else:
        named = say("text.plot", label=label)
    return f"{say('words.artifacts')}{named}"


def brief_foot(say: Speaker, session_id: str) -> str:
    """Return where the rest of a run is told."""
    return say("text.tellsMore", id=_short(session_id))


def brain_words(say: Speaker, view: RunView) -> str:
    """Return Brain, mode and who planned."""
    brain = f"{say('words.brain')} {view.brain_id}" if view.brain_id else ""
    told = (brain, view.mode, say.said(view.routing), say.said(view.recorded))
    return " · ".join(part for part in told if part)


def count_words(say: Speaker, count: int, state: str) -> str:
    """Return how many are in a state: ``3 failed``."""
    return say("words.stateCount", count=count, word=say(state))


def audience_words(
    say: Speaker, readers: Sequence[str], strangers: Sequence[str], *, has_owner: bool
) -> str:
    """Return who saw a section: ``seen by all 65``, ``seen by its own agent alone``.

    Parameters
    ----------
    say : Speaker
        Says it.
    readers : sequence of str
        Who was given it.
    strangers : sequence of str
        Who was called without it.
    has_owner : bool
        Whether it is also the text of one who was called.

    Returns
    -------
    str
        Words; whichever are fewer, readers or strangers, are named.
    """
    if not readers:
        return say("text.seenByOwn") if has_owner else say("text.seenByNobody")
    if not strangers:
        return say("text.seenByAll", count=len(readers) + has_owner)
    if len(strangers) < len(readers):
        names = say.listed(strangers)
        if has_owner:
            return say("text.seenByOwnAndAllBut", names=names)
        return say("text.seenByAllBut", names=names)
    names = say.listed(readers)
    return say("text.seenByOwnAnd", names=names) if has_owner else say("text.seenBy", names=names)


def needs_words(say: Speaker, numbers: Sequence[int]) -> str:
    """Return which todos one waits for: ``needs 1, 2``; empty for none."""
    named = say.listed(str(number) for number in numbers)
    return say("words.needs", numbers=named) if named else ""


def section_words(say: Speaker, section: SectionView | MatrixColumn) -> str:
    """Return the short name of a section: ``@var:sales``, ``analyst result``, ``AGENTS.md``."""
    if section.label:
        return section.label
    if section.kind in {"role", "result", "private", "handoff"}:
        owner = section.owner_label
        return say(f"ownedSections.{section.kind}", owner=owner)
    return say.named("sections", section.kind)


def _finding_words(say: Speaker, finding: FindingView) -> str:
    severity = say.named("severities", finding.severity)
    parts = [
        say("text.finding", severity=severity, text=say.said(finding.text)),
        say("words.where", place=finding.place) if finding.place else "",
        say("words.evidence", text=finding.evidence) if finding.evidence else "",
        say("words.suggestion", text=finding.suggestion) if finding.suggestion else "",
    ]
    return "\n".join(filter(None, parts))


def _short(session_id: str) -> str:
    return session_id.split("-", 1)[0][:_ID_CHARS]
