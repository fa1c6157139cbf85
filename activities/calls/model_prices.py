"""The price of the model that a conversation asks, and usage at that price."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from elcano.graphs.errors import ModelRefused
from elcano.graphs.model_names import is_free_of_charge
from elcano.graphs.state.budget import Allowance, Usage
from elcano.settings import Settings
from elcano.settings.model_prices import FREE, TokenPrice, explain_missing_price, find_listed_price, find_set_price

if TYPE_CHECKING:  # the API reads prices for quotas, and its first request would import all of it
    from pydantic_ai.models import Model


@dataclass(frozen=True)
class ModelPrice:
    """The price of one model, as far as it is known before it answers."""

    name: str
    """The model, as a run or the settings name it."""
    price: TokenPrice | None = None
    """None: it is not known."""
    fixed: bool = False
    """Whether the settings have it, which takes precedence over the price of the model that answered."""

    def require_known(self, allowance: Allowance) -> None:
        """Return if requests to the model can be held to an allowance.

        Raises:
            ModelRefused: it limits money, and the price is not known.
        """
        if self.price is None and allowance.cost_microusd is not None:
            raise ModelRefused(explain_missing_price(self.name))

    def apply(self, used: Usage) -> Usage:
        """Compute the model's usage and price; responses under a name without a price get that of its own."""
        if self.price is None or not (self.fixed or used.unpriced_requests):
            return used
        cost = self.price.compute_cost(used.input_tokens, used.output_tokens)
        if not self.fixed:
            cost = max(cost, used.cost_microusd)
        return used.model_copy(update={"cost_microusd": cost, "unpriced_requests": 0})


UNKNOWN_PRICE: Final = ModelPrice("")


def find_price(name: str, model: "Model", settings: Settings) -> ModelPrice:
    """The price of a model that is asked for by `name`; also by the name that its client has, as `openai:gpt-5.1`."""
    if (price := find_set_price(name, settings.model_prices)) is not None:
        return ModelPrice(name, price, fixed=True)
    if (price := find_listed_price(name) or find_listed_price(model.model_id)) is not None:
        return ModelPrice(name, price)
    free = is_free_of_charge(name, settings.model_base_url, settings.model_urls, settings.private_hosts)
    return ModelPrice(name, FREE if free else None)
