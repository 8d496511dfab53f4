"""Runs to look at: one per state that the card must show well."""

from __future__ import annotations

from card_parts import (
    ANSWER,
    REFERENCES,
    REQUEST,
    SAW,
    T0,
    WITHHELD,
    agents_of,
    matrix,
    paragraph,
    todos_of,
    usage,
)

from braincode_jupyter.views.block_view import Block, Span
from braincode_jupyter.views.run_view import (
    AgentState,
    AgentView,
    AnswerView,
    AttemptView,
    ClarificationView,
    FindingView,
    MatrixColumn,
    MatrixRow,
    MatrixView,
    ReviewView,
    RunView,
    TodoView,
)

STREAMED = (
    "Most of the drop is not real. The cleaning cell parses dates month-first and drops 1,204 rows "
    "of the North region.\n\n1. North loses 38 % of its rows in `cleaning`,"
)


def running() -> RunView:
    return RunView(
        session_id="3f2a91c4-77aa-4a8e-9d1b-0c5f2b1d8e10",
        state="running",
        phase="working",
        title=REQUEST,
        request=REQUEST,
        brain_id="notebook",
        mode="auto",
        routing="routed 0.82",
        started_ms=T0,
        usage=usage(18_200, 0.031, 4),
        max_tokens=60_000,
        models=("haiku", "claude-sonnet"),
        references=REFERENCES,
        todos=todos_of("completed", "completed", "completed", "running", "pending", "pending"),
        agents=agents_of("working"),
        matrix=matrix(),
        review=ReviewView(state="pending"),
    )


def answering() -> RunView:
    base = finished()
    agents = tuple(
        a.model_copy(update={"state": "running", "ended_ms": None})
        if a.kind == "primary"
        else a.model_copy(update={"state": "queued", "started_ms": None, "ended_ms": None})
        if a.kind == "review"
        else a
        for a in base.agents
    )
    return base.model_copy(
        update={
            "state": "running",
            "phase": "answering",
            "ended_ms": None,
            "agents": agents,
            "answer": AnswerView(state="streaming"),
            "review": ReviewView(state="pending"),
            "todos": todos_of(
                "completed", "completed", "completed", "completed", "running", "pending"
            ),
        }
    )


def finished() -> RunView:
    return running().model_copy(
        update={
            "state": "completed",
            "phase": "done",
            "ended_ms": T0 + 52_000,
            "usage": usage(24_500, 0.039, 6),
            "answer": AnswerView(state="completed", text="Most of…", blocks=ANSWER),
            "agents": agents_of("done"),
            "todos": todos_of(*["completed"] * 6),
            "review": ReviewView(
                state="approved",
                rationale="The claims match the evidence of the analyst and the statistician.",
                independence="strong",
                findings=(
                    FindingView(
                        severity="low",
                        text="The table does not say that revenue is net of returns.",
                    ),
                ),
                residual_risks=("312 rows have no currency.",),
            ),
        }
    )


def failed_worker() -> RunView:
    base = finished()
    broken = base.agents[3].model_copy(
        update={
            "state": "failed",
            "reason": "Every model of its chain failed: the provider refused the key (401).",
            "hint": "Check the key with %braincode doctor.",
            "attempts": (
                AttemptView(
                    attempt=1,
                    model_id="claude-sonnet",
                    code="rate_limit",
                    message="429 too many requests, retry after 20 s",
                ),
                AttemptView(attempt=2, model_id="gpt-5", code="auth", message="401 invalid key"),
            ),
            "partial": "The weekly sums of Q2 and Q3 do not differ by more than",
        }
    )
    return base.model_copy(
        update={
            "agents": (*base.agents[:3], broken, *base.agents[4:]),
            "todos": todos_of(
                "completed", "completed", "completed", "failed", "completed", "completed"
            ),
            "review": ReviewView(
                state="changes_requested",
                rationale="The claim on noise has no evidence.",
                required_changes=("Say that significance was not tested.",),
                independence="moderate",
                findings=(
                    FindingView(
                        severity="high", text="“Within the noise” is not supported by any worker."
                    ),
                    FindingView(severity="medium", text="Sample sizes are missing."),
                ),
            ),
            "warnings": ("statistician failed; the answer stands without its result.",),
            "usage": base.usage.model_copy(update={"cost_usd": None, "unmeasured_calls": 1}),
        }
    )


def failed() -> RunView:
    return RunView(
        session_id="9a",
        state="failed",
        phase="done",
        title="Why did revenue fall in Q3?",
        request="Why did revenue fall in Q3?",
        brain_id="notebook",
        started_ms=T0,
        ended_ms=T0 + 900,
        error="No model of the primary's chain can be used: no key is set.",
        hint="Set OPENAI_API_KEY, or run %braincode local install.",
        is_saved=False,
    )


