"""Prices: those of the settings, of genai-prices, none for servers of one's own; and that limits of money need one."""

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.calls.model_prices import ModelPrice
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import AgentResult
from elcano.graphs.errors import ModelRefused
from elcano.graphs.state.budget import Allowance, Usage
from elcano.graphs.state.failures import FailureType
from elcano.service.runs.model_checks import find_model_price
from elcano.settings import Settings
from elcano.settings.model_prices import FREE, TokenPrice, find_listed_price
from elcano.storage.store import Store
from elcano.testing import Reply, ScriptedModel
from tests.unit.activities.agents.material import call

DEAR = TokenPrice(input=2.0, output=10.0)
MONEY = Allowance(cost_microusd=1_000_000)


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("offline", FREE),
        ("ollama:llama3", FREE),
        ("vllm:qwen", FREE),
        ("openai-chat:qwen", FREE),
        ("groq:new", None),
        ("sambanova:new", TokenPrice(input=1, output=2)),
        ("sambanova:newer-1", DEAR),
        ("openai:gpt-5.1", TokenPrice(input=1.25, output=10.0)),
    ],
)
def test_where_a_price_comes_from(name: str, price: TokenPrice | None) -> None:
    settings = Settings(
        _env_file=None,
        model_base_url="http://gpu:8000/v1",
        model_urls={"groq": "https://proxy.example.org"},
        model_prices={"sambanova": TokenPrice(input=1, output=2), "sambanova:newer": DEAR},
    )
    assert find_model_price(name, settings) == price


@pytest.mark.parametrize(
    ("price", "used", "cost", "unpriced"),
    [
        (ModelPrice("a", DEAR, fixed=True), Usage(input_tokens=3, output_tokens=1, cost_microusd=9_000), 16, 0),
        (ModelPrice("a", DEAR), Usage(input_tokens=3, output_tokens=1, cost_microusd=9_000), 9_000, 0),
        (ModelPrice("a", DEAR), Usage(input_tokens=3, output_tokens=1, unpriced_requests=1), 16, 0),
        (ModelPrice("a", TokenPrice(input=0.1, output=0)), Usage(input_tokens=1, unpriced_requests=1), 1, 0),
        (ModelPrice("a", FREE), Usage(input_tokens=3, unpriced_requests=1), 0, 0),
        (ModelPrice("a"), Usage(input_tokens=3, unpriced_requests=1), 0, 1),
    ],
)
def test_usage_at_the_price_of_a_model(price: ModelPrice, used: Usage, cost: int, unpriced: int) -> None:
    priced = price.apply(used)
    assert (priced.cost_microusd, priced.unpriced_requests) == (cost, unpriced)


def test_only_a_limit_of_money_needs_a_price() -> None:
    ModelPrice("groq:new").require_known(Allowance(tokens=1_000))
    ModelPrice("groq:new", FREE).require_known(MONEY)
    with pytest.raises(ModelRefused, match=r'no price is known for \'groq:new\'.*ELCANO_MODEL_PRICES.*"groq:new"'):
        ModelPrice("groq:new").require_known(MONEY)


async def ask(store: Store, model: ScriptedModel, name: str, **prices: TokenPrice) -> AgentResult:
    chosen = Settings(_env_file=None, model_prices=prices)
    made = AgentActivities(store, Sources({}), chosen, resolve=model.resolve)
    asked = call("thinking", {"question": "Why?"}, model=name).model_copy(update={"allowance": MONEY})
    result = await ActivityEnvironment().run(made.run_agent, asked)
    assert isinstance(result, AgentResult)
    return result


async def test_a_worker_refuses_what_the_limit_cannot_limit_and_charges_the_price_that_is_set(store: Store) -> None:
    model = ScriptedModel({"thinking": Reply({"thought": "Yes."}, input_tokens=100_000, output_tokens=1_000)})
    with pytest.raises(ApplicationError, match="ELCANO_MODEL_PRICES") as caught:
        await ask(store, model, "sambanova:new")
    assert caught.value.type == FailureType.MODEL_REFUSED
    assert model.tasks == [], "nothing is spent"
    result = await ask(store, model, "sambanova:new", sambanova=DEAR)
    assert (result.usage.cost_microusd, result.usage.unpriced_requests) == (210_000, 0)
    lines = await store.of("default").ledger.entries("run-1")
    assert lines[-1].usage.cost_microusd == 210_000


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("anthropic:claude-sonnet-4-5", TokenPrice(input=3, output=15)),
        ("google:gemini-2.5-pro", TokenPrice(input=1.25, output=10)),
        ("openai-chat:gpt-4o", TokenPrice(input=2.5, output=10)),
    ],
)
def test_a_listed_price_is_that_of_a_usual_request_and_not_of_a_long_one(name: str, price: TokenPrice) -> None:
    assert find_listed_price(name) == price
