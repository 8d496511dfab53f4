from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.views.run_view import AgentView, RunView, TodoView, UsageView
from braincode_jupyter.views.table_view import TableView
from braincode_jupyter.widget.view_changes import Patch, changes_between

TABLES = {name: TableView(uri=name, name=name) for name in "ab"}


def _agent(number: int, *, summary: str = "") -> AgentView:
    return AgentView(
        context_id=f"w{number}", kind="worker", role="analyst", state="running", summary=summary
    )


def _apply(wire: dict[str, Any], patch: Patch | None) -> dict[str, Any]:
    """Apply a patch as the browser does."""
    changes: dict[str, Any] = patch or {}
    result = {**wire, **changes.get("set", {})}
    for name in changes.get("unset", []):
        del result[name]
    for index, agent in changes.get("agents", []):
        result["agents"] = [*result["agents"][:index], agent, *result["agents"][index + 1 :]]
    return result


_VIEWS = st.builds(
    RunView,
    session_id=st.just("s"),
    state=st.sampled_from(["running", "completed", "failed"]),
    error=st.none() | st.text(max_size=5),
    ended_ms=st.none() | st.integers(0, 9),
    agents=st.lists(
        st.builds(_agent, st.integers(0, 3), summary=st.text(max_size=3)),
        max_size=4,
        unique_by=lambda agent: agent.context_id,
    ).map(tuple),
    usage=st.builds(UsageView, total_tokens=st.integers(0, 9)),
    todos=st.lists(
        st.builds(
            TodoView,
            id=st.just("t"),
            title=st.text(max_size=3),
            role=st.just("analyst"),
            state=st.just("pending"),
        ),
        max_size=2,
    ).map(tuple),
)


@given(before=_VIEWS, after=_VIEWS)
def test_patch_turns_one_view_into_the_other(before: RunView, after: RunView) -> None:
    patch = changes_between(before, after)

    assert _apply(before.to_wire(), patch) == after.to_wire()
    assert (patch is None) == (before == after)


def test_only_the_agent_that_went_on_is_sent() -> None:
    agents = tuple(_agent(number) for number in range(64))
    before = RunView(session_id="s", agents=agents)
    after = before.model_copy(update={"agents": (*agents[:63], _agent(63, summary="done"))})

    patch = changes_between(before, after)

    assert patch == {"agents": [[63, _agent(63, summary="done").to_wire()]]}


def test_a_table_is_sent_once() -> None:
    def view(*names: str) -> RunView:
        return RunView(session_id="s", tables=tuple(TABLES[name] for name in names))

    patch = changes_between(view("a"), view("a", "b"))

    assert patch == {"tables": [1, [TABLES["b"].to_wire()]]}
    assert "set" in (changes_between(view("a"), view("b")) or {})
