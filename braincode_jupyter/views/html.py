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
    in_language,
    joined,
    name_of,
    verbatim,
)
from braincode_jupyter.views.next_lines import resume_words, retry_words
from braincode_jupyter.views.speaker import speaker, tag_of
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
    from braincode_jupyter.views.speaker import Language, Speaker
    from braincode_jupyter.views.table_view import TableView

_COLUMNS = ("agent", "state", "beganAfter", "took", "spent", "path")
_PAGE_HEAD = (
    '<meta charset="utf-8">'
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


def to_html(view: RunView, language: Language = "en") -> str:
    """Return the whole card as HTML.

    Parameters
    ----------
    view : RunView
        The run.
    language : {'en', 'fr', 'zh'}
        Of our own words.

    Returns
    -------
    str
        One ``<div>``; elements of `markup.ELEMENTS` alone, every string from outside escaped.
    """
    say = speaker(language)
    grants = [say.because(one.role, one.action) for one in view.grants]
    return str(
        in_language(
            language,
            _head(say, view),
            _section(say("words.references"), bullets(_references(say, view))),
            _section(words.error_title(say, view), _error(say, view)),
            _section(say("words.question"), joined(_approval(say, one) for one in view.approvals)),
            _section(say("words.grants"), bullets(grants)),
            _section(say("words.question"), _question(say, view.clarification)),
            _answer(say, view),
            _section(say("words.plots"), _plots(view)),
            _changes(say, view.changes),
            _review(say, view) if view.clarification is None else Html(),
            _section(say("words.warnings"), bullets(map(say.said, view.warnings))),
            _plan(say, view),
            folded((_time_title(say, view),), _times(say, view)),
            folded((_agents_title(say, view),), *_agents(say, view)),
            folded((say("words.matrix"),), _matrix(say, view.matrix)),
            _request(say, view),
            _foot(say, view),
        )
    )


def to_page(view: RunView, language: Language = "en") -> str:
    """Return the card as a page of its own, for export; it loads nothing.

    Parameters
    ----------
    view : RunView
        The run.
    language : {'en', 'fr', 'zh'}
        Of our own words.

    Returns
    -------
    str
        A self-contained document with one constant style sheet and a policy that forbids requests.
    """
    untitled = speaker(language)("words.untitled")
    title = joined((view.title or untitled,)).replace("<br>", " ")
    head = f"<head>{_PAGE_HEAD}<title>{title}</title>{_STYLE}</head>"
    body = f"<body>{to_html(view, language)}</body>"
    return f'<!doctype html>\n<html lang="{tag_of(language)}">{head}{body}</html>\n'


def _head(say: Speaker, view: RunView) -> Html:
    facts = [words.brain_words(say, view), figures.run_figures(say, view)]
    state = element("strong", words.run_state_words(say, view))
    line = [state, *(f" · {fact}" for fact in facts if fact)]
    title = view.title or say("words.untitled")
    parts = [element("h3", name_of(title)), element("p", *line)]
    if view.model_note:
        parts.append(element("p", say.said(view.model_note)))
    if not view.is_saved:
        parts.append(element("p", element("strong", say("words.notSaved"))))
    return joined(parts)


def _request(say: Speaker, view: RunView) -> Html:
    if not words.request_rest(view):
        return Html()
    return folded((say("words.request"),), element("p", view.request))


def _references(say: Speaker, view: RunView) -> list[Html]:
    return [
        joined((element("code", name_of(ref.token)), f" {words.reference_words(say, ref)}"))
        for ref in view.references
    ]


def _error(say: Speaker, view: RunView) -> Html:
    parts: list[Html] = []
    if view.error:
        parts.append(element("p", element("strong", say.said(view.error))))
    told = (say.said(view.hint), resume_words(say, view))
    parts.extend(element("p", one) for one in told if one)
    return joined(parts)


def _approval(say: Speaker, asked: ApprovalView) -> Html:
    notes = [words.asked_because(say, asked), words.model_said(say, asked)]
    if asked.hidden_chars:
        notes.insert(0, say("words.hiddenChars", count=asked.hidden_chars))
    return joined(
        (
            element("p", element("strong", name_of(words.asking_words(say, asked)))),
            verbatim(asked.shown),
            *(element("p", note) for note in notes if note),
        )
    )


def _question(say: Speaker, asked: ClarificationView | None) -> Html:
    if asked is None:
        return Html()
    options = [
        joined((element("strong", say.said(label)), f"{say('words.colon')}{say.said(description)}"))
        for label, description in asked.options
    ]
    return joined(
        (
            element("p", element("strong", say.said(asked.question))),
            element("p", say.said(asked.reason)),
            bullets(f"{say('words.missingFacts')}{say.said(item)}" for item in asked.missing),
            bullets(options),
        )
    )


def _answer(say: Speaker, view: RunView) -> Html:
    answer = view.answer
    if answer.state == "none":
        return Html()
    body = from_blocks(say, answer.blocks) if answer.blocks else element("p", answer.text)
    return joined((element("h4", words.answer_title(say, answer)), body))


def _plots(view: RunView) -> Html:
    return joined(image(one.media_type, one.data, caption=one.label) for one in view.plots)


def _changes(say: Speaker, changes: ChangesView) -> Html:
    if not changes.files:
        return Html()
    lines = [*(file_words(say, one) for one in changes.files), more_files_words(say, changes)]
    checks = [
        joined(
            (element("p", check_words(say, one)), verbatim(one.output) if one.output else Html())
        )
        for one in changes.checks
    ]
    facts = changes_facts(say, changes)
    return folded(
        (changes_title(say, changes),),
        element("p", facts) if facts else Html(),
        bullets(filter(None, lines)),
        *checks,
        is_open=changes.checks_state == "failed",
    )


def _review(say: Speaker, view: RunView) -> Html:
    review = view.review
    parts = [
        element("h4", say("words.review")),
        element("p", element("strong", words.review_words(say, review))),
    ]
    if review.rationale:
        parts.append(element("p", review.rationale))
    parts.append(bullets(words.review_points(say, review)))
    return joined(parts)


def _plan(say: Speaker, view: RunView) -> Html:
    if not view.todos:
        return Html()
    reason = element("p", say.said(view.routing_reason)) if view.routing_reason else Html()
    title = (groups.plan_line(say, view),)
    if len(view.todos) <= groups.LARGE:
        entries = (element("li", *_todo(say, todo)) for todo in view.todos)
        return folded(title, reason, element("ol", *entries))
    numbered = enumerate(view.todos, start=1)
    parts = (
        _group(
            words.count_words(say, len(todos), f"todoStates.{state}"),
            bullets(joined((f"{number}. ", *_todo(say, todo))) for number, todo in todos),
            state,
        )
        for state, todos in groups.by_state(numbered, lambda item: item[1].state)
    )
    return folded(title, reason, *parts)


def _todo(say: Speaker, todo: TodoView) -> tuple[str, ...]:
    needs = words.needs_words(say, todo.needs_numbers)
    facts = (todo.role, say(f"todoStates.{todo.state}"), needs)
    return (name_of(say.said(todo.title)), *(f" · {fact}" for fact in facts if fact))


def _group(title: str, content: Html, state: str) -> Html:
    return folded((title,), content, is_open=state in _OPEN)


def _times(say: Speaker, view: RunView) -> Html:
    rows = [
        _row(
            "td",
            [
                agent.role,
                words.state_words(say, agent),
                figures.span_words(say, view.started_ms, agent.started_ms),
                figures.span_words(say, agent.started_ms, agent.ended_ms),
                figures.usage_words(say, agent.usage),
                say("text.critical") if agent.is_critical else "",
                figures.bar(view, agent),
            ],
        )
        for agent in view.agents
    ]
    return _table(_row("th", [*(say(f"columns.{name}") for name in _COLUMNS), ""]), rows)


def _time_title(say: Speaker, view: RunView) -> str:
    took = figures.span_words(say, view.started_ms, view.ended_ms)
    return f"{say('words.time')} · {took}" if took else say("words.time")


def _agents_title(say: Speaker, view: RunView) -> str:
    odd = [agent for agent in view.agents if agent.state != "completed"]
    if len(view.agents) > groups.LARGE:
        told = _counted(say, odd)
    else:
        told = say.listed(f"{agent.role} {say(f'agentStates.{agent.state}')}" for agent in odd[:6])
    return f"{say('text.agents')} · {told}" if told else say("text.agents")


def _counted(say: Speaker, agents: Iterable[AgentView]) -> str:
    found = groups.by_state(agents, lambda agent: agent.state)
    return say.listed(
        words.count_words(say, len(group), f"agentStates.{state}") for state, group in found
    )


def _agents(say: Speaker, view: RunView) -> list[Html]:
    if len(view.agents) <= groups.LARGE:
        return [_agent(say, view, agent) for agent in view.agents]
    return [
        folded((_counted(say, agents),), *(_agent(say, view, agent) for agent in agents))
        for _, agents in groups.by_state(view.agents, lambda agent: agent.state)
    ]


def _agent(say: Speaker, view: RunView, agent: AgentView) -> Html:
    facts = [words.state_words(say, agent), agent.model_id or "", figures.agent_figures(say, agent)]
    summary = (
        element("strong", name_of(agent.role)),
        f" {' · '.join(fact for fact in facts if fact)}",
    )
    again = retry_words(say, view, agent)
    notes = (agent.goal, agent.reason, agent.hint, again)
    parts = [element("p", say.said(note)) for note in notes if note]
    parts.append(from_blocks(say, agent.summary_blocks))
    # What the primary had written stands above, as the answer.
    if agent.partial and agent.kind != "primary":
        parts.append(element("p", f"{say('words.partial')}{say('words.colon')}\n{agent.partial}"))
    parts.append(bullets(words.agent_points(say, agent, undrawn(view, agent))))
    parts.extend(_made_table(say, table) for table in tables_of(view, agent))
    parts.append(_sections(say, say(f"saw.{agent.kind}"), agent.saw))
    if agent.tools:
        parts.append(element("p", figures.tools_offered(say, agent.tools)))
    parts.append(_sections(say, say("text.withheld"), agent.withheld))
    is_open = agent.state in _OPEN and len(view.agents) <= groups.LARGE
    return folded(summary, *parts, is_open=is_open)


def _made_table(say: Speaker, table: TableView) -> Html:
    size = element("p", element("strong", name_of(table.name)), f" · {table_words(say, table)}")
    rows = [_row("td", cells) for cells in table.cells]
    drawn = _table(_row("th", [head.name for head in table.heads]), rows)
    rest = left_out_words(say, table)
    return joined((size, drawn, element("p", rest) if rest else Html()))


def _sections(say: Speaker, title: str, sections: Iterable[SectionView]) -> Html:
    rows = [
        _row(
            "td",
            [
                words.section_words(say, one),
                figures.tokens_words(say, one.tokens)
                if one.reason is None
                else say.named("withheld", one.reason),
            ],
        )
        for one in sections
    ]
    return _table(_row("th", [title, ""]), rows)


def _matrix(say: Speaker, matrix: MatrixView) -> Html:
    if len(matrix.columns) > groups.LARGE:
        return bullets(
            joined((element("strong", who), f"{say('words.colon')}{say.listed(labels)}"))
            for who, labels in groups.audiences(say, matrix)
        )
    head = _row("th", ["", *(words.section_words(say, column) for column in matrix.columns)])
    rows = [
        _row("td", [row.label, *(words.cell_sign(say, cell) for cell in row.cells)])
        for row in matrix.rows
    ]
    if not matrix.columns:
        return Html()
    return joined((_table(head, rows), element("p", say("text.legend"))))


def _foot(say: Speaker, view: RunView) -> Html:
    parts: list[Html] = []
    if view.models:
        parts.append(element("p", say("text.models", names=say.listed(view.models))))
    if view.session_id:
        session = element("code", f"@@{view.session_id}")
        parts.append(element("p", f"{say('text.session')} ", session))
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
