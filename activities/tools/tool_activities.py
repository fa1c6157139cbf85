"""The activities of tool nodes, of looks and of checks of sources.

Results are stored before they are returned, and returned by reference. What is kept is never changed, since reports
were made of it. So a passage whose work is described otherwise now (a paper stored last year may have been retracted
since) is kept once more, under an id that says so.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel
from temporalio import activity

from elcano.activities.calls.heartbeats import send_heartbeats
from elcano.activities.calls.retry_classification import classify_failure
from elcano.activities.calls.usage import build_ledger_entry, measure_queue_seconds
from elcano.activities.services import Services
from elcano.activities.similarity.embedder import Embedder
from elcano.activities.similarity.similar_passages import PassageComparison, rank_related_passages
from elcano.activities.sources.base import SearchesStore, SearchResults, Source
from elcano.activities.sources.http.trust_guard import (
    apply_trust,
    get_trust,
    keep_trusted,
    require_allowed_source,
    require_allowed_tool,
)
from elcano.activities.sources.registry import Sources
from elcano.graphs.catalogue.sources import LONGEST_QUERY, SourceSpec
from elcano.graphs.catalogue.tools import (
    LOOK,
    LOOKS,
    RELATED,
    TOOLS,
    LookCall,
    NoopInput,
    NoopOutput,
    RelatedInput,
    SearchInput,
    SearchOutput,
)
from elcano.graphs.contracts import ToolCall, ToolResult
from elcano.graphs.errors import InputInvalid, SourceRefused
from elcano.graphs.frozen import Frozen
from elcano.graphs.plugin import import_object
from elcano.graphs.providers import CHECK_SOURCE, FoundPassage, SourceCheck, SourceChecked
from elcano.graphs.report.works import Work
from elcano.graphs.state.state import EXCERPT_CHARACTERS, EvidenceRef
from elcano.graphs.tenants import EVERYTHING, open_allowances
from elcano.graphs.text import ELLIPSIS, shorten_text
from elcano.graphs.trust import NO_LIMITS, find_passage_kind
from elcano.settings import Settings
from elcano.storage.evidence import Evidence
from elcano.storage.store import Store, TenantStore

_LONGEST_ID: Final = 300
_PASSING: Final = {"retrieved_at", "cited_by", "issns"}
"""Fields that change from one search to the next, or came later, and do not affect whether a work stays."""


@dataclass(frozen=True)
class ToolWork:
    """One call of a tool."""

    store: TenantStore
    """Store of its results, bound to the tenant of the run."""
    run_id: str
    services: Services
    sources: Sources
    """Sources of the worker."""
    approval: str = ""
    """The id under which a person approved the call; empty: no approval was requested."""


def build_evidence_ref(passage: Evidence, duplicate_of: str | None = None) -> EvidenceRef:
    """A passage as the state of a run carries it."""
    return EvidenceRef.from_record(
        passage,
        excerpt=shorten_to_excerpt(passage.text),
        characters=len(passage.text),
        duplicate_of=duplicate_of,
    )


def shorten_to_excerpt(text: str) -> str:
    """The beginning of `text` on one line, at most 240 characters and an ellipsis."""
    return shorten_text(" ".join(text.split()), EXCERPT_CHARACTERS + 1)


def with_new_accounts(found: Sequence[Evidence], kept: Mapping[str, Work | None]) -> tuple[Evidence, ...]:
    """`found`, those under an id of their own of whose work something else is kept; doing it again gives the same."""
    return tuple(_renew_if_changed(passage, kept) for passage in found)


def _renew_if_changed(passage: Evidence, kept: Mapping[str, Work | None]) -> Evidence:
    if passage.id not in kept or _serialize_work(kept[passage.id]) == _serialize_work(passage.work):
        return passage
    # Of the whole id, since a long one loses its end, by which it differs from others.
    ending = f"~{sha256(f'{passage.id} {_serialize_work(passage.work)}'.encode()).hexdigest()[:12]}"
    return passage.model_copy(update={"id": passage.id[: _LONGEST_ID - len(ending)] + ending})


def _serialize_work(work: Work | None) -> str:
    return work.model_dump_json(exclude=_PASSING) if work else ""


Passing: TypeAlias = Callable[[SourceSpec], AbstractAsyncContextManager[None]]
"""The context of a source's search: it may have to wait for its turn, and may not be allowed at all."""


