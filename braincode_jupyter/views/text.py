"""A run as plain text, in brief and whole; 80 columns wide where possible.

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
from braincode_jupyter.views.speaker import speaker
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
    from braincode_jupyter.views.speaker import Language, Speaker
    from braincode_jupyter.views.table_view import TableView

_PROGRESS_AGENTS = 8
_TABLE_ROWS = 8
"""Rows of a table that a worker made."""
_TABLE_INDENT = 6
_CELL_CHARS = 24


def to_text(view: RunView, language: Language = "en") -> str:
    """Return the whole card as text.

    Parameters
    ----------
    view : RunView
        The run.
    language : {'en', 'fr', 'zh'}
        Of our own words.

    Returns
    -------
    str
        Sections in the order of the card; one without content is left out. No newline at the end.
    """
    say = speaker(language)
    grants = [say.because(one.role, one.action) for one in view.grants]
    return _joined(
        _head(say, view),
        _titled(say("words.references"), _references(say, view.references)),
        _titled(say("words.question"), _approvals(say, view)),
        _titled(say("words.grants"), bullets(grants)),
        *_outcome(say, view),
        _plan(say, view),
        _titled(say("words.time"), _times(say, view)),
        _titled(say("text.agents"), _agents(say, view)),
        _titled(say("words.matrix"), _matrix(say, view.matrix)),
        _titled(say("words.request"), wrap(words.request_rest(view), "  ")),
        _foot(say, view),
    )


def to_brief(view: RunView, language: Language = "en") -> str:
    """Return what came of a run, and one line for each agent.

    Parameters
    ----------
    view : RunView
        The run.
    language : {'en', 'fr', 'zh'}
        Of our own words.

    Returns
    -------
    str
        The answer, its review, warnings, references that were cut or are missing, and who took
        part; `to_text` has the rest. No newline at the end.
    """
    say = speaker(language)
    unsent = [ref for ref in view.references if ref.state != "sent"]
    return _joined(
        _head(say, view),
        _titled(say("words.references"), _references(say, unsent)),
        *_outcome(say, view),
        _titled(say("text.agents"), _times(say, view)),
        [words.brief_foot(say, view.session_id)] if view.session_id else [],
    )


def _outcome(say: Speaker, view: RunView) -> tuple[list[str], ...]:
    return (
        _titled(words.error_title(say, view), _error(say, view)),
        _titled(say("words.question"), _question(say, view.clarification)),
        _answer(say, view),
        _changes(say, view.changes),
        _review(say, view) if view.clarification is None else [],
        _titled(say("words.warnings"), bullets(map(say.said, view.warnings))),
    )


def _joined(*sections: list[str]) -> str:
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def to_progress_line(view: RunView, language: Language = "en") -> str:
    """Return one line on what is going on now, for surfaces that cannot redraw a card.

    Parameters
    ----------
    view : RunView
        The run.
    language : {'en', 'fr', 'zh'}
        Of our own words.

    Returns
    -------
    str
        State, how many are done, who runs or failed; it changes only when one of these does.
    """
    say = speaker(language)
    busy = [
        f"{agent.role} {say(f'agentStates.{agent.state}')}"
        for agent in view.agents
        if agent.state not in {"queued", "waiting", "completed"}
    ]
    done = sum(agent.state in {"completed", "unstructured"} for agent in view.agents)
    if len(busy) > _PROGRESS_AGENTS:
        rest = say("text.moreAgents", count=len(busy) - _PROGRESS_AGENTS)
        busy = [*busy[:_PROGRESS_AGENTS], rest]
    parts = [say.because("braincode", words.run_state_words(say, view))]
    if view.agents:
        parts.append(say("text.agentsDone", done=done, all=len(view.agents)))
    parts.extend(busy)
    return " · ".join(parts)


def _head(say: Speaker, view: RunView) -> list[str]:
    facts = [
        words.run_state_words(say, view),
        words.brain_words(say, view),
        figures.run_figures(say, view),
    ]
    lines = [view.title or say("words.untitled"), " · ".join(fact for fact in facts if fact)]
    if view.model_note:
        lines.append(say.said(view.model_note))
    if not view.is_saved:
        lines.append(say("words.notSaved"))
    return [piece for line in lines for piece in wrap(line)]


def _references(say: Speaker, references: Sequence[ReferenceView]) -> list[str]:
    width = max((len(ref.token) for ref in references), default=0)
    width = min(width, WIDTH // 3)
    lines: list[str] = []
    for ref in references:
        lines.extend(
            wrap(f"{ref.token:<{width}}  {words.reference_words(say, ref)}", "  ", width + 4)
        )
    return lines


def _error(say: Speaker, view: RunView) -> list[str]:
    parts = [say.said(view.error), say.said(view.hint), resume_words(say, view)]
    return [line for part in parts if part for line in wrap(part, "  ")]


def _approvals(say: Speaker, view: RunView) -> list[str]:
    lines: list[str] = []
    for asked in view.approvals:
        lines.extend(wrap(words.asking_words(say, asked), "  ", 4))
        lines.extend(f"    {line}".rstrip() for line in asked.shown.split("\n"))
        if asked.hidden_chars:
            lines.extend(wrap(say("words.hiddenChars", count=asked.hidden_chars), "    "))
        for note in (words.asked_because(say, asked), words.model_said(say, asked)):
            lines.extend(wrap(note, "    "))
    return lines


def _question(say: Speaker, asked: ClarificationView | None) -> list[str]:
    if asked is None:
        return []
    lines = [*wrap(say.said(asked.question), "  "), *wrap(say.said(asked.reason), "  ")]
    lines.extend(bullets(f"{say('words.missingFacts')}{say.said(item)}" for item in asked.missing))
    lines.extend(bullets(say.because(say.said(label), told) for label, told in asked.options))
    return lines


def _answer(say: Speaker, view: RunView) -> list[str]:
    answer = view.answer
    if answer.state == "none":
        return []
    return [words.answer_title(say, answer), *markdown_lines(answer.text)]


def _changes(say: Speaker, changes: ChangesView) -> list[str]:
    if not changes.files:
        return []
    files = (*(file_words(say, one) for one in changes.files), more_files_words(say, changes))
    lines = [
        *wrap(changes_title(say, changes)),
        *wrap(changes_facts(say, changes), "  "),
        *bullets(filter(None, files)),
    ]
    for check in changes.checks:
        lines.extend(bullets((check_words(say, check),)))
        # The output of a check that passed says nothing here.
        if check.state != "passed":
            lines.extend(wrap(check.output, "      "))
    return lines


def _review(say: Speaker, view: RunView) -> list[str]:
    lines = wrap(say.because(say("words.review"), words.review_words(say, view.review)))
    lines.extend(wrap(view.review.rationale, "  "))
    lines.extend(bullets(words.review_points(say, view.review)))
    return lines


def _plan(say: Speaker, view: RunView) -> list[str]:
    if not view.todos:
        return []
    lines = [*wrap(groups.plan_line(say, view), "", 2), *wrap(say.said(view.routing_reason), "  ")]
    width = max(2, len(str(len(view.todos))))
    for number, todo in enumerate(view.todos, start=1):
        owner = say.told((todo.role, words.needs_words(say, todo.needs_numbers)))
        state = f"[{say(f'todoStates.{todo.state}')}]"
        line = f"{number:>{width}} {state:<9} {say.said(todo.title)} ({owner})"
        lines.extend(wrap(line, "  ", width + 13))
    return lines


def _times(say: Speaker, view: RunView) -> list[str]:
    width = max((len(agent.role) for agent in view.agents), default=0)
    at_once = figures.duration_words(say, 0)
    lines: list[str] = []
    for agent in view.agents:
        after = figures.span_words(say, view.started_ms, agent.started_ms)
        parts = [
            words.state_words(say, agent),
            figures.agent_figures(say, agent),
            say("text.beganAfter", time=after) if after not in {"", at_once} else "",
            say("text.critical") if agent.is_critical else "",
        ]
        said = " · ".join(part for part in parts if part)
        lines.extend(wrap(f"{agent.role:<{width}}  {said}", "  ", width + 4))
    return lines


def _agents(say: Speaker, view: RunView) -> list[str]:
    lines: list[str] = []
    for agent in view.agents:
        lines.extend(_agent(say, view, agent))
    return lines


def _agent(say: Speaker, view: RunView, agent: AgentView) -> list[str]:
    model = f" · {agent.model_id}" if agent.model_id else ""
    lines = wrap(f"{agent.role} · {words.state_words(say, agent)}{model}", "  ")
    lines.extend(wrap(say.said(agent.goal), "    "))
    for part in (agent.reason, agent.hint, retry_words(say, view, agent)):
        lines.extend(wrap(say.said(part), "    "))
    lines.extend(f"    {line}".rstrip() for line in markdown_lines(agent.summary, WIDTH - 4))
    # What the primary had written stands above, as the answer.
    if agent.partial and agent.kind != "primary":
        lines.extend(wrap(say.because(say("words.partial"), agent.partial), "    "))
    lines.extend(bullets(words.agent_points(say, agent, undrawn(view, agent)), "    "))
    for table in tables_of(view, agent):
        lines.extend(_table(say, table))
    lines.extend(_sections(say, say(f"saw.{agent.kind}"), agent.saw))
    lines.extend(wrap(figures.tools_offered(say, agent.tools), "    ", 6))
    lines.extend(_sections(say, say("text.withheld"), agent.withheld))
    return lines


def _table(say: Speaker, table: TableView) -> list[str]:
    """Return the first rows of a table, and of its columns as many as fit."""
    lines = wrap(f"{table.name} · {table_words(say, table)}", "    ", 6)
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
    return [*lines, *wrap(left_out_words(say, drawn), " " * _TABLE_INDENT)]


def _sections(say: Speaker, title: str, sections: Iterable[SectionView]) -> list[str]:
    items = [
        f"{words.section_words(say, one)} {figures.tokens_figure(say, one.tokens)}"
        if one.reason is None
        else f"{words.section_words(say, one)} ({say.named('withheld', one.reason)})"
        for one in sections
    ]
    return wrap(say.because(title, say.listed(items)), "    ", 6) if items else []


def _matrix(say: Speaker, matrix: MatrixView) -> list[str]:
    if not matrix.columns:
        return []
    width = max(len(row.label) for row in matrix.rows)
    if 2 + width + 4 * len(matrix.columns) > WIDTH:
        said = groups.audiences(say, matrix)
        return bullets(say.because(who, say.listed(labels)) for who, labels in said)
    numbers = [f"{number:>4}" for number, _ in enumerate(matrix.columns, start=1)]
    lines = [f"  {'':<{width}}{''.join(numbers)}"]
    for row in matrix.rows:
        cells = "".join(f"{words.cell_sign(say, cell):>4}" for cell in row.cells)
        lines.append(f"  {row.label:<{width}}{cells}")
    named = [
        f"{number} {words.section_words(say, column)}"
        for number, column in enumerate(matrix.columns, start=1)
    ]
    return [*lines, *wrap(say("text.legend"), "  "), *packed(named)]


def _foot(say: Speaker, view: RunView) -> list[str]:
    models = say("text.models", names=say.listed(view.models)) if view.models else ""
    session = say("text.sessionOf", id=view.session_id) if view.session_id else ""
    return [*wrap(models), *wrap(session)]


def _titled(title: str, lines: list[str]) -> list[str]:
    return [title, *lines] if lines else []
