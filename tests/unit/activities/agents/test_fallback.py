"""A model that does not answer, or answers rubbish, is followed by the next of its list; what it took is counted."""

import json
from datetime import timedelta
from typing import Any

import pytest

from elcano.graphs.state.budget import Allowance
from elcano.graphs.state.failures import FailureType
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.loopback import Reply
from tests.unit.activities.agents.asked import THOUGHT, answered, at, chat, ended, failed, named, refused, service
from tests.unit.activities.agents.material import call

pytestmark = pytest.mark.usefixtures("no_model_keys")


@pytest.mark.parametrize(
    ("first", "requests"),
    [
        ([refused(401, "invalid_api_key")], 1),
        ([refused(402, "no_credit")], 1),
        ([refused(404, "model_not_found")], 1),
        ([refused(429, "rate_limit_exceeded", retry_after="9")], 1),
        ([refused(500, "server_error")], 1),
        ([Reply("{ this is not JSON")], 1),
        ([chat({"thought": 7}, model="small")] * 3, 4),
        ([ended("length", "")] * 2, 3),
        ([ended("content_filter", "")] * 2, 3),
    ],
    ids=["key", "credit", "name", "rate", "server", "no JSON", "malformed", "cut off", "withheld"],
)
async def test_the_next_model_answers_and_is_named(store: Store, first: list[Reply], requests: int) -> None:
    answers = [*first, chat(THOUGHT, model="gpt-4o-mini", tokens=(1_000, 100))]
    with service(answers) as running:
        settings = at(running, "openai-chat")
        result = await answered(store, settings, f"{named('openai-chat')},{named('openai-chat')}")
    assert result.output == THOUGHT
    assert result.model == "gpt-4o-mini"
    used = requests if requests > 1 else 1
    assert result.usage.requests == used
    if used == 1:
        assert result.usage.cost_microusd == 210  # gpt-4o-mini: 0.15 and 0.60 dollars a million tokens
    (line,) = await store.of("default").ledger.entries("run-1")
    assert (line.model, line.usage) == ("gpt-4o-mini", result.usage)


async def test_if_all_fail_the_run_waits_for_the_one_that_will_answer(store: Store) -> None:
    with service(
        [refused(401, "invalid_api_key"), refused(429, "slow_down", x_ratelimit_reset_requests="6m0s")]
    ) as running:
        names = f"{named('openai-chat')},{named('openai-chat')}"
        failure, details = await failed(store, at(running, "openai-chat"), names)
    assert (failure.type, failure.next_retry_delay) == (FailureType.PROVIDER, timedelta(minutes=6))
    assert "the key was refused" in failure.message
    assert details.retry_after == 360


async def test_of_models_that_ask_to_wait_the_one_that_answers_first_is_waited_for(store: Store) -> None:
    waits = [refused(429, "slow_down", x_ratelimit_reset_requests=wait) for wait in ("6m0s", "2m0s")]
    with service(waits) as running:
        names = f"{named('openai-chat')},{named('openai-chat')}"
        failure, details = await failed(store, at(running, "openai-chat"), names)
    assert (failure.next_retry_delay, details.retry_after) == (timedelta(minutes=2), 120)


async def test_a_budget_that_is_out_is_out_for_the_next_model_too(store: Store) -> None:
    asked = call("thinking", {"question": "Why?"}).model_copy(update={"allowance": Allowance(tokens=10)})
    with service([chat(THOUGHT)]) as running:
        names = f"{named('openai-chat')},{named('openai-chat')}"
        failure, details = await failed(store, at(running, "openai-chat"), names, asked)
    assert (failure.type, details.exhausted, running.asked) == (FailureType.BUDGET, "tokens", [])


async def test_if_all_refuse_each_says_what_to_do(store: Store) -> None:
    with service([refused(401, "invalid_api_key"), refused(402, "no_credit")]) as running:
        settings = at(running, "openai-chat", "mistral")
        failure, _ = await failed(store, settings, f"{named('openai-chat')},{named('mistral')}")
    assert (failure.type, failure.non_retryable) == (FailureType.MODEL_REFUSED, True)
    assert "OPENAI_API_KEY" in failure.message
    assert "console.mistral.ai/billing" in failure.message


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 400, "type": "exceed_context_size_error", "message": "too much"}, FailureType.PROMPT_TOO_LONG),
        ({"code": 429, "message": "Provider returned error"}, FailureType.PROVIDER),
        ({"code": "insufficient_quota", "message": "no"}, FailureType.MODEL_REFUSED),
        ({"message": "out of order"}, FailureType.PROVIDER),
        ("out of order", FailureType.PROVIDER),
    ],
    ids=["llama.cpp", "router", "quota", "message", "text"],
)
async def test_an_error_that_comes_as_an_answer_is_one(store: Store, error: Any, kind: str) -> None:
    reply = Reply(json.dumps({"error": error}), headers={"Content-Type": "application/json"})
    with service([reply]) as running:
        failure, _ = await failed(store, at(running, "openai-chat"), named("openai-chat"))
    assert failure.type == kind


async def test_an_overload_inside_a_stream_that_began_well_is_one(store: Store) -> None:
    start: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "c"}
    start |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1}}
    events = [
        ("message_start", {"type": "message_start", "message": start}),
        ("error", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    stream = Reply(body, headers={"Content-Type": "text/event-stream"})
    with service([stream]) as running:
        failure, _ = await failed(store, at(running, "anthropic"), "anthropic:claude-sonnet-5-5")
    assert [one.json().get("stream") for one in running.asked] == [True], failure
    assert (failure.type, "Overloaded" in failure.message) == (FailureType.PROVIDER, True)


@pytest.mark.parametrize("provider", ["openai-chat", "openai", "anthropic", "google", "mistral"])
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"[]", {}),
        (b"null", {}),
        (b"{}", {}),
        (b"", {}),
        (b'{"choices": 7, "content": [7], "candidates": [7], "output": 7, "usage": "x"}', {}),
        (b'{"choices": [{"finish_reason": "stop", "message": "\xff"}]}', {}),
        (b"<html>Log in</html>", {"Content-Type": "text/html"}),
        (b"no gzip at all", {"Content-Encoding": "gzip"}),
    ],
    ids=["list", "null", "object", "nothing", "types", "bytes", "page", "gzip"],
)
async def test_rubbish_is_the_providers_and_the_next_model_is_asked(
    store: Store, provider: str, body: bytes, headers: dict[str, str]
) -> None:
    rubbish = Reply(body, headers={"Content-Type": "application/json", **headers})
    with service([rubbish]) as broken, service([chat(THOUGHT)]) as whole:
        urls = {**at(broken, provider).model_urls, **at(whole, "vllm").model_urls}
        settings = Settings(_env_file=None, model_urls=urls)
        name = named(provider, "claude-3-5-haiku")
        failure, _ = await failed(store, settings, name)
        assert failure.type in (FailureType.PROVIDER, FailureType.MODEL_OUTPUT)
        result = await answered(store, settings, f"{name},{named('vllm')}")
    assert result.output == THOUGHT


async def test_a_count_that_no_model_reaches_is_not_believed(store: Store) -> None:
    with service([chat(THOUGHT, tokens=(10**22, 5))]) as running:
        result = await answered(store, at(running, "openai-chat"), named("openai-chat"))
    assert result.usage.estimated
    assert result.usage.tokens < 10_000
