"""A budget in dollars: kept before each call, by what models cost at most."""

from __future__ import annotations

import contextlib
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from genai_prices import Usage, calc_price

import braincode_jupyter
from braincode_jupyter.errors import BraincodeError, ConfigurationError, LimitExceededError
from braincode_jupyter.protocol.records import BudgetChecked, TurnReserved
from braincode_jupyter.protocol.sections import Candidate
from braincode_jupyter.protocol.usage import TokenPrice, TokenUsage
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views import to_text
from tests.integration.test_tool_conversations import asks, client_of

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.runtime import Run
    from tests.integration.conftest import LoopbackProvider

PRICE = TokenPrice(input_usd=1e-6, output_usd=5e-6)
USAGE = TokenUsage(input=1_000, output=200, total=1_200)


async def run(tmp_path: Path, model: ScriptedModel, max_cost: float) -> Run:
    (tmp_path / "project").mkdir(exist_ok=True)
    arguments = RunArguments(
        home=tmp_path / "home",
        project_root=tmp_path / "project",
        models=model,
        roles=("statistician", "analyst"),
        review=False,
        max_cost=max_cost,
    )
    return await prepare_run("is the drop more than noise?", arguments, Sources()).execute()


def home_of(tmp_path: Path, model_id: str) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    role: dict[str, Any] = {"modelId": model_id, "fallbackModelIds": []}
    brain: dict[str, Any] = {"id": "own", "extends": "brain", "roles": {"librarian": role}}
    (home / "brains.json").write_text(json.dumps({"brains": [brain]}), encoding="utf-8")
    return home


def priced(cost_usd: float | None = None) -> ScriptedModel:
    reply = Reply(text="It is.", usage=USAGE, cost_usd=cost_usd)
    return ScriptedModel(lambda call: reply, token_price=PRICE)


async def test_a_call_that_might_cost_too_much_is_not_made(tmp_path: Path) -> None:
    model = priced()

    result = await run(tmp_path, model, 0.0001)

    refused = [record for record in result.records if isinstance(record, BudgetChecked)]
    assert model.calls == []
    assert isinstance(result.error, LimitExceededError)
    assert {record.limit for record in refused} == {"max_cost"}
    assert all(record.needed > record.allowed - record.spent for record in refused)
    said = " ".join(to_text(result.view).split())
    assert "Budget: " in said
    assert "of $0.000" in said


async def test_a_model_that_costs_nothing_is_asked_where_it_is_the_only_one(tmp_path: Path) -> None:
    embedded = Candidate(model_id="local/embedded", provider="local", name="m", is_local_demo=True)
    free = TokenPrice(input_usd=0.0, output_usd=0.0)
    model = ScriptedModel(candidates=[embedded], token_price=free)

    result = await run(tmp_path, model, 0.01)

    assert result.status == "completed"
    assert {call.candidate.model_id for call in model.calls} == {"local/embedded"}


@pytest.mark.parametrize("cost_usd", [0.002, None])
async def test_what_was_spent_shortens_the_replies_that_follow(
    tmp_path: Path, cost_usd: float | None
) -> None:
    free = priced(cost_usd)
    await run(tmp_path, free, 1_000)
    model = priced(cost_usd)

    result = await run(tmp_path, model, 0.03)

    first, second = model.calls
    spent = 0.002 if cost_usd is not None else PRICE.of(USAGE.input, USAGE.output)
    assert result.status == "completed"
    assert second.max_output_tokens < free.calls[1].max_output_tokens
    assert spent + second.max_output_tokens * PRICE.output_usd <= 0.03
    assert first.max_output_tokens * PRICE.output_usd <= 0.03
    assert "budget $0.030" in " ".join(to_text(result.view).split())


async def test_a_model_without_a_known_price_is_not_asked(tmp_path: Path) -> None:
    model = ScriptedModel()

    with pytest.raises(ConfigurationError, match="has no known price") as failure:
        await run(tmp_path, model, 1)

    assert "--max-tokens" in failure.value.hint
    assert model.calls == []


@pytest.mark.parametrize(("input_tokens", "requests"), [(7_000, 1), (80_000, 2)])
async def test_a_conversation_with_tools_goes_on_while_the_budget_pays_for_it(
    provider: LoopbackProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    input_tokens: int,
    requests: int,
) -> None:
    for name, value in provider.environ.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "data.txt").write_text("word " * 9_000, encoding="utf-8")
    known = Candidate(model_id="openai/gpt-5.5", provider="openai", name="m", tools=True)
    price = client_of(provider).price_of(known)
    assert price is not None
    provider.streams(asks("chat", "read_file", {"path": "data.txt"}))
    provider.streams_always(provider.chat("words"))
    home = home_of(tmp_path, known.model_id)
    budget = price.of(input_tokens, 1_000)

    with contextlib.suppress(BraincodeError):
        await braincode_jupyter.run_async(
            "what is in it?",
            brain="own",
            roles=("librarian",),
            home=home,
            max_cost=budget,
            project_root=tmp_path,
            review=False,
        )

    result = read_run("last", home)
    reserved = [record for record in result.records if isinstance(record, TurnReserved)]
    assert result.status == ("completed" if requests > 1 else "failed")
    assert len(provider.seen) == requests
    assert len(reserved) == requests - 1
    assert all(price.of(r.input_tokens, r.output_tokens) <= budget for r in reserved)


@pytest.mark.parametrize(
    "model_id", ["openai/gpt-5.5", "anthropic/claude-sonnet-4-6", "google/gemini-3.1-pro-preview"]
)
def test_no_request_costs_more_than_its_bound(model_id: str, provider: LoopbackProvider) -> None:
    client = client_of(provider)
    (candidate,) = client.resolve([model_id], thinking="off", vision=False).candidates
    price = client.price_of(candidate)
    assert price is not None

    of, _, model = model_id.partition("/")
    for sent in (1, 1_000, candidate.context_window // 2, candidate.context_window):
        usage = Usage(input_tokens=sent, output_tokens=4_000, cache_read_tokens=sent // 2)
        true = calc_price(usage, model, provider_id=of).total_price
        assert true <= Decimal(price.of(sent, 4_000)) * Decimal("1.000001")
