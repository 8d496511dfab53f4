from __future__ import annotations

import json

import pytest
import records_sample as sample
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.protocol import records as r
from braincode_jupyter.protocol.plan import Clarification, ClarificationOption, ModelSummary
from braincode_jupyter.views import AgentView, RunView, close_view, fold, fold_all, start_view
from braincode_jupyter.views.speaker import speaker

SAY = speaker()

MOVING = {"queued", "waiting", "running"}
FULL = sample.full_run()
STOPS = (
    r.RunFailed(timestamp=sample.at(50), error="no model", code="network", will_fallback=False),
    r.RunCancelled(timestamp=sample.at(50), by="stop"),
    r.RunEnded(timestamp=sample.at(50), summary="", worker_results=(), final_report=None),
)


def folded(*records: r.AnyRecord) -> RunView:
    view = start_view(sample.SESSION)
    for record in records:
        view = fold(view, record)
    return view


def agent(view: RunView, role: str) -> AgentView:
    return next(one for one in view.agents if one.role == role)


def replayed(record: r.AnyRecord) -> r.AnyRecord:
    return r.parse_record(json.loads(json.dumps(record.to_wire())))


def test_a_whole_run_is_completed_with_answer_and_review() -> None:
    view = folded(*FULL)

    assert (view.state, view.phase, view.ended_ms) == ("completed", "done", sample.at(41))
    assert (view.answer.state, view.answer.text) == ("completed", sample.ANSWER)
    assert view.review.state == "approved"
    assert view.title == sample.PROMPT
    assert SAY.said(view.routing) == "routed 0.82"
    assert view.models == ("acme/large", "beta/medium")
    assert tuple(map(SAY.said, view.warnings)) == (
        "One worker failed.",
        "librarian gave no result; the answer was written without it.",
    )


def test_agents_stand_in_the_order_of_the_card() -> None:
    view = folded(*FULL)

    assert [(one.kind, one.role) for one in view.agents] == [
        ("router", "router"),
        ("worker", "librarian"),
        ("worker", "analyst"),
        ("worker", "statistician"),
        ("primary", "summarize"),
        ("review", "review"),
    ]


def test_a_failed_worker_has_a_reason_and_its_siblings_keep_their_results() -> None:
    view = folded(*FULL)

    assert [one.state for one in view.agents if one.kind == "worker"] == [
        "failed",
        "completed",
        "unstructured",
    ]
    assert SAY.said(agent(view, "librarian").reason) == "The provider refused the key."
    assert SAY.said(agent(view, "librarian").hint) == "Check the key with %braincode doctor."
    assert agent(view, "analyst").risks == ("currency of 312 rows is unknown",)


def test_a_worker_without_result_tells_its_reason_in_words_alone() -> None:
    given = sample.result(
        "librarian",
        status="failed",
        error="token_limit",
        summary="librarian worker failed: token_limit",
        risks=("token_limit",),
    )

    failed = agent(folded(*sample.beginning(), *sample.closed("librarian", 3, given)), "librarian")

    assert SAY.said(failed.reason) == "The budget does not allow the call."
    assert (failed.summary, failed.risks) == ("", ())


def test_the_plan_is_visible_before_a_worker_starts() -> None:
    view = folded(*sample.beginning())

    assert view.phase == "working"
    assert [todo.state for todo in view.todos] == ["pending"] * 5
    assert agent(view, "statistician").state == "waiting"
    assert agent(view, "statistician").waiting_for == "analyst"
    assert agent(view, "summarize").waiting_for == "librarian, analyst, statistician"
    assert agent(view, "analyst").state == "queued"
    assert view.todos[2].needs_numbers == (2,)


def test_a_small_model_is_named_from_the_plan_on() -> None:
    name = "Tiny 0.1B (local demo model)"
    model = ModelSummary(id="local/embedded", provider="local", name=name)
    (start, plan) = (one for one in FULL if isinstance(one, r.RunStart))
    assert plan.plan is not None
    small = plan.plan.model_copy(update={"model": model})

    view = folded(start, plan.model_copy(update={"plan": small}))

    assert SAY.said(view.model_note).startswith("Tiny 0.1B: small, on this machine.")


def test_that_nobody_reviewed_is_told_once() -> None:
    view = folded(
        *sample.beginning(),
        sample.reply("primary", "summarize", 4, "Four."),
        r.Warned(timestamp=sample.at(5), message="A review was planned: it is not reviewed."),
        r.Warned(timestamp=sample.at(5), message="The price is unknown."),
        STOPS[2],
    )

    assert view.review.state == "not_reviewed"
    assert "The price is unknown." in view.warnings
    assert not any("not reviewed" in SAY.said(warning) for warning in view.warnings)


