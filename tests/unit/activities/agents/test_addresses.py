"""Where models are asked and with which key, what is cached there, and what their answers cost."""

import json
from datetime import timedelta

import pytest

from elcano.activities.calls.models import NO_KEY, resolve_model
from elcano.graphs.errors import ModelRefused
from elcano.graphs.model_names import PROVIDERS, ModelChoice
from elcano.graphs.state.failures import FailureType
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.loopback import Reply, loopback
from tests.unit.activities.agents.asked import THOUGHT, answered, at, chat, failed, named, service

pytestmark = pytest.mark.usefixtures("no_model_keys")

JSON = {"Content-Type": "application/json"}


def message(**usage: object) -> Reply:
    """An answer of Anthropic's, in the form that was asked for."""
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-3-5-haiku-20241022",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "final_result", "input": THOUGHT}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1_000, "output_tokens": 100, **usage},
    }
    return Reply(json.dumps(body), headers=JSON)


def generated(**usage: int) -> Reply:
    """An answer of Gemini's."""
    part = {"functionCall": {"name": "final_result", "args": THOUGHT}}
    body = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "gemini-2.5-flash",
        "responseId": "r",
        "usageMetadata": {"promptTokenCount": 1_000, "candidatesTokenCount": 100, **usage},
    }
    return Reply(json.dumps(body), headers=JSON)


@pytest.mark.parametrize("provider", ["openai-chat", "ollama", "vllm", "mistral"])
async def test_a_server_of_ones_own_needs_no_key_and_gets_none_of_another(
    store: Store, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    for other in ("OPENAI_API_KEY", "MISTRAL_API_KEY", "ANTHROPIC_API_KEY"):
        if other not in PROVIDERS[provider]:
            monkeypatch.setenv(other, "sk-somebody-elses")
    with service([chat(THOUGHT, model="qwen3")]) as running:
        result = await answered(store, at(running, provider), named(provider, "qwen3"))
    (asked,) = running.asked
    assert result.output == THOUGHT
    assert asked.path == "/v1/chat/completions"
    assert "sk-somebody-elses" not in str(asked.headers)


async def test_the_key_of_a_provider_goes_where_its_models_are_asked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    with service([chat(THOUGHT)]) as running:
        settings = Settings(_env_file=None, model_base_url=f"{running.url}/v1")
        await answered(store, settings, named("openai-chat"))
    assert running.asked[0].headers["authorization"] == "Bearer sk-mine"


async def test_without_its_key_a_made_up_one_goes(store: Store) -> None:
    with service([message()]) as running:
        await answered(store, at(running, "anthropic"), named("anthropic", "claude-3-5-haiku"))
    assert running.asked[0].headers["authorization"] == f"Bearer {NO_KEY}"


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("provider", ["openai", "openai-chat", "anthropic", "google", "mistral", "ollama"])
async def test_no_provider_retries_by_itself(store: Store, provider: str, status: int) -> None:
    with service([Reply("{}", status, {**JSON, "Retry-After": "3"})]) as running:
        failure, _ = await failed(store, at(running, provider), named(provider, "claude-3-5-haiku"))
    assert (failure.type, failure.next_retry_delay) == (FailureType.PROVIDER, timedelta(seconds=3))
    assert len(running.asked) == 1


async def test_two_models_of_one_provider_may_be_at_two_places(store: Store) -> None:
    with service([chat(THOUGHT)]) as one, loopback(lambda asked: Reply("busy", 503)) as other:
        urls = {"vllm": f"{one.url}/v1", "vllm:large": f"{other.url}/v1"}
        settings = Settings(_env_file=None, model_urls=urls)
        result = await answered(store, settings, f"{named('vllm', 'large')},{named('vllm', 'small')}")
    assert result.output == THOUGHT
    assert (len(one.asked), len(other.asked)) == (1, 1)


@pytest.mark.parametrize(
    ("urls", "model", "said"),
    [
        ({"opnai": "http://gpu:8000/v1"}, "openai-chat:x", "'opnai'"),
        ({"azure": "http://gpu:8000/v1"}, "azure:x", "`openai-chat`"),
    ],
    ids=["unknown provider", "no such option"],
)
def test_an_address_that_would_not_be_used_is_refused(urls: dict[str, str], model: str, said: str) -> None:
    with pytest.raises(ModelRefused, match=said):
        resolve_model(ModelChoice(default=model), "judge", Settings(_env_file=None, model_urls=urls))


async def test_what_a_call_repeats_is_marked_to_be_cached_and_its_task_is_not(store: Store) -> None:
    with service([message()]) as running:
        await answered(store, at(running, "anthropic"), named("anthropic", "claude-3-5-haiku"))
    asked = running.asked[0].json()
    assert "cache_control" in json.dumps(asked["system"])
    assert "cache_control" in json.dumps(asked["tools"])
    assert "cache_control" not in json.dumps(asked["messages"])
    assert "cache_control" not in asked


async def test_what_was_cached_costs_what_it_costs(store: Store) -> None:
    with service([chat(THOUGHT, tokens=(1_000, 100), prompt_tokens_details={"cached_tokens": 800})]) as running:
        result = await answered(store, at(running, "openai-chat"), named("openai-chat"))
    # gpt-4o: 2.50 dollars a million, 1.25 of what was cached, 10 of output
    assert (result.usage.input_tokens, result.usage.cost_microusd) == (1_000, 200 * 2.5 + 800 * 1.25 + 100 * 10)


async def test_anthropic_counts_what_was_cached_beside_the_rest(store: Store) -> None:
    with service([message(cache_read_input_tokens=4_000, cache_creation_input_tokens=2_000)]) as running:
        result = await answered(store, at(running, "anthropic"), named("anthropic", "claude-3-5-haiku"))
    assert result.usage.input_tokens == 7_000
    # 0.80 dollars a million, 1.00 written to the cache, 0.08 read from it, 4 of output
    assert result.usage.cost_microusd == 1_000 * 0.8 + 2_000 * 1.0 + 4_000 * 0.08 + 100 * 4


async def test_what_gemini_thought_is_paid_for_as_output(store: Store) -> None:
    with service([generated(thoughtsTokenCount=900, totalTokenCount=2_000)]) as running:
        result = await answered(store, at(running, "google"), named("google", "gemini-2.5-flash"))
    assert result.output == THOUGHT
    assert (result.usage.input_tokens, result.usage.output_tokens) == (1_000, 1_000)
    assert result.usage.cost_microusd == 1_000 * 0.3 + 1_000 * 2.5


async def test_a_total_that_is_no_more_than_its_parts_hides_nothing(store: Store) -> None:
    for total in (1_100, 900, 0):
        with service([chat(THOUGHT, tokens=(1_000, 100), total_tokens=total)]) as running:
            result = await answered(store, at(running, "openai-chat"), named("openai-chat"))
        assert (result.usage.input_tokens, result.usage.output_tokens) == (1_000, 100)
