"""What the router model is told beside the request: fixed wording, roles, models and limits.

References
----------
Braincode, router prompt sections.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.roles import role_catalogue
from braincode_jupyter.brain.text import bullets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from braincode_jupyter.brain.modes import Mode, ModeLimits
    from braincode_jupyter.protocol.sections import Candidate, Resolution

_TASK = "Route the user's request: choose the roles, their goals, and the todos. Do not answer it."
_STRATEGY: dict[Mode, tuple[str, ...]] = {
    "auto": (
        "Stay focused: choose the smallest set of roles that is safe.",
        "Tiny chores go to rush alone.",
    ),
    "radical": (
        "Take the work apart eagerly into specialists that do not depend on each other.",
        "Use librarian early, and oracle sooner than you otherwise would.",
        "Add qa to every implementation, and each domain expert whose view matters.",
        "Keep rush for tiny chores.",
        "Write few edges: an edge makes a worker wait.",
    ),
}
_PRINCIPLES = (
    "First ask whether the request can be started. Do not ask the user where a careful assumption "
    "will do, where the context can be looked up, or where the user asked for an investigation.",
    "There is no role for coding in general: choose by domain.",
    "Questions about tables, values, figures and models in a notebook belong to analyst, "
    "statistician or visualizer, where these roles are allowed.",
    "librarian maps and finds facts; oracle is for reasoning that is really hard.",
    "review looks for defects in what exists; qa plans coverage of what is to come.",
    "rush never acts on the workspace: repository, release, build and package commands are devops.",
    "summarize only where the user asks for a summary.",
    "Workers cannot see each other: an edge makes the Brain pass on a finished result.",
    "The order is support, then primary, then review.",
)
_CONSTRAINTS = (
    "Use only the allowed roles; coding, fastReply and research are no roles.",
    "Write no modelId.",
    'Name exactly one primary in "role".',
    "List only workers that are useful; no rush worker beside another primary.",
    "Ids of todos are short and lower-case.",
    "No edge from the primary's todos to a support todo.",
    "Write a question in the user's language, with at most three options that exclude each other.",
    "confidence is a number from 0 to 1.",
)
_SHAPE = (
    '{"role":"<role>","workers":[{"role":"<role>","goal":"...","reason":"..."}],'
    '"todos":[{"id":"...","title":"...","role":"<role>","reason":"..."}],'
    '"dependencies":[{"from":"...","to":"...","reason":"..."}],'
    '"clarification":{"required":false,"reason":"","question":"","missing":[],'
    '"options":[{"id":"","label":"","description":""}]},"confidence":0.0,"reason":"..."}'
)


def router_directives(
    *,
    roles: Sequence[str],
    limits: ModeLimits,
    mode: Mode,
    chains: Mapping[str, Resolution],
    image_count: int = 0,
) -> list[tuple[str, str]]:
    """Return the pieces of the router prompt that stand before the request, in order.

    Parameters
    ----------
    roles : sequence of str
        Roles that may be chosen.
    limits : ModeLimits
        Caps.
    mode : {"auto", "radical"}
        The mode.
    chains : mapping of str to Resolution
        Models of each role.
    image_count : int
        Images that are attached.

    Returns
    -------
    list of tuple of str
        Short title and text of each piece; no text of a user, no code fence.
    """
    return [
        ("task", _TASK),
        ("mode", _mode(mode, limits)),
        ("modality", _modality(image_count)),
        ("models", _capabilities(roles, chains)),
        ("roles", f"Allowed roles:\n{role_catalogue(roles)}"),
        ("principles", bullets("Principles:", _PRINCIPLES)),
        ("reply", f"Reply with one JSON object of this shape and with nothing else:\n{_SHAPE}"),
        ("constraints", bullets("Constraints:", (*_CONSTRAINTS, *_budget(limits)))),
    ]


def _mode(mode: Mode, limits: ModeLimits) -> str:
    budgets = (
        f"Budgets: {limits.max_worker_agents} workers with the primary, "
        f"{limits.max_parallel_agents} at once, {limits.max_todos} todos."
    )
    return bullets(limits.description, (budgets, *_STRATEGY[mode]))


def _budget(limits: ModeLimits) -> tuple[str, str]:
    return (
        f"Write 1 to {limits.max_todos} todos, in the order of the work.",
        f"Prefer at most {limits.max_worker_agents} workers, the primary included.",
    )


def _modality(image_count: int) -> str:
    if not image_count:
        return "Input: text only."
    return bullets(
        f"Input: text and {image_count} image{'' if image_count == 1 else 's'}.",
        (
            "A role that has to look at an image needs a chain with vision.",
            "An attached image alone is no work for imageMaker.",
            "A question about what an image shows goes to the role of its domain, and to rush only "
            "if its chain can see.",
        ),
    )


def _capabilities(roles: Sequence[str], chains: Mapping[str, Resolution]) -> str:
    models = {
        candidate.model_id: candidate
        for role in roles
        if role in chains
        for candidate in chains[role].candidates
    }
    return "\n".join(
        [
            "Models:",
            *(_model_line(candidate) for candidate in models.values()),
            "Chains:",
            *(_chain_line(role, chains.get(role)) for role in roles),
            "Choose the role first. Each role runs on its own chain; chains cannot be swapped, and "
            "there are no other models.",
        ]
    )


def _model_line(candidate: Candidate) -> str:
    sight = "vision" if candidate.vision else "text-only"
    return f"- {candidate.model_id}: {sight}, no tools, context {candidate.context_window}"


def _chain_line(role: str, resolution: Resolution | None) -> str:
    ids = [candidate.model_id for candidate in resolution.candidates] if resolution else []
    return f"- {role}: {' -> '.join(ids) if ids else 'no usable model'}"
