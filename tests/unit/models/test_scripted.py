from __future__ import annotations

import json

import pytest

from braincode_jupyter.errors import ModelError
from braincode_jupyter.protocol.sections import Candidate, ModelCall, Prompt, Section
from braincode_jupyter.protocol.usage import CallKind, TokenUsage
from braincode_jupyter.testing import FixedClock, Reply, ScriptedModel


def call(
    kind: CallKind = "worker", role: str = "librarian", *, timeout_s: float = 5.0
) -> ModelCall:
    handoff = Section(
        kind="handoff",
        owner="c1",
        source="packet",
        title="Handoff",
        text=json.dumps({"task": {"goal": "Find the {braces}."}}),
    )
    return ModelCall(
        call_id="1",
        call_kind=kind,
        role=role,
        context_id="c1",
        attempt=1,
        candidate=Candidate(model_id="openai/gpt-5.5", provider="openai", name="GPT"),
        prompt=Prompt(
            call_kind=kind,
            context_id="c1",
            sections=(handoff,),
            withheld=(),
            system="You look things up.",
            user=handoff.text,
        ),
        timeout_s=timeout_s,
    )


async def play(model: ScriptedModel, asked: ModelCall) -> tuple[str, list[str]]:
    pieces: list[str] = []
    reply = await model.complete(asked, pieces.append)
    return reply.text, pieces


async def test_unscripted_worker_answers_with_a_result_that_repeats_its_goal() -> None:
    text, _ = await play(ScriptedModel(), call())

    assert "Find the {braces}." in json.loads(text)["summary"]


@pytest.mark.parametrize("kind", ["router", "worker", "review"])
async def test_unscripted_model_answers_in_json_where_json_is_asked(kind: CallKind) -> None:
    text, _ = await play(ScriptedModel(), call(kind, "review"))

    assert isinstance(json.loads(text), dict)


async def test_unscripted_review_approves() -> None:
    text, _ = await play(ScriptedModel(), call("review", "review"))

    assert json.loads(text)["decision"] == "approved"


async def test_role_goes_before_kind_of_call() -> None:
    model = ScriptedModel({"worker": "of the kind", "qa": "of the role"})

    assert (await play(model, call(role="qa")))[0] == "of the role"
    assert (await play(model, call()))[0] == "of the kind"


async def test_several_lines_are_played_in_order_and_the_last_one_again() -> None:
    model = ScriptedModel({"librarian": ["one", "two"]})

    assert [(await play(model, call()))[0] for _ in range(3)] == ["one", "two", "two"]


async def test_function_sees_the_call() -> None:
    model = ScriptedModel(lambda asked: f"{asked.role}:{asked.attempt}")

    assert (await play(model, call()))[0] == "librarian:1"


async def test_pieces_make_the_text() -> None:
    text, pieces = await play(ScriptedModel({"worker": "abcdefg"}, chunk_chars=3), call())

    assert pieces == ["abc", "def", "g"]
    assert text == "abcdefg"


async def test_given_chunks_are_streamed_as_they_are() -> None:
    split = Reply(text="", chunks=("\ud83d", "\ude00"))

    _, pieces = await play(ScriptedModel({"worker": split}), call())

    assert pieces == ["\ud83d", "\ude00"]


async def test_scripted_exception_is_raised() -> None:
    error = ModelError("No.", code="rate_limited", retry_after_s=2.0)

    with pytest.raises(ModelError) as caught:
        await play(ScriptedModel({"worker": error}), call())

    assert caught.value is error


@pytest.mark.parametrize(
    ("reply", "code", "partial"),
    [
        (Reply(text="abcdef", break_after=1), "network", "abc"),
        (Reply(text="abcdef", break_after=2), "network", "abcdef"),
        (Reply(text="abcdef", finish_reason=None), "cut_off", "abcdef"),
        (Reply(text="  "), "empty_reply", "  "),
    ],
)
async def test_failed_stream_keeps_what_had_arrived(reply: Reply, code: str, partial: str) -> None:
    model = ScriptedModel({"worker": reply}, chunk_chars=3)

    with pytest.raises(ModelError) as caught:
        await play(model, call())

    assert (caught.value.code, caught.value.partial) == (code, partial)


async def test_late_reply_is_a_timeout() -> None:
    model = ScriptedModel({"worker": Reply(text="x", delay_s=60)})

    with pytest.raises(ModelError) as caught:
        await play(model, call(timeout_s=0.01))

    assert caught.value.code == "timeout"


async def test_usage_is_estimated_unless_it_is_given() -> None:
    given = TokenUsage(input=1, output=2, total=3)
    model = ScriptedModel({"worker": ["hello", Reply(text="hello", usage=given)]})

    estimated = (await model.complete(call(), lambda _: None)).usage
    reported = (await model.complete(call(), lambda _: None)).usage

    assert estimated is not None
    assert estimated.total == estimated.input + estimated.output > 0
    assert reported == given


async def test_calls_are_kept_unless_told_otherwise() -> None:
    keeping, forgetting = ScriptedModel(), ScriptedModel(record_calls=False)

    await play(keeping, call())
    await play(forgetting, call())

    assert [c.role for c in keeping.calls] == ["librarian"]
    assert forgetting.calls == []


def test_every_id_resolves_once_and_in_order() -> None:
    resolution = ScriptedModel().resolve(["a/x", "b/y", "a/x"], thinking="low", vision=True)

    assert [c.model_id for c in resolution.candidates] == ["a/x", "b/y"]
    assert {c.thinking for c in resolution.candidates} == {"low"}


def test_given_candidates_are_the_only_ones() -> None:
    blind = Candidate(model_id="a/x", provider="a", name="x")
    model = ScriptedModel(candidates=[blind])

    assert model.resolve(["a/x", "b/y"], thinking="off", vision=False).candidates == (blind,)
    refusals = model.resolve(["a/x", "b/y"], thinking="off", vision=True).refusals
    assert [r.reason for r in refusals] == ["cannot see images", "is not in the script"]


def test_fixed_clock_goes_on_only_when_told() -> None:
    clock = FixedClock(1000, step_ms=5)

    assert [clock.now_ms(), clock.now_ms()] == [1000, 1005]
    clock.advance(90)
    assert clock.now_ms() == 1100
