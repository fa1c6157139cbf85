"""The models that answer unless a run names others: which they are, where they are asked, and what they charge."""

from collections.abc import Iterator
from typing import Final

from fastapi import APIRouter
from pydantic import Field

from elcano.api.http.fields import Described
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.graphs.model_names import OFFLINE, OPENAI, address_of, model_names, parse_model_provider
from elcano.settings.settings import Settings

MILLION: Final = 1_000_000


class ModelPrice(Described):
    """The price of a million tokens, in US dollars, by genai-prices."""

    input_usd: float = Field(examples=[1.25])
    """Of what is sent."""
    output_usd: float = Field(examples=[10.0])
    """Of what is answered."""


class ModelView(Described):
    """A model of the set-up."""

    name: str = Field(examples=["openai:gpt-5.1"])
    """As a run names it in `model`; `offline` quotes, and needs no key."""
    agents: tuple[str, ...] = Field(default=(), examples=[()])
    """The agents that it answers; empty: all that have none of their own."""
    fallback: int = Field(default=0, examples=[0])
    """Its place in its fallback list: 0 is asked first."""
    provider: str = Field(default="", examples=["openai"])
    """Whose model it is; empty for `offline`."""
    address: str = Field(default="", examples=["http://localhost:8000/v1"])
    """Where it is asked, if that is not its provider's own address."""
    price: ModelPrice | None = None
    """What it charges; null: unknown, or nothing."""


router = APIRouter(prefix="/v1/models", tags=["graphs"], dependencies=[requires("read_catalogue")])


@router.get("")
async def list_models(services: Provided) -> list[ModelView]:
    """List the models that answer where a run names none, with their prices.

    Whether their keys are set is known to workers alone; `elcano doctor` on a worker's machine says it.
    """
    return list(_list_configured_models(services.settings))


def _list_configured_models(settings: Settings) -> Iterator[ModelView]:
    by_text: dict[str, list[str]] = {settings.model: []}
    for agent, text in settings.agent_models.items():
        by_text.setdefault(text, []).append(agent)
    for text, agents in by_text.items():
        for place, name in enumerate(model_names(text)):
            own = () if text == settings.model else tuple(agents)
            yield _build_model_view(name, own, place, settings)


def _build_model_view(name: str, agents: tuple[str, ...], fallback: int, settings: Settings) -> ModelView:
    if name == OFFLINE:
        return ModelView(name=name, agents=agents, fallback=fallback)
    return ModelView(
        name=name,
        agents=agents,
        fallback=fallback,
        provider=parse_model_provider(name),
        address=address_of(name, settings.model_base_url, settings.model_urls),
        price=find_price(name),
    )


def find_price(name: str) -> ModelPrice | None:
    """The price of a model, `provider:name`; None if none is known."""
    from genai_prices import Usage, calc_price

    provider, _, model = name.partition(":")
    try:
        whole = [
            calc_price(used, model_ref=model, provider_id="openai" if provider in OPENAI else provider).total_price
            for used in (Usage(input_tokens=MILLION), Usage(output_tokens=MILLION))
        ]
    except LookupError:
        return None
    return ModelPrice(input_usd=float(whole[0]), output_usd=float(whole[1]))
