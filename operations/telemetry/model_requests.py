"""A span of every request to a model: who asked which one, and what it used.

pydantic-ai could make these spans, but it writes every message of a conversation as JSON several times a request, also
where contents stay in the process. Here that is done only if they may leave.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from opentelemetry.trace import SpanKind
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from elcano.operations.telemetry import names
from elcano.operations.telemetry.providers import get_providers, mark_failed

FORMAT: Final = InstrumentationSettings(include_binary_content=False)
"""Settings of pydantic-ai's message format by the conventions."""


class ObservedModel(WrapperModel):
    """A model of whose requests there are spans."""

    def __init__(self, wrapped: Model, agent: str, *, contents: bool) -> None:
        super().__init__(wrapped)
        self._agent = agent
        self._contents = contents

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer."""
        with get_providers().tracer.start_as_current_span(
            f"{names.CHAT} {self.model_name}",
            kind=SpanKind.CLIENT,
            attributes=_describe_request(self.wrapped, self._agent, model_settings),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                response = await super().request(messages, model_settings, model_request_parameters)
            except BaseException as error:
                mark_failed(span, type(error).__name__)
                raise
            if span.is_recording():
                span.set_attributes(_describe_response(response))
                if self._contents:
                    span.set_attributes(_describe_contents(messages, response))
        return response


def _describe_request(model: Model, agent: str, settings: ModelSettings | None) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        names.OPERATION: names.CHAT,
        names.AGENT_NAME: agent,
        names.PROVIDER: model.system,
        names.REQUEST_MODEL: model.model_name,
    }
    if host := _find_host(model.base_url or ""):
        found[names.SERVER] = host
    if settings and (most := settings.get("max_tokens")):
        found[names.MAX_TOKENS] = most
    return found


@lru_cache(maxsize=64)
def _find_host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _describe_response(response: ModelResponse) -> Mapping[str, Any]:
    found: dict[str, Any] = dict(response.usage.opentelemetry_attributes())
    if response.model_name:
        found[names.RESPONSE_MODEL] = response.model_name
    if response.provider_response_id:
        found[names.RESPONSE_ID] = response.provider_response_id
    if response.finish_reason:
        found[names.FINISH_REASONS] = [response.finish_reason]
    return found


def _describe_contents(messages: Sequence[ModelMessage], response: ModelResponse) -> Mapping[str, str]:
    instructions = next((one.instructions for one in reversed(messages) if isinstance(one, ModelRequest)), None)
    found = {
        names.INPUT_MESSAGES: json.dumps(FORMAT.messages_to_otel_messages(list(messages))),
        names.OUTPUT_MESSAGES: json.dumps(FORMAT.messages_to_otel_messages([response])),
    }
    if instructions:
        found[names.INSTRUCTIONS] = json.dumps([{"type": "text", "content": instructions}])
    return found
