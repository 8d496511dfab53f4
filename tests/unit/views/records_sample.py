"""A realistic run as records, built by hand.

Router, three workers (statistician needs analyst; librarian fails; analyst falls back once), the
primary, and a review. Times are milliseconds after `T0`.
"""

# ruff: noqa: PLR0913, PLR0917, S106 - builders with one argument per fact; tokens of references
from __future__ import annotations

from braincode_jupyter.protocol import records as r
from braincode_jupyter.protocol.contexts import (
    AgentTaskContext,
    BrainTaskContext,
    ContextRef,
    HandoffPacket,
    TaskProgress,
)
from braincode_jupyter.protocol.message import AgentMessage
from braincode_jupyter.protocol.plan import (
    AgentRoutingPlan,
    AgentTodoDependency,
    AgentTodoItem,
    AgentWorkerPlan,
    BrainSummary,
    ExecutedWorkerResult,
    ModelSummary,
    RoutingSummary,
    RuntimePlan,
    RuntimeWorker,
)
from braincode_jupyter.protocol.review import (
    ReviewDecision,
    ReviewFinding,
    ReviewIndependence,
    ReviewParty,
)
from braincode_jupyter.protocol.usage import TokenUsage

T0 = 1_767_225_600_000
SESSION = "3f2a91c4-0000-4000-8000-000000000001"
RUN = "run-1"
PROMPT = "Why did revenue fall in Q3? Check the cleaning step first. @var:sales @docs/glossary.md"
GOALS = {
    "librarian": "Map the data and the cleaning step",
    "analyst": "Revenue by month, region and product",
    "statistician": "Is the drop more than noise?",
    "summarize": "Answer with evidence and code",
    "review": "Check claims against evidence",
}
ROLES = tuple(GOALS)
ANSWER = (
    "Most of the drop is **not real**: the cleaning cell drops 1,204 rows.\n\n"
    '```python\nsales["date"] = pd.to_datetime(sales["date"], format="%d.%m.%Y")\n```\n'
)


def at(seconds: float) -> int:
    return T0 + round(seconds * 1000)


def ctx(role: str) -> str:
    return f"ctx-{role}"


def todo(role: str, status: str = "pending", summary: str | None = None) -> AgentTodoItem:
    values = {"title": GOALS[role], "role": role, "status": status, "summary": summary}
    return AgentTodoItem.model_validate({"id": f"todo-{role}", **values})


def edge(upstream: str, downstream: str) -> AgentTodoDependency:
    return AgentTodoDependency(from_todo_id=f"todo-{upstream}", to_todo_id=f"todo-{downstream}")


EDGES = (
    edge("analyst", "statistician"),
    edge("librarian", "summarize"),
    edge("analyst", "summarize"),
    edge("statistician", "summarize"),
    edge("summarize", "review"),
)


def plan() -> RuntimePlan:
    todos = tuple(todo(role) for role in ROLES)
    model = ModelSummary(id="acme/large", provider="acme", name="Large")
    workers = tuple(
        RuntimeWorker(
            role=role,
            goal=GOALS[role],
            reason="asked for",
            todo_ids=(f"todo-{role}",),
            context_id=ctx(role),
            model=model,
        )
        for role in ROLES
    )
    return RuntimePlan(
        mode="auto",
        mode_description="As many workers as the request needs.",
        brain=BrainSummary(id="notebook", name="Notebook"),
        role="summarize",
        agent_plan=AgentRoutingPlan(
            primary_role="summarize",
            workers=tuple(
                AgentWorkerPlan(role=w.role, goal=w.goal, reason=w.reason) for w in workers
            ),
            todos=todos,
            dependencies=EDGES,
            requires_review=True,
            reason="Data question with a claim to check.",
            confidence=0.82,
        ),
        todos=todos,
        dependencies=EDGES,
        workers=workers,
        routing=RoutingSummary(
            source="router-brain",
            confidence=0.82,
            configured_max_parallel_agents=4,
            max_parallel_agents=4,
            max_worker_agents=6,
            max_todos=6,
        ),
        model=model,
    )


