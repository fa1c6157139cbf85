"""A language model that answers from a script, under the real agents: only the provider is imitated.

Answers are chosen by the calling agent, which the task envelope of the prompt names, so a script works however often
and in whatever order agents are called.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pydantic import BaseModel
from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from elcano.graphs.agents.envelope import TaskEnvelope, parse_envelope
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.settings import Settings
from elcano.testing.default_answers import build_plain_answer

_Refusal: TypeAlias = type[
    ModelRateLimitError | ModelQuotaExceededError | ModelUnavailableError | ModelServerError | ModelRequestRejectedError
]
_REFUSALS: Final[Mapping[int, _Refusal]] = {
    401: ModelAuthenticationError,
    402: ModelQuotaExceededError,
    403: ModelAuthenticationError,
    404: ModelNotFoundError,
    429: ModelRateLimitError,
    503: ModelUnavailableError,
    529: ModelOverloadedError,
}


@dataclass(frozen=True)
class Reply:
    """One response: `output` in the form that the agent requires, or else `text`, which is the wrong form for most."""

    output: Mapping[str, object] | BaseModel | None = None
    text: str = ""
    thinking: str = ""
    """The model's visible thoughts before the answer."""
    reasoning_tokens: int = 0
    """Hidden reasoning tokens; they are charged as output."""
    input_tokens: int | None = None
    """Default: a quarter of the prompt's characters."""
    output_tokens: int | None = None
    """Excludes reasoning. Default: a quarter of the answer's characters."""
    seconds: float = 0.0
    """The time that the model takes."""


@dataclass(frozen=True)
class Failing:
    """A request that the provider refuses with an HTTP status."""

    status: int
    message: str = "scripted"
    retry_after: float | None = None
    """Seconds that the provider asks to wait."""
    seconds: float = 0.0


Answer: TypeAlias = Mapping[str, object] | BaseModel | str | Reply | Failing | Exception
"""An answer: the agent's output, a text, or more exactly a `Reply`; or how the request fails."""
Answers: TypeAlias = Answer | Sequence[Answer] | Callable[[TaskEnvelope], Answer]
"""Always the same answer; a list used one after the other, the last one repeatedly; or a function of the task."""


class ScriptedModel(FunctionModel):
    """A model that answers the agents in `answers` from the script, and all others by `default`.

    Args:
        answers: By the name of the agent; the long writer asks as `long_writer_section` and `long_writer_summary`.
        default: Answers the agents that `answers` does not name; by default `build_plain_answer`.
        name: What the model is called in reports and ledgers.
    """

    def __init__(
        self,
        answers: Mapping[str, Answers] | None = None,
        *,
        default: Callable[[TaskEnvelope], Answer] = build_plain_answer,
        name: str = "scripted",
    ) -> None:
        super().__init__(self._respond, model_name=name)
        self._answers = answers or {}
        self._default = default
        self._asked: Counter[str] = Counter()
        self.tasks: list[TaskEnvelope] = []
        """The tasks it received, in order; `task.kind` is the agent."""

    def resolve(self, choice: ModelChoice, agent: str, settings: Settings) -> Model:
        """Return this model, whatever a run and the settings choose; pass it to a worker as `resolve`."""
        return self

    async def _respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompt = _find_task_prompt(messages)
        task = parse_envelope(prompt)
        if task is None:
            raise LookupError("a scripted model answers the agents of Elcano; this prompt has no task envelope")
        self.tasks.append(task)
        answer = self._answer(task)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Failing):
            await asyncio.sleep(answer.seconds)
            raise self._refusal(answer)
        reply = answer if isinstance(answer, Reply) else _make_reply(answer)
        await asyncio.sleep(reply.seconds)
        return _build_model_response(reply, prompt, info)

    def _answer(self, task: TaskEnvelope) -> Answer:
        scripted = self._answers.get(task.kind)
        if scripted is None:
            return self._default(task)
        if callable(scripted):
            return scripted(task)
        if isinstance(scripted, str) or not isinstance(scripted, Sequence):
            return scripted
        turn = min(self._asked[task.kind], len(scripted) - 1)
        self._asked[task.kind] += 1
        return scripted[turn]

    def _refusal(self, failing: Failing) -> ModelHTTPError:
        rejected: _Refusal = ModelServerError if failing.status >= 500 else ModelRequestRejectedError
        return ModelHTTPError.for_category(
            _REFUSALS.get(failing.status, rejected),
            status_code=failing.status,
            model_name=self.model_name,
            body={"message": failing.message},
            retry_after=failing.retry_after,
        )


def _make_reply(answer: Mapping[str, object] | BaseModel | str) -> Reply:
    return Reply(text=answer) if isinstance(answer, str) else Reply(output=answer)


def _build_model_response(reply: Reply, prompt: str, info: AgentInfo) -> ModelResponse:
    shown = reply.text
    if reply.output is not None:
        output = reply.output
        shown = output.model_dump_json() if isinstance(output, BaseModel) else json.dumps(dict(output))
    as_call = reply.output is not None and bool(info.output_tools)
    said = ToolCallPart(info.output_tools[0].name, shown) if as_call else TextPart(shown)
    given = _estimate_tokens(prompt) if reply.input_tokens is None else reply.input_tokens
    answered = _estimate_tokens(shown) if reply.output_tokens is None else reply.output_tokens
    return ModelResponse(
        parts=[ThinkingPart(reply.thinking), said] if reply.thinking else [said],
        usage=RequestUsage(
            input_tokens=given,
            output_tokens=answered + reply.reasoning_tokens,
            details={"reasoning_tokens": reply.reasoning_tokens} if reply.reasoning_tokens else {},
        ),
    )


def _find_task_prompt(messages: Sequence[ModelMessage]) -> str:
    """Return the task, which is the first user message: later ones only say what was wrong with an answer's form."""
    said = (
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart) and isinstance(part.content, str)
    )
    return next(said, "")


def _estimate_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