def pass_without_waiting(source: SourceSpec) -> AbstractAsyncContextManager[None]:
    """Every search goes at once."""
    return nullcontext()


class ToolActivities:
    """Shared implementation of all tools' activities; a search is done within `passing` its source."""

    def __init__(
        self,
        store: Store,
        sources: Sources,
        embedder: Embedder | None = None,
        *,
        passing: Passing = pass_without_waiting,
        services: Services | None = None,
    ) -> None:
        self._store = store
        self._services = services or Services(Settings())
        self._allowance_of = open_allowances(self._services.settings)
        self._sources = sources
        self._embedder = embedder
        self._passing = passing
        self._comparing = PassageComparison()
        self._own: Mapping[str, Callable[[TenantStore, str, Any], Awaitable[Frozen]]] = {
            "search": self._search,
            "search_related": self._search_related,
            "noop": self._noop,
        }

    async def run_tool(self, call: ToolCall) -> ToolResult:
        """Runs one tool once, and writes into the ledger that it did.

        Raises:
            ApplicationError: it failed; its type and whether to try again are decided by `failures.classify_failure`.
        """
        store = self._store.of(call.tenant)
        async with send_heartbeats():
            try:
                output = await self._run_and_record(call, store)
            except Exception as error:
                raise classify_failure(error) from None
        return ToolResult(
            output=output.model_dump(mode="json"), waited=measure_queue_seconds(), last_event=call.last_event
        )

    async def _run_and_record(self, call: ToolCall, store: TenantStore) -> Frozen:
        """Run one tool once; the ledger has it also if it failed."""
        try:
            output = await self._run(call, store)
        except Exception:
            await _record_tool_call(call, store, "failed")
            raise
        await _record_tool_call(call, store, "completed")
        return output

    async def _run(self, call: ToolCall, store: TenantStore) -> Frozen:
        spec = TOOLS.get(call.tool)
        if spec is None:
            raise InputInvalid("tool", f"there is no tool {call.tool!r}; there are: {', '.join(TOOLS)}")
        given = spec.input.model_validate(call.input)
        if (allowance := self._allowance_of(call.tenant)) != EVERYTHING:
            allowance.require_tool_call(call.tool, given.model_dump())
        if call.trust != NO_LIMITS:
            require_allowed_tool(call.trust, given.model_dump())
        with apply_trust(call.trust, self._services.settings.private_hosts):
            if not spec.run:
                return await self._own[spec.name](store, call.run_id, given)
            run: Callable[[ToolWork, Any], Awaitable[Frozen]] = import_object(spec.run, f"the tool {spec.name!r}")
            return await run(ToolWork(store, call.run_id, self._services, self._sources, call.approval), given)

    async def _search(self, store: TenantStore, run_id: str, given: SearchInput) -> SearchOutput:
        if given.source == RELATED:
            asked = RelatedInput(query=shorten_text(given.query, LONGEST_QUERY), limit=given.limit)
            return await self._search_related(store, run_id, asked)
        source = self._sources.get(given.source)
        require_allowed_source(get_trust(), source.spec)
        query, cut = as_taken(given.query, source.spec)
        async with self._passing(source.spec):
            limit = min(given.limit, source.spec.limits.results)
            found = await search_source(source, store, run_id, query, limit)
        private = self._services.settings.private_hosts
        found = keep_trusted(get_trust(), found, self._find_kind, source.spec.name, private)
        passages = await store.evidence.add(run_id, found.evidence, found.texts, renew=with_new_accounts)
        # After storing, not before: the order in the store is for good, so another attempt gives the same answer, and
        # of two searches that find copies at the same time one is older.
        repeats = await self._comparing.repeats(store.evidence, run_id) if passages else {}
        return SearchOutput(
            source=given.source,
            query=given.query,
            evidence=tuple(build_evidence_ref(passage, repeats.get(passage.id)) for passage in passages),
            warnings=(*cut, *found.warnings),
            refused=found.refused,
        )

    def _find_kind(self, source: str) -> str:
        """The kind of passages that describe no work, by the name of their source."""
        try:
            return find_passage_kind(source, self._sources.get(source).spec.kind)
        except SourceRefused:  # a tool, or a source of an earlier run that is no longer here
            return find_passage_kind(source, "")

    async def _search_related(self, store: TenantStore, run_id: str, given: RelatedInput) -> SearchOutput:
        known = await store.evidence.of_run(run_id)
        repeats = await self._comparing.repeats(store.evidence, run_id)
        originals = [passage for passage in known if passage.id not in repeats]
        found = await asyncio.to_thread(rank_related_passages, given.query, originals, given.limit, self._embedder)
        return SearchOutput(
            source=RELATED, query=given.query, evidence=tuple(build_evidence_ref(passage) for passage in found)
        )

    async def _noop(self, store: TenantStore, run_id: str, given: NoopInput) -> NoopOutput:
        return NoopOutput()


