"""Models whose price is known: under a budget in dollars no other one is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.sections import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from braincode_jupyter.protocol.ports import ModelClient
    from braincode_jupyter.protocol.sections import Resolution
    from braincode_jupyter.protocol.usage import TokenPrice

NO_PRICE = "has no known price"
"""Reason of the refusal of a model under a budget in dollars."""
HINT = "Leave --max-cost out, or set a budget in tokens with --max-tokens."


def prices_of(resolutions: Iterable[Resolution], models: ModelClient) -> dict[str, TokenPrice]:
    """Return what is known of the prices of models.

    Parameters
    ----------
    resolutions : iterable of Resolution
        Chains.
    models : ModelClient
        Knows prices.

    Returns
    -------
    dict of str to TokenPrice
        By model id; one whose price is unknown is absent.
    """
    candidates = {one.model_id: one for chain in resolutions for one in chain.candidates}
    found = {model_id: models.price_of(one) for model_id, one in candidates.items()}
    return {model_id: price for model_id, price in found.items() if price is not None}


def with_prices(resolution: Resolution, prices: Mapping[str, TokenPrice]) -> Resolution:
    """Return a chain without the models whose price is unknown.

    Parameters
    ----------
    resolution : Resolution
        A chain.
    prices : mapping of str to TokenPrice
        By model id.

    Returns
    -------
    Resolution
        With a refusal for each model that was left out.
    """
    refusals = tuple(
        Refusal(model_id=one.model_id, reason=NO_PRICE, hint=HINT)
        for one in resolution.candidates
        if one.model_id not in prices
    )
    return replace(
        resolution,
        candidates=tuple(one for one in resolution.candidates if one.model_id in prices),
        refusals=(*resolution.refusals, *refusals),
    )


def left_out(resolutions: Iterable[Resolution]) -> tuple[str, ...]:
    """Return a sentence that names the models without a known price; none if there are none.

    Parameters
    ----------
    resolutions : iterable of Resolution
        Chains.

    Returns
    -------
    tuple of str
        At most one sentence.
    """
    refused = [one for chain in resolutions for one in chain.refusals if one.reason == NO_PRICE]
    names = ", ".join(dict.fromkeys(one.model_id for one in refused))
    return (f"Not asked under max_cost, for want of a known price: {names}.",) if names else ()
