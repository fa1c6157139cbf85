"""Spans leave without secrets, and without contents unless they are wanted."""

from contextlib import suppress

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from elcano.operations.telemetry.providers import SafeSpanExporter


def export_one(*, contents: bool) -> ReadableSpan:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(SafeSpanExporter(kept, contents=contents)))
    with suppress(ValueError), provider.get_tracer("test").start_as_current_span("chat") as span:
        span.set_attribute("gen_ai.input.messages", "What is the secret plan?")
        span.set_attribute("gen_ai.request.model", "openai:gpt-5.1")
        span.set_attribute("url.query", "q=secret plan")
        span.set_attribute("note", "key sk-abcdefghijklmnop")
        span.add_event("heard", {"gen_ai.output.messages": "It is secret."})
        raise ValueError("the answer was: secret plan")
    (found,) = kept.get_finished_spans()
    return found


def test_contents_stay_here_by_default() -> None:
    span = export_one(contents=False)
    assert "secret" not in span.to_json()
    attributes = dict(span.attributes or {})
    assert attributes == {"gen_ai.request.model": "openai:gpt-5.1", "note": "key [removed]"}
    assert [event.name for event in span.events] == ["heard", "exception"]
    assert dict(span.events[1].attributes or {})["exception.type"] == "ValueError"
    assert not span.status.is_ok


def test_contents_can_be_asked_for_and_keys_stay_here_even_so() -> None:
    text = export_one(contents=True).to_json()
    assert "What is the secret plan?" in text
    assert "the answer was: secret plan" in text
    assert "sk-abcdefghijklmnop" not in text
