"""A run as plain text: complete, and 88 columns wide where possible."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from braincode_jupyter.views import figures, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from braincode_jupyter.views.run_view import (
        AgentView,
        ClarificationView,
        MatrixView,
        RunView,
        SectionView,
    )

WIDTH = 88
"""Columns; code, tables and addresses may be longer."""
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_PROGRESS_AGENTS = 8


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
    sections = (
        _head(view),
        _titled(words.REFERENCES, _references(view)),
        _titled(words.error_title(view), _error(view)),
        _titled(words.QUESTION, _approvals(view)),
        _titled(words.QUESTION, _question(view.clarification)),
        _answer(view),
        _review(view),
        _plan(view),
        _titled(words.TIME, _times(view)),
        _titled(words.AGENTS, _agents(view)),
        _titled(words.MATRIX, _matrix(view.matrix)),
        _titled(words.WARNINGS, _bullets(view.warnings)),
        _foot(view),
    )
    return "\n\n".join(section for section in ("\n".join(lines) for lines in sections) if section)


def to_progress_line(view: RunView) -> str:
    """Return one line on what is going on now, for surfaces that cannot redraw a card.

    Parameters
    ----------
    view : RunView
        The run.

    Returns
    -------
    str
        State, agents under way or failed, and tokens; it changes only when one of these does.
    """
    busy = [
        f"{agent.role} {words.AGENT_STATES[agent.state]}"
        for agent in view.agents
        if agent.state not in {"queued", "completed"}
    ]
    done = sum(agent.state in {"completed", "unstructured"} for agent in view.agents)
    if len(busy) > _PROGRESS_AGENTS:
        busy = [*busy[:_PROGRESS_AGENTS], f"{len(busy) - _PROGRESS_AGENTS} more"]
    parts = [f"braincode: {words.run_state_words(view)}"]
    if view.agents:
        parts.append(f"{done} of {len(view.agents)} agents done")
    parts.extend(busy)
    if view.usage.total_tokens:
        parts.append(f"{figures.tokens_words(view.usage.total_tokens)} tokens")
    return " · ".join(parts)


def _head(view: RunView) -> list[str]:
    facts = [words.run_state_words(view), words.brain_words(view), figures.run_figures(view)]
    models = f"Models: {', '.join(view.models)}" if view.models else ""
    lines = [view.title or words.EMPTY_RUN, " · ".join(fact for fact in facts if fact)]
    lines.extend(line for line in (models, view.model_note, view.routing_reason) if line)
    if rest := words.request_rest(view):
        lines.extend(("", *rest.splitlines()))
    if not view.is_saved:
        lines.append(words.NOT_SAVED)
    return [piece for line in lines for piece in _wrap(line)]


def _references(view: RunView) -> list[str]:
    width = max((len(ref.token) for ref in view.references), default=0)
    width = min(width, WIDTH // 3)
    lines: list[str] = []
    for ref in view.references:
        lines.extend(_wrap(f"{ref.token:<{width}}  {words.reference_words(ref)}", "  ", width + 4))
    return lines


def _error(view: RunView) -> list[str]:
    parts = [part for part in (view.error, view.hint) if part]
    return [line for part in parts for line in _wrap(part, "  ")]


def _approvals(view: RunView) -> list[str]:
    lines: list[str] = []
    for asked in view.approvals:
        lines.extend(_wrap(words.asking_words(asked), "  ", 4))
        lines.extend(f"    {line}".rstrip() for line in asked.shown.split("\n"))
        if asked.hidden_chars:
            lines.extend(_wrap(words.hidden_in_approval(asked.hidden_chars), "    "))
        for note in (asked.reason, words.model_said(asked)):
            lines.extend(_wrap(note, "    "))
    return lines


def _question(asked: ClarificationView | None) -> list[str]:
    if asked is None:
        return []
    lines = [*_wrap(asked.question, "  "), *_wrap(asked.reason, "  ")]
    lines.extend(_bullets(f"{words.MISSING}: {item}" for item in asked.missing))
    lines.extend(_bullets(f"{label}: {description}" for label, description in asked.options))
    return lines


def _answer(view: RunView) -> list[str]:
    answer = view.answer
    if answer.state == "none":
        return []
    state = "" if answer.state == "completed" else f" ({words.ANSWER_STATES[answer.state]})"
    return [f"{words.ANSWER}{state}", *_markdown(answer.text)]


def _review(view: RunView) -> list[str]:
    lines = _wrap(f"{words.REVIEW}: {words.review_words(view.review)}")
    lines.extend(_wrap(view.review.rationale, "  "))
    lines.extend(_bullets(words.review_points(view.review)))
    return lines


def _plan(view: RunView) -> list[str]:
    if not view.todos:
        return []
    done = sum(todo.state == "completed" for todo in view.todos)
    lines = [words.todo_words(done, len(view.todos))]
    for number, todo in enumerate(view.todos, start=1):
        needs = ", ".join(str(need) for need in todo.needs_numbers)
        tail = f", needs {needs}" if needs else ""
        state = f"[{words.TODO_STATES[todo.state]}]"
        lines.extend(_wrap(f"{number:>2} {state:<9} {todo.title} ({todo.role}{tail})", "  ", 15))
    return lines


def _times(view: RunView) -> list[str]:
    width = max((len(agent.role) for agent in view.agents), default=0)
    lines: list[str] = []
    for agent in view.agents:
        after = figures.span_words(view.started_ms, agent.started_ms)
        parts = [
            words.state_words(agent),
            f"after {after}" if after not in {"", "0.0 s"} else "",
            figures.agent_figures(agent),
            words.CRITICAL if agent.is_critical else "",
        ]
        said = " · ".join(part for part in parts if part)
        lines.extend(_wrap(f"{agent.role:<{width}}  {said}", "  ", width + 4))
    return lines


def _agents(view: RunView) -> list[str]:
    lines: list[str] = []
    for agent in view.agents:
        lines.extend(_agent(agent))
    return lines


def _agent(agent: AgentView) -> list[str]:
    model = f" · {agent.model_id}" if agent.model_id else ""
    lines = _wrap(f"{agent.role} · {words.AGENT_STATES[agent.state]}{model}", "  ")
    lines.extend(_wrap(agent.goal, "    "))
    for part in (agent.reason, agent.hint):
        lines.extend(_wrap(part or "", "    "))
    lines.extend(f"    {line}".rstrip() for line in _markdown(agent.summary, WIDTH - 4))
    if agent.partial:
        lines.extend(_wrap(f"{words.PARTIAL}: {agent.partial}", "    "))
    points = [
        *(words.attempt_words(one) for one in agent.attempts),
        *(f"{words.RISK}: {risk}" for risk in agent.risks),
        *(f"{words.OPEN}: {question}" for question in agent.next_questions),
        *(f"{words.ARTIFACTS}: {words.artifact_words(one)}" for one in agent.artifacts),
        *(words.tool_words(call) for call in agent.tool_calls),
    ]
    lines.extend(_bullets(points, "    "))
    lines.extend(_sections(words.SAW[agent.kind], agent.saw))
    lines.extend(_sections(words.WITHHELD, agent.withheld))
    return lines


def _sections(title: str, sections: Iterable[SectionView]) -> list[str]:
    items = [
        f"{one.label} {figures.tokens_words(one.tokens)}"
        if one.reason is None
        else f"{one.label} ({one.reason})"
        for one in sections
    ]
    return _wrap(f"{title}: {', '.join(items)}", "    ", 6) if items else []


def _matrix(matrix: MatrixView) -> list[str]:
    if not matrix.columns:
        return []
    width = max(len(row.label) for row in matrix.rows)
    numbers = [f"{number:>4}" for number, _ in enumerate(matrix.columns, start=1)]
    lines = [f"  {'':<{width}}{''.join(numbers)}"]
    for row in matrix.rows:
        cells = "".join(f"{words.CELLS[cell]:>4}" for cell in row.cells)
        lines.append(f"  {row.label:<{width}}{cells}")
    named = [f"{number} {column.label}" for number, column in enumerate(matrix.columns, start=1)]
    return [*lines, f"  {words.CELL_LEGEND}", *_packed(named)]


def _packed(items: Iterable[str]) -> list[str]:
    """Put as many items on a line as fit, and never break one."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= WIDTH:
            lines[-1] += f", {item}"
        else:
            lines.append(f"  {item}")
    return lines


