"""One agent node, one activity: an agent is asked once, or once a section if it says so; a crash costs one such call.

Every attempt leaves a line in the ledger, the failed ones too, with what they used. A result, and a failure for good,
tell what all attempts together used. Every failure leaves through `classify_failure`.

Every agent is an activity under its own name, as every tool is, so Temporal's UI and command line speak the graph's
language: `temporal activity pause --activity-type writer`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from temporalio import activity

from elcano.activities.agents.answer_correction import ask_agent_with_correction, move_quotes
from elcano.activities.agents.answer_drafts import (
    OwnDraft,
    as_drafted,
    build_draft_ref,
    draft_from_prose,
    note_unread,
    with_canonical_ids,
    with_omissions,
    without_sections,
)
from elcano.activities.agents.draft_review import load_draft_under_review, parse_review_progress
from elcano.activities.agents.long_writing import LEAST_SUMMARY_TOKENS, write_long
from elcano.activities.agents.prompt_parts import Loader, build_question_agent
from elcano.activities.agents.reviewed_draft import review_and_repair
from elcano.activities.agents.section_drafts import complete_draft
from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.heartbeats import send_heartbeats
from elcano.activities.calls.live_words import Streamers
from elcano.activities.calls.models import Observe, Resolve, may_answer_offline, model_text, resolve_model
from elcano.activities.calls.paused_activities import end_if_given_up, given_up
from elcano.activities.calls.retry_classification import build_abandoned_error, classify_failure
from elcano.activities.calls.usage import Outcome, SpendingGuard, measure_queue_seconds
from elcano.activities.report.checked_draft import cited_ids
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.definition import AgentDefinition, agent_called
from elcano.graphs.agents.envelope import Loaded, ShownPassages, TaskEnvelope
from elcano.graphs.agents.writing import SynthesisInput
from elcano.graphs.catalogue.agents import AGENTS, AgentInput
from elcano.graphs.contracts import OWN_AGENT, AgentCall, AgentResult
from elcano.graphs.engine.budget_check import sent_tokens
from elcano.graphs.errors import BudgetExhausted, InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.plugin import import_object, open_part
from elcano.graphs.report.report import Claim, ReportDraft
from elcano.graphs.rules import PROMPT_TOKENS, get_rules
from elcano.graphs.state.state import DraftRef
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.text.phrases import choose_phrases

OwnWriter: TypeAlias = Callable[[Attempt, AgentDefinition, Any, Loaded, TaskEnvelope], Awaitable[OwnDraft]]
"""Signature of an agent's own writer (`AgentDefinition.writer`)."""