def handoff(role: str) -> HandoffPacket:
    return HandoffPacket(
        id=f"handoff-{role}",
        task=AgentTaskContext(
            id=ctx(role),
            parent_id=SESSION,
            agent_role=role,
            goal=GOALS[role],
            progress=TaskProgress(status="pending"),
        ),
        constraints=("one", "two", "three", "four", "five", "six"),
        expected_result="JSON.",
    )


def result(role: str, status: str = "completed", **more: object) -> ExecutedWorkerResult:
    values: dict[str, object] = {
        "handoff_id": f"handoff-{role}",
        "task_id": ctx(role),
        "parent_id": SESSION,
        "progress": TaskProgress.model_validate({"status": status}),
        "summary": f"{role} found *something*.",
        "role": role,
        "goal": GOALS[role],
        "todo_ids": (f"todo-{role}",),
        "status": status,
        "model_id": "acme/large",
        "provider": "acme",
    }
    return ExecutedWorkerResult.model_validate({**values, **more})


def pointer(
    kind: str, owner: str, source: str, tokens: int, reason: str | None = None
) -> r.SectionPointer:
    return r.SectionPointer(
        kind=kind,
        owner=owner,
        source=source,
        sha256=f"{kind}-{owner}-{source}",
        chars=tokens * 4,
        tokens=tokens,
        reason=reason,
    )


SHARED = (
    pointer("request", "user", "request", 20),
    pointer("reference", "user", "@var:sales", 300),
    pointer("reference", "user", "/home/me/docs/glossary.md", 200),
)
SUPPORT = pointer("support", "project", "/home/me/AGENTS.md", 100)


def private(role: str) -> r.SectionPointer:
    return pointer("private", ctx(role), f"reply:{role}", 80, "private")


def found(role: str, reason: str | None = None) -> r.SectionPointer:
    return pointer("result", ctx(role), f"result:{role}", 60, reason)


def manifest(
    kind: str,
    role: str,
    seconds: float,
    sections: tuple[r.SectionPointer, ...],
    withheld: tuple[r.SectionPointer, ...] = (),
    *,
    attempt: int = 1,
    model: str = "acme/large",
) -> r.PromptManifest:
    return r.PromptManifest.model_validate(
        {
            "timestamp": at(seconds),
            "context_id": ctx(role),
            "call_id": f"call-{role}-{attempt}",
            "call_kind": kind,
            "role": role,
            "attempt": attempt,
            "model_id": model,
            "sections": (pointer("role", ctx(role), f"role:{role}", 40), *sections),
            "withheld": withheld,
        }
    )


def reply(
    kind: str, role: str, seconds: float, text: str, *, attempt: int = 1, model: str = "acme/large"
) -> r.ModelReplied:
    return r.ModelReplied.model_validate(
        {
            "timestamp": at(seconds),
            "context_id": ctx(role),
            "call_id": f"call-{role}-{attempt}",
            "call_kind": kind,
            "role": role,
            "attempt": attempt,
            "model_id": model,
            "provider": "acme",
            "text": text,
            "finish_reason": "stop",
        }
    )


def failure(
    kind: str, role: str, seconds: float, code: str, *, attempt: int = 1, partial: str = ""
) -> r.ModelFailed:
    return r.ModelFailed.model_validate(
        {
            "timestamp": at(seconds),
            "context_id": ctx(role),
            "call_id": f"call-{role}-{attempt}",
            "call_kind": kind,
            "role": role,
            "attempt": attempt,
            "model_id": "acme/large",
            "provider": "acme",
            "code": code,
            "error": f"provider said {code}",
            "partial": partial,
        }
    )


def usage(
    phase: str, role: str, seconds: float, total: int, cost: float | None, *, attempt: int = 1
) -> r.UsageRecorded:
    return r.UsageRecorded(
        timestamp=at(seconds),
        role=role,
        phase=phase,
        model_id="acme/large",
        task_id=ctx(role),
        attempt=attempt,
        usage=TokenUsage(input=total - 10, output=10, total=total),
        cost_usd=cost,
        call_id=f"call-{role}-{attempt}",
    )


