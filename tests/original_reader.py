"""The reading rules of the original program, written down a second time for tests.

Knows nothing of our package. `problems` says what in a file that we wrote would not be read by the
original as meant; `read_original` and `list_original` read any file as it would.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PHASES = {"planning", "support", "primary", "review"}
_TODO_STATES = {"pending", "running", "completed", "blocked", "failed"}
_DECISIONS = {"approved", "changes_requested", "blocked"}

# Field -> type, or the set of its values. Only what a reader of the original relies on.
_FIELDS: dict[str, dict[str, object]] = {
    "run_start": {"prompt": str, "attempt": int},
    "run_end": {"summary": str, "workerResults": list, "finalReport": dict, "attempt": int},
    "run_error": {"error": str, "attempt": int, "willFallback": bool},
    "context_plan": {"context": dict},
    "todo_plan": {"todos": list, "dependencies": list},
    "todo_update": {"phase": _PHASES, "status": _TODO_STATES, "todoIds": list, "todos": list},
    "clarification_request": {"clarification": dict, "attempt": int},
    "agent_message": {"phase": _PHASES, "worker": str, "message": dict},
    "worker_start": {
        "phase": _PHASES,
        "worker": str,
        "goal": str,
        "handoff": dict,
        "model": str,
        "agentSessionId": str,
        "attempt": int,
    },
    "worker_end": {"phase": _PHASES, "worker": str, "result": dict},
    "worker_error": {"phase": _PHASES, "worker": str, "error": str},
    "check_summary": {
        "status": {"passed", "failed", "skipped"},
        "results": list,
        "attempt": int,
        "fixIteration": int,
    },
    "patch_summary": {
        "changedFiles": list,
        "preExistingChangedFiles": list,
        "diffStats": dict,
        "attempt": int,
    },
    "review_artifacts_summary": {
        "changedFiles": list,
        "diffTruncated": bool,
        "reviewMode": str,
        "independence": dict,
        "attempt": int,
        "fixIteration": int,
    },
    "fix_iteration": {
        "iteration": int,
        "trigger": {"checks_failed", "changes_requested"},
        "attempt": int,
    },
    "tool_call_count": {"total": int, "failed": int, "byPhase": list, "attempt": int},
    "execution_plan_review": {
        "planId": str,
        "sessionId": str,
        "brainTaskId": str,
        "mode": {"auto", "radical"},
        "status": {"approved", "auto_approved"},
        "approver": {"runtime_policy", "mode_policy"},
        "requiredReview": bool,
        "workers": list,
        "proposedSideEffects": list,
        "validationPlan": dict,
    },
    "review_decision": {
        "decision": _DECISIONS,
        "rationale": str,
        "findings": list,
        "requiredChanges": list,
        "blockingIssues": list,
        "residualRisks": list,
        "mode": str,
        "attempt": int,
        "fixIteration": int,
    },
    "final_report": {"finalReport": dict, "attempt": int},
    "handoff": {"summary": str},
    "token_usage": {"usage": dict},
}


def read_original(path: Path) -> list[dict[str, object]]:
    """Read every line as the original does: what is no JSON object is skipped silently."""
    text = path.read_bytes().decode("utf-8", errors="replace")
    lines = (_parsed(line) for line in text.split("\n") if line.strip())
    return [line for line in lines if line is not None]


def list_original(path: Path) -> dict[str, object]:
    """Return what the original's listing shows of a session."""
    entry: dict[str, object] = {"sessionId": path.stem, "status": "incomplete"}
    for line in read_original(path):
        match line.get("type"):
            case "run_start":
                plan = _object(line.get("plan"))
                support = _object(line.get("projectSupport"))
                _first(entry, "prompt", line.get("prompt"))
                _first(entry, "brainId", _object(plan.get("brain")).get("id"))
                _first(entry, "role", plan.get("role"))
                _first(entry, "projectRoot", support.get("root"))
            case "run_end":
                entry["status"] = "completed"
                entry["summary"] = line.get("summary")
            case "run_error" if entry["status"] != "completed":
                entry["status"] = "failed"
                entry["summary"] = line.get("error")
            case _:
                pass
    return entry


def problems(path: Path) -> list[str]:
    """Return what the original could not read as meant; empty when all is well."""
    content = path.read_bytes()
    found: list[str] = []
    if not content.endswith(b"\n"):
        found.append("the file does not end in a line feed")
    for separator in ("\u2028", "\u2029", "\u0085", "\r"):
        if separator.encode() in content:
            found.append(f"a raw {separator!r} is in the file")
    for number, raw in enumerate(content.decode("utf-8").split("\n")[:-1], start=1):
        found += [f"line {number}: {problem}" for problem in _line_problems(raw)]
    return found


def _line_problems(raw: str) -> list[str]:
    line = _parsed(raw)
    if line is None:
        return ["no JSON object"]
    keys = list(line)
    if keys[:2] != ["timestamp", "type"] or not isinstance(line["timestamp"], int):
        return [f"begins with {keys[:2]}"]
    fields = _FIELDS.get(str(line["type"]), {})
    found = [
        f"{line['type']}.{name} is {line.get(name)!r}"
        for name, wanted in fields.items()
        if not _fits(line.get(name), wanted)
    ]
    if line["type"] == "token_usage" and not _counts(line.get("usage")):
        found.append("usage without a positive finite total")
    return found


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, set):
        return value in wanted
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, wanted) if isinstance(wanted, type) else False


def _counts(usage: object) -> bool:
    total = _object(usage).get("total")
    return isinstance(total, int | float) and math.isfinite(total) and total > 0


def _parsed(raw: str) -> dict[str, object] | None:
    try:
        value = json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse(name: str) -> None:
    raise ValueError(name)


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _first(entry: dict[str, object], key: str, value: object) -> None:
    if isinstance(value, str) and value and key not in entry:
        entry[key] = value
