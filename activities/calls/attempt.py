"""One attempt of an agent's call: the models it asks, what they use, and its line in the ledger.

Before each request what is left of the call's allowance is looked at. A request that is surely too much for it is not
made; an answer that came is kept, whatever it took. (pydantic-ai's own token limits are checked when a model has
answered, and throw away what was paid for.)

Usage is counted when a model has answered, whether or not the answer could be used, so that an attempt that fails or
is killed leaves what it spent. Each attempt writes only its own line; all lines of a step together are what it cost.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.usage import UsageLimits
from temporalio import activity

from elcano.activities.calls.heartbeat import Pulse
from elcano.activities.calls.ledger_line import Outcome, line
from elcano.activities.calls.models import Resolve, call_settings
from elcano.activities.calls.streaming import Listener, Streamers, heard
from elcano.activities.calls.usage import usage_of
from elcano.activities.text.tokens import estimated_tokens
from elcano.graphs.contracts import AgentCall
from elcano.graphs.errors import BudgetExhausted
from elcano.graphs.frozen import JsonObject
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.values.budget import Allowance, Estimate, Exhausted, Usage, total
from elcano.graphs.values.tokens import PROMPT_TOKENS
from elcano.graphs.values.words import Words
from elcano.settings import Settings
from elcano.storage.store import TenantStore

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

    def __init__(
        self,
        call: AgentCall,
        pulse: Pulse,
        store: TenantStore,
        settings: Settings,
        resolve: Resolve,
        streamers: Streamers | None = None,
    ) -> None:
        """Whoever watches sees what is written as it is written, if there are `streamers`."""
        self.call = call
        self.pulse = pulse
        self.usage = Usage()
        """Of this attempt alone."""
        self.before = Usage()
        """Of the attempts before it, as far as they had written it down when this one last looked."""
        self.quoted = True
        """Whether nobody but the extractive model answered."""
        self._models: dict[str, None] = {}
        self.store = store
        self._settings = settings
        self._resolve = resolve
        self._streamers = streamers

    async def ask(self, agent: Agent[object, Output], prompt: str) -> Answer[Output]:
        """One run of one agent; what it used is counted however it ends.

        Raises:
            BudgetExhausted: what is left of the call's allowance does not suffice for its first or its next request.
        """
        # In a thread: the first model of a provider imports its SDK, which takes seconds.
        model = await asyncio.to_thread(self._resolve, self.call.models, self.call.agent, self._settings)
        with capture_run_messages() as messages:
            listener = None
            if self._streamers is not None:
                listener = Listener(self._streamers, lambda: self._admit(prompt, messages, listener))
                model = heard(model, listener)
                self._show(listener)
            try:
                async with agent.iter(
                    prompt,
                    model=model,
                    model_settings=call_settings(self._settings),
                    usage_limits=UsageLimits(request_limit=REQUEST_LIMIT),
                ) as running:
                    async for node in running:
                        if agent.is_model_request_node(node):
                            self._admit(prompt, messages, listener)
                result = running.result
                assert result is not None
                if listener is not None:
                    listener.accept(usage_of(messages).requests)
            finally:
                self.usage += usage_of(messages) + (Usage() if listener is None else listener.lost)
                if answers := [message for message in messages if isinstance(message, ModelResponse)]:
                    self.credit(answers[-1].model_name or "", quoted=answers[-1].provider_name == OFFLINE)
        last = result.response
        return Answer(result.output, model=last.model_name or "", quoted=last.provider_name == OFFLINE)

    @property
    def progress(self) -> JsonObject:
        """What is finished: of this attempt, else of the one before it, else of an earlier try of the call."""
        beaten = next(iter(self.pulse.details), None)
        return beaten if isinstance(beaten, dict) else self.call.progress

    @property
    def left(self) -> Allowance:
        """What this attempt may still use of what its call may."""
        return self.call.allowance.less(self.before + self.usage)

    def _show(self, listener: Listener) -> None:
        """Has the beats carry what `listener` hears from now on."""
        step, node, attempt = self.call.step, self.call.node, activity.info().attempt

        def words() -> Words | None:
            if (written := listener.written) is None:
                return None
            return Words(step=step, node=node, attempt=attempt, text=written[0], characters=written[1])

        self.pulse.show(words)

    def _admit(self, prompt: str, messages: Sequence[ModelMessage], listener: Listener | None) -> None:
        """Lets the next request of a conversation pass, unless it is surely too much.

        The first one takes its prompt. A further one repeats the whole conversation, so it takes at least as many
        tokens as the one before it, answer included, and about as much money.
        """
        used = usage_of(messages)
        least = Estimate(tokens=prompt_tokens(prompt))
        if used.requests:
            answered = max(place for place, one in enumerate(messages) if isinstance(one, ModelResponse))
            earlier = usage_of(messages[:answered])
            least = Estimate(
                tokens=used.tokens - earlier.tokens, cost_microusd=used.cost_microusd - earlier.cost_microusd
            )
        left = self.left.less(used if listener is None else used + listener.lost)
        if (refused := left.refuses(least)) is not None:
            raise BudgetExhausted(refused, _too_little(self.call, left, least, refused))

    def credit(self, model: str, *, quoted: bool) -> None:
        """Notes who answered, in this attempt or in an earlier one whose answer is used."""
        self.quoted = self.quoted and quoted
        if model:
            self._models[model] = None

    async def look_back(self) -> None:
        """Reads from the ledger what the attempts before this one used."""
        info = activity.info()
        if info.attempt > 1:
            lines = await self.store.ledger.of_activity(self.call.run_id, info.workflow_run_id or "", info.activity_id)
            self.before = total(line.usage for line in lines if line.attempt < info.attempt)

    async def record(self, outcome: Outcome) -> None:
        """Writes this attempt's line, in place of what it wrote before, and learns what those before it used.

        One that was taken for dead may have gone on meanwhile, and been paid for.
        """
        call = self.call
        self.before = await self.store.ledger.record(
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


def prompt_tokens(prompt: str) -> int:
    """What a user prompt takes with the instructions and the output schema around it."""
    return PROMPT_TOKENS + estimated_tokens(len(prompt))


def _too_little(call: AgentCall, left: Allowance, least: Estimate, refused: Exhausted) -> str:
    """Why a request was not made, for the person who may raise the limit."""
    if refused == "tokens":
        rest = f"{left.tokens:,} tokens are left, and another request takes at least {least.tokens:,}"
    else:
        rest = f"{left.cost_microusd:,} millionths of a dollar are left of the cost that is allowed"
        rest += f", and another request takes about {least.cost_microusd:,}" if least.cost_microusd else ""
    return f"the budget of {refused} does not allow another request of {call.agent!r}: {rest}"
