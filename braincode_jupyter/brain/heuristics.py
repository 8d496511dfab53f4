"""Planning from the words of a request, without a model: the same request gives the same plan.

Patterns are tried in a fixed order; there is no score. For a preset without data roles the result
is the original's, quirks included. A preset with them asks `data_words` first.

References
----------
Braincode, heuristic router.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from braincode_jupyter.brain.clarify import heuristic_clarification
from braincode_jupyter.brain.data_words import data_roles
from braincode_jupyter.brain.plans import normalise_plan
from braincode_jupyter.brain.words import occurs, words
from braincode_jupyter.protocol.plan import (
    AgentRoutingPlan,
    AgentTodoDependency,
    AgentTodoItem,
    AgentWorkerPlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from braincode_jupyter.brain.presets import BrainPreset

MAX_READ_CHARS = 16_384
"""How much of a request is searched for words; longer ones are pasted text."""
MAX_SMALL_TALK_CHARS = 240
"""Longest request that can skip the router."""

_DOMAINS = ("frontend", "backend", "designer", "dba", "security", "qa", "review")
_PRIMARY_ORDER = ("frontend", "backend", "dba", "designer", "security", "qa", "review")
_SUPPORT_ORDER = ("designer", "backend", "frontend", "dba", "security", "qa")
_NO_LIBRARIAN = frozenset({"rush", "devops", "review", "summarize"})
_NOT_IMPLEMENTATION = frozenset({"librarian", "designer", "qa", "review", "statistician"})
_FINAL_REPORT = "final-report"
_DATA_EDGES = (
    ("librarian", "analyst"),
    ("dba", "analyst"),
    ("analyst", "visualizer"),
)


def heuristic_plan(
    prompt: str, *, preset: BrainPreset, has_continuity: bool = False
) -> AgentRoutingPlan:
    """Return the plan that the words of a request suggest.

    Parameters
    ----------
    prompt : str
        The request as typed.
    preset : BrainPreset
        The Brain; with data roles, words of data work come first.
    has_continuity : bool
        The request goes on from an earlier run, so a short one is not too vague.

    Returns
    -------
    AgentRoutingPlan
        A normalised plan.
    """
    text = prompt[:MAX_READ_CHARS].lower()
    is_edit = _has("edit", text)
    for_data = data_roles(text) if preset.has_data_roles else ()
    roles = for_data or _roles(text, is_edit=is_edit)
    primary = roles[0]
    workers = tuple(_worker(role, primary=primary) for role in roles)
    todos = _todos(text, roles)
    if for_data:
        todos = tuple(sorted(todos, key=lambda todo: todo.role == primary))
    has_support = len(roles) > 1
    return normalise_plan(
        AgentRoutingPlan(
            primary_role=primary,
            workers=workers,
            todos=todos,
            dependencies=tuple(_edges(todos)),
            requires_review=(preset.routing.require_review_for_file_edits and is_edit)
            or (preset.has_data_roles and has_support),
            reason=f"The words of the request fit {primary}.",
            clarification=heuristic_clarification(prompt, has_continuity=has_continuity),
        )
    )


def support_goal(role: str, *, is_primary: bool) -> str:
    """Return the goal of a role in a plan from words.

    Parameters
    ----------
    role : str
        Role name.
    is_primary : bool
        Whether it writes the answer.

    Returns
    -------
    str
        One sentence or two.
    """
    work = words().work.get(role, f"what belongs to {role}")
    if role == "rush":
        return "Answer the request directly and briefly."
    if is_primary:
        return f"Complete the request; your part is {work}."
    return f"Support the primary with {work}. Report findings; the primary writes the answer."


def is_conversational(
    prompt: str, *, plan: AgentRoutingPlan, has_images: bool, has_continuity: bool
) -> bool:
    """Tell whether a request is small talk that needs no router.

    Parameters
    ----------
    prompt : str
        The request as typed.
    plan : AgentRoutingPlan
        Its heuristic plan.
    has_images : bool
        Images are attached.
    has_continuity : bool
        The request goes on from an earlier run.

    Returns
    -------
    bool
        True only if nothing in it points at work.

    References
    ----------
    Braincode, conversational fast path.
    """
    text = prompt.strip()
    if has_images or has_continuity or not 1 <= len(text) <= MAX_SMALL_TALK_CHARS:
        return False
    if plan.requires_review or plan.clarification is not None:
        return False
    is_rush_alone = plan.primary_role == "rush" and all(w.role == "rush" for w in plan.workers)
    return is_rush_alone and _artifact_pattern().search(text) is None


def _has(name: str, text: str) -> bool:
    return occurs(words().brain[name], text)


def _roles(text: str, *, is_edit: bool) -> tuple[str, ...]:
    """Return the roles of the original's rules, the primary first."""
    primary = _primary(text)
    if primary == "imageMaker":
        return (primary,)
    roles = [primary]
    if is_edit and primary not in _NO_LIBRARIAN:
        roles.append("librarian")
    roles.extend(role for role in _SUPPORT_ORDER if _has(role, text) and role != primary)
    if is_edit and primary != "review" and _has("review", text):
        roles.append("review")
    return tuple(roles)