def test_routing_is_visible_at_once() -> None:
    view = folded(*sample.beginning()[:5])

    assert (view.phase, agent(view, "router").state) == ("routing", "running")


def test_each_worker_changes_when_it_finishes() -> None:
    records = (*sample.beginning(), *sample.work())
    after = next(i for i, one in enumerate(records) if isinstance(one, r.WorkerEnded))

    view = folded(*records[: after + 1])

    assert agent(view, "librarian").state == "failed"
    assert agent(view, "analyst").state == "running"
    assert SAY.said(agent(view, "analyst").waiting_for) == "a reply from beta/medium"


def test_references_tell_what_was_sent() -> None:
    view = folded(*sample.beginning())

    assert [(ref.token, ref.state) for ref in view.references] == [
        ("@var:sales", "sent"),
        ("@docs/glossary.md", "cut"),
        ("@notes.txt", "missing"),
    ]


def test_live_and_replayed_views_are_the_same() -> None:
    live = replay = start_view(sample.SESSION)
    for record in FULL:
        live, replay = fold(live, record), fold(replay, replayed(record))

        assert replay == live


def test_a_view_survives_its_own_wire() -> None:
    view = folded(*FULL)

    assert RunView.model_validate(json.loads(json.dumps(view.to_wire()))) == view


@pytest.mark.parametrize("end", range(1, len(FULL)))
def test_a_journal_that_breaks_off_anywhere_is_interrupted_and_still(end: int) -> None:
    view = close_view(folded(*FULL[:end]))

    assert view.state == "interrupted"
    assert view.ended_ms is not None
    assert not [one for one in view.agents if one.state in MOVING]
    assert not [todo for todo in view.todos if todo.state in {"pending", "running"}]
    assert view.answer.state != "streaming"
    assert view.review.state not in {"pending", "running"}


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.type)
@pytest.mark.parametrize("end", range(1, len(FULL) - 1, 5))
def test_after_an_end_record_nothing_moves(stop: r.AnyRecord, end: int) -> None:
    view = folded(*FULL[:end], stop)

    assert view.state in {"completed", "failed", "cancelled"}
    assert not [one for one in view.agents if one.state in MOVING or one.waiting_for]
    assert not [todo for todo in view.todos if todo.state in {"pending", "running"}]
    assert close_view(view) == view


def test_a_closed_view_of_a_finished_run_is_the_same() -> None:
    assert close_view(folded(*FULL)) == folded(*FULL)


def test_stop_is_cancelled_and_keeps_the_partial_answer() -> None:
    begun = FULL[
        : FULL.index(next(one for one in FULL if isinstance(one, r.RunStart) and one.plan)) + 3
    ]
    view = folded(
        *begun,
        r.RunCancelled(timestamp=sample.at(33), by="interrupt"),
        sample.failure("primary", "summarize", 33, "cancelled", partial="Most of the dr"),
        r.RunFailed(
            timestamp=sample.at(33), error="stopped", code="cancelled", will_fallback=False
        ),
    )

    assert view.state == "cancelled"
    assert (view.answer.state, view.answer.text) == ("partial", "Most of the dr")
    assert agent(view, "summarize").state == "cancelled"
    assert agent(view, "review").state == "cancelled"
    assert view.review.state == "not_reviewed"


def test_a_broken_stream_is_dropped_once_the_next_candidate_runs() -> None:
    begun = (*sample.beginning(), *sample.work())
    broken = folded(*begun, sample.failure("primary", "summarize", 33, "cut_off", partial="half"))
    again = fold(broken, sample.manifest("primary", "summarize", 34, sample.SHARED, attempt=2))

    assert (broken.answer.state, broken.answer.text) == ("cut_off", "half")
    assert (again.answer.state, again.answer.text) == ("streaming", "")
    assert [one.code for one in agent(again, "summarize").attempts] == ["cut_off"]


def test_a_failed_run_says_why_and_what_to_do() -> None:
    view = folded(
        *sample.beginning()[:4],
        r.RunFailed(
            timestamp=sample.at(1),
            error="The provider 'acme' refused the key.",
            code="authentication",
            will_fallback=False,
        ),
    )

    assert view.state == "failed"
    assert view.error == "The provider 'acme' refused the key."
    assert SAY.said(view.hint) == "Check the key with %braincode doctor."


def test_a_question_ends_the_run_and_blocks_nothing_else() -> None:
    asked = Clarification(
        reason="vague",
        question="Which table?",
        missing=("table",),
        options=(ClarificationOption(id="a", label="All", description="Every table."),),
    )
    view = folded(
        sample.beginning()[0],
        r.ClarificationRequested(timestamp=sample.at(1), clarification=asked),
        STOPS[2],
    )

    assert view.state == "needs_clarification"
    assert view.clarification is not None
    assert view.clarification.options == (("All", "Every table."),)
    assert view.answer.state == "none"


