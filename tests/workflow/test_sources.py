"""A source of one's own is an entry and a class; its rate, its waits and its key are looked after for it."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.registry import Sources, open_sources
from elcano.activities.tools.tool_activities import Passing, ToolActivities, pass_without_waiting
from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec, build_collection_spec
from elcano.graphs.errors import SourceBusy
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import RunSnapshot
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import FailureType, Hold
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.service.temporal.executions import PendingActivity
from elcano.settings.settings import Settings
from elcano.storage.store import Store
from elcano.testing.script import Refused, Script, make_passages
from elcano.testing.temporal import scripted_activities
from elcano.worker import source_workers
from elcano.workflows.chain import ChainWorkflow
from elcano.workflows.research import ResearchWorkflow
from tests.api.serving import connecting
from tests.cases import BOTH_WAYS
from tests.sources import Shelf, found, ledger_of, open_shelf
from tests.workflow.conftest import Handle, asking, worker_for

RATE = 4.0
Answer = Callable[[str], SearchResults]


def searching(*searches: tuple[str, str]) -> ResearchGraph:
    """Searches all of them, each a source and a query, at once, and writes."""
    items = json.dumps([{"source": source, "query": query} for source, query in searches])
    return looking(items, "item.source", "item.query")


def looking(items: str, source: str, query: str) -> ResearchGraph:
    """Searches for each of the items, which are JSON, and writes."""
    return ResearchGraph.model_validate(
        {
            "name": "look_once",
            "nodes": [
                {
                    "id": "search",
                    "kind": "tool",
                    "tool": "search",
                    "for_each": f"`{items}`",
                    "reducer": "add_evidence",
                    "inputs": {"source": source, "query": query},
                },
                {
                    "id": "writer",
                    "kind": "agent",
                    "agent": "writer",
                    "inputs": {"question": "question", "sources": "sources", "evidence": "evidence[].id"},
                },
            ],
            "edges": [{"kind": "sequential", "from_node": "search", "to_node": "writer"}],
            "entry_node": "search",
            "exit_nodes": ["writer"],
        }
    )


@pytest.fixture
def spec(monkeypatch: pytest.MonkeyPatch) -> SourceSpec:
    """A source that is listed; its name is its own, because a task queue is called after it."""
    made = SourceSpec(
        name=f"shelf-{uuid.uuid4()}",
        kind="articles",
        description="What the tests know.",
        limits=SourceLimits(per_second=RATE, query_characters=12),
        policy=SourcePolicy(attempts=2, patience_seconds=100),
        opened_by=f"{open_shelf.__module__}:open_shelf",
    )
    monkeypatch.setitem(SOURCES, made.name, made)
    return made


@asynccontextmanager
async def running(
    client: Client,
    script: Script,
    store: Store,
    shelves: Sequence[Shelf],
    graph: ResearchGraph,
    *,
    limits: Limits | None = None,
    workers: int = 1,
    passing: Passing | None = None,
) -> AsyncIterator[Handle]:
    """A run of `graph`, with so many workers for the sources' queues and one for all else.

    Where the clock of workflows skips time, a provider's own does not: there searches are `unhindered`.
    """
    queue = run_id = f"run-{uuid.uuid4()}"
    sources = Sources({shelf.spec.name: shelf for shelf in shelves})
    async with AsyncExitStack() as stack:
        activities = scripted_activities(script, use=ToolActivities(store, sources).run_tool)
        await stack.enter_async_context(worker_for(client, queue, activities))
        for _ in range(workers):  # each as in a process of its own: one client has one worker a queue
            target = client.service_client.config.target_host
            own = await Client.connect(target, data_converter=client.data_converter)
            for worker in source_workers(own, store, sources, Settings(_env_file=None), passing=passing):
                await stack.enter_async_context(worker)
        asked = asking(run_id, graph=graph, limits=limits).model_copy(update={"sources": ()})  # any that is named
        yield await client.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)


async def held(handle: Handle) -> Hold:
    async with asyncio.timeout(30):
        while True:
            snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
            if snapshot.hold is not None:
                return snapshot.hold
            await asyncio.sleep(0.25)


async def tried_again(api: Temporal, run_id: str) -> PendingActivity:
    """What Temporal waits for, once that has failed."""
    async with asyncio.timeout(30):
        while True:
            for pending in (await api.describe(run_id)).pending:
                if pending.last_failure:
                    return pending
            await asyncio.sleep(0.25)


def cited(script: Script) -> list[str]:
    """Titles of what the writer was given."""
    return [one.rpartition(":")[0].rpartition(":")[2] for one in script.published[-1].evidence]


async def test_an_entry_and_a_class_are_a_source(
    temporal: Client, script: Script, store: Store, spec: SourceSpec, tmp_path: Path
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, package_readmes=False)
    with ledger_of() as opened:
        async with open_sources(settings) as sources:
            (shelf,) = opened
            assert spec.name in sources.names
            graph = searching((spec.name, "whales"))
            async with running(temporal, script, store, opened, graph) as handle:
                result = await handle.result()
            assert result.ending is None
            assert [query for _, query, _ in shelf.asked] == ["whales"]
            assert shelf.closed == 0
        assert shelf.closed == 1
    assert cited(script) == ["whales"]


async def test_two_workers_together_stay_under_the_rate(
    temporal: Client, script: Script, store: Store, spec: SourceSpec
) -> None:
    shelf = Shelf(spec)
    queries = [f"number {number}" for number in range(16)]
    graph = looking(json.dumps(queries), f"'{spec.name}'", "item")
    async with running(temporal, script, store, [shelf], graph, workers=2) as handle:
        await handle.result()
    times = sorted(at for at, _, _ in shelf.asked)
    assert sorted(query for _, query, _ in shelf.asked) == sorted(queries)
    # A burst of a second's searches may come first; a slow machine only makes it longer.
    assert times[-1] - times[0] >= (len(times) - 1 - RATE) / RATE * 0.9


async def test_a_query_is_cut_to_what_the_source_takes(
    temporal: Client, script: Script, store: Store, spec: SourceSpec
) -> None:
    shelf = Shelf(spec)
    async with running(temporal, script, store, [shelf], searching((spec.name, "whales of the north"))) as handle:
        await handle.result()
    assert [query for _, query, _ in shelf.asked] == ["whales of"]
    assert any("only the first 12 characters" in warning for warning in script.published[-1].warnings)


async def test_a_short_wait_is_kept_and_shown(temporal: Client, script: Script, store: Store, spec: SourceSpec) -> None:
    answers = iter([SourceBusy("shelf: HTTP 429", retry_after=4.0)])

    def answer(query: str) -> SearchResults:
        for error in answers:
            raise error
        return found(spec.name, query)

    shelf, api = Shelf(spec, answer), Temporal(Connection(connecting(temporal)), "unused")
    async with running(temporal, script, store, [shelf], searching((spec.name, "whales"))) as handle:
        waiting = await tried_again(api, handle.id)
        assert (waiting.activity_id, waiting.attempt, waiting.last_failure) == ("0001-search-1", 2, "shelf: HTTP 429")
        assert waiting.next_try is not None
        result = await handle.result()
    assert result.ending is None
    (first, _, _), (second, _, _) = shelf.asked
    assert second - first >= 4.0
    assert [event.type for event in script.archived[-1].events].count("held") == 0


async def test_a_long_wait_holds_the_run_and_nothing_is_searched_twice(
    skipping: WorkflowEnvironment, script: Script, store: Store, spec: SourceSpec
) -> None:
    asked: list[str] = []

    def answer(query: str) -> SearchResults:
        asked.append(query)
        if query == "late" and asked.count("late") == 1:
            raise SourceBusy("shelf: HTTP 503", retry_after=90.0)
        return found(spec.name, query)

    limits = Limits(seconds=600, when_exhausted="pause")
    graph = searching((spec.name, "early"), (spec.name, "late"))
    async with running(
        skipping.client, script, store, [Shelf(spec, answer)], graph, limits=limits, passing=pass_without_waiting
    ) as handle:
        result = await handle.result()
    assert result.ending is None
    assert sorted(asked) == ["early", "late", "late"]
    assert sorted(cited(script)) == ["early", "late"]
    kept = script.archived[-1]
    (hold,) = [event for event in kept.events if event.type == "held"]
    assert hold.data["source"] == spec.name
    assert hold.data["seconds"] == 90.0
    assert "HTTP 503" in hold.message
    assert kept.run.finished_at is not None
    assert kept.run.finished_at - kept.run.started_at >= 90.0


async def test_a_source_that_stays_away_is_data_once_others_were_answered(
    skipping: WorkflowEnvironment, script: Script, store: Store, spec: SourceSpec
) -> None:
    def down(query: str) -> SearchResults:
        raise SourceBusy("shelf: cannot be reached", retry_after=40.0)

    shelves = [Shelf(spec, down), Shelf(build_collection_spec("folder"))]
    graph = searching((spec.name, "whales"), ("folder", "whales"))
    async with running(skipping.client, script, store, shelves, graph, passing=pass_without_waiting) as handle:
        result = await handle.result()
    assert result.ending is None
    assert cited(script) == ["whales"]
    assert len(shelves[0].asked) == 3, "at once, after 40 s and after 80 s; a fourth would be past its patience"
    assert len(shelves[1].asked) == 1
    assert any("cannot be reached" in warning for warning in script.published[-1].warnings)


async def test_a_run_of_which_nothing_was_answered_is_held_until_its_time_is_up(
    skipping: WorkflowEnvironment, script: Script, store: Store, spec: SourceSpec
) -> None:
    def down(query: str) -> SearchResults:
        raise SourceBusy("shelf: cannot be reached", retry_after=40.0)

    graph = searching((spec.name, "whales"))
    limits = Limits(seconds=1_000)
    async with running(
        skipping.client, script, store, [Shelf(spec, down)], graph, limits=limits, passing=pass_without_waiting
    ) as handle:
        result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "time"
    assert "cannot be reached" in result.ending.detail


async def test_a_search_that_no_worker_takes_holds_the_run_until_one_does(
    temporal: Client, script: Script, store: Store, spec: SourceSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = spec.model_copy(update={"policy": SourcePolicy(queue_seconds=2)})
    monkeypatch.setitem(SOURCES, spec.name, hasty)
    shelf = Shelf(hasty)
    graph = searching((spec.name, "whales"))
    async with running(temporal, script, store, [shelf], graph, workers=0) as handle:
        hold = await held(handle)
        assert (hold.source, hold.tries) == (spec.name, 1)
        assert "no worker began the call" in hold.detail
        (worker,) = source_workers(temporal, store, Sources({spec.name: shelf}), Settings(_env_file=None))
        async with worker:
            result = await handle.result()
    assert result.ending is None
    assert cited(script) == ["whales"]


@BOTH_WAYS
async def test_a_look_into_the_run_is_chosen_as_a_source_is_and_others_are_not(
    chain: bool, temporal: Client, script: Script
) -> None:
    def chosen(given: JsonObject) -> JsonObject:
        return {"tasks": [{"source": "this run", "query": "whales"}, {"source": "elsewhere", "query": "whales"}]}

    script.overrides["tool_selector"] = chosen
    queue = run_id = f"run-{uuid.uuid4()}"
    workflow = ChainWorkflow if chain else ResearchWorkflow
    asked = asking(run_id).model_copy(update={"sources": ("library",)})
    async with worker_for(temporal, queue, scripted_activities(script)):
        await (await temporal.start_workflow(workflow.run, asked, id=run_id, task_queue=queue)).result()
    kept = script.archived[-1]
    assert script.calls.count("search") == 1 + 1, "the question itself, and the look back"
    assert any("'elsewhere' is not searched in this run" in warning for warning in script.published[-1].warnings)
    assert not any("'this run'" in warning for warning in script.published[-1].warnings)
    assert kept.run.sources == ("library",)


@BOTH_WAYS
async def test_graph_and_chain_are_held_by_a_search_alike(
    chain: bool, skipping: WorkflowEnvironment, script: Script
) -> None:
    refused: list[object] = []

    def busy(given: JsonObject) -> JsonObject:
        if given["query"] != "What is it?" and len(refused) < 4:
            refused.append(given)
            raise Refused("HTTP 503", type=FailureType.PROVIDER)
        return {"source": given["source"], "query": given["query"], "evidence": make_passages(str(given["query"]))}

    script.overrides["search"] = busy
    queue = run_id = f"run-{uuid.uuid4()}"
    workflow = ChainWorkflow if chain else ResearchWorkflow
    async with worker_for(skipping.client, queue, scripted_activities(script)):
        handle = await skipping.client.start_workflow(workflow.run, asking(run_id), id=run_id, task_queue=queue)
        result = await handle.result()
    assert result.ending is None
    told = [event.type for event in script.archived[-1].events if event.node == "execute_tools"]
    assert (told.count("held"), told.count("hold_cleared")) == (2, 1)
    assert script.calls.count("search") == 1 + 6, "the first search, then two, each tried three times"


async def test_who_lacks_the_key_does_not_poll(temporal: Client, store: Store, spec: SourceSpec) -> None:
    lacking = Sources({"folder": Shelf(build_collection_spec("folder"))}, {spec.name: "set SHELF_KEY"})
    assert source_workers(temporal, store, lacking, Settings(_env_file=None)) == []
