"""A request to a model is one span, which has its names and figures, and its contents only if they are wanted."""

from collections.abc import Callable
from contextlib import suppress

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from elcano.operations.telemetry import names
from elcano.operations.telemetry.providers import SafeSpanExporter, build_model_observer


async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart("It is secret.")], finish_reason="stop")


async def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise ValueError("the secret")


async def ask(model: Callable[..., object], *, contents: bool) -> ReadableSpan:
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(SafeSpanExporter(kept, contents=contents)))
    agent = Agent(name="writer", instructions="Tell no secret.")
    observe = build_model_observer(provider, contents=contents)
    with suppress(ValueError):
        await agent.run("What is the secret?", model=observe(FunctionModel(model, model_name="gpt")))  # type: ignore[arg-type]
    spans = kept.get_finished_spans()
    assert contents or not any("secret" in span.to_json() for span in spans)
    (span,) = (span for span in spans if span.name.startswith(names.CHAT))
    return span


async def test_names_and_figures() -> None:
    span = await ask(answer, contents=False)
    attributes = dict(span.attributes or {})
    assert span.name == "chat gpt"
    assert (attributes[names.AGENT_NAME], attributes[names.RESPONSE_MODEL]) == ("writer", "gpt")
    assert attributes[names.INPUT_TOKENS]
    assert attributes[names.FINISH_REASONS] == ("stop",)
    assert "secret" not in span.to_json()


async def test_contents() -> None:
    attributes = (await ask(answer, contents=True)).attributes or {}
    assert "What is the secret?" in str(attributes[names.INPUT_MESSAGES])
    assert "It is secret." in str(attributes[names.OUTPUT_MESSAGES])
    assert "Tell no secret." in str(attributes[names.INSTRUCTIONS])


async def test_a_failure_says_its_type_alone() -> None:
    span = await ask(fail, contents=False)
    assert [dict(event.attributes or {})["exception.type"] for event in span.events] == ["ValueError"]
    assert not span.status.is_ok
    assert "secret" not in span.to_json()