def clarification() -> RunView:
    return RunView(
        session_id="c1a4",
        state="needs_clarification",
        phase="done",
        title="Make it faster",
        request="Make it faster",
        brain_id="notebook",
        routing="routed 0.35",
        started_ms=T0,
        ended_ms=T0 + 3_400,
        usage=usage(900, 0.001),
        clarification=ClarificationView(
            question="What shall be faster?",
            reason="The request names no cell, file or variable.",
            missing=("which code", "what counts as fast enough"),
            options=(
                ("The last cell", "profile and rewrite cell [12]"),
                ("The whole notebook", "find the three slowest cells first"),
            ),
        ),
        agents=(
            AgentView(
                context_id="r",
                kind="router",
                role="router",
                state="completed",
                started_ms=T0,
                ended_ms=T0 + 3_300,
                usage=usage(900),
            ),
        ),
    )


def cancelled() -> RunView:
    base = running()
    agents = tuple(
        a
        if a.state == "completed"
        else a.model_copy(update={"state": "cancelled", "ended_ms": T0 + 30_000})
        for a in base.agents
    )
    return base.model_copy(
        update={
            "state": "cancelled",
            "phase": "done",
            "ended_ms": T0 + 30_000,
            "agents": agents,
            "todos": todos_of(
                "completed", "completed", "completed", "blocked", "blocked", "blocked"
            ),
            "review": ReviewView(state="not_reviewed", reason="the run was stopped"),
            "warnings": ("Stopped by you after 30 s. Go on with %braincode resume @@3f2a91c4.",),
        }
    )


def cut_off() -> RunView:
    base = finished()
    agents = tuple(
        a.model_copy(update={"state": "cut_off"}) if a.kind == "primary" else a for a in base.agents
    )
    return base.model_copy(
        update={
            "agents": agents,
            "answer": AnswerView(state="cut_off", text=STREAMED),
            "model_note": "Answered by SmolLM2-135M, a small model for learning the workflow.",
            "review": ReviewView(state="not_reviewed", reason="demo model"),
            "request": 'Why did revenue fall in Q3?\n\nUse only what you computed.\n{"a": 1}',
            "title": "Why did revenue fall in Q3?",
        }
    )


def many() -> RunView:
    base = running()
    states: tuple[AgentState, ...] = (
        "completed",
        "completed",
        "running",
        "queued",
        "failed",
        "waiting",
        "unstructured",
        "blocked",
    )
    agents: list[AgentView] = [base.agents[0]]
    for n in range(64):
        state = states[n % len(states)]
        is_begun = state not in {"queued", "waiting"}
        agents.append(
            AgentView(
                context_id=f"w{n}",
                kind="worker",
                role=f"analyst {n + 1}",
                state=state,
                goal=f"Revenue of region {n + 1} by month, product and channel, with lost rows",
                queued_ms=T0 + 2_100,
                started_ms=T0 + 2_200 + 300 * n if is_begun else None,
                ended_ms=T0 + 12_000 + 400 * n if is_begun and state != "running" else None,
                usage=usage(1200 + 31 * n, 0.002),
                model_id="haiku",
                saw=SAW,
                withheld=WITHHELD,
                is_critical=n == 62,
                waiting_for="analyst 3" if state == "waiting" else None,
            )
        )
    columns = tuple(
        MatrixColumn(key=key, label=label)
        for key, label in [
            ("request", "request"),
            ("reference:@var:sales", "@var:sales"),
            *((f"private:w{k}", f"analyst {k + 1} private") for k in range(64)),
        ]
    )
    rows = tuple(
        MatrixRow(
            context_id=a.context_id,
            label=a.role,
            cells=tuple(
                "seen" if k < 2 else "own" if k - 2 == i - 1 else "withheld"
                for k in range(len(columns))
            ),
        )
        for i, a in enumerate(agents)
    )
    todos = tuple(
        TodoView(
            id=f"t{n}",
            title=f"Region {n + 1}",
            role=f"analyst {n + 1}",
            state="completed" if n % 3 else "running",
        )
        for n in range(64)
    )
    return base.model_copy(
        update={
            "agents": tuple(agents),
            "matrix": MatrixView(columns=columns, rows=rows),
            "todos": todos,
            "usage": usage(412_000, 0.61, 65),
            "max_tokens": None,
        }
    )


def hostile() -> RunView:
    bad = (
        "<img src=x onerror=alert(1)><script>alert(1)</script> \u202egnp.exe\u202c "
        "\x1b[31mred\x1b[0m <style>*{display:none}</style>"
    )
    base = finished()
    return base.model_copy(
        update={
            "title": bad,
            "request": bad,
            "session_id": bad,
            "warnings": (bad,),
            "error": bad,
            "answer": AnswerView(
                state="completed",
                text=bad,
                blocks=(
                    paragraph(
                        Span(text=bad),
                        Span(text="a link", href="javascript:alert(1)"),
                        Span(text="b", href="https://evil.example/?q=" + "x" * 50),
                    ),
                    Block(kind="code", language=bad, text=bad),
                    Block(kind="heading", level=99, spans=(Span(text=bad),)),
                ),
            ),
        }
    )


SAMPLES = {
    "running": running,
    "answering": answering,
    "finished": finished,
    "failed-worker": failed_worker,
    "failed": failed,
    "clarification": clarification,
    "cancelled": cancelled,
    "cut-off": cut_off,
    "many": many,
    "hostile": hostile,
}
