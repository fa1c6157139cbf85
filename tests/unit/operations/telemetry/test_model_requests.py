"""A request to a model is one span, which has its names and figures, and its contents only if they are wanted."""

from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from elcano.operations.telemetry import model_requests, names
from elcano.operations.telemetry.model_requests import ObservedModel


async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart("It is secret.")], finish_reason="stop")


async def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise ValueError("the secret")


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    providers = SimpleNamespace(tracer=provider.get_tracer("test"))
    monkeypatch.setattr(model_requests, "get_providers", lambda: providers)
    return kept


async def ask(kept: InMemorySpanExporter, model: Callable[..., object], *, contents: bool) -> ReadableSpan:
    agent = Agent(name="writer", instructions="Tell no secret.")
    observed = ObservedModel(FunctionModel(model, model_name="gpt"), "writer", contents=contents)  # type: ignore[arg-type]
    with suppress(ValueError):
        await agent.run("What is the secret?", model=observed)
    (span,) = kept.get_finished_spans()
    return span


async def test_names_and_figures(kept: InMemorySpanExporter) -> None:
    span = await ask(kept, answer, contents=False)
    attributes = dict(span.attributes or {})
    assert span.name == "chat gpt"
    assert (attributes[names.AGENT_NAME], attributes[names.RESPONSE_MODEL]) == ("writer", "gpt")
    assert attributes[names.INPUT_TOKENS]
    assert attributes[names.FINISH_REASONS] == ("stop",)
    assert "secret" not in span.to_json()


async def test_contents(kept: InMemorySpanExporter) -> None:
    attributes = (await ask(kept, answer, contents=True)).attributes or {}
    assert "What is the secret?" in str(attributes[names.INPUT_MESSAGES])
    assert "It is secret." in str(attributes[names.OUTPUT_MESSAGES])
    assert "Tell no secret." in str(attributes[names.INSTRUCTIONS])


async def test_a_failure_says_its_type_alone(kept: InMemorySpanExporter) -> None:
    span = await ask(kept, fail, contents=True)
    assert dict(span.attributes or {})[names.ERROR_TYPE] == "ValueError"
    assert not span.status.is_ok
    assert "secret" not in span.to_json()
