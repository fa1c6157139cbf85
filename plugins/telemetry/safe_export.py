"""An exporter of spans without secrets, and without contents unless they are wanted.

It is the one place through which all spans leave, those of libraries included: exceptions of pydantic-ai, for example,
repeat what a model answered.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status
from opentelemetry.util.types import Attributes, AttributeValue

from elcano.plugins.telemetry.names import CONTENTS
from elcano.redaction import without_these_secrets
from elcano.settings import list_secrets

SHORT: Final = 200
"""Characters up to which cleaned texts are remembered: names of models, agents and runs return in span after span."""


class SafeSpanExporter(SpanExporter):
    """Hands cleaned copies of spans to another exporter."""

    def __init__(self, inner: SpanExporter, *, contents: bool) -> None:
        self._inner = inner
        self._contents = contents

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export cleaned copies."""
        secrets = list_secrets()
        return self._inner.export([self._clean(span, secrets) for span in spans])

    def shutdown(self) -> None:
        """Shut the exporter down."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the exporter."""
        return self._inner.force_flush(timeout_millis)

    def _clean(self, span: ReadableSpan, secrets: tuple[str, ...]) -> ReadableSpan:
        description = span.status.description if self._contents else None  # it is the exception's text
        return ReadableSpan(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=self._clean_attributes(span.attributes, secrets),
            events=[
                Event(one.name, self._clean_attributes(one.attributes, secrets), one.timestamp) for one in span.events
            ],
            links=span.links,
            kind=span.kind,
            status=Status(span.status.status_code, description and clean_text(description, secrets)),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )

    def _clean_attributes(self, attributes: Attributes, secrets: tuple[str, ...]) -> Mapping[str, AttributeValue]:
        return {
            name: clean_text(value, secrets) if isinstance(value, str) else value
            for name, value in (attributes or {}).items()
            if self._contents or name not in CONTENTS
        }


def clean_text(text: str, secrets: tuple[str, ...]) -> str:
    """Return a text without secrets."""
    return _clean_short_text(text, secrets) if len(text) <= SHORT else without_these_secrets(text, secrets)


@lru_cache(maxsize=4_096)
def _clean_short_text(text: str, secrets: tuple[str, ...]) -> str:
    return without_these_secrets(text, secrets)
