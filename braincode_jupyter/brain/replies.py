"""What a model's reply means: the one strict JSON reader, and results within limits.

Every reply of a router, worker or reviewer is read here. Reading is total: no text makes it raise,
and what does not fit is dropped or kept as plain text. Normalising a result twice changes nothing.

Known trade-off: as in the original, a code fence inside a JSON string is taken for the fence around
the JSON, and such a reply is kept as plain text.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, TypeGuard, cast, get_args

from braincode_jupyter.brain.plans import stable_id
from braincode_jupyter.brain.text import clip, kept_text, kept_texts, valid_text
from braincode_jupyter.protocol.contexts import ContextRef, TaskProgress, TaskStatus
from braincode_jupyter.protocol.plan import ExecutedWorkerResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from braincode_jupyter.protocol.contexts import HandoffPacket, ResultStatus
    from braincode_jupyter.protocol.plan import ModelSummary, RuntimeWorker
    from braincode_jupyter.protocol.usage import ReasonCode

MAX_JSON_BYTES = 256 * 1024
"""JSON of one reply, UTF-8."""
MAX_JSON_DEPTH = 32
"""Nesting of objects and lists."""
MAX_INTEGER_DIGITS = 15
"""Digits of an integer that every reader keeps exactly."""
MAX_SUMMARY_CHARS = 12_000
"""Summary of a result; the whole reply stays in its own record."""
MAX_PROGRESS_CHARS = 2_000
"""Each text of a progress."""
MAX_ITEMS = 32
"""Artifacts, risks, questions or steps of one result."""
MAX_ITEM_CHARS = 2_000
"""One risk, question, step or uri."""
MAX_LABEL_CHARS = 200
"""Label of an artifact."""
EMPTY_REPLY = "(empty worker response)"
"""Summary of a reply without text."""

_FENCE = "```"
_STRUCTURE = re.compile(r'["\\\[\]{}]')
_STATUSES: tuple[str, ...] = get_args(TaskStatus)
_REF_KINDS: tuple[str, ...] = get_args(ContextRef.model_fields["kind"].annotation)


def extract_json(
    text: str, *, max_bytes: int = MAX_JSON_BYTES
) -> dict[str, JsonValue] | list[JsonValue] | None:
    """Return the object or list of a reply, or None where it holds no acceptable JSON.

    Parameters
    ----------
    text : str
        A reply: bare JSON, JSON in a fence, or JSON within prose.
    max_bytes : int
        Cap on the JSON, UTF-8.

    Returns
    -------
    dict, list or None
        None for prose and scalars, and for JSON over the caps, with duplicate keys, ``NaN`` or
        infinities, or integers of more than 15 digits. Strings hold no lone surrogates.

    References
    ----------
    Braincode, extraction of JSON from a reply.
    """
    value = _read_strictly(_json_candidate(text), max_bytes)
    return value if isinstance(value, dict | list) else None


def worker_result(
    text: str, *, handoff: HandoffPacket, worker: RuntimeWorker, model: ModelSummary
) -> ExecutedWorkerResult:
    """Return the result that a worker's reply stands for.

    Parameters
    ----------
    text : str
        The reply, whatever it is.
    handoff : HandoffPacket
        What the worker was handed; all ids come from here.
    worker : RuntimeWorker
        The planned worker.
    model : ModelSummary
        Who answered.

    Returns
    -------
    ExecutedWorkerResult
        ``unstructured`` is true where the reply was not the asked JSON and is the summary itself.
    """
    found = extract_json(text)
    fields = found if isinstance(found, dict) else {}
    own_summary = kept_text(fields.get("summary"), MAX_SUMMARY_CHARS)
    summary = own_summary or clip(text, MAX_SUMMARY_CHARS) or EMPTY_REPLY
    progress = _progress(fields.get("progress"), summary)
    return ExecutedWorkerResult(
        handoff_id=handoff.id,
        task_id=handoff.task.id,
        parent_id=handoff.task.parent_id,
        progress=progress,
        summary=summary,
        artifacts=_artifacts(fields.get("artifacts")),
        risks=kept_texts(fields.get("risks"), items=MAX_ITEMS, chars=MAX_ITEM_CHARS),
        next_questions=kept_texts(
            fields.get("nextQuestions"), items=MAX_ITEMS, chars=MAX_ITEM_CHARS
        ),
        role=worker.role,
        goal=worker.goal,
        todo_ids=worker.todo_ids or (),
        status=_final_status(progress.status),
        unstructured=True if own_summary is None else None,
        model_id=model.id,
        provider=model.provider,
    )


def failed_result(
    code: ReasonCode, *, handoff: HandoffPacket, worker: RuntimeWorker
) -> ExecutedWorkerResult:
    """Return the result of a worker that no model answered.

    Parameters
    ----------
    code : ReasonCode
        Why; nothing else of the failure reaches another agent.
    handoff : HandoffPacket
        What the worker was handed.
    worker : RuntimeWorker
        The planned worker.

    Returns
    -------
    ExecutedWorkerResult
        A failed result.
    """
    return ExecutedWorkerResult(
        handoff_id=handoff.id,
        task_id=handoff.task.id,
        parent_id=handoff.task.parent_id,
        progress=TaskProgress(status="failed", summary=code),
        summary=f"{worker.role} worker failed: {code}",
        risks=(code,),
        role=worker.role,
        goal=worker.goal,
        todo_ids=worker.todo_ids or (),
        status="failed",
        error=code,
    )


def blocked_result(
    code: ReasonCode, *, worker: RuntimeWorker, session_id: str, run_id: str
) -> ExecutedWorkerResult:
    """Return the result of a worker that could never start; it was handed no packet.

    Parameters
    ----------
    code : ReasonCode
        Why.
    worker : RuntimeWorker
        The planned worker.
    session_id : str
        Context id of the Brain.
    run_id : str
        Id of the run.

    Returns
    -------
    ExecutedWorkerResult
        A blocked result.
    """
    return ExecutedWorkerResult(
        handoff_id=f"blocked:{stable_id(run_id, 'blocked', worker.context_id)}",
        task_id=worker.context_id,
        parent_id=session_id,
        progress=TaskProgress(status="blocked", summary=code),
        summary=f"{worker.role} worker blocked: {code}",
        risks=(code,),
        role=worker.role,
        goal=worker.goal,
        todo_ids=worker.todo_ids or (),
        status="blocked",
        error=code,
    )


def result_block(result: ExecutedWorkerResult) -> str:
    """Return a result as it stands in a prompt.

    Parameters
    ----------
    result : ExecutedWorkerResult
        A normalised result.

    Returns
    -------
    str
        Heading, task, goal, progress, summary, and the lists that are not empty. Further lines of
        a text are indented, so that none of them can pass for a heading or a field.

    References
    ----------
    Braincode, worker summaries inside prompts.
    """
    lines = [
        f"### {result.role} ({result.status})",
        f"Task: {result.task_id} -> {result.parent_id}",
        f"Goal: {_indented(result.goal)}",
        f"Progress: {_progress_line(result)}",
        f"Summary: {_indented(result.summary)}",
        *_listed("Artifacts", (_named(ref) for ref in result.artifacts)),
        *_listed("Risks", result.risks),
        *_listed("Open questions", result.next_questions),
    ]
    return "\n".join(lines)


def _progress_line(result: ExecutedWorkerResult) -> str:
    """Return status and progress summary; one that only repeats the summary is left out."""
    status, summary = result.progress.status, result.progress.summary
    if not summary or summary == clip(result.summary, MAX_PROGRESS_CHARS):
        return status
    return f"{status}: {_indented(summary)}"


def _json_candidate(text: str) -> str:
    opening = text.find(_FENCE)
    if opening >= 0:
        start = opening + len(_FENCE)
        if text[start : start + 4].lower() == "json":
            start += 4
        closing = text.find(_FENCE, start)
        if closing >= 0:
            return text[start:closing].strip()
    first, last = text.find("{"), text.rfind("}")
    return text[first : last + 1] if 0 <= first < last else ""


def _read_strictly(candidate: str, max_bytes: int) -> JsonValue:
    if not candidate or len(candidate) > max_bytes:
        return None
    if len(candidate.encode("utf-8", "surrogatepass")) > max_bytes or _is_too_deep(candidate):
        return None
    try:
        value = json.loads(
            candidate,
            object_pairs_hook=_without_duplicates,
            parse_int=_short_integer,
            parse_float=_finite_number,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError):
        return None
    return _valid_value(value)


def _is_too_deep(candidate: str) -> bool:
    """Tell whether brackets outside strings nest too deeply; one pass, no recursion."""
    depth, in_string, skip_until = 0, False, 0
    for match in _STRUCTURE.finditer(candidate):
        if match.start() < skip_until:
            continue
        character = match.group()
        if character == "\\":
            skip_until = match.end() + 1 if in_string else 0
        elif character == '"':
            in_string = not in_string
        elif not in_string:
            depth += 1 if character in "[{" else -1
            if depth > MAX_JSON_DEPTH:
                return True
    return False


def _without_duplicates(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("An object names a key twice.")
    return found


def _short_integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_INTEGER_DIGITS:
        raise ValueError("An integer is too long.")
    return int(digits)


def _finite_number(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("A number is too large.")
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON.")


def _valid_value(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, list):
        return [_valid_value(item) for item in value]
    if isinstance(value, dict):
        return {valid_text(key): _valid_value(item) for key, item in value.items()}
    return value


def _progress(raw: JsonValue, summary: str) -> TaskProgress:
    fields: Mapping[str, JsonValue] = raw if isinstance(raw, dict) else {}
    status = fields.get("status")
    steps = kept_texts(fields.get("completedSteps"), items=MAX_ITEMS, chars=MAX_ITEM_CHARS)
    return TaskProgress(
        status=status if _is_status(status) else "completed",
        summary=kept_text(fields.get("summary"), MAX_PROGRESS_CHARS)
        or clip(summary, MAX_PROGRESS_CHARS),
        current_step=kept_text(fields.get("currentStep"), MAX_PROGRESS_CHARS),
        completed_steps=steps or None,
        percent=_percent(fields.get("percent")),
    )


def _is_status(value: JsonValue) -> TypeGuard[TaskStatus]:
    return isinstance(value, str) and value in _STATUSES


def _percent(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return min(100.0, max(0.0, float(value)))


def _artifacts(raw: JsonValue) -> tuple[ContextRef, ...]:
    items = raw if isinstance(raw, list) else []
    refs = (_artifact(item) for item in items)
    return tuple(ref for ref in refs if ref is not None)[:MAX_ITEMS]


def _artifact(raw: JsonValue) -> ContextRef | None:
    if not isinstance(raw, dict):
        return None
    kind, uri = raw.get("kind"), kept_text(raw.get("uri"), MAX_ITEM_CHARS)
    if not isinstance(kind, str) or kind not in _REF_KINDS or uri is None:
        return None
    label = kept_text(raw.get("label"), MAX_LABEL_CHARS)
    return ContextRef.model_validate({"kind": kind, "uri": uri, "label": label})


def _final_status(status: TaskStatus) -> ResultStatus:
    return cast("ResultStatus", status) if status in {"failed", "blocked"} else "completed"


def _indented(text: str) -> str:
    return "\n  ".join(text.splitlines())


def _listed(title: str, items: Iterable[str]) -> list[str]:
    lines = [f"- {_indented(item)}" for item in items]
    return [f"{title}:", *lines] if lines else []


def _named(ref: ContextRef) -> str:
    return f"{ref.uri} ({ref.label})" if ref.label else ref.uri
