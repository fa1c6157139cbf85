"""Real provider code against a scripted server: one HTTP request an attempt, and every answer sorted."""

import asyncio
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import uvloop
from pydantic_ai import models
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import AgentResult
from elcano.graphs.state.failures import FailureType
from elcano.settings import Settings
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store, open_store
from elcano.testing.provider import Reply, make_completion, make_refusal, scripted_provider
from tests.unit.activities.agents.material import call

GOOD = make_completion(
    {"thought": "All is well."}, usage={"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100}
)


@pytest.fixture(autouse=True)
def _requests_allowed() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


async def think(store: Store, model: str, seconds: float = 30.0) -> AgentResult:
    made = AgentActivities(store, Sources({}), Settings(_env_file=None, model_timeout_seconds=seconds))
    result = await ActivityEnvironment().run(made.run_agent, call("thinking", {"question": "Why?"}, model=model))
    assert isinstance(result, AgentResult)
    return result


def fresh(provider: str = "openai-chat") -> str:
    """A name that no other test used: models, and the addresses in them, are made once per name."""
    return f"{provider}:gpt-4o-{uuid4().hex[:8]}"


async def line(store: Store) -> LedgerEntry:
    (only,) = await store.of("default").ledger.entries("run-1")
    return only


async def test_an_answer_is_charged_as_the_provider_reports_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_provider([GOOD]) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        result = await think(store, fresh())
    assert result.output == {"thought": "All is well.", "criteria": []}
    assert len(provider.requests) == 1
    assert (result.usage.requests, result.usage.input_tokens, result.usage.output_tokens) == (1, 1_000, 100)
    assert result.usage.cost_microusd == 3_500  # gpt-4o: 2.50 and 10 dollars a million tokens
    assert not result.usage.estimated
    assert result.model == "gpt-4o"


async def test_usage_that_was_not_reported_is_estimated(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_provider([make_completion({"thought": "All is well."})]) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        result = await think(store, fresh())
    assert result.usage.estimated
    assert result.usage.input_tokens > 100
    assert result.usage.output_tokens == 7  # {"thought": "All is well."}: 27 characters


@pytest.mark.parametrize(
    ("reply", "kind", "seconds"),
    [
        (make_refusal(401, "invalid_api_key"), FailureType.MODEL_REFUSED, None),
        (make_refusal(429, "insufficient_quota"), FailureType.MODEL_REFUSED, None),
        (make_refusal(429, "rate_limit_exceeded", retry_after="7"), FailureType.PROVIDER, 7),
        (make_refusal(400, "context_length_exceeded"), FailureType.PROMPT_TOO_LONG, None),
        (make_refusal(404, "model_not_found"), FailureType.MODEL_REFUSED, None),
        (make_refusal(500, "server_error"), FailureType.PROVIDER, None),
        (make_refusal(503, "overloaded", retry_after="2"), FailureType.PROVIDER, 2),
        (Reply(200, "{ this is not JSON"), FailureType.PROVIDER, None),
    ],
    ids=["key", "quota", "rate", "context", "name", "server", "overloaded", "malformed"],
)
async def test_a_failure_is_one_request_and_sorted(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    reply: Reply,
    kind: str,
    seconds: float | None,
) -> None:
    with scripted_provider([reply]) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        with pytest.raises(ApplicationError) as caught:
            await think(store, fresh())
    failure = caught.value
    assert len(provider.requests) == 1
    assert (failure.type, failure.non_retryable) == (kind, True)  # it goes back to the run, which waits or fails
    assert failure.next_retry_delay == (None if seconds is None else timedelta(seconds=seconds))
    assert "SECRETsecret1234" not in failure.message
    assert ((await line(store)).outcome, (await line(store)).usage.requests) == ("failed", 0)


async def test_a_slow_answer_is_given_up_after_the_setting(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_provider([Reply(body=GOOD.body, delay=1.5)]) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        with pytest.raises(ApplicationError) as caught:
            await think(store, fresh(), seconds=0.3)
    assert (caught.value.type, caught.value.non_retryable) == (FailureType.PROVIDER, True)
    assert len(provider.requests) == 1


def test_an_answer_that_came_while_the_worker_stood_still_is_not_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def thought() -> AgentResult:
        async with open_store(tmp_path) as store:
            thinking = asyncio.create_task(think(store, fresh(), seconds=2.0))
            while not provider.requests:  # noqa: ASYNC110 - a server in a thread tells no event loop
                await asyncio.sleep(0.01)
            time.sleep(4.0)  # noqa: ASYNC251 - nothing of the process goes on, as in a container that is throttled
            return await thinking

    with scripted_provider([Reply(body=GOOD.body, delay=0.5)]) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        result = uvloop.run(thought())  # the loop that workers have
    assert result.output["thought"] == "All is well."
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("provider_name", "address"),
    [("openai", "OPENAI_BASE_URL"), ("anthropic", "ANTHROPIC_BASE_URL"), ("ollama", "OLLAMA_BASE_URL")],
)
async def test_no_provider_retries_by_itself(
    store: Store, monkeypatch: pytest.MonkeyPatch, provider_name: str, address: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    with scripted_provider([make_refusal(500, "server_error")]) as provider:
        monkeypatch.setenv(address, provider.url)
        with pytest.raises(ApplicationError) as caught:
            await think(store, fresh(provider_name))
    assert caught.value.type == FailureType.PROVIDER
    assert len(provider.requests) == 1


async def test_a_fallback_list_is_asked_in_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with scripted_provider([make_refusal(500, "server_error"), GOOD]) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        first, second = fresh(), fresh()
        result = await think(store, f"{first}, {second}")
    assert [f"openai-chat:{request['model']}" for request in provider.requests] == [first, second]
    assert result.usage.requests == 1


async def test_when_no_model_of_the_list_can_answer_the_offline_one_does(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with scripted_provider([make_refusal(401, "invalid_api_key")]) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        result = await think(store, f"{fresh()},offline")
    assert result.model == "extractive-v6"
    assert result.usage.cost_microusd == 0
