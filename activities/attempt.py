"""One attempt of an agent's call: the models it asks, what they use, and its line in the ledger.

Usage is counted when a model has answered, whether or not the answer could be used, so that an attempt that fails or
is killed leaves what it spent. Each attempt writes only its own line; all lines of a step together are what it cost.
"""

import asyncio
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import UsageLimits
from temporalio import activity

from activities.booking import Outcome, line
from activities.heartbeat import Pulse
from activities.models import call_settings, resolve_model
from activities.usage import usage_of
from graphs.budget import Usage, total
from graphs.contracts import AgentCall
from graphs.frozen import JsonObject
from graphs.models import OFFLINE
from settings import Settings
from storage.ledger import Ledger

REQUEST_LIMIT: Final = 3
"""One answer and two more if its form is wrong; these are turns of one conversation, not retries."""

Output = TypeVar("Output")


@dataclass(frozen=True)
class Answer(Generic[Output]):
    """What a model answered."""

    output: Output
    model: str
    """Who answered, as the provider names it."""
    quoted: bool
    """Whether that was the extractive model."""


class Attempt:
    """What this attempt of `call` has done so far."""

    def __init__(self, call: AgentCall, pulse: Pulse, ledger: Ledger, settings: Settings) -> None:
        self.call = call
        self.pulse = pulse
        self.usage = Usage()
        """Of this attempt alone."""
        self.before = Usage()
        """Of the attempts before it, once `look_back` was called."""
        self.quoted = True
        """Whether nobody but the extractive model answered."""
        self._models: dict[str, None] = {}
        self._ledger = ledger
        self._settings = settings

    async def ask(self, agent: Agent[object, Output], prompt: str) -> Answer[Output]:
        """One run of one agent; what it used is counted however it ends."""
        # In a thread: the first model of a provider imports its SDK, which takes seconds.
        model = await asyncio.to_thread(resolve_model, self.call.models, self.call.agent, self._settings)
        with capture_run_messages() as messages:
            try:
                result = await agent.run(
                    prompt,
                    model=model,
                    model_settings=call_settings(self._settings),
                    usage_limits=UsageLimits(request_limit=REQUEST_LIMIT),
                )
            finally:
                self.usage += usage_of(messages)
                if answers := [message for message in messages if isinstance(message, ModelResponse)]:
                    self.credit(answers[-1].model_name or "", quoted=answers[-1].provider_name == OFFLINE)
        last = result.response
        return Answer(result.output, model=last.model_name or "", quoted=last.provider_name == OFFLINE)

    @property
    def progress(self) -> JsonObject:
        """What is finished: of this attempt, else of the one before it, else of an earlier try of the call."""
        beaten = next(iter(self.pulse.details), None)
        return beaten if isinstance(beaten, dict) else self.call.progress

    def credit(self, model: str, *, quoted: bool) -> None:
        """Notes who answered, in this attempt or in an earlier one whose answer is used."""
        self.quoted = self.quoted and quoted
        if model:
            self._models[model] = None

    async def look_back(self) -> None:
        """Reads from the ledger what the attempts before this one used."""
        info = activity.info()
        if info.attempt > 1:
            lines = await self._ledger.of_activity(self.call.run_id, info.workflow_run_id or "", info.activity_id)
            self.before = total(line.usage for line in lines if line.attempt < info.attempt)

    async def record(self, outcome: Outcome) -> None:
        """Writes this attempt's line, in place of what it wrote before."""
        call = self.call
        await self._ledger.record(
            line(
                call.run_id,
                call.node,
                call.agent,
                outcome,
                kind="agent",
                step=call.step,
                model=self.model,
                usage=self.usage,
            )
        )

    @property
    def model(self) -> str:
        """Who answered, each once; empty if nobody did."""
        return ", ".join(self._models)
