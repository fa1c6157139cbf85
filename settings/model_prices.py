"""Prices of models: those of `ELCANO_MODEL_PRICES` first, then those of genai-prices."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

MILLION: Final = 1_000_000
_SAMPLED: Final = 1_000
"""Tokens of the request whose price is asked for: a long one, of 200,000 and more, costs twice as much a token."""


class TokenPrice(BaseModel):
    """The price of a million tokens, in US dollars."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, le=1_000_000, allow_inf_nan=False)
    output: float = Field(ge=0, le=1_000_000, allow_inf_nan=False)

    def compute_cost(self, input_tokens: int, output_tokens: int) -> int:
        """The price of so many tokens in millionths of a dollar, rounded up."""
        return math.ceil(round(input_tokens * self.input + output_tokens * self.output, 6))


FREE: Final = TokenPrice(input=0, output=0)


def find_set_price(name: str, prices: Mapping[str, TokenPrice]) -> TokenPrice | None:
    """The price that the settings have for a model, `provider:name`; None if they have none.

    The keys of `prices` are providers, or beginnings of models' names with their providers; the longest match wins.
    """
    provider = name.partition(":")[0]
    fitting = [key for key in prices if (name.startswith(key) if ":" in key else key == provider)]
    return prices[max(fitting, key=len)] if fitting else None


@lru_cache(maxsize=256)
def find_listed_price(name: str) -> TokenPrice | None:
    """The price that genai-prices has for a usual request to a model, `provider:name`; None if it has none."""
    from genai_prices import Usage, calc_price

    provider, _, model = name.partition(":")
    listed = "openai" if provider.startswith("openai") else provider
    sample = Usage(input_tokens=_SAMPLED, output_tokens=_SAMPLED)
    try:
        found = calc_price(sample, model_ref=model, provider_id=listed)
    except LookupError:
        return None
    times = MILLION // _SAMPLED
    return TokenPrice(input=float(found.input_price * times), output=float(found.output_price * times))


def explain_missing_price(name: str) -> str:
    """Explain how to set a money limit for a model without a known price."""
    return (
        f"no price is known for {name!r}, so a limit of money would not limit it: set ELCANO_MODEL_PRICES for the API "
        f'and all workers, as {{"{name}": {{"input": 0.5, "output": 1.5}}}} in US dollars for a million tokens, choose '
        "another model, or limit `tokens` instead"
    )
