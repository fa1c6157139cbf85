"""The extractive model: does the tasks that plugins have rules for, by quotations, without a key and without I/O.

It reads the task envelope and nothing else. Without one it refuses: it must never pretend to chat. The same envelope
always gets the same answer.
"""

import asyncio
from collections.abc import Callable
from typing import ClassVar, Final

from pydantic import BaseModel, ValidationError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from elcano.activities.calls.usage import estimated_tokens
from elcano.graphs.agents.envelope import TaskEnvelope, parse_envelope
from elcano.graphs.agents.writing import ReportProse, SectionProse
from elcano.graphs.errors import ModelRefused
from elcano.graphs.plugin import find_keyless, import_object
from elcano.graphs.report.report import ReportDraft

EXTRACTIVE: Final = "extractive-v6"
PROVIDER: Final = "offline"


class ExtractiveModel(Model[None]):
    """A pydantic-ai model without a provider. It uses no tokens: no language model is asked."""

    is_metered: ClassVar[bool] = False
    """Whether its requests count as much as those of a language model; only tests of budgets have them do so."""

    @property
    def provider(self) -> None:
        """There is none."""
        return None

    @property
    def model_name(self) -> str:
        """Names the version of its rules: other rules, other name."""
        return EXTRACTIVE

    @property
    def system(self) -> str:
        """The provider's name in usage and traces."""
        return PROVIDER

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer to the envelope at the end of the last user prompt, as a call of the output tool or as JSON.

        Raises:
            ModelRefused: there is no envelope, or its task is not one that this model can do.
        """
        text = _user_prompt(messages)
        task, answer_task = _read_task(text)
        # Reading a full prompt of passages takes long enough to delay heartbeats and other activities of the loop.
        answer = await asyncio.to_thread(answer_task, task)
        if isinstance(answer, ReportDraft):
            answer = _convert_to_prose(answer)
        body = answer.model_dump_json()
        tools = model_request_parameters.output_tools
        return ModelResponse(
            parts=[ToolCallPart(tools[0].name, body)] if tools else [TextPart(body)],
            usage=RequestUsage(input_tokens=estimated_tokens(len(text)), output_tokens=estimated_tokens(len(body)))
            if self.is_metered
            else RequestUsage(),
            model_name=EXTRACTIVE,
            provider_name=PROVIDER,
        )


def _convert_to_prose(draft: ReportDraft) -> ReportProse:
    """`draft` in the form in which writers answer: quotations in the place of texts, each supported whole."""
    return ReportProse(
        title=draft.title,
        key_findings=draft.key_findings,
        sections=tuple(SectionProse(heading=one.heading, text=one.claims) for one in draft.sections),
        limitations=draft.limitations,
        related=draft.related,
        answered=draft.answered,
    )


def _read_task(text: str) -> tuple[TaskEnvelope, Callable[[TaskEnvelope], BaseModel]]:
    """The task of a prompt, and the function that does it."""
    try:
        task = parse_envelope(text)
    except ValidationError as error:
        raise ModelRefused("The offline model was given a task envelope that it cannot read.") from error
    if task is None:
        raise ModelRefused("The offline model does only the tasks of this project's agents; it cannot chat.")
    if (path := find_keyless(task.kind)) is None:
        raise ModelRefused(
            f"The offline model cannot do the task {task.kind!r}, which needs a language model: choose one with "
            "`ELCANO_MODEL` or the run's `model`."
        )
    return task, import_object(path, f"the rule for {task.kind!r}")


def _user_prompt(messages: list[ModelMessage]) -> str:
    prompts = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart) and isinstance(part.content, str)
    ]
    return prompts[-1] if prompts else ""
