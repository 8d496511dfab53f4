"""Which data roles a request asks for, from its words.

Strong words always count; weak ones only where nothing speaks of software, so that "a chart
component for the page" stays work on the interface. The first of cause, test, plot and data that
fits gives the primary; the others support it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.words import first_place, occurs, words

if TYPE_CHECKING:
    from braincode_jupyter.brain.words import TieredTerms

MAX_SUPPORT = 3
"""Support workers of a data plan."""


def data_roles(text: str) -> tuple[str, ...]:
    """Return the roles for data work, the primary first.

    Parameters
    ----------
    text : str
        The request, lower-case.

    Returns
    -------
    tuple of str
        Empty where the request is not about data; else a primary and at least one support role.
    """
    data = words().data
    text = text.replace("’", "'")
    is_software = occurs(data.software, text)
    is_cause = not is_software and occurs(data.cause, text)
    places = {
        role: _place(terms, text, is_software=is_software)
        for role, terms in (
            ("statistician", data.statistician),
            ("visualizer", data.visualizer),
            ("analyst", data.analyst),
        )
    }
    named = [role for role, place in places.items() if place is not None]
    if not named and not is_cause:
        return ()
    primary = _primary(places, is_cause=is_cause)
    roles = [primary, *(role for role in named if role != primary)]
    if primary != "analyst":
        roles.append("analyst")
    elif is_cause or occurs(data.judgement, text):
        roles += ["librarian", "statistician"]
    else:
        roles.append("librarian")
    if occurs(data.storage, text):
        roles.insert(1, "dba")
    return tuple(dict.fromkeys(roles))[: MAX_SUPPORT + 1]


def _place(terms: TieredTerms, text: str, *, is_software: bool) -> int | None:
    strong = first_place(terms.strong, text)
    if strong is not None or is_software:
        return strong
    return first_place(terms.weak, text)


def _primary(places: dict[str, int | None], *, is_cause: bool) -> str:
    test, plot = places["statistician"], places["visualizer"]
    if test is not None and (plot is None or test < plot):
        return "statistician"
    if is_cause or plot is None:
        return "analyst"
    return "visualizer"
