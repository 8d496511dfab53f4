"""What a call cost, from the price list that is installed; nothing is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from braincode_jupyter.protocol.usage import TokenUsage


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
