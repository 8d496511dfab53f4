"""The primary's answer: asked for along its chain of models, kept, and handed on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.changing import after_answer
from braincode_jupyter.brain.ending import end_failed
from braincode_jupyter.brain.fixing import give_up_fix
from braincode_jupyter.brain.planning import summary_of
from braincode_jupyter.brain.prompts import primary_instructions, private_section
from braincode_jupyter.brain.schedule import primary_worker, support_workers
from braincode_jupyter.brain.state import Answer
from braincode_jupyter.brain.transition import Asking
from braincode_jupyter.brain.working import candidates_of, refusals_of
from braincode_jupyter.protocol.records import RunFailed, RunStart

if TYPE_CHECKING:
    from braincode_jupyter.brain.state import OpenCall
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.records import ModelFailed, ModelReplied


def start_primary(t: Transition, *, attempt: int) -> None:
    """Ask the primary; the plan goes on the record again, as the original does at this point."""
    worker = primary_worker(t.plan)
    candidates = candidates_of(t, worker)
    if attempt > len(candidates):
        end_failed(
            t,
            "not_configured",
            error=f"No model can act as {worker.role}. {refusals_of(t, worker)}".strip(),
            hint="Run %braincode doctor to see which keys and models were found.",
        )
        return
    candidate = candidates[attempt - 1]
    prepared = t.prepare(
        Asking(
            call_kind="primary",
            role=worker.role,
            context_id=worker.context_id,
            candidate=candidate,
            attempt=attempt,
            extra=primary_instructions(
                worker.context_id,
                has_results=bool(support_workers(t.plan)),
                is_demo=candidate.is_local_demo,
            ),
        )
    )
    if prepared is None:
        end_failed(
            t,
            "token_limit",
            error="The budget has no room for the answer.",
            hint="Raise --max-tokens or --max-cost; what the workers found is kept in the session.",
        )
        return
    t.set(at="answering", primary_attempt=attempt)
    t.set(plan=t.plan.model_copy(update={"model": summary_of(candidate)}))
    _write_plan_again(t, attempt)
    t.set_todos(worker.todo_ids or (), "running", phase="primary", role=worker.role)
    t.launch(prepared)


def _write_plan_again(t: Transition, attempt: int) -> None:
    request = t.state.request
    t.write(
        RunStart(
            timestamp=t.timestamp,
            context_id=request.session_id,
            run_id=request.run_id,
            prompt=request.prompt,
            options=request.options,
            plan=t.plan,
            project_support=request.project_support,
            attempt=attempt,
        )
    )


def take_answer(t: Transition, opened: OpenCall, record: ModelReplied) -> None:
    """Keep the answer; what was judged of an earlier one does not hold for this one."""
    worker = primary_worker(t.plan)
    is_cut_off = record.finish_reason == "length"
    if is_cut_off:
        t.warn("The answer reached the model's length limit and is cut off.")
    t.set(
        answer=Answer(
            text=record.text, model=summary_of(opened.call.candidate), is_cut_off=is_cut_off
        ),
        changes=None,
        checks=None,
        review=None,
    )
    t.set_todos(
        worker.todo_ids or (), "completed", phase="primary", role=worker.role, summary=record.text
    )
    after_answer(t)


def take_primary_failure(t: Transition, opened: OpenCall, record: ModelFailed) -> None:
    """Go on with the next model of the primary's chain; without one the run fails."""
    worker = primary_worker(t.plan)
    if record.partial:
        private = private_section(worker.context_id, worker.role, record.partial)
        t.set(privates=(*t.state.privates, private))
    if t.state.fix_iteration:
        give_up_fix(t, record)
        return
    attempt = opened.call.attempt
    if attempt < len(candidates_of(t, worker)):
        t.write(
            RunFailed(
                timestamp=t.timestamp,
                context_id=t.state.request.session_id,
                error=record.error,
                code=record.code,
                hint=record.hint,
                attempt=attempt,
                will_fallback=True,
            )
        )
        start_primary(t, attempt=attempt + 1)
        return
    end_failed(t, record.code, error=record.error, hint=record.hint)
