"""Requests to models pass the gate of their provider, also within a fallback list; `offline` has none."""

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel

from elcano.activities.calls.retry_classification import classify_failure
from elcano.activities.providers import rate_limit
from elcano.activities.providers.rate_limit import GatedModel, gate_models
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.providers import FAILURES, Provider, get_provider_state
from elcano.graphs.state.failures import FailureType
from elcano.settings import Settings
from elcano.storage.store import Store


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the workflows of providers are told; there is no server here."""
    said: list[str] = []

    async def tell(provider: str, queue: str) -> None:
        said.append(f"{provider} on {queue}")

    monkeypatch.setattr(rate_limit, "notify_provider_workflow", tell)
    return said


class Answering:
    """A model that raises what it is told to, or answers with its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.error: Exception | None = None
        self.asked = 0
        self.model = FunctionModel(self._answer, model_name=name)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return ModelResponse(parts=[TextPart(self.name)])


def resolving(store: Store, text: str, model: Model, **settings: object) -> Model:
    resolve = gate_models(lambda choice, agent, chosen: model, store, Settings.model_validate(settings))
    return resolve(ModelChoice(default=text), "writer", Settings(_env_file=None))


async def ask(model: Model) -> str:
    return (await Agent(model).run("Well?")).output


async def test_who_is_asked_to_wait_is_not_asked_again_and_all_are_told(store: Store, told: list[str]) -> None:
    answering = Answering("one")
    answering.error = ModelRateLimitError("one", "slow down", retry_after=60.0)
    model = resolving(store, "openai:one", answering.model)
    with pytest.raises(ModelRateLimitError):
        await ask(model)
    other = resolving(store, "openai:one", answering.model)  # as in another process
    with pytest.raises(ModelUnavailableError, match=r"openai is not asked until .*: ModelRateLimitError$") as held:
        await ask(other)
    assert held.value.retry_after == pytest.approx(60.0, abs=30.0)
    assert answering.asked == 1
    assert told == ["model:openai on elcano-model-openai"]
    sorted_error = classify_failure(held.value)
    assert (sorted_error.type, sorted_error.non_retryable) == (FailureType.PROVIDER, True)


async def test_the_next_model_of_a_list_is_asked_where_the_first_ones_provider_is_held(store: Store) -> None:
    first, second = Answering("first"), Answering("second")
    first.error = ModelRateLimitError("first", "slow down", retry_after=60.0)
    listed = FallbackModel(first.model, second.model)
    model = resolving(store, "openai:first,anthropic:second", listed)
    assert await ask(model) == "second"
    assert await ask(model) == "second"
    assert (first.asked, second.asked) == (1, 2)


@pytest.mark.parametrize("error", [ModelServerError("m", "500"), ModelConnectionError("m", "refused")])
async def test_failures_in_a_row_open_the_breaker(store: Store, error: ModelAPIError) -> None:
    answering = Answering("one")
    answering.error = error
    model = resolving(store, "openai:one", answering.model)
    for _ in range(FAILURES):
        with pytest.raises(type(error)):
            await ask(model)
    assert get_provider_state(*await store.providers.get("model:openai")) == "failing"
    with pytest.raises(ModelUnavailableError, match="is not asked until"):
        await ask(model)
    assert answering.asked == FAILURES


@pytest.mark.parametrize("error", [ModelAuthenticationError("m", "bad key"), ModelQuotaExceededError("m", "no credit")])
async def test_what_is_the_fault_of_who_asks_holds_up_nobody_else(store: Store, error: ModelAPIError) -> None:
    answering = Answering("one")
    answering.error = error
    model = resolving(store, "openai:one", answering.model)
    for _ in range(FAILURES + 1):
        with pytest.raises(type(error)):
            await ask(model)
    assert (await store.providers.get("model:openai"))[0] == Provider()


async def test_what_a_provider_says_of_a_prompt_is_not_told_to_others(store: Store) -> None:
    answering = Answering("one")
    answering.error = ModelHTTPError(529, "one", {"error": "your prompt on whales was too much"})
    model = resolving(store, "openai:one", answering.model)
    with pytest.raises(ModelHTTPError):
        await ask(model)
    provider, _ = await store.providers.get("model:openai")
    assert "whales" not in provider.model_dump_json()
    assert (provider.error, provider.failures) == ("HTTP 529", 1)


async def test_each_request_takes_a_turn_where_a_rate_is_set(store: Store) -> None:
    answering = Answering("one")
    model = resolving(store, "openai:one", answering.model, model_rates={"openai": 0.05, "anthropic": 1})
    assert await ask(model) == "one"
    with pytest.raises(ModelUnavailableError, match="of other calls are before this one"):
        await ask(model)
    assert answering.asked == 1


async def test_offline_has_no_gate_and_a_model_has_one_however_often_it_is_asked_for(store: Store) -> None:
    answering = Answering("one")
    assert resolving(store, "offline", answering.model) is answering.model
    resolve = gate_models(lambda choice, agent, chosen: answering.model, store, Settings(_env_file=None))
    choice, settings = ModelChoice(default="openai:one"), Settings(_env_file=None)
    assert resolve(choice, "writer", settings) is resolve(choice, "judge", settings)
    assert isinstance(resolve(choice, "writer", settings), GatedModel)
