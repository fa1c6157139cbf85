"""The activities of a graph's tool nodes. Results are stored before they are returned, and returned by reference."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Any, Literal, Protocol, TypeAlias

from elcano.activities.calls.failures import classify_failure
from elcano.activities.calls.heartbeat import send_heartbeats
from elcano.activities.calls.ledger_line import build_ledger_entry, measure_queue_seconds
from elcano.activities.databases.examples import SqlExamples
from elcano.activities.databases.registry import Databases
from elcano.activities.similarity.comparing import Comparing
from elcano.activities.similarity.embedder import Embedder
from elcano.activities.similarity.related import rank_related_passages
from elcano.activities.sources.base import Found, SearchesStore, Source
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.analyzing import analyze_measurements
from elcano.activities.tools.charting import draw_result_chart
from elcano.activities.tools.computing import run_sandboxed_code
from elcano.activities.tools.consensus_tool import merge_path_results
from elcano.activities.tools.evidence_reference import build_evidence_ref
from elcano.activities.tools.evidence_renewal import as_told_now
from elcano.activities.tools.forecasting import forecast_result
from elcano.activities.tools.querying import execute_sql, schema_context
from elcano.graphs.catalogue.database_tools import (
    ExecuteSqlInput,
    ExecuteSqlOutput,
    SchemaContextInput,
    SchemaContextOutput,
    SqlExamplesInput,
    SqlExamplesOutput,
)
from elcano.graphs.catalogue.forecast_tool import ForecastOutput
from elcano.graphs.catalogue.mcp_tools import CallToolInput, CallToolOutput, ListToolsInput, ListToolsOutput
from elcano.graphs.catalogue.source_spec import LONGEST_QUERY, SourceSpec
from elcano.graphs.catalogue.tool_registry import TOOLS
from elcano.graphs.catalogue.tools import (
    RELATED,
    ComputeInput,
    ComputeOutput,
    NoopInput,
    NoopOutput,
    RelatedInput,
    SearchInput,
    SearchOutput,
)
from elcano.graphs.contracts import ToolCall, ToolResult
from elcano.graphs.data.forecast import ForecastInput
from elcano.graphs.errors import InputInvalid, ToolRefused
from elcano.graphs.frozen import Frozen
from elcano.graphs.shortening import ELLIPSIS, shorten_text
from elcano.graphs.values.analysis import AnalyzeInput, AnalyzeOutput
from elcano.storage.store import Store, TenantStore

Passing: TypeAlias = Callable[[SourceSpec], AbstractAsyncContextManager[None]]
"""What a search of a source is done within: it may have to wait for its turn, and may not go at all."""


class Serving(Protocol):
    """Servers of tools, as `activities.mcp` has them."""

    async def call_tool(
        self, store: TenantStore, run_id: str, given: CallToolInput, approval: str = ""
    ) -> CallToolOutput:
        """Calls a tool of these servers; `approval` is the id under which the call was approved."""
        ...

    async def list_tools(self, given: ListToolsInput) -> ListToolsOutput:
        """What they offer."""
        ...


def pass_without_waiting(source: SourceSpec) -> AbstractAsyncContextManager[None]:
    """Every search goes at once."""
    return nullcontext()


class ToolActivities:
    """What every tool's activity does; a search is done within `passing` its source."""

    def __init__(
        self,
        store: Store,
        sources: Sources,
        embedder: Embedder | None = None,
        *,
        passing: Passing = pass_without_waiting,
        databases: Databases | None = None,
        examples: SqlExamples | None = None,
        servers: Serving | None = None,
    ) -> None:
        self._store = store
        self._databases = databases or Databases({})
        self._examples = examples or SqlExamples({})
        self._sources = sources
        self._embedder = embedder
        self._passing = passing
        self._servers = servers
        self._comparing = Comparing()
        self._tools: Mapping[str, Callable[[TenantStore, str, Any], Awaitable[Frozen]]] = {
            "search": self._search,
            "search_related": self._search_related,
            "analyze": self._analyze,
            "schema_context": self._schema_context,
            "sql_examples": self._sql_examples,
            "execute_sql": self._execute_sql,
            "compute": self._compute,
            "consensus": merge_path_results,
            "chart": draw_result_chart,
            "forecast": self._forecast,
            "noop": self._noop,
            "call_tool": self._call_tool,
            "list_tools": self._list_tools,
        }

    async def run_tool(self, call: ToolCall) -> ToolResult:
        """Runs one tool once, and writes into the ledger that it did.

        Raises:
            ApplicationError: it failed; its type and whether to try again are decided by `failures.classified`.
        """
        store = self._store.of(call.tenant)
        async with send_heartbeats():
            try:
                output = await self._run(call, store)
            except Exception as error:
                await _record_tool_call(call, store, "failed")
                raise classify_failure(error) from None
            await _record_tool_call(call, store, "completed")
        return ToolResult(output=output.model_dump(mode="json"), waited=measure_queue_seconds(), told=call.told)

    async def _run(self, call: ToolCall, store: TenantStore) -> Frozen:
        tool = self._tools.get(call.tool)
        if tool is None:
            raise InputInvalid("tool", f"there is no tool {call.tool!r}; there are: {', '.join(self._tools)}")
        given = TOOLS[call.tool].input.model_validate(call.input)
        if call.approval and isinstance(given, CallToolInput):
            return await self._known().call_tool(store, call.run_id, given, call.approval)
        return await tool(store, call.run_id, given)

    async def _search(self, store: TenantStore, run_id: str, given: SearchInput) -> SearchOutput:
        if given.source == RELATED:
            asked = RelatedInput(query=shorten_text(given.query, LONGEST_QUERY), limit=given.limit)
            return await self._search_related(store, run_id, asked)
        source = self._sources.get(given.source)
        query, cut = as_taken(given.query, source.spec)
        async with self._passing(source.spec):
            limit = min(given.limit, source.spec.limits.results)
            found = await search_source(source, store, run_id, query, limit)
        passages = as_told_now(found.evidence, await store.evidence.get([passage.id for passage in found.evidence]))
        await store.evidence.add(run_id, passages, found.texts)
        # After storing, not before: the order in the store is for good, so another attempt gives the same answer, and
        # of two searches that find copies at the same time one is older.
        repeats = await self._comparing.repeats(store.evidence, run_id)
        return SearchOutput(
            source=given.source,
            query=given.query,
            evidence=tuple(build_evidence_ref(passage, repeats.get(passage.id)) for passage in passages),
            warnings=(*cut, *found.warnings),
        )

    async def _search_related(self, store: TenantStore, run_id: str, given: RelatedInput) -> SearchOutput:
        known = await store.evidence.of_run(run_id)
        repeats = await self._comparing.repeats(store.evidence, run_id)
        originals = [passage for passage in known if passage.id not in repeats]
        found = await asyncio.to_thread(rank_related_passages, given.query, originals, given.limit, self._embedder)
        return SearchOutput(
            source=RELATED, query=given.query, evidence=tuple(build_evidence_ref(passage) for passage in found)
        )

    async def _analyze(self, store: TenantStore, run_id: str, given: AnalyzeInput) -> AnalyzeOutput:
        return await analyze_measurements(store, run_id, given)

    async def _schema_context(self, store: TenantStore, run_id: str, given: SchemaContextInput) -> SchemaContextOutput:
        found = await schema_context(self._databases, given)
        with suppress(InputInvalid):  # `sql_examples` says what is wrong with them
            example = await self._examples.find(given.database, given.question)
            return found.model_copy(update={"saved": example is not None})
        return found

    async def _sql_examples(self, store: TenantStore, run_id: str, given: SqlExamplesInput) -> SqlExamplesOutput:
        return await self._examples.like(given)

    async def _execute_sql(self, store: TenantStore, run_id: str, given: ExecuteSqlInput) -> ExecuteSqlOutput:
        return await execute_sql(self._databases, store, run_id, given)

    async def _compute(self, store: TenantStore, run_id: str, given: ComputeInput) -> ComputeOutput:
        return await run_sandboxed_code(given)

    async def _forecast(self, store: TenantStore, run_id: str, given: ForecastInput) -> ForecastOutput:
        return await forecast_result(store, run_id, given)

    async def _call_tool(self, store: TenantStore, run_id: str, given: CallToolInput) -> CallToolOutput:
        return await self._known().call_tool(store, run_id, given)

    async def _list_tools(self, store: TenantStore, run_id: str, given: ListToolsInput) -> ListToolsOutput:
        return await self._known().list_tools(given)

    def _known(self) -> Serving:
        if self._servers is None:
            raise ToolRefused("this worker knows no servers of tools")
        return self._servers

    async def _noop(self, store: TenantStore, run_id: str, given: NoopInput) -> NoopOutput:
        return NoopOutput()


async def _record_tool_call(call: ToolCall, store: TenantStore, outcome: Literal["completed", "failed"]) -> None:
    await store.ledger.record(
        build_ledger_entry(call.run_id, call.node, call.tool, outcome, kind="tool", step=call.step, item=call.item)
    )


async def search_source(source: Source, store: TenantStore, run_id: str, query: str, limit: int) -> Found:
    """Search a source, in its own way or in the store."""
    if isinstance(source, SearchesStore):
        return await source.search_store(store, run_id, query, limit)
    return await source.search(query, limit)


def as_taken(query: str, source: SourceSpec) -> tuple[str, tuple[str, ...]]:
    """The query as its source takes it, and what has to be said of that."""
    longest = source.limits.query_characters
    if len(query) <= longest:
        return query, ()
    kept = shorten_text(query, longest + len(ELLIPSIS)).removesuffix(ELLIPSIS)
    return kept, (f"{source.name}: of a query only the first {longest} characters were searched for: {kept}",)
