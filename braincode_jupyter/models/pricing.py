"""What a call cost, from the price list that is installed; nothing is fetched."""

from __future__ import annotations

from braincode_jupyter.protocol.usage import TokenPrice, TokenUsage

_SAMPLE_TOKENS = 1_000
"""A request at the lowest rate."""


def token_price(model: str, *, provider: str, context_tokens: int) -> TokenPrice | None:
    """Return what tokens of a model cost at most.

    Parameters
    ----------
    model : str
        The provider's name of the model.
    provider : str
        Id of the provider in the price list; empty: unknown.
    context_tokens : int
        Longest request; long ones are dearer at some providers, all of their tokens.

    Returns
    -------
    TokenPrice or None
        None if the list does not know provider or model.
    """
    known = [
        _price_at(size, model, provider=provider)
        for size in (_SAMPLE_TOKENS, max(_SAMPLE_TOKENS, context_tokens))
    ]
    found = [price for price in known if price is not None]
    if len(found) < len(known):
        return None
    return TokenPrice(
        input_usd=max(price.input_usd for price in found),
        output_usd=max(price.output_usd for price in found),
    )


def _price_at(size: int, model: str, *, provider: str) -> TokenPrice | None:
    """Return the price of a token in requests of one size."""
    sent = cost_usd(TokenUsage(input=size), model, provider=provider)
    cached = cost_usd(TokenUsage(input=size, cache_write=size), model, provider=provider)
    both = cost_usd(TokenUsage(input=size, output=size), model, provider=provider)
    if sent is None or cached is None or both is None:
        return None
    return TokenPrice(input_usd=max(sent, cached) / size, output_usd=(both - sent) / size)


def cost_usd(usage: TokenUsage, model: str, *, provider: str) -> float | None:
    """Return the price of a call.

    Parameters
    ----------
    usage : TokenUsage
        Its tokens.
    model : str
        The provider's name of the model.
    provider : str
        Id of the provider in the price list; empty: unknown.

    Returns
    -------
    float or None
        US dollars; None if the list does not know provider or model. Unknown is never 0.
    """
    if not provider:
        return None
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - loaded when a call has ended

    counters = Usage(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read or None,
        cache_write_tokens=usage.cache_write or None,
    )
    try:
        return float(calc_price(counters, model, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None