def todo_update(
    role: str, seconds: float, status: str, *, phase: str = "support", summary: str | None = None
) -> r.TodosUpdated:
    return r.TodosUpdated.model_validate(
        {
            "timestamp": at(seconds),
            "phase": phase,
            "role": role,
            "status": status,
            "todo_ids": (f"todo-{role}",),
            "todos": (todo(role, status, summary),),
            "summary": summary,
        }
    )


def message(
    role: str, seconds: float, payload: HandoffPacket | ExecutedWorkerResult
) -> r.MessageSent:
    is_handoff = isinstance(payload, HandoffPacket)
    return r.MessageSent(
        timestamp=at(seconds),
        context_id=ctx(role),
        phase="review" if role == "review" else "support",
        worker=role,
        message=AgentMessage(
            id=f"message-{role}-{is_handoff}",
            sender="brain" if is_handoff else role,
            to=role if is_handoff else "orchestrator",
            kind="handoff" if is_handoff else "result",
            payload=payload,
        ),
    )


def worker_start(role: str, seconds: float) -> r.WorkerStarted:
    return r.WorkerStarted(
        timestamp=at(seconds),
        context_id=ctx(role),
        phase="review" if role == "review" else "support",
        worker=role,
        goal=GOALS[role],
        handoff=handoff(role),
        model="acme/large",
        agent_session_id=f"{ctx(role)}-1",
        attempt=1,
    )


def worker_end(role: str, seconds: float, payload: ExecutedWorkerResult) -> r.WorkerEnded:
    return r.WorkerEnded(
        timestamp=at(seconds),
        context_id=ctx(role),
        phase="review" if role == "review" else "support",
        worker=role,
        result=payload,
        attempt=1,
    )


def opened(role: str, seconds: float) -> tuple[r.AnyRecord, ...]:
    return (
        message(role, seconds, handoff(role)),
        todo_update(role, seconds, "running"),
        worker_start(role, seconds),
    )


def closed(role: str, seconds: float, payload: ExecutedWorkerResult) -> tuple[r.AnyRecord, ...]:
    return (
        message(role, seconds, payload),
        worker_end(role, seconds, payload),
        todo_update(role, seconds, payload.status, summary=payload.summary),
    )


def beginning() -> tuple[r.AnyRecord, ...]:
    options = r.RunOptions(mode="auto", brain_id="notebook", max_tokens=50_000, max_cost_usd=2.0)
    return (
        r.RunStart(timestamp=at(0), run_id=RUN, prompt=PROMPT, options=options),
        r.ReferenceUsed(
            timestamp=at(0),
            token="@var:sales",
            kind="variable",
            state="sent",
            uri="var:sales",
            label="frame 24,310 × 7, schema and statistics",
        ),
        r.ReferenceUsed(
            timestamp=at(0),
            token="@docs/glossary.md",
            kind="file",
            state="cut",
            uri="/home/me/docs/glossary.md",
            label="docs/glossary.md, 65,536 bytes",
            reason="26,624 characters left out",
        ),
        r.ReferenceUsed(
            timestamp=at(0),
            token="@notes.txt",
            kind="file",
            state="missing",
            uri="",
            label="",
            reason="file not found",
        ),
        manifest("router", "routeBrain", 0, SHARED[:1]),
        reply("router", "routeBrain", 2.1, "{}"),
        usage("router", "routeBrain", 2.1, 900, 0.001),
        r.ContextPlanned(
            timestamp=at(2.1),
            context=BrainTaskContext(
                id=SESSION,
                goal=PROMPT,
                progress=TaskProgress(status="pending"),
                child_context_ids=tuple(ctx(role) for role in ROLES),
            ),
            plan=plan(),
        ),
        r.TodosPlanned(
            timestamp=at(2.1), todos=tuple(todo(role) for role in ROLES), dependencies=EDGES
        ),
    )


