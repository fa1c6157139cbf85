"""One agent node, one activity, one `agent.run()`: a crash costs at most one call of a model.

Every attempt leaves a line in the ledger, the failed ones too, with what they used. Every failure leaves through
`classified`.
"""

import time
from collections.abc import Iterable
from typing import Final

from pydantic_ai import capture_run_messages
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.usage import UsageLimits
from temporalio import activity

from activities.agents.envelope import OfferedSource
from activities.agents.loaded import Loaded
from activities.agents.passages import fitting
from activities.agents.registry import AGENTS
from activities.agents.writer import with_canonical_ids
from activities.failures import classified
from activities.heartbeat import heartbeats
from activities.models import call_settings, may_answer_offline, model_text, resolve_model
from activities.offline.terms import content_words
from activities.sources.registry import Sources
from activities.usage import usage_of
from graphs import catalogue
from graphs.agents import ResearchContext, ToolSelectorInput, WriterInput
from graphs.contracts import RUN_AGENT, AgentCall, AgentResult
from graphs.errors import ActivityFault, InputInvalid
from graphs.frozen import Frozen
from graphs.models import OFFLINE
from graphs.report import DraftRef, ReportDraft
from settings import Settings
from storage.evidence import Evidence
from storage.ledger import LedgerEntry
from storage.store import Store

REQUEST_LIMIT: Final = 3
"""One answer and two more if its form is wrong; these are turns of one conversation, not retries."""


class AgentActivities:
    """The activity `run_agent` with what it needs."""

    def __init__(self, store: Store, sources: Sources, settings: Settings) -> None:
        self._store = store
        self._sources = sources
        self._settings = settings

    @activity.defn(name=RUN_AGENT)
    async def run_agent(self, call: AgentCall) -> AgentResult:
        """Asks one agent once.

        Raises:
            temporalio.exceptions.ApplicationError: sorted by `activities.failures`.
        """
        async with heartbeats():
            try:
                return await self._attempt(call)
            except Exception as error:
                # `from None`: Temporal would write the cause, neither cut nor cleaned, into the history.
                raise classified(error) from None

    async def _attempt(self, call: AgentCall) -> AgentResult:
        """The answer, and a ledger line whatever happens."""
        answered = False
        with capture_run_messages() as messages:
            try:
                output = await self._answer(call)
                answered = True
            finally:
                await self._store.ledger.record(_entry(call, messages, answered))
        return AgentResult(output=output.model_dump(mode="json"), usage=usage_of(messages), model=_answering(messages))

    async def _answer(self, call: AgentCall) -> Frozen:
        spec = catalogue.AGENTS.get(call.agent)
        if spec is None or call.agent not in AGENTS:
            raise InputInvalid("agent", f"there is no agent {call.agent!r}; there are: {', '.join(AGENTS)}")
        given = spec.input.model_validate(call.input)
        if not isinstance(given, ResearchContext):
            raise InputInvalid("input", f"the agent {call.agent!r} is not given a research context")
        model = resolve_model(call.models, call.agent, self._settings)
        offline = may_answer_offline(model_text(call.models, call.agent, self._settings))
        loaded = await self._load(given, spec.evidence_tokens, offline)
        definition = AGENTS[call.agent]
        result = await definition.agent.run(
            definition.show(given, loaded),
            model=model,
            model_settings=call_settings(self._settings),
            usage_limits=UsageLimits(request_limit=REQUEST_LIMIT),
        )
        output: Frozen = result.output
        if isinstance(output, ReportDraft):
            return await self._keep(output, loaded, quoted=result.response.provider_name == OFFLINE)
        return output

    async def _load(self, given: ResearchContext, tokens: int, offline: bool) -> Loaded:
        evidence = await self._store.evidence.get(given.evidence) if tokens else []
        offered = given.sources if isinstance(given, ToolSelectorInput) else ()
        return Loaded(
            shown=fitting(evidence, given.conversation, tokens),
            sources=tuple(OfferedSource(name=one, description=self._sources.get(one).description) for one in offered),
            term_weights=await self._term_weights(given.question, _searched(given, evidence)) if offline else {},
        )

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

    async def _keep(self, draft: ReportDraft, loaded: Loaded, *, quoted: bool) -> DraftRef:
        draft = with_canonical_ids(draft, loaded.shown.ids).model_copy(update={"quoted": quoted})
        claims = [*draft.key_findings, *(claim for section in draft.sections for claim in section.claims)]
        return DraftRef(
            artifact=await self._store.artifacts.put(draft.model_dump_json(), "application/json"),
            title=draft.title,
            answered=draft.answered,
            claims=len(claims),
            cited=len({cited.evidence for claim in claims for cited in claim.citations}),
        )


def _searched(given: ResearchContext, evidence: Iterable[Evidence]) -> list[str]:
    """The sources that the run has to do with: those it may search, searched or found something in."""
    named = given.sources if isinstance(given, ToolSelectorInput | WriterInput) else ()
    calls = (call.source for turn in given.conversation for call in turn.tool_calls)
    return list(dict.fromkeys([*named, *calls, *(passage.source for passage in evidence)]))


def _entry(call: AgentCall, messages: list[ModelMessage], answered: bool) -> LedgerEntry:
    return LedgerEntry(
        run_id=call.run_id,
        step=call.step,
        attempt=activity.info().attempt,
        node=call.node,
        kind="agent",
        name=call.agent,
        outcome="completed" if answered else "failed",
        model=_answering(messages),
        usage=usage_of(messages),
        at=time.time(),
    )


def _answering(messages: list[ModelMessage]) -> str:
    """The model that answered last, as its provider names it; empty if none did."""
    names = [message.model_name for message in messages if isinstance(message, ModelResponse) and message.model_name]
    return names[-1] if names else ""