async def _record_tool_call(call: ToolCall, store: TenantStore, outcome: Literal["completed", "failed"]) -> None:
    source = call.input.get("source")
    await store.ledger.record(
        build_ledger_entry(call.run_id, call.node, call.tool, outcome, kind="tool", step=call.step, item=call.item),
        source=source if isinstance(source, str) else "",
    )


async def search_source(source: Source, store: TenantStore, run_id: str, query: str, limit: int) -> SearchResults:
    """Search a source, in its own way or in the store, which also has passages of other sources.

    Raises:
        SourceRefused: a passage that the source found names another source.
    """
    if isinstance(source, SearchesStore):
        return await source.search_store(store, run_id, query, limit)
    found = await source.search(query, limit)
    name = source.spec.name
    if (strange := next((one for one in found.evidence if one.source != name), None)) is not None:
        raise SourceRefused(
            f"the source {name!r} returned the passage {strange.id!r} as one of {strange.source!r}: its search has to "
            f"set `Evidence.source` to {name!r}, the name of its `SourceSpec`"
        )
    return found


def as_taken(query: str, source: SourceSpec) -> tuple[str, tuple[str, ...]]:
    """The query as its source takes it, and what has to be said of that."""
    longest = source.limits.query_characters
    if len(query) <= longest:
        return query, ()
    kept = shorten_text(query, longest + len(ELLIPSIS)).removesuffix(ELLIPSIS)
    return kept, (f"{source.name}: of a query only the first {longest} characters were searched for: {kept}",)


class LookActivities:
    """The activity `look`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @activity.defn(name=LOOK)
    async def look(self, call: LookCall) -> BaseModel:
        """Does one look.

        Raises:
            ApplicationError: there is no such look here, or what is looked at is away.
        """
        async with send_heartbeats():
            try:
                spec = LOOKS[call.look]
                run: Callable[[Services, Any], Awaitable[BaseModel]] = import_object(
                    spec.run, f"the look {call.look!r}"
                )
                return await run(self._services, spec.input.model_validate(call.asked))
            except Exception as error:
                raise classify_failure(error) from None


CHECKED_CHARACTERS: Final = 300


class CheckActivities:
    """The activity `check_source`; it goes by the provider's rate and waits as every search does."""

    def __init__(self, store: Store, sources: Sources, *, passing: Passing = pass_without_waiting) -> None:
        self._store = store
        self._sources = sources
        self._passing = passing

    @activity.defn(name=CHECK_SOURCE)
    async def check_source(self, check: SourceCheck) -> SourceChecked:
        """Searches once and keeps nothing of it.

        Raises:
            ApplicationError: sorted as any search's failure.
        """
        try:
            source = self._sources.get(check.source)
            query, cut = as_taken(check.query, source.spec)
            async with self._passing(source.spec):
                began = time.monotonic()
                limit = min(check.limit, source.spec.limits.results)
                found = await search_source(source, self._store.of(check.tenant), "", query, limit)
                seconds = time.monotonic() - began
        except Exception as error:
            raise classify_failure(error) from None
        passages = tuple(
            FoundPassage(
                title=shorten_text(one.title, CHECKED_CHARACTERS),
                locator=one.locator,
                excerpt=shorten_text(" ".join(one.text.split()), CHECKED_CHARACTERS),
            )
            for one in found.evidence
        )
        return SourceChecked(query=query, passages=passages, warnings=(*cut, *found.warnings), seconds=seconds)


Use: TypeAlias = Callable[[ToolCall], Awaitable[ToolResult]]


def tool_activities(use: Use) -> list[Callable[..., Any]]:
    """An activity for each tool of the catalogue; all of them are `use`."""
    return [_define_tool_activity(name, use) for name in TOOLS]


def _define_tool_activity(name: str, use: Use) -> Callable[..., Any]:
    @activity.defn(name=name)
    async def tool(call: ToolCall) -> ToolResult:
        return await use(call)

    return tool
