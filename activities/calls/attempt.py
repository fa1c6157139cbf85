"""One attempt of an agent's call: the models it asks, what they use, and its line in the ledger.

The models of a fallback list are asked one after the other: the next one when the one before it refuses, does not
answer, or gives nothing that can be used, in whatever form it was asked (`forms`). Each begins with the whole task.

Before each request what is left of the call's allowance is looked at. A request that is surely too much for it is not
made; an answer that came is kept, whatever it took. (pydantic-ai's own token limits are checked when a model has
answered, and throw away what was paid for.)

Usage is counted when a model has answered, whether or not the answer could be used, so that an attempt that fails or
is killed leaves what it spent. Each attempt writes only its own line; all lines of a step together are what it cost.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.exceptions import FallbackExceptionGroup
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits
from temporalio import activity

from elcano.activities.calls.answer import Answer, Output
from elcano.activities.calls.heartbeats import Pulse
from elcano.activities.calls.live_words import Listener, Streamers, attach_listener
from elcano.activities.calls.model_failures import (
    UNREADABLE,
    build_content_filter_error,
    build_unreadable_answer_error,
    fault_of,
)
from elcano.activities.calls.model_prices import UNKNOWN_PRICE, find_price
from elcano.activities.calls.models import (
    Observe,
    Resolve,
    build_call_settings,
    list_models,
    require_model_contact,
    watch_model,
)
from elcano.activities.calls.request_forms import WINDOWS, Form
from elcano.activities.calls.retry_classification import safe_text
from elcano.activities.calls.usage import (
    Outcome,
    SpendingGuard,
    build_ledger_entry,
    last_written,
    measure_usage,
    prompt_tokens,
    too_little,
    usage_of,
)
from elcano.graphs.agents.definition import agent_called
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import AgentCall, Words
from elcano.graphs.errors import ActivityFault, AnswerCutOff, BudgetExhausted, PromptTooLong
from elcano.graphs.frozen import JsonObject
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.state.budget import Allowance, Estimate, Usage, sum_usages
from elcano.settings import Settings
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import TenantStore

REQUEST_LIMIT: Final = 3
"""One answer and two more if its form is wrong; these are turns of one conversation, not retries."""

_log = logging.getLogger(__name__)


class Attempt:
    """State of this attempt of `call`."""

    def __init__(
        self,
        call: AgentCall,
        pulse: Pulse,
        store: TenantStore,
        settings: Settings,
        resolve: Resolve,
        streamers: Streamers | None = None,
        guard: SpendingGuard | None = None,
        observe: Observe | None = None,
    ) -> None:
        """Shows watchers the answer as it is written, if `streamers` are given; `guard` lets its requests pass."""
        self.call = call
        self.pulse = pulse
        self.usage = Usage()  # of this attempt alone
        self.before = Usage()
        """The usage of the earlier attempts, as far as it was recorded when this one last looked."""
        self._number: int | None = None  # of its line in the ledger, if not that of the attempt: see `look_back`
        self.quoted = True
        """Whether only the extractive model answered."""
        self._models: dict[str, None] = {}
        self._in_vain: dict[str, None] = {}
        self._recorded = 0  # requests whose usage was recorded
        self.store = store
        self._settings = settings
        self._resolve = resolve
        self._streamers = streamers
        self._listener: Listener | None = None
        self._price = UNKNOWN_PRICE
        self._guard = guard
        self._observe = observe
        self._conversations = 0
        self._ended: list[str] = []  # claims of conversations that have ended since the ledger was last written

    async def ask(
        self,
        agent: Agent[object, Output],
        request: str,
        task: TaskEnvelope,
        order: Sequence[str] = (),
        *,
        agent_name: str = "",
    ) -> Answer[Output]:
        """One answer of one agent, by the first model that gives one; what all of them used is counted.

        Args:
            agent: who is asked.
            request: the sentence above the envelope.
            task: what is asked.
            order: keys of the passages in `task`, those that matter most first, should it be too long for a model.
            agent_name: by whose name its models are chosen; empty: that of the call's agent.

        Raises:
            BudgetExhausted: what is left of the call's allowance does not suffice for its first or its next request.
            ActivityFault: why the only model did not answer.
            FallbackExceptionGroup: why each model of the list did not.
        """
        # In a thread: the first model of a provider imports its SDK, which takes seconds.
        name = agent_name or self.call.agent
        models = await asyncio.to_thread(list_models, self._resolve, self.call.models, name, self._settings)
        faults: list[ActivityFault] = []
        for called, model in models:
            try:
                require_model_contact(model, self.call.trust, self._settings.private_hosts)
                self._price = find_price(called, model, self._settings)
                self._price.require_known(self.call.allowance)
                return await self._asked(agent, model, Form(request, task, tuple(order)))
            except BudgetExhausted:
                raise
            except ActivityFault as fault:
                faults.append(fault)
                if len(faults) < len(models):
                    where = f"run {self.call.run_id}, step {self.call.step}"
                    _log.warning("%s: the next model is asked: %s", where, safe_text(str(fault)))
        raise faults[0] if len(faults) == 1 else FallbackExceptionGroup("no model of the list answered", faults)

    async def _asked(self, agent: Agent[object, Output], model: Model, form: Form) -> Answer[Output]:
        """The answer of `model`, in the first form that brings one."""
        while not WINDOWS.takes(model, form.size) and (known := form.shorter()) is not None:
            form = known
        while True:
            answers = self.usage.requests
            try:
                answer = await self._conversation(agent, model, form)
                self.credit(answer.model, quoted=answer.quoted)
                return answer
            except Exception as error:
                if isinstance(error, BudgetExhausted) or (fault := fault_of(error, model)) is None:
                    raise
            if isinstance(fault, PromptTooLong) and answers == self.usage.requests:  # not after a longer conversation
                WINDOWS.refused(model, form.size)
            tokens = self.left.tokens
            room = None if tokens is None else max(0, tokens - prompt_tokens(form.text))
            changed = form.after(fault, room)
            if changed is None:
                raise fault
            form = changed

    async def _conversation(self, agent: Agent[object, Output], model: Model, form: Form) -> Answer[Output]:
        """Runs one agent once; its usage is counted however it ends."""
        self._conversations += 1
        claim = f"{activity.info().activity_id}:{self._conversations}" if self._guard else ""
        with capture_run_messages() as messages:
            asked, listener = model, None
            if self._streamers is not None:
                first = self._settings.first_token_seconds
                listener = Listener(self._streamers, lambda: self._admit(form.text, messages, listener), first)
                asked = attach_listener(model, listener)
                self._show(listener)
            self._listener = listener
            try:
                async with agent.iter(
                    form.text,
                    model=watch_model(asked, self._settings.model_timeout_seconds, self._observe),
                    instructions=form.note or None,
                    model_settings=build_call_settings(self._settings, form.max_tokens),
                    usage_limits=UsageLimits(request_limit=REQUEST_LIMIT),
                ) as running:
                    async for node in running:
                        if agent.is_model_request_node(node):
                            expected = self._admit(form.text, messages, listener) + self._expected_answer
                            await self._written_down(messages, listener)
                            if self._guard is not None:
                                await self._guard.claim(self.store, self.call, claim, expected, self._price)
                        elif agent.is_call_tools_node(node) and node.model_response.finish_reason == "content_filter":
                            raise build_content_filter_error(node.model_response)
                result = running.result
                assert result is not None
                if listener is not None:
                    listener.accept(usage_of(messages).requests)
            except Exception as error:
                if isinstance(fault := fault_of(error, model), AnswerCutOff):
                    written = last_written(messages)
                    raise AnswerCutOff(f"{fault} ({written:,} tokens were written)", written) from error
                if isinstance(error, UNREADABLE) and model.system != OFFLINE:
                    _log.warning("an answer that cannot be read", exc_info=True)
                    raise build_unreadable_answer_error(error, model) from error
                raise
            finally:
                used = self.count(messages, listener)
                self.usage += used
                self._ended.append(claim)
                measure_usage(used, self.call.agent, model)
                named = (one.model_name for one in messages if isinstance(one, ModelResponse) and one.model_name)
                self._in_vain.update(dict.fromkeys(named))
        last = result.response
        cut_off = last.finish_reason == "length"
        return Answer(result.output, last.model_name or "", last.provider_name == OFFLINE, form.task, cut_off)

    @property
    def progress(self) -> JsonObject:
        """Returns the finished work: of this attempt, else of the one before it, else of an earlier try of the call."""
        beaten = next(iter(self.pulse.details), None)
        return beaten if isinstance(beaten, dict) else self.call.progress

    @property
    def left(self) -> Allowance:
        """Return the remaining allowance of this attempt."""
        return self.call.allowance.less(self.before + self.usage)

    def _show(self, listener: Listener) -> None:
        """Has the beats carry what `listener` receives from now on."""
        step, node, attempt = self.call.step, self.call.node, activity.info().attempt

        def words() -> Words | None:
            if (written := listener.written) is None:
                return None
            return Words(step=step, node=node, attempt=attempt, text=written[0], characters=written[1])

        self.pulse.show(words)

    @property
    def _expected_answer(self) -> Estimate:
        """Estimate the size of an answer of the call's agent."""
        agent = agent_called(self.call.agent, self.call.own)
        return Estimate(tokens=0 if agent is None else agent.output_tokens)

    def _admit(self, prompt: str, messages: Sequence[ModelMessage], listener: Listener | None) -> Estimate:
        """Lets the next request of a conversation pass, unless it is surely too much. Returns what it takes at least.

        The first one takes its prompt. A further one repeats the whole conversation, so it takes at least as many
        tokens as the one before it, answer included, and about as much money.
        """
        used = self.count(messages)
        least = Estimate(tokens=prompt_tokens(prompt))
        if used.requests:
            answered = max(place for place, one in enumerate(messages) if isinstance(one, ModelResponse))
            earlier = self.count(messages[:answered])
            least = Estimate(
                tokens=used.tokens - earlier.tokens, cost_microusd=used.cost_microusd - earlier.cost_microusd
            )
        left = self.left.less(self.count(messages, listener))
        if (refused := left.refuses(least)) is not None:
            raise BudgetExhausted(refused, too_little(self.call, left, least, refused))
        return least

    async def _written_down(self, messages: Sequence[ModelMessage], listener: Listener | None) -> None:
        """Records usage before a further request: a worker that is killed during it can no longer report it."""
        used = self.usage + self.count(messages, listener)
        if used.requests > self._recorded:
            await self.record("failed", used)

    def count(self, messages: Sequence[ModelMessage], listener: Listener | None = None) -> Usage:
        """Compute the usage of a conversation so far, at the price of its model."""
        return self._price.apply(usage_of(messages) + (Usage() if listener is None else listener.lost))

    def readable(self, messages: Sequence[ModelMessage]) -> None:
        """Notes that the newest answer of a conversation has the right form, even if its content has faults."""
        if self._listener is not None:
            self._listener.accept(usage_of(messages).requests)

    def credit(self, model: str, *, quoted: bool) -> None:
        """Record the model that answered, in this attempt or in an earlier one whose answer is used."""
        self.quoted = self.quoted and quoted
        if model:
            self._models[model] = None

    @property
    def is_repeated(self) -> bool:
        """Whether the call was made before: in an attempt, or before the run was held (`0002-judge.2`)."""
        info = activity.info()
        return info.attempt > 1 or info.current_attempt_scheduled_time > info.scheduled_time or "." in info.activity_id

    async def look_back(self) -> None:
        """Reads from the ledger what the attempts before this one used, and writes what they could not.

        An activity that is reset in Temporal counts its attempts from 1 again: their lines are numbered on.
        """
        info = activity.info()
        if self.pulse.unwritten is not None:
            left = LedgerEntry.model_validate(self.pulse.unwritten)
            self.before = left.usage  # should the store still be away, this much is known
            await self.store.ledger.record(left)
            self.pulse.unwritten = None
        if self.is_repeated:
            lines = await self.store.ledger.of_activity(self.call.run_id, info.workflow_run_id or "", info.activity_id)
            self._number = max([info.attempt, *(line.attempt + 1 for line in lines)])
            self.before = sum_usages(line.usage for line in lines)

    async def record(self, outcome: Outcome, used: Usage | None = None) -> None:
        """Writes this attempt's ledger line, replacing its earlier one, and reads what previous attempts used.

        `used`: what it used, an open conversation included; None: as far as it is known. A store that does not take the
        line fails the attempt, and leaves the line to the next one: a budget counts what was paid for.
        """
        call, used = self.call, self.usage if used is None else used
        ended, self._ended = self._ended, []
        own = (call.run_id, call.node, call.agent, outcome)
        line = build_ledger_entry(*own, kind="agent", step=call.step, model=self.model, usage=used)
        line = line.model_copy(update={"attempt": self._number or line.attempt})
        try:
            self.before = await self.store.ledger.record(line)
        except Exception:
            if used != Usage():
                self.pulse.leave_unwritten(line.model_dump(mode="json"))
            raise
        self._recorded = used.requests
        self.pulse.unwritten = None
        if self._guard is not None:
            await self._guard.release(self.store, call, ended)

    @property
    def model(self) -> str:
        """Return the models whose answers are used, each once; else those that failed; empty if none answered."""
        return ", ".join(self._models or self._in_vain)