def _foot(view: RunView) -> list[str]:
    return [f"{words.SESSION} @@{view.session_id}"] if view.session_id else []


def _titled(title: str, lines: list[str]) -> list[str]:
    return [title, *lines] if lines else []


def _bullets(items: Iterable[str], indent: str = "  ") -> list[str]:
    return [line for item in items for line in _wrap(f"- {item}", indent, len(indent) + 2)]


def _wrap(text: str, indent: str = "", hanging: int | None = None) -> list[str]:
    """Wrap every line of a text; a word that is longer than a line stays whole."""
    after = " " * (len(indent) if hanging is None else hanging)
    lines: list[str] = []
    for line in text.splitlines():
        first = after if lines else indent
        lines.extend(
            textwrap.wrap(
                line,
                WIDTH,
                initial_indent=first,
                subsequent_indent=after,
                break_long_words=False,
                break_on_hyphens=False,
                drop_whitespace=True,
                replace_whitespace=False,
                expand_tabs=False,
            )
            or [""]
        )
    return lines


def _markdown(text: str, width: int = WIDTH) -> list[str]:
    return list(_markdown_lines(text, width))


def _markdown_lines(text: str, width: int) -> Iterator[str]:
    """Wrap prose; code and table rows stay as they are, so that they can be copied."""
    fence = ""
    for line in text.strip("\n").splitlines():
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        is_prose = not fence and not found and not line.lstrip().startswith("|")
        if not is_prose or len(line) <= width:
            yield line
            continue
        indent = line[: len(line) - len(line.lstrip())]
        yield from textwrap.wrap(
            line,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
