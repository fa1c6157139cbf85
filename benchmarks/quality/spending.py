"""Counts calls and tokens by the kind of task that a model is asked."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from elcano.activities.calls.models import Resolve

_KIND: Final = re.compile(r'^ "kind": "(\w+)"', re.MULTILINE)


@dataclass
class Spending:
    """What each agent asked, by the kind of its task."""

    calls: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)

    def within(self, resolve: Resolve) -> Resolve:
        """`resolve`, whose models are counted."""

        def resolved(*asked: Any) -> Model:
            return _Counted(resolve(*asked), self)

        return resolved


class _Counted(WrapperModel):
    def __init__(self, wrapped: Model, spending: Spending) -> None:
        super().__init__(wrapped)
        self._spending = spending

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        response = await super().request(messages, model_settings, model_request_parameters)
        kind = _find_kind(messages)
        self._spending.calls[kind] += 1
        self._spending.sent[kind] += response.usage.input_tokens
        self._spending.written[kind] += response.usage.output_tokens
        return response


def _find_kind(messages: Sequence[ModelMessage]) -> str:
    prompts = (
        str(part.content)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    )
    return next((found[1] for prompt in prompts if (found := _KIND.search(prompt))), "unknown")


def print_spending(spending: Spending) -> None:
    """Prints calls and tokens by agent."""
    for kind, calls in sorted(spending.calls.items(), key=lambda one: -spending.sent[one[0]]):
        print(
            f"{'tokens':10} {kind:24} {calls:6} calls {spending.sent[kind]:9} sent {spending.written[kind]:8} written"
        )
    total = f"{spending.sent.total():9} sent {spending.written.total():8} written"
    print(f"{'tokens':10} {'all':24} {spending.calls.total():6} calls {total}")