class AgentActivities:
    """Shared implementation of all agents' activities; `resolve` chooses the model if the call does not name it.

    `within` wraps the model that answers.
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
        self._guard: SpendingGuard | None = open_part("spending_guard", settings)
        self._observe: Observe | None = open_part("model_observer", settings)

    async def run_agent(self, call: AgentCall) -> AgentResult:
        """Asks one agent.

        Raises:
            temporalio.exceptions.ApplicationError: sorted by `activities.calls.failures`.
        """
        async with send_heartbeats() as pulse:
            store = self._store.of_call(call.tenant, call.run_id)
            attempt = Attempt(
                call,
                pulse,
                store,
                self._settings,
                self._resolve,
                self._streamers_of(call),
                self._guard,
                self._observe,
            )
            try:
                await attempt.look_back()
                if attempt.is_repeated:  # perhaps its answer could not be stored: none is paid for in vain again
                    await self._store.probe.write_object()
                output = await self._recorded(attempt)
            except asyncio.CancelledError:
                if not given_up():
                    raise
                raise build_abandoned_error(attempt.before + attempt.usage) from None
            except Exception as error:
                # `from None`: Temporal would write the cause, neither cut nor cleaned, into the history.
                raise classify_failure(error, attempt.before + attempt.usage, attempt.progress) from None
        return AgentResult(
            output=output.model_dump(mode="json"),
            usage=attempt.before + attempt.usage,
            model=attempt.model,
            waited=measure_queue_seconds(),
            last_event=attempt.call.last_event,
        )

    def _streamers_of(self, call: AgentCall) -> Streamers | None:
        """Return the streamers for an agent that writes for readers; the output of other agents is not streamed."""
        agent = agent_called(call.agent, call.own)
        return self._streamers if self._settings.stream_models and agent is not None and agent.writes else None

    async def _recorded(self, attempt: Attempt) -> Frozen:
        """Return the answer, and always write a ledger line, even if the run no longer waits for the answer."""
        outcome: Outcome = "failed"
        try:
            output = await self._answer(attempt)
            outcome = "completed"
        except asyncio.CancelledError:
            outcome = "abandoned" if given_up() else "failed"
            raise
        finally:
            await _run_to_completion(attempt.record(outcome))
        return output

    async def _answer(self, attempt: Attempt) -> Frozen:
        call = attempt.call
        agent = agent_called(call.agent, call.own)
        if agent is None:
            raise InputInvalid("agent", f"there is no agent {call.agent!r}; there are: {', '.join(AGENTS)}")
        given = agent.input.model_validate(call.input)
        if isinstance(given, AgentInput) and (earlier := parse_review_progress(attempt.progress)) is not None:
            draft = await load_draft_under_review(earlier, attempt)
            cited = [one.id for one in await attempt.store.evidence.get(cited_ids(draft))]
            read = await review_and_repair(attempt, given, draft, mended=earlier.mended)
            return await _store_draft(attempt, read, cited, ())
        offline = may_answer_offline(model_text(call.models, call.agent, self._settings))
        loader = Loader(attempt.store, self._sources)
        most = agent.evidence_tokens if call.evidence_tokens is None else call.evidence_tokens
        room = _compute_passage_tokens(attempt, agent, most)
        found = await loader.load(call.run_id, agent, agent.needs(given), room, most=most, weighed=offline)
        loaded = found.model_copy(update={"today": call.today, "history": call.history})
        if agent.joins:
            assert isinstance(given, SynthesisInput)
            return await self._joined(attempt, agent, given, loaded)
        task = agent.asks.shown(given, loaded)
        order = loaded.shown.order
        if agent.manner == "answer":
            asked = await ask_agent_with_correction(attempt, agent, given, task, order, loaded.shown.ids)
            said: Frozen = asked.output
            ids = loaded.shown.only(asked.task.evidence).ids
            return said if agent.settled is None else agent.settled(said, given, ids)
        if agent.manner == "own":
            write: OwnWriter = import_object(agent.writer, f"the agent {agent.name!r}")
            own = await write(attempt, agent, given, loaded, task)
            return await _handed_over(attempt, given, own.draft, own.shown, quoted=False, already=own.settled)
        answer = await attempt.ask(build_question_agent(agent.asks, task), agent.asks.request, task, order)
        shown = loaded.shown.only(answer.task.evidence)
        unread = len(loaded.shown.items) - len(shown.items)
        written = await asyncio.to_thread(draft_from_prose, answer.output, cut_off=answer.cut_off)
        draft = with_canonical_ids(note_unread(written, unread), shown.ids)
        return await _handed_over(attempt, given, draft, shown, quoted=attempt.quoted)

    async def _joined(
        self, attempt: Attempt, agent: AgentDefinition, given: SynthesisInput, loaded: Loaded
    ) -> DraftRef:
        """The sections as one report, written one by one or merged in one pass."""
        already: frozenset[Claim] = frozenset()
        if not given.sections:
            draft = without_sections(given)
        elif agent.by_section:
            draft, already = await write_long(agent, given, loaded, attempt, attempt.store.artifacts)
        else:
            draft = await _merge_sections(attempt, agent, given, loaded)
        words = choose_phrases(given.question, (passage.text for passage in loaded.drafts.shown.items))
        draft = complete_draft(with_canonical_ids(draft, loaded.drafts.shown.ids), loaded.drafts, words)
        quoted = attempt.quoted and loaded.drafts.quoted
        return await _handed_over(attempt, given, draft, loaded.drafts.shown, quoted=quoted, already=already)


async def _run_to_completion(writing: Coroutine[object, object, None]) -> None:
    """Finish writing even if the call is cancelled meanwhile: its answer has been paid for and is used."""
    task = asyncio.create_task(writing)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
    task.result()


async def _handed_over(
    attempt: Attempt,
    given: Frozen,
    draft: ReportDraft,
    shown: ShownPassages,
    *,
    quoted: bool,
    already: frozenset[Claim] = frozenset(),
) -> DraftRef:
    """Store the draft for the state, mended, and reviewed if that is wanted; a draft of literal quotes needs neither.

    `already`: blocks that its writer has had back before.
    """
    draft = draft.model_copy(update={"quoted": quoted})
    best = tuple(shown.ids[key] for key in shown.order if key in shown.ids)
    if quoted or not isinstance(given, AgentInput):
        return await _store_draft(attempt, draft, shown.ids.values(), best)
    draft = await move_quotes(attempt.store, draft, shown.ids.values())
    if getattr(given, "review", False) or not draft.known:
        pool = tuple(dict.fromkeys((*best, *shown.ids.values())))
        draft = await review_and_repair(attempt, given, draft, pool, already=already)
    return await _store_draft(attempt, draft, shown.ids.values(), best)


async def _store_draft(attempt: Attempt, draft: ReportDraft, ids: Iterable[str], best: Sequence[str]) -> DraftRef:
    written = draft.model_dump_json()
    artifact = await attempt.store.artifacts.put(attempt.call.run_id, written, "application/json")
    return build_draft_ref(draft, artifact, ids, best)


async def _merge_sections(
    attempt: Attempt, agent: AgentDefinition, given: SynthesisInput, loaded: Loaded
) -> ReportDraft:
    """The sections merged in one pass; as they were drafted if the budget does not allow that, or the run gives up."""
    if loaded.room is not None and loaded.room < LEAST_SUMMARY_TOKENS:
        return as_drafted(given, loaded)
    task = agent.asks.shown(given, loaded)
    answer = None
    with suppress(BudgetExhausted), end_if_given_up():
        answer = await attempt.ask(build_question_agent(agent.asks, task), agent.asks.request, task)
    if answer is None:
        return as_drafted(given, loaded)
    draft = await asyncio.to_thread(draft_from_prose, answer.output, cut_off=answer.cut_off)
    return with_omissions(draft, answer.task.sections)


def _compute_passage_tokens(attempt: Attempt, agent: AgentDefinition, most: int) -> int | None:
    """Return how many tokens passages or drafts may take so that prompt and answer fit; None if there is no limit.

    It is never more than `most`.

    Of little an answer gets no more than half: what is written from few passages is short.
    """
    if (left := attempt.left.tokens) is None:
        return None
    rest = max(0, left - PROMPT_TOKENS - sent_tokens(attempt.call.input, get_rules()))
    return min(most, rest - min(agent.output_tokens, rest // 2))


Ask: TypeAlias = Callable[[AgentCall], Awaitable[AgentResult]]


def agent_activities(ask: Ask) -> list[Callable[..., Any]]:
    """An activity for each agent of the listing, and one for those of graphs; all of them are `ask`."""
    return [_define_agent_activity(name, ask) for name in (*AGENTS, OWN_AGENT)]


def _define_agent_activity(name: str, ask: Ask) -> Callable[..., Any]:
    @activity.defn(name=name)
    async def agent(call: AgentCall) -> AgentResult:
        return await ask(call)

    return agent
