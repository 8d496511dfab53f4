"""A run as HTML without script and style, for places where our extension is missing.

Every surface draws the same `RunView`; this one is complete, folded through ``<details>``, and open
where a reader has to look: errors, questions, agents that did not complete.
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
from braincode_jupyter.views.markup import (
    Html,
    bullets,
    element,
    folded,
    from_blocks,
    image,
    joined,
    name_of,
    verbatim,
)
from braincode_jupyter.views.next_lines import resume_words, retry_words
from braincode_jupyter.views.table_words import left_out_words, table_words, tables_of, undrawn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.views.approval_view import ApprovalView
    from braincode_jupyter.views.change_view import ChangesView
    from braincode_jupyter.views.run_view import (
        AgentView,
        ClarificationView,
        MatrixView,
        RunView,
        SectionView,
        TodoView,
    )
    from braincode_jupyter.views.table_view import TableView

_PAGE_HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">"
    '<meta name="referrer" content="no-referrer">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
)
_STYLE = (
    "<style>"
    ":root{color-scheme:light dark}"
    "body{max-width:860px;margin:24px auto;padding:0 16px;font:14px/1.5 system-ui,sans-serif}"
    "h4{margin:16px 0 4px}"
    "pre{overflow:auto;padding:8px 10px;border:1px solid #8886;border-radius:4px}"
    "code,pre{font:12px/1.5 ui-monospace,Menlo,Consolas,monospace}"
    "details{border-top:1px solid #8884;padding:6px 0}summary{cursor:pointer}"
    "table{border-collapse:collapse}th,td{padding:2px 10px;border-top:1px solid #8884;"
    "text-align:left}div{overflow:auto}"
    "figure{margin:12px 0}img{max-width:100%;height:auto;background:#fff}"
    "figcaption{opacity:.75}"
    # On paper nothing can be unfolded.
    "@media print{details::details-content{content-visibility:visible;block-size:auto}}"
    "</style>"
)


_OPEN = frozenset({"failed", "blocked", "cut_off", "unstructured"})
"""States that a reader has to look at."""


def to_html(view: RunView) -> str:
    """Return the whole card as HTML.

    Parameters
    ----------
    view : RunView
        The run.

    Returns
    -------
    str
        One ``<div>``; elements of `markup.ELEMENTS` alone, every string from outside escaped.
    """
    return str(
        element(
            "div",
            _head(view),
            _section(words.REFERENCES, bullets(_references(view))),
            _section(words.error_title(view), _error(view)),
            _section(words.QUESTION, joined(map(_approval, view.approvals))),
            _section(words.GRANTS, bullets(f"{one.role}: {one.action}" for one in view.grants)),
            _section(words.QUESTION, _question(view.clarification)),
            _answer(view),
            _section(words.PLOTS, _plots(view)),
            _changes(view.changes),
            _review(view) if view.clarification is None else Html(),
            _section(words.WARNINGS, bullets(view.warnings)),
            _plan(view),
            folded((_time_title(view),), _times(view)),
            folded((_agents_title(view),), *_agents(view)),
            folded((words.MATRIX,), _matrix(view.matrix)),
            _request(view),
            _foot(view),
        )
    )


def to_page(view: RunView) -> str:
    """Return the card as a page of its own, for export; it loads nothing.

    Parameters
    ----------
    view : RunView
        The run.

    Returns
    -------
    str
        A self-contained document with one constant style sheet and a policy that forbids requests.
    """
    title = joined((view.title or words.EMPTY_RUN,)).replace("<br>", " ")
    return f"{_PAGE_HEAD}<title>{title}</title>{_STYLE}</head><body>{to_html(view)}</body></html>\n"


def _head(view: RunView) -> Html:
    facts = [words.brain_words(view), figures.run_figures(view)]
    state = element("strong", words.run_state_words(view))
    line = [state, *(f" · {fact}" for fact in facts if fact)]
    parts = [element("h3", name_of(view.title or words.EMPTY_RUN)), element("p", *line)]
    if view.model_note:
        parts.append(element("p", view.model_note))
    if not view.is_saved:
        parts.append(element("p", element("strong", words.NOT_SAVED)))
    return joined(parts)


def _request(view: RunView) -> Html:
    if not words.request_rest(view):
        return Html()
    return folded((words.REQUEST,), element("p", view.request))


def _references(view: RunView) -> list[Html]:
    return [
        joined((element("code", name_of(ref.token)), f" {words.reference_words(ref)}"))
        for ref in view.references
    ]


def _error(view: RunView) -> Html:
    parts: list[Html] = []
    if view.error:
        parts.append(element("p", element("strong", view.error)))
    parts.extend(element("p", one) for one in (view.hint, resume_words(view)) if one)
    return joined(parts)


def _approval(asked: ApprovalView) -> Html:
    notes = [asked.reason, words.model_said(asked)]
    if asked.hidden_chars:
        notes.insert(0, words.hidden_in_approval(asked.hidden_chars))
    return joined(
        (
            element("p", element("strong", name_of(words.asking_words(asked)))),
            verbatim(asked.shown),
            *(element("p", note) for note in notes if note),
        )
    )


def _question(asked: ClarificationView | None) -> Html:
    if asked is None:
        return Html()
    options = [
        joined((element("strong", label), f": {description}"))
        for label, description in asked.options
    ]
    return joined(
        (
            element("p", element("strong", asked.question)),
            element("p", asked.reason),
            bullets(f"{words.MISSING}: {item}" for item in asked.missing),
            bullets(options),
        )
    )


def _answer(view: RunView) -> Html:
    answer = view.answer
    if answer.state == "none":
        return Html()
    state = "" if answer.state == "completed" else f" ({words.ANSWER_STATES[answer.state]})"
    body = from_blocks(answer.blocks) if answer.blocks else element("p", answer.text)
    return joined((element("h4", f"{words.ANSWER}{state}"), body))


def _plots(view: RunView) -> Html:
    return joined(image(one.media_type, one.data, caption=one.label) for one in view.plots)


def _changes(changes: ChangesView) -> Html:
    if not changes.files:
        return Html()
    lines = [*map(file_words, changes.files), more_files_words(changes)]
    checks = [
        joined((element("p", check_words(one)), verbatim(one.output) if one.output else Html()))
        for one in changes.checks
    ]
    facts = changes_facts(changes)
    return folded(
        (changes_title(changes),),
        element("p", facts) if facts else Html(),
        bullets(filter(None, lines)),
        *checks,
        is_open=changes.checks_state == "failed",
    )


def _review(view: RunView) -> Html:
    review = view.review
    parts = [
        element("h4", words.REVIEW),
        element("p", element("strong", words.review_words(review))),
    ]
    if review.rationale:
        parts.append(element("p", review.rationale))
    parts.append(bullets(words.review_points(review)))
    return joined(parts)


def _plan(view: RunView) -> Html:
    if not view.todos:
        return Html()
    reason = element("p", view.routing_reason) if view.routing_reason else Html()
    title = (groups.plan_line(view),)
    if len(view.todos) <= groups.LARGE:
        entries = (element("li", *_todo(todo)) for todo in view.todos)
        return folded(title, reason, element("ol", *entries))
    numbered = enumerate(view.todos, start=1)
    parts = (
        _group(
            words.count_words(len(todos), words.TODO_STATES[state]),
            bullets(joined((f"{number}. ", *_todo(todo))) for number, todo in todos),
            state,
        )
        for state, todos in groups.by_state(numbered, lambda item: item[1].state)
    )
    return folded(title, reason, *parts)


def _todo(todo: TodoView) -> tuple[Html, str]:
    needs = ", ".join(str(need) for need in todo.needs_numbers)
    tail = f" · needs {needs}" if needs else ""
    return name_of(todo.title), f" · {todo.role} · {words.TODO_STATES[todo.state]}{tail}"


def _group(title: str, content: Html, state: str) -> Html:
    return folded((title,), content, is_open=state in _OPEN)


def _times(view: RunView) -> Html:
    rows = [
        _row(
            "td",
            [
                agent.role,
                words.state_words(agent),
                figures.span_words(view.started_ms, agent.started_ms),
                figures.span_words(agent.started_ms, agent.ended_ms),
                figures.usage_words(agent.usage),
                words.CRITICAL if agent.is_critical else "",
                figures.bar(view, agent),
            ],
        )
        for agent in view.agents
    ]
    head = _row("th", ["Agent", "State", "Began after", "Took", "Spent", "Path", ""])
    return _table(head, rows)


def _time_title(view: RunView) -> str:
    took = figures.span_words(view.started_ms, view.ended_ms)
    return f"{words.TIME} · {took}" if took else words.TIME


def _agents_title(view: RunView) -> str:
    odd = [agent for agent in view.agents if agent.state != "completed"]
    if len(view.agents) > groups.LARGE:
        told = _counted(odd)
    else:
        told = ", ".join(f"{agent.role} {words.AGENT_STATES[agent.state]}" for agent in odd[:6])
    return f"{words.AGENTS} · {told}" if told else words.AGENTS


def _counted(agents: Iterable[AgentView]) -> str:
    found = groups.by_state(agents, lambda agent: agent.state)
    return ", ".join(words.count_words(len(a), words.AGENT_STATES[a[0].state]) for _, a in found)


def _agents(view: RunView) -> list[Html]:
    if len(view.agents) <= groups.LARGE:
        return [_agent(view, agent) for agent in view.agents]
    return [
        folded((_counted(agents),), *(_agent(view, agent) for agent in agents))
        for _, agents in groups.by_state(view.agents, lambda agent: agent.state)
    ]


def _agent(view: RunView, agent: AgentView) -> Html:
    facts = [words.state_words(agent), agent.model_id or "", figures.agent_figures(agent)]
    summary = (
        element("strong", name_of(agent.role)),
        f" {' · '.join(fact for fact in facts if fact)}",
    )
    again = retry_words(view, agent)
    parts = [element("p", note) for note in (agent.goal, agent.reason, agent.hint, again) if note]
    parts.append(from_blocks(agent.summary_blocks))
    # What the primary had written stands above, as the answer.
    if agent.partial and agent.kind != "primary":
        parts.append(element("p", f"{words.PARTIAL}:\n{agent.partial}"))
    points = [
        *(words.attempt_words(one) for one in agent.attempts),
        *(f"{words.RISK}: {risk}" for risk in agent.risks),
        *(f"{words.OPEN}: {question}" for question in agent.next_questions),
        *(f"{words.ARTIFACTS}: {words.artifact_words(one)}" for one in undrawn(view, agent)),
        *(words.tool_words(call) for call in agent.tool_calls),
    ]
    parts.append(bullets(points))
    parts.extend(_made_table(table) for table in tables_of(view, agent))
    parts.append(_sections(words.SAW[agent.kind], agent.saw))
    if agent.tools:
        parts.append(element("p", figures.tools_offered(agent.tools)))
    parts.append(_sections(words.WITHHELD, agent.withheld))
    is_open = agent.state in _OPEN and len(view.agents) <= groups.LARGE
    return folded(summary, *parts, is_open=is_open)


def _made_table(table: TableView) -> Html:
    size = element("p", element("strong", name_of(table.name)), f" · {table_words(table)}")
    rows = [_row("td", cells) for cells in table.cells]
    drawn = _table(_row("th", [head.name for head in table.heads]), rows)
    rest = left_out_words(table)
    return joined((size, drawn, element("p", rest) if rest else Html()))


def _sections(title: str, sections: Iterable[SectionView]) -> Html:
    rows = [
        _row(
            "td",
            [
                one.label,
                f"{figures.tokens_words(one.tokens)} tokens" if one.reason is None else one.reason,
            ],
        )
        for one in sections
    ]
    return _table(_row("th", [title, ""]), rows)


def _matrix(matrix: MatrixView) -> Html:
    if len(matrix.columns) > groups.LARGE:
        said = groups.audiences(matrix)
        return bullets(
            joined((element("strong", who), f": {', '.join(labels)}")) for who, labels in said
        )
    head = _row("th", ["", *(column.label for column in matrix.columns)])
    rows = [
        _row("td", [row.label, *(words.CELLS[cell] for cell in row.cells)]) for row in matrix.rows
    ]
    if not matrix.columns:
        return Html()
    return joined((_table(head, rows), element("p", words.CELL_LEGEND)))


def _foot(view: RunView) -> Html:
    parts: list[Html] = []
    if view.models:
        parts.append(element("p", f"Models: {', '.join(view.models)}"))
    if view.session_id:
        parts.append(element("p", f"{words.SESSION} ", element("code", f"@@{view.session_id}")))
    return joined(parts)


def _section(title: str, content: Html) -> Html:
    return joined((element("h4", title), content)) if content else Html()


def _row(cell: str, contents: Iterable[str]) -> Html:
    return element(
        "tr", *(element(cell, name_of(content) if content else "") for content in contents)
    )


def _table(head: Html, rows: list[Html]) -> Html:
    if not rows:
        return Html()
    return element("table", element("thead", head), element("tbody", *rows))
