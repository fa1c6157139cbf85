"""One agent node, one activity: an agent is asked once, the long writer once a section; a crash costs one such call.

Every attempt leaves a line in the ledger, the failed ones too, with what they used. A result, and a failure for good,
tell what all attempts together used. Every failure leaves through `classified`.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from temporalio import activity

from elcano.activities.agents import drafts, proofreader
from elcano.activities.agents.drafts import Drafts, claims_of, completed
from elcano.activities.agents.envelope import OfferedSource
from elcano.activities.agents.loaded import AgentInput, Loaded
from elcano.activities.agents.long_writing import LEAST_SUMMARY_TOKENS, write_long
from elcano.activities.agents.passages import Shown, fitting
from elcano.activities.agents.registry import AGENTS
from elcano.activities.agents.unwritten import as_drafted
from elcano.activities.agents.writer import with_canonical_ids
from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.failures import abandoned, classified
from elcano.activities.calls.heartbeat import heartbeats
from elcano.activities.calls.ledger_line import Outcome, given_up, waited
from elcano.activities.calls.models import Resolve, may_answer_offline, model_text, resolve_model
from elcano.activities.text.stems import content_words
from elcano.activities.tools.offered import Sources
from elcano.graphs.catalogue import listing as catalogue
from elcano.graphs.catalogue.agents import (
    InputParserInput,
    PlannerInput,
    ResearchContext,
    SynthesisInput,
    ToolSelectorInput,
    WriterInput,
)
from elcano.graphs.catalogue.listing import AgentSpec
from elcano.graphs.contracts import RUN_AGENT, AgentCall, AgentResult
from elcano.graphs.engine.exits import PROMPT_TOKENS
from elcano.graphs.engine.inputs import sent_tokens
from elcano.graphs.errors import ActivityFault, BudgetExhausted, InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.rules import rules
from elcano.graphs.values.report import DraftRef, ReportDraft
from elcano.graphs.values.state import SectionResult
from elcano.settings import Settings
from elcano.storage.evidence import Evidence
from elcano.storage.store import Store

WithSources: TypeAlias = ToolSelectorInput | WriterInput | InputParserInput | PlannerInput | SynthesisInput

LONG_WRITER: Final = "long_writer"
"""The one agent that asks its model several times."""


class AgentActivities:
    """The activity `run_agent` with what it needs; `resolve` says who answers, if not the models that are named."""

    def __init__(self, store: Store, sources: Sources, settings: Settings, *, resolve: Resolve | None = None) -> None:
        self._store = store
        self._sources = sources
        self._settings = settings
        self._resolve = resolve or resolve_model

    @activity.defn(name=RUN_AGENT)
    async def run_agent(self, call: AgentCall) -> AgentResult:
        """Asks one agent.

        Raises:
            temporalio.exceptions.ApplicationError: sorted by `activities.calls.failures`.
        """
        async with heartbeats() as pulse:
            ledger = self._store.of("default").ledger
            attempt = Attempt(call, pulse, ledger, self._settings, self._resolve)
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
            await attempt.record(outcome)
        return output

    async def _answer(self, attempt: Attempt) -> Frozen:
        call = attempt.call
        spec = catalogue.AGENTS.get(call.agent)
        if spec is None:
            raise InputInvalid("agent", f"there is no agent {call.agent!r}; there are: {', '.join(catalogue.AGENTS)}")
        given = spec.input.model_validate(call.input)
        assert isinstance(given, AgentInput)
        loaded = await self._load(given, spec, _room(attempt, spec), self._may_answer_offline(call))
        if isinstance(given, SynthesisInput):
            return await self._joined(attempt, given, loaded)
        definition = AGENTS[call.agent]
        output: Frozen = (await attempt.ask(definition.agent, definition.show(given, loaded))).output
        if isinstance(output, ReportDraft):
            return await self._keep(
                call.run_id, with_canonical_ids(output, loaded.shown.ids), loaded.shown, quoted=attempt.quoted
            )
        return output

    async def _joined(self, attempt: Attempt, given: SynthesisInput, loaded: Loaded) -> DraftRef:
        """The sections as one report, written one by one or merged in one pass."""
        if attempt.call.agent == LONG_WRITER:
            draft = await write_long(given, loaded, attempt, self._store.of("default").artifacts)
        else:
            draft = await self._merged(attempt, given, loaded)
        draft = completed(with_canonical_ids(draft, loaded.drafts.shown.ids), loaded.drafts)
        return await self._keep(
            attempt.call.run_id, draft, loaded.drafts.shown, quoted=attempt.quoted and loaded.drafts.quoted
        )

    async def _merged(self, attempt: Attempt, given: SynthesisInput, loaded: Loaded) -> ReportDraft:
        """The sections merged in one pass; as they were drafted if the budget does not allow that."""
        if loaded.room is not None and loaded.room < LEAST_SUMMARY_TOKENS:
            return as_drafted(given, loaded)
        try:
            answer = await attempt.ask(proofreader.agent, proofreader.show(given, loaded))
        except BudgetExhausted:
            return as_drafted(given, loaded)
        return proofreader.with_omissions(answer.output, loaded)

    async def _load(self, given: AgentInput, spec: AgentSpec, room: int | None, offline: bool) -> Loaded:
        """What the agent is to be shown, passages within `room` tokens.

        Raises:
            BudgetExhausted: a writer could be shown none of the passages that there are.
        """
        named = _named(given)
        evidence = await self._store.of("default").evidence.get(named) if spec.evidence_tokens else []
        shown = _shown(given, evidence, spec.evidence_tokens if room is None else room)
        if isinstance(given, WriterInput) and evidence and room is not None and not shown.items:
            short = f"the budget of tokens does not allow a report: {room:,} are left for passages, and none fits"
            raise BudgetExhausted("tokens", short)
        return Loaded(
            shown=shown,
            room=room,
            sources=self._offered(given),
            drafts=await self._drafts(given.sections, evidence) if isinstance(given, SynthesisInput) else Drafts(),
            term_weights=await self._term_weights(given.question, _searched(given, evidence)) if offline else {},
        )

    def _offered(self, given: AgentInput) -> tuple[OfferedSource, ...]:
        """The sources that an agent chooses among or plans for, described."""
        named = given.sources if isinstance(given, ToolSelectorInput | InputParserInput | PlannerInput) else ()
        return tuple(OfferedSource(name=one, description=self._sources.get(one).description) for one in named)

    async def _drafts(self, results: Sequence[SectionResult], evidence: Sequence[Evidence]) -> Drafts:
        """The sections' drafts, joined.

        Raises:
            InputInvalid: a draft is not in the store.
        """
        found = [await self._draft(result) for result in results]
        return await asyncio.to_thread(drafts.joined, results, found, evidence)

    async def _draft(self, result: SectionResult) -> ReportDraft | None:
        if result.draft is None:
            return None
        stored = await self._store.of("default").artifacts.get(result.draft)
        if stored is None:
            fault = f"the draft {result.draft!r} of the section {result.title!r} is not in the store"
            raise InputInvalid("sections", f"{fault}; do all workers share one data folder?")
        return ReportDraft.model_validate_json(stored)

    async def _term_weights(self, question: str, names: Iterable[str]) -> dict[str, float]:
        """For each of the question's words the highest weight that any source gives it.

        A source that cannot be read is left out: without weights the offline model counts in the passages instead.
        """
        weights: dict[str, float] = {}
        for name in names:
            try:
                told = await self._sources.get(name).term_weights(content_words(question))
            except ActivityFault:
                continue
            for word, weight in told.items():
                weights[word] = max(weight, weights.get(word, 0.0))
        return weights

    def _may_answer_offline(self, call: AgentCall) -> bool:
        return may_answer_offline(model_text(call.models, call.agent, self._settings))

    async def _keep(self, run_id: str, draft: ReportDraft, shown: Shown, *, quoted: bool) -> DraftRef:
        draft = draft.model_copy(update={"quoted": quoted})
        claims = claims_of(draft)
        given = set(shown.ids.values())
        cited = dict.fromkeys(one.evidence for claim in claims for one in claim.citations if one.evidence in given)
        return DraftRef(
            artifact=await self._store.of("default").artifacts.put(run_id, draft.model_dump_json(), "application/json"),
            title=draft.title,
            answered=draft.answered,
            claims=len(claims),
            cited=len(cited),
            evidence=tuple(dict.fromkeys((*cited, *draft.related))),
        )


def _room(attempt: Attempt, spec: AgentSpec) -> int | None:
    """Tokens that passages or drafts may take, so that prompt and answer fit into what is left; None: not limited.

    Of little an answer gets no more than half: what is written from few passages is short.
    """
    if (left := attempt.left.tokens) is None:
        return None
    beside = max(0, left - PROMPT_TOKENS - sent_tokens(attempt.call.input, rules()))
    return min(spec.evidence_tokens, beside - min(spec.output_tokens, beside // 2))


def _shown(given: AgentInput, evidence: Sequence[Evidence], tokens: int) -> Shown:
    """The passages that an agent reads whole; a synthesis reads of its own only what the drafts quote."""
    if isinstance(given, SynthesisInput):
        return Shown()
    turns = given.conversation if isinstance(given, ResearchContext) else ()
    return fitting(evidence, turns, tokens)


def _named(given: AgentInput) -> tuple[str, ...]:
    """Ids of the evidence that an agent is to be shown."""
    match given:
        case ResearchContext():
            return given.shown
        case InputParserInput():
            return ()
        case _:
            return given.evidence


def _searched(given: AgentInput, evidence: Iterable[Evidence]) -> list[str]:
    """The sources that the run has to do with: those it may search, searched or found something in."""
    calls = given.conversation if isinstance(given, ResearchContext) else ()
    named = given.sources if isinstance(given, WithSources) else ()
    searched = (call.source for turn in calls for call in turn.tool_calls)
    return list(dict.fromkeys([*named, *searched, *(passage.source for passage in evidence)]))
