"""An agent that is asked through a provider's own client, at a service on loopback; and answers for that."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.state.failures import FailureDetails
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing.provider import make_completion, make_refusal
from tests.loopback import Answering, Asked, Loopback, Reply, loopback
from tests.unit.activities.agents.material import FixedSource, call

PATHS: Final = {"openai": "/v1", "openai-chat": "/v1", "ollama": "/v1", "vllm": "/v1"}
"""What a provider's address ends with."""
THOUGHT: Final = {"thought": "All is well.", "criteria": []}
"""What the agent that only thinks answers."""


@contextmanager
def service(replies: Sequence[Reply] | Answering) -> Iterator[Loopback]:
    """Gives `replies` one after the other, the last one again and again; or what they make of the request."""
    left = [] if callable(replies) else list(replies)

    def answering(asked: Asked) -> Reply:
        if callable(replies):
            return replies(asked)
        return left.pop(0) if len(left) > 1 else left[0]

    with loopback(answering) as running:
        yield running


def at(running: Loopback, *providers: str) -> Settings:
    """Settings by which the models of `providers` are asked at `running`, for whole answers."""
    urls = {provider: running.url + PATHS.get(provider, "") for provider in providers}
    return Settings(_env_file=None, model_urls=urls, model_timeout_seconds=30.0, stream_models=False)


def named(provider: str, model: str = "gpt-4o") -> str:
    """A name that no other test used: what was learned of a model is kept while the process lives."""
    return f"{provider}:{model}-{uuid4().hex[:8]}"


async def answered(store: Store, settings: Settings, model: str, asked: AgentCall | None = None) -> AgentResult:
    """What comes of asking an agent; without `asked` the one that only thinks."""
    made = AgentActivities(store, Sources({"docs": FixedSource({})}), settings)
    whole = asked or call("thinking", {"question": "Why?"})
    models = whole.models.model_copy(update={"default": model})
    result = await ActivityEnvironment().run(made.run_agent, whole.model_copy(update={"models": models}))
    assert isinstance(result, AgentResult)
    return result


async def failed(
    store: Store, settings: Settings, model: str, asked: AgentCall | None = None
) -> tuple[ApplicationError, FailureDetails]:
    """The same, if it fails."""
    with pytest.raises(ApplicationError) as caught:
        await answered(store, settings, model, asked)
    return caught.value, FailureDetails.model_validate(caught.value.details[0])


def chat(
    arguments: object,
    *,
    model: str = "gpt-4o",
    tokens: tuple[int, int] = (100, 10),
    reason: str = "tool_calls",
    **usage: object,
) -> Reply:
    told = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    body = json.loads(make_completion(arguments, model=model, usage=told).body)
    body["usage"] |= usage
    body["choices"][0]["finish_reason"] = reason
    return Reply(json.dumps(body), headers={"Content-Type": "application/json"})


def ended(reason: str, content: str, tokens: tuple[int, int] = (100, 50)) -> Reply:
    """A chat completion that ended so, without an answer in the form that was asked for."""
    body = json.loads(chat({}, tokens=tokens).body)
    body["choices"][0] = {
        "index": 0,
        "finish_reason": reason,
        "message": {"role": "assistant", "content": content},
    }
    return Reply(json.dumps(body), headers={"Content-Type": "application/json"})


def refused(status: int, code: str, **headers: str) -> Reply:
    made = make_refusal(status, code, **headers)
    return Reply(made.body, made.status, {"Content-Type": "application/json", **made.headers})
