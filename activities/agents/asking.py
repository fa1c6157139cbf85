"""One agent node, one activity: an agent is asked once, or once a section if it says so; a crash costs one such call.

Every attempt leaves a line in the ledger, the failed ones too, with what they used. A result, and a failure for good,
tell what all attempts together used. Every failure leaves through `classified`.
"""

import asyncio
from collections.abc import Callable, Coroutine

from elcano.activities.agents.answers import drafted
from elcano.activities.agents.citing import reference, with_canonical_ids
from elcano.activities.agents.drafts import completed
from elcano.activities.agents.loading import Loader
from elcano.activities.agents.long_writing import LEAST_SUMMARY_TOKENS, write_long
from elcano.activities.agents.questions import asking
from elcano.activities.agents.unwritten import as_drafted, unread_told, with_omissions, without_sections
from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.failures import abandoned, classified
from elcano.activities.calls.heartbeat import heartbeats
from elcano.activities.calls.ledger_line import Outcome, given_up, waited
from elcano.activities.calls.models import Resolve, may_answer_offline, model_text, resolve_model
from elcano.activities.calls.streaming import Streamers
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.drafting import SynthesisInput
from elcano.graphs.agents.listing import AGENTS
from elcano.graphs.agents.loaded import Loaded, Shown
from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.engine.inputs import sent_tokens
from elcano.graphs.errors import BudgetExhausted, InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.rules import rules
from elcano.graphs.values.report import DraftRef, ReportDraft
from elcano.graphs.values.tokens import PROMPT_TOKENS
from elcano.settings import Settings
from elcano.storage.store import Store


class AgentActivities:
    """What every agent's activity does; `resolve` says who answers, if not the models that are named.

    `within` puts something around whoever answers.
    """

    def __init__(
        self,
        store: Store,
        sources: Sources,
        settings: Settings,
        *,
        resolve: Resolve | None = None,
        within: Callable[[Resolve], Resolve] = lambda resolve: resolve,
    ) -> None:
        self._store = store
        self._sources = sources
        self._settings = settings
        self._resolve = within(resolve or resolve_model)
        self._streamers = Streamers()

    async def run_agent(self, call: AgentCall) -> AgentResult:
        """Asks one agent.

        Raises:
            temporalio.exceptions.ApplicationError: sorted by `activities.calls.failures`.
        """
        async with heartbeats() as pulse:
            store = self._store.of(call.tenant)
            attempt = Attempt(call, pulse, store, self._settings, self._resolve, self._streamers_of(call))
            try:
                await attempt.look_back()
                output = await self._recorded(attempt)
            except asyncio.CancelledError:
                if not given_up():
                    raise
                raise abandoned(attempt.before + attempt.usage) from None
            except Exception as error:
                # `from None`: Temporal would write the cause, neither cut nor cleaned, into the history.
                raise classified(error, attempt.before + attempt.usage, attempt.progress) from None
        return AgentResult(
            output=output.model_dump(mode="json"),
            usage=attempt.before + attempt.usage,
            model=attempt.model,
            waited=waited(),
            told=attempt.call.told,
        )

    def _streamers_of(self, call: AgentCall) -> Streamers | None:
        """Only what is written for readers is worth watching."""
        agent = AGENTS.get(call.agent)
        return self._streamers if self._settings.stream_models and agent is not None and agent.writes else None

    async def _recorded(self, attempt: Attempt) -> Frozen:
        """The answer, and a ledger line whatever happens, also if the run does not wait for it any longer."""
        outcome: Outcome = "failed"
        try:
            output = await self._answer(attempt)
            outcome = "completed"
        except asyncio.CancelledError:
            outcome = "abandoned" if given_up() else "failed"
            raise
        finally:
            await _surely(attempt.record(outcome))
        return output

    async def _answer(self, attempt: Attempt) -> Frozen:
        call = attempt.call
        agent = AGENTS.get(call.agent)
        if agent is None:
            raise InputInvalid("agent", f"there is no agent {call.agent!r}; there are: {', '.join(AGENTS)}")
        given = agent.input.model_validate(call.input)
        offline = may_answer_offline(model_text(call.models, call.agent, self._settings))
        loader = Loader(attempt.store, self._sources)
        loaded = await loader.load(call.run_id, agent, agent.needs(given), _room(attempt, agent), weighed=offline)
        if agent.joins:
            assert isinstance(given, SynthesisInput)
            return await self._joined(attempt, agent, given, loaded)
        task = agent.asks.shown(given, loaded)
        answer = await attempt.ask(asking(task.kind, agent.asks), agent.asks.request, task, loaded.shown.order)
        if agent.manner == "answer":
            output: Frozen = answer.output
            return output
        shown = loaded.shown.only(answer.task.evidence)
        unread = len(loaded.shown.items) - len(shown.items)
        draft = with_canonical_ids(unread_told(drafted(answer.output), unread), shown.ids)
        return await _kept(attempt, draft, shown, quoted=attempt.quoted)

    async def _joined(
        self, attempt: Attempt, agent: AgentDefinition, given: SynthesisInput, loaded: Loaded
    ) -> DraftRef:
        """The sections as one report, written one by one or merged in one pass."""
        if not given.sections:
            draft = without_sections(given)
        elif agent.by_section:
            draft = await write_long(agent, given, loaded, attempt, attempt.store.artifacts)
        else:
            draft = await _merged(attempt, agent, given, loaded)
        draft = completed(with_canonical_ids(draft, loaded.drafts.shown.ids), loaded.drafts)
        quoted = attempt.quoted and loaded.drafts.quoted
        return await _kept(attempt, draft, loaded.drafts.shown, quoted=quoted)


async def _surely(writing: Coroutine[object, object, None]) -> None:
    """Writes to the end, also if the call is given up meanwhile: it has been paid for, and what it said is used."""
    task = asyncio.create_task(writing)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
    task.result()


async def _kept(attempt: Attempt, draft: ReportDraft, shown: Shown, *, quoted: bool) -> DraftRef:
    draft = draft.model_copy(update={"quoted": quoted})
    written = draft.model_dump_json()
    artifact = await attempt.store.artifacts.put(attempt.call.run_id, written, "application/json")
    return reference(draft, artifact, shown.ids)


async def _merged(attempt: Attempt, agent: AgentDefinition, given: SynthesisInput, loaded: Loaded) -> ReportDraft:
    """The sections merged in one pass; as they were drafted if the budget does not allow that."""
    if loaded.room is not None and loaded.room < LEAST_SUMMARY_TOKENS:
        return as_drafted(given, loaded)
    task = agent.asks.shown(given, loaded)
    try:
        answer = await attempt.ask(asking(task.kind, agent.asks), agent.asks.request, task)
    except BudgetExhausted:
        return as_drafted(given, loaded)
    return with_omissions(drafted(answer.output), answer.task.sections)


def _room(attempt: Attempt, agent: AgentDefinition) -> int | None:
    """Tokens that passages or drafts may take, so that prompt and answer fit into what is left; None: not limited.

    Of little an answer gets no more than half: what is written from few passages is short.
    """
    if (left := attempt.left.tokens) is None:
        return None
    beside = max(0, left - PROMPT_TOKENS - sent_tokens(attempt.call.input, rules()))
    return min(agent.evidence_tokens, beside - min(agent.output_tokens, beside // 2))
