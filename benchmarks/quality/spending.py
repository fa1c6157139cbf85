"""Counts calls and tokens by the kind of task that a model is asked, and what the reviewer says of first drafts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from elcano.activities.calls.models import Resolve
from elcano.graphs.agents.review import ReviewVerdicts

WRITERS: Final = frozenset({"writer", "long_writer_section", "long_writer_summary", "proofreader"})
_KIND: Final = re.compile(r'^ "kind": "(\w+)"', re.MULTILINE)


@dataclass
class Spending:
    """What each agent asked, by the kind of its task."""

    calls: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    """Verdicts of the reviewer on drafts as they were written, before anything was mended."""
    mending: bool = False
    """Whether the last draft was given back."""

    def within(self, resolve: Resolve) -> Resolve:
        """`resolve`, whose models are counted."""

        def resolved(*asked: Any) -> Model:
            return _Counted(resolve(*asked), self)

        return resolved

    def total(self) -> int:
        """Tokens sent and written."""
        return self.sent.total() + self.written.total()

    def add(self, kind: str, response: ModelResponse) -> None:
        """Count one answer to a task of `kind`."""
        self.calls[kind] += 1
        self.sent[kind] += response.usage.input_tokens
        self.written[kind] += response.usage.output_tokens
        self.mending = kind == "reviser" or (self.mending and kind not in WRITERS)
        if kind == "reviewer" and not self.mending:
            self.first.update(_iter_verdicts(response))


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
        self._spending.add(kind, response)
        return response


def _iter_verdicts(response: ModelResponse) -> Iterator[str]:
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            with suppress(ValidationError, ValueError):
                answer = ReviewVerdicts.model_validate(part.args_as_dict())
                yield from (one.support for one in answer.verdicts)


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
