"""Large runs, told in groups: what is alike is counted, and sections are told by who saw them.

A table of every call and every section is as wide as the run is large; the same facts, ordered by
readers, stay as short as the run is plain.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

from braincode_jupyter.views import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from braincode_jupyter.views.run_view import MatrixRow, MatrixView, RunView
    from braincode_jupyter.views.speaker import Speaker

LARGE = 24
"""More todos, agents or sections than this are told in groups."""
_FIRST = ("failed", "blocked", "unstructured", "cut_off")
"""States that a reader has to know of first."""

Item = TypeVar("Item")


def by_state(
    items: Iterable[Item], state_of: Callable[[Item], str]
) -> tuple[tuple[str, tuple[Item, ...]], ...]:
    """Return the states and who is in each, trouble first; the order within one stays.

    Parameters
    ----------
    items : iterable
        Todos or agents.
    state_of : callable
        Gives the state of one.

    Returns
    -------
    tuple of (str, tuple)
        State and items of each group that has any.
    """
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[state_of(item)].append(item)
    states = [*(state for state in _FIRST if state in groups), *groups]
    return tuple((state, tuple(groups[state])) for state in dict.fromkeys(states))


def plan_line(say: Speaker, view: RunView) -> str:
    """Return the heading of the plan: ``Plan · 3 of 6``, and for a large one what is left.

    Parameters
    ----------
    say : Speaker
        Says it.
    view : RunView
        The run.

    Returns
    -------
    str
        One line.
    """
    done = sum(todo.state == "completed" for todo in view.todos)
    line = f"{say('words.plan')} · {say('words.done', done=done, all=len(view.todos))}"
    if len(view.todos) <= LARGE:
        return line
    others = by_state((todo for todo in view.todos if todo.state != "completed"), lambda t: t.state)
    said = (words.count_words(say, len(todos), f"todoStates.{state}") for state, todos in others)
    return " · ".join([line, *said])


def audiences(say: Speaker, matrix: MatrixView) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the sections by who saw them, in the order of the columns.

    Parameters
    ----------
    say : Speaker
        Says it.
    matrix : MatrixView
        Who saw what.

    Returns
    -------
    tuple of (str, tuple of str)
        Who, in words, and the labels of the sections that exactly these saw. Agents that were not
        called stand last, under their own words.
    """
    called = [row for row in matrix.rows if set(row.cells) != {"not_called"}]
    found: defaultdict[str, list[str]] = defaultdict(list)
    for place, column in enumerate(matrix.columns):
        found[_audience(say, called, place)].append(words.section_words(say, column))
    uncalled = [row.label for row in matrix.rows if row not in called]
    if uncalled:
        found[say("matrixCells.not_called")].extend(uncalled)
    return tuple((who, tuple(labels)) for who, labels in found.items())


def _audience(say: Speaker, called: Sequence[MatrixRow], place: int) -> str:
    others = [row for row in called if row.cells[place] != "own"]
    readers = [row.label for row in others if row.cells[place] == "seen"]
    strangers = [row.label for row in others if row.cells[place] != "seen"]
    return words.audience_words(say, readers, strangers, has_owner=len(others) < len(called))
