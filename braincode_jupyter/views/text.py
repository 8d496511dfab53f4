"""A run as plain text, in brief and whole; 88 columns wide where possible.

The answer and what a reader has to know stand first in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views import figures, groups, words
from braincode_jupyter.views.change_words import (
    changes_facts,
    changes_title,
    check_words,
    file_words,
    more_files_words,
)
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.next_lines import resume_words, retry_words
from braincode_jupyter.views.table_words import left_out_words, table_words, tables_of, undrawn
from braincode_jupyter.views.wrapping import WIDTH, bullets, markdown_lines, packed, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from braincode_jupyter.views.change_view import ChangesView
    from braincode_jupyter.views.run_view import (
        AgentView,
        ClarificationView,
        MatrixView,
        ReferenceView,
        RunView,
        SectionView,
    )
    from braincode_jupyter.views.table_view import TableView

_PROGRESS_AGENTS = 8
_TABLE_ROWS = 8
"""Rows of a table that a worker made."""
_TABLE_INDENT = 6
_CELL_CHARS = 24


def to_text(view: RunView) -> str:
    """Return the whole card as text.

    Parameters
    ----------
    view : RunView
        The run.

    Returns
    -------
    str
        Sections in the order of the card; one without content is left out. No newline at the end.
    """
    return _joined(
        _head(view),
        _titled(words.REFERENCES, _references(view.references)),
        _titled(words.QUESTION, _approvals(view)),
        _titled(words.GRANTS, bullets(f"{one.role}: {one.action}" for one in view.grants)),
        *_outcome(view),
        _plan(view),
        _titled(words.TIME, _times(view)),
        _titled(words.AGENTS, _agents(view)),
        _titled(words.MATRIX, _matrix(view.matrix)),
        _titled(words.REQUEST, wrap(words.request_rest(view), "  ")),
        _foot(view),
    )


def to_brief(view: RunView) -> str:
    """Return what came of a run, and one line for each agent.

    Parameters
    ----------
    view : RunView
        The run.

    Returns
    -------
    str
        The answer, its review, warnings, references that were cut or are missing, and who took
        part; `to_text` has the rest. No newline at the end.
    """
    unsent = [ref for ref in view.references if ref.state != "sent"]
    return _joined(
        _head(view),
        _titled(words.REFERENCES, _references(unsent)),
        *_outcome(view),
        _titled(words.AGENTS, _times(view)),
        [words.brief_foot(view.session_id)] if view.session_id else [],
    )


def _outcome(view: RunView) -> tuple[list[str], ...]:
    return (
        _titled(words.error_title(view), _error(view)),
        _titled(words.QUESTION, _question(view.clarification)),
        _answer(view),
        _changes(view.changes),
        _review(view) if view.clarification is None else [],
        _titled(words.WARNINGS, bullets(view.warnings)),
    )


def _joined(*sections: list[str]) -> str:
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def to_progress_line(view: RunView) -> str:
    """Return one line on what is going on now, for surfaces that cannot redraw a card.

    Parameters
    ----------
    view : RunView
        The run.

    Returns
    -------
    str
        State, how many are done, who runs or failed; it changes only when one of these does.
    """
    busy = [
        f"{agent.role} {words.AGENT_STATES[agent.state]}"
        for agent in view.agents
        if agent.state not in {"queued", "waiting", "completed"}
    ]
    done = sum(agent.state in {"completed", "unstructured"} for agent in view.agents)
    if len(busy) > _PROGRESS_AGENTS:
        busy = [*busy[:_PROGRESS_AGENTS], f"{len(busy) - _PROGRESS_AGENTS} more"]
    parts = [f"braincode: {words.run_state_words(view)}"]
    if view.agents:
        parts.append(f"{done} of {len(view.agents)} agents done")
    parts.extend(busy)
    return " · ".join(parts)


def _head(view: RunView) -> list[str]:
    facts = [words.run_state_words(view), words.brain_words(view), figures.run_figures(view)]
    lines = [view.title or words.EMPTY_RUN, " · ".join(fact for fact in facts if fact)]
    if view.model_note:
        lines.append(view.model_note)
    if not view.is_saved:
        lines.append(words.NOT_SAVED)
    return [piece for line in lines for piece in wrap(line)]


def _references(references: Sequence[ReferenceView]) -> list[str]:
    width = max((len(ref.token) for ref in references), default=0)
    width = min(width, WIDTH // 3)
    lines: list[str] = []
    for ref in references:
        lines.extend(wrap(f"{ref.token:<{width}}  {words.reference_words(ref)}", "  ", width + 4))
    return lines


def _error(view: RunView) -> list[str]:
    parts = [part for part in (view.error, view.hint, resume_words(view)) if part]
    return [line for part in parts for line in wrap(part, "  ")]


def _approvals(view: RunView) -> list[str]:
    lines: list[str] = []
    for asked in view.approvals:
        lines.extend(wrap(words.asking_words(asked), "  ", 4))
        lines.extend(f"    {line}".rstrip() for line in asked.shown.split("\n"))
        if asked.hidden_chars:
            lines.extend(wrap(words.hidden_in_approval(asked.hidden_chars), "    "))
        for note in (asked.reason, words.model_said(asked)):
            lines.extend(wrap(note, "    "))
    return lines


def _question(asked: ClarificationView | None) -> list[str]:
    if asked is None:
        return []
    lines = [*wrap(asked.question, "  "), *wrap(asked.reason, "  ")]
    lines.extend(bullets(f"{words.MISSING}: {item}" for item in asked.missing))
    lines.extend(bullets(f"{label}: {description}" for label, description in asked.options))
    return lines


def _answer(view: RunView) -> list[str]:
    answer = view.answer
    if answer.state == "none":
        return []
    state = "" if answer.state == "completed" else f" ({words.ANSWER_STATES[answer.state]})"
    return [f"{words.ANSWER}{state}", *markdown_lines(answer.text)]


def _changes(changes: ChangesView) -> list[str]:
    if not changes.files:
        return []
    files = (*map(file_words, changes.files), more_files_words(changes))
    lines = [
        *wrap(changes_title(changes)),
        *wrap(changes_facts(changes), "  "),
        *bullets(filter(None, files)),
    ]
    for check in changes.checks:
        lines.extend(bullets((check_words(check),)))
        # The output of a check that passed says nothing here.
        if check.state != "passed":
            lines.extend(wrap(check.output, "      "))
    return lines


def _review(view: RunView) -> list[str]:
    lines = wrap(f"{words.REVIEW}: {words.review_words(view.review)}")
    lines.extend(wrap(view.review.rationale, "  "))
    lines.extend(bullets(words.review_points(view.review)))
    return lines


def _plan(view: RunView) -> list[str]:
    if not view.todos:
        return []
    lines = [*wrap(groups.plan_line(view), "", 2), *wrap(view.routing_reason, "  ")]
    width = max(2, len(str(len(view.todos))))
    for number, todo in enumerate(view.todos, start=1):
        needs = ", ".join(str(need) for need in todo.needs_numbers)
        tail = f", needs {needs}" if needs else ""
        state = f"[{words.TODO_STATES[todo.state]}]"
        line = f"{number:>{width}} {state:<9} {todo.title} ({todo.role}{tail})"
        lines.extend(wrap(line, "  ", width + 13))
    return lines


def _times(view: RunView) -> list[str]:
    width = max((len(agent.role) for agent in view.agents), default=0)
    lines: list[str] = []
    for agent in view.agents:
        after = figures.span_words(view.started_ms, agent.started_ms)
        parts = [
            words.state_words(agent),
            figures.agent_figures(agent),
            f"began after {after}" if after not in {"", "0.0 s"} else "",
            words.CRITICAL if agent.is_critical else "",
        ]
        said = " · ".join(part for part in parts if part)
        lines.extend(wrap(f"{agent.role:<{width}}  {said}", "  ", width + 4))
    return lines


def _agents(view: RunView) -> list[str]:
    lines: list[str] = []
    for agent in view.agents:
        lines.extend(_agent(view, agent))
    return lines


def _agent(view: RunView, agent: AgentView) -> list[str]:
    model = f" · {agent.model_id}" if agent.model_id else ""
    lines = wrap(f"{agent.role} · {words.state_words(agent)}{model}", "  ")
    lines.extend(wrap(agent.goal, "    "))
    for part in (agent.reason, agent.hint, retry_words(view, agent)):
        lines.extend(wrap(part or "", "    "))
    lines.extend(f"    {line}".rstrip() for line in markdown_lines(agent.summary, WIDTH - 4))
    # What the primary had written stands above, as the answer.
    if agent.partial and agent.kind != "primary":
        lines.extend(wrap(f"{words.PARTIAL}: {agent.partial}", "    "))
    points = [
        *(words.attempt_words(one) for one in agent.attempts),
        *(f"{words.RISK}: {risk}" for risk in agent.risks),
        *(f"{words.OPEN}: {question}" for question in agent.next_questions),
        *(f"{words.ARTIFACTS}: {words.artifact_words(one)}" for one in undrawn(view, agent)),
        *(words.tool_words(call) for call in agent.tool_calls),
    ]
    lines.extend(bullets(points, "    "))
    for table in tables_of(view, agent):
        lines.extend(_table(table))
    lines.extend(_sections(words.SAW[agent.kind], agent.saw))
    lines.extend(wrap(figures.tools_offered(agent.tools), "    ", 6))
    lines.extend(_sections(words.WITHHELD, agent.withheld))
    return lines


def _table(table: TableView) -> list[str]:
    """Return the first rows of a table, and of its columns as many as fit."""
    lines = wrap(f"{table.name} · {table_words(table)}", "    ", 6)
    rows = table.cells[:_TABLE_ROWS]
    columns: list[list[str]] = []
    room = WIDTH - _TABLE_INDENT
    for place, head in enumerate(table.heads):
        texts = [
            clean_line(text, _CELL_CHARS) for text in (head.name, *(row[place] for row in rows))
        ]
        width = max(map(len, texts))
        room -= width + 2
        if room < 0:
            break
        columns.append(
            [f"{text:>{width}}" if head.is_number else f"{text:<{width}}" for text in texts]
        )
    lines.extend(
        f"{' ' * _TABLE_INDENT}{'  '.join(row)}".rstrip() for row in zip(*columns, strict=True)
    )
    drawn = table.model_copy(update={"cells": rows, "heads": table.heads[: len(columns)]})
    return [*lines, *wrap(left_out_words(drawn), " " * _TABLE_INDENT)]


def _sections(title: str, sections: Iterable[SectionView]) -> list[str]:
    items = [
        f"{one.label} {figures.tokens_words(one.tokens)}"
        if one.reason is None
        else f"{one.label} ({one.reason})"
        for one in sections
    ]
    return wrap(f"{title}: {', '.join(items)}", "    ", 6) if items else []


def _matrix(matrix: MatrixView) -> list[str]:
    if not matrix.columns:
        return []
    width = max(len(row.label) for row in matrix.rows)
    if 2 + width + 4 * len(matrix.columns) > WIDTH:
        said = groups.audiences(matrix)
        return bullets(f"{who}: {', '.join(labels)}" for who, labels in said)
    numbers = [f"{number:>4}" for number, _ in enumerate(matrix.columns, start=1)]
    lines = [f"  {'':<{width}}{''.join(numbers)}"]
    for row in matrix.rows:
        cells = "".join(f"{words.CELLS[cell]:>4}" for cell in row.cells)
        lines.append(f"  {row.label:<{width}}{cells}")
    named = [f"{number} {column.label}" for number, column in enumerate(matrix.columns, start=1)]
    return [*lines, f"  {words.CELL_LEGEND}", *packed(named)]


def _foot(view: RunView) -> list[str]:
    models = f"Models: {', '.join(view.models)}" if view.models else ""
    session = f"{words.SESSION} @@{view.session_id}" if view.session_id else ""
    return [*wrap(models), *wrap(session)]


def _titled(title: str, lines: list[str]) -> list[str]:
    return [title, *lines] if lines else []