def work() -> tuple[r.AnyRecord, ...]:
    shared = (*SHARED, SUPPORT)
    failed = result("librarian", "failed", summary="librarian failed.", error="authentication")
    good = result(
        "analyst",
        artifacts=(ContextRef(kind="artifact", uri="lost_rows.csv", label="lost_rows.csv"),),
        risks=("currency of 312 rows is unknown",),
        next_questions=("should returns count in the quarter of sale?",),
    )
    return (
        *opened("librarian", 2.2),
        manifest("worker", "librarian", 2.2, shared),
        *opened("analyst", 2.2),
        manifest("worker", "analyst", 2.2, shared),
        failure("worker", "analyst", 4, "rate_limited"),
        usage("support", "analyst", 4, 120, 0.001),
        manifest("worker", "analyst", 4, shared, attempt=2, model="beta/medium"),
        failure("worker", "librarian", 9, "authentication"),
        r.WorkerFailed(
            timestamp=at(9),
            context_id=ctx("librarian"),
            phase="support",
            worker="librarian",
            error="401",
            code="authentication",
            attempt=1,
            will_fallback=False,
        ),
        *closed("librarian", 9, failed),
        reply("worker", "analyst", 21, "{}", attempt=2, model="beta/medium"),
        usage("support", "analyst", 21, 8000, 0.010, attempt=2),
        *closed("analyst", 21, good),
        *opened("statistician", 21),
        manifest(
            "worker",
            "statistician",
            21,
            (*shared, found("analyst")),
            (private("librarian"), private("analyst"), found("librarian", "no edge")),
        ),
        reply("worker", "statistician", 31, "prose"),
        usage("support", "statistician", 31, 5000, 0.006),
        *closed("statistician", 31, result("statistician", unstructured=True)),
    )


def finish(decision: str = "approved") -> tuple[r.AnyRecord, ...]:
    results = (found("librarian"), found("analyst"), found("statistician"))
    privates = tuple(private(role) for role in ROLES[:3])
    shared = (*SHARED, SUPPORT, *results)
    verdict = ReviewDecision.model_validate(
        {
            "decision": decision,
            "confidence": 0.8,
            "rationale": "The claim is backed by the analyst.",
            "findings": (ReviewFinding(severity="low", issue="No plot", file="nb", line=3),),
            "residual_risks": ("currency",),
            "independence": ReviewIndependence(
                primary=ReviewParty(model_id="acme/large"),
                reviewer=ReviewParty(model_id="beta/medium"),
                same_model=False,
                same_provider=False,
                level="strong",
            ),
        }
    )
    review = result("review", review_decision=verdict)
    return (
        r.RunStart(timestamp=at(31), run_id=RUN, prompt=PROMPT, plan=plan()),
        todo_update("summarize", 31, "running", phase="primary"),
        manifest("primary", "summarize", 31, shared, privates),
        reply("primary", "summarize", 38, ANSWER),
        usage("primary", "summarize", 38, 3000, 0.009),
        todo_update("summarize", 38, "completed", phase="primary", summary=ANSWER),
        *opened("review", 38),
        manifest(
            "review",
            "review",
            38,
            (*shared, pointer("answer", ctx("summarize"), "answer", 70)),
            privates,
            model="beta/medium",
        ),
        reply("review", "review", 41, "{}", model="beta/medium"),
        usage("review", "review", 41, 2000, 0.004),
        *closed("review", 41, review),
        r.ReviewDecided.model_validate(
            {"timestamp": at(41), "type": "review_decision", **verdict.to_wire()}
        ),
        r.FinalReported(
            timestamp=at(41), final_report={"version": 1, "warnings": ["One worker failed."]}
        ),
        r.RunEnded(
            timestamp=at(41),
            summary=ANSWER,
            worker_results=(result("analyst"), result("statistician")),
            review_decision=verdict,
            final_report={"version": 1},
            fix_iterations=0,
        ),
    )


def full_run() -> tuple[r.AnyRecord, ...]:
    return (*beginning(), *work(), *finish())
