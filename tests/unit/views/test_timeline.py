from __future__ import annotations

import records_sample as sample
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.views import AgentView, fold_all
from braincode_jupyter.views.timeline import critical_path


def agent(
    name: str, start: int | None, end: int | None, *upstream: str, kind: str = "worker"
) -> AgentView:
    return AgentView.model_validate(
        {
            "context_id": name,
            "kind": kind,
            "role": name,
            "state": "completed" if end else "running",
            "started_ms": start,
            "ended_ms": end,
            "upstream": upstream,
        }
    )


def names(*agents: AgentView) -> list[str]:
    return [agents[index].role for index in sorted(critical_path(agents))]


def test_the_path_of_a_run_leads_over_the_slowest_upstream() -> None:
    view = fold_all(sample.SESSION, sample.full_run())

    assert [one.role for one in view.agents if one.is_critical] == [
        "router",
        "analyst",
        "statistician",
        "summarize",
        "review",
    ]


def test_the_longest_of_parallel_workers_is_critical() -> None:
    router = agent("router", 1, 2, kind="router")

    assert names(
        router, agent("a", 2, 5), agent("b", 2, 9), agent("p", 9, 10, "a", "b", kind="primary")
    ) == [
        "router",
        "b",
        "p",
    ]


def test_a_worker_that_waited_for_a_free_place_names_who_held_it() -> None:
    router = agent("router", 1, 2, kind="router")

    assert names(router, agent("a", 2, 9), agent("b", 9, 12)) == ["router", "a", "b"]


def test_while_it_runs_the_path_ends_at_who_runs_longest() -> None:
    router = agent("router", 1, 2, kind="router")

    assert names(router, agent("a", 2, None), agent("b", 3, None), agent("c", None, None)) == [
        "router",
        "a",
    ]


def test_nobody_is_critical_before_a_start() -> None:
    assert names(agent("a", None, None)) == []


TIMES = st.none() | st.integers(1, 20)
AGENTS = st.lists(
    st.builds(
        agent,
        st.sampled_from("abcd"),
        TIMES,
        TIMES,
        st.sampled_from("abcd"),
        kind=st.sampled_from(["router", "worker", "primary", "review"]),
    ),
    max_size=6,
)


@given(AGENTS)
def test_the_path_ends_even_where_edges_go_round(agents: list[AgentView]) -> None:
    path = critical_path(agents)

    assert all(agents[index].started_ms is not None for index in path)
    assert bool(path) == any(one.started_ms is not None for one in agents)