@pytest.mark.parametrize(
    "payload",
    [
        sample.result("review", "failed", error="timeout"),
        sample.result("review", "blocked", error="upstream_failed"),
    ],
)
def test_a_review_that_failed_leaves_the_answer_not_reviewed(payload: object) -> None:
    start = next(i for i, one in enumerate(FULL) if getattr(one, "worker", "") == "review")
    view = folded(
        *FULL[:start], *sample.opened("review", 38), *sample.closed("review", 40, payload), STOPS[2]
    )

    assert view.state == "completed"
    assert view.review.state == "not_reviewed"
    assert view.review.reason
    assert view.answer.state == "completed"


@pytest.mark.parametrize(
    "payload", [sample.result("review", unstructured=True), sample.result("review", "failed")]
)
def test_a_reviewer_that_gave_no_usable_reply_cannot_approve(payload: object) -> None:
    verdict = next(one for one in FULL if isinstance(one, r.ReviewDecided))
    start = next(i for i, one in enumerate(FULL) if getattr(one, "worker", "") == "review")

    view = folded(*FULL[:start], *sample.closed("review", 40, payload), verdict)

    assert view.review.state == "not_reviewed"


def test_a_planned_review_that_never_ran_is_not_reviewed() -> None:
    start = next(i for i, one in enumerate(FULL) if getattr(one, "worker", "") == "review")

    view = folded(*FULL[:start], STOPS[2])

    assert view.review.state == "not_reviewed"


def test_a_second_run_in_the_file_replaces_the_first() -> None:
    second = sample.beginning()[0].model_copy(update={"run_id": "run-2", "prompt": "And now?"})

    view = folded(*FULL, second)

    assert (view.title, view.state, view.agents, view.answer.text) == (
        "And now?",
        "running",
        (),
        "",
    )


def test_a_new_run_after_an_interrupted_one_begins_anew() -> None:
    second = sample.beginning()[0].model_copy(update={"run_id": "run-2", "prompt": "And now?"})

    view = folded(*FULL[:30], second)

    assert view.todos == ()
    assert view.run_id == "run-2"


def test_the_late_run_start_with_the_plan_resets_nothing() -> None:
    late = next(i for i, one in enumerate(FULL) if isinstance(one, r.RunStart) and one.plan)

    before, after = folded(*FULL[:late]), folded(*FULL[: late + 1])

    assert after.todos == before.todos
    assert after.agents == before.agents


def test_a_refused_call_is_a_warning_with_figures() -> None:
    refused = r.BudgetChecked(
        timestamp=sample.at(1),
        limit="max_tokens",
        allowed=10_000,
        spent=9_500,
        needed=2_000,
        call_kind="worker",
        role="analyst",
    )

    (warning,) = folded(refused).warnings

    assert SAY.said(warning).startswith("Budget: analyst was not called. 9,500 of 10,000 tokens")


def test_hidden_characters_of_an_answer_are_counted_and_marked() -> None:
    view = folded(sample.reply("primary", "summarize", 3, "pay\u202ecode"))

    assert view.answer.text == "pay⟨U+202E⟩code"
    assert "1 hidden character" in SAY.said(view.warnings[0])


def test_records_that_say_nothing_leave_the_view_alone() -> None:
    view = folded(*sample.beginning())
    opaque = r.OpaqueRecord(type="from_the_future", data={"type": "from_the_future"})

    assert fold(view, opaque) is view


@given(st.lists(st.sampled_from((*FULL, *STOPS)), max_size=40))
def test_fold_is_total_and_every_view_is_valid(records: list[r.AnyRecord]) -> None:
    view = start_view(sample.SESSION)
    for record in records:
        view = fold(view, record)

    assert RunView.model_validate(view.model_dump()) == view
    assert close_view(close_view(view)) == close_view(view)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
LINES = [record.to_wire() for record in FULL]


@given(st.lists(st.tuples(st.sampled_from(LINES), st.data()), max_size=12))
def test_fold_is_total_over_damaged_lines(
    damaged: list[tuple[dict[str, object], st.DataObject]],
) -> None:
    records: list[r.AnyRecord] = []
    for line, data in damaged:
        key = data.draw(st.sampled_from([key for key in line if key != "type"]))
        records.append(r.parse_record({**line, key: data.draw(JSON)}))

    view = fold_all(sample.SESSION, records)

    assert RunView.model_validate(view.model_dump()) == view