def _primary(text: str) -> str:
    if occurs(words().image, text):
        return "imageMaker"
    is_workspace = _has("workspace", text)
    if is_workspace and not any(_has(domain, text) for domain in _DOMAINS):
        return "devops"
    for role in _PRIMARY_ORDER:
        if _has(role, text):
            return role
    if _has("summary", text):
        return "summarize"
    return "devops" if is_workspace else "rush"


def _worker(role: str, *, primary: str) -> AgentWorkerPlan:
    is_primary = role == primary
    return AgentWorkerPlan(
        role=role,
        goal=support_goal(role, is_primary=is_primary),
        reason="Chosen as primary." if is_primary else "Chosen from the words of the request.",
    )


def _todos(text: str, roles: Sequence[str]) -> tuple[AgentTodoItem, ...]:
    primary = roles[0]
    todos = [
        AgentTodoItem(id=todo.id, title=todo.title, role=todo.role)
        for todo in words().todos
        if todo.role in roles
    ]
    if primary != "summarize" and _has("summary", text):
        todos.append(AgentTodoItem(id=_FINAL_REPORT, title="Write the report", role=primary))
    return tuple(todos)


def _edges(todos: Sequence[AgentTodoItem]) -> Iterable[AgentTodoDependency]:
    first = {todo.role: todo.id for todo in reversed(todos)}
    report = first.get("summarize") or next((t.id for t in todos if t.id == _FINAL_REPORT), None)
    implementation = [
        t.id for t in todos if t.role not in _NOT_IMPLEMENTATION and t.id != _FINAL_REPORT
    ]
    pairs = [(first.get("librarian"), each) for each in implementation]
    pairs += [
        (first.get("designer"), first.get("frontend")),
        (first.get("dba"), first.get("backend")),
        (first.get("security"), first.get("backend")),
        (first.get("backend"), first.get("frontend")),
    ]
    pairs += [(first.get(source), first.get(target)) for source, target in _DATA_EDGES]
    pairs += [(each, first.get("qa")) for each in implementation]
    pairs += [(each, first.get("review")) for each in implementation]
    pairs += [(each, report) for each in implementation]
    pairs.append((first.get("qa"), report))
    for source, target in pairs:
        if source is not None and target is not None and source != target:
            yield AgentTodoDependency(from_todo_id=source, to_todo_id=target)


@cache
def _artifact_pattern() -> re.Pattern[str]:
    """Return the pattern of what points at files or code."""
    extensions = "|".join(words().artifact_extensions)
    return re.compile(
        rf"(?:^|[\s\"'`(])[\w.-]+/[\w.-]+|`[^`]+`|\.(?:{extensions})\b|\b[a-z0-9]+_[a-z0-9_]+\b",
        re.ASCII | re.IGNORECASE,
    )
