"""The search tools over a real store: what repeats is marked, the same on every attempt; a run sees only its own."""

import asyncio
import json
from collections.abc import Mapping, Sequence

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.similarity.embedder import Embedder
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes, SearchOutput
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.contracts import ToolCall
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.entries import Call, CallTool, Entry, StepCompleted
from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.state import EvidenceRef, ResearchState
from elcano.storage.evidence import Evidence, EvidenceStore
from elcano.storage.store import Store
from elcano.testing.script import Script
from tests.unit.activities.agents.material import stored
from tests.unit.activities.similarity.material import BREAD, WHALES, Topics, passage
from tests.unit.graphs.samples import asked

COPY = f"ABSTRACT {WHALES}"


class Shelves:
    """A source that finds for each query what it was given for it."""

    def __init__(self, name: str, found: Mapping[str, Sequence[Evidence]]) -> None:
        self.spec = SourceSpec(name=name, kind="articles", description="What was put on them.")
        self.found = found

    async def search(self, query: str, limit: int) -> SearchResults:
        evidence = tuple(self.found[query])
        return SearchResults(evidence=evidence, texts=tuple(stored(one) for one in evidence))

    async def close(self) -> None:
        """Nothing is open."""


PUBMED = Shelves(
    "pubmed",
    {
        "whales": [passage("whale", WHALES, source="pubmed"), passage("bread", BREAD, source="pubmed")],
        "both": [passage("one", WHALES, source="pubmed"), passage("two", COPY, source="pubmed")],
    },
)
MIRROR = Shelves("mirror", {"whales": [passage("copy", COPY, source="mirror")], "none": []})


def tools_over(store: Store, embedder: Embedder | None = None) -> ToolActivities:
    return ToolActivities(store, Sources({"pubmed": PUBMED, "mirror": MIRROR}), embedder)


@pytest.fixture
def tools(store: Store) -> ToolActivities:
    return tools_over(store)


async def done(tools: ToolActivities, tool: str, given: JsonObject, run_id: str = "run-a") -> SearchOutput:
    call = ToolCall(run_id=run_id, step=1, node="n", tool=tool, input=given)
    return SearchOutput.model_validate((await ActivityEnvironment().run(tools.run_tool, call)).output)


async def search(tools: ToolActivities, source: str, query: str = "whales", run_id: str = "run-a") -> SearchOutput:
    return await done(tools, "search", {"source": source, "query": query}, run_id)


async def related(tools: ToolActivities, query: str, run_id: str = "run-a") -> tuple[EvidenceRef, ...]:
    return (await done(tools, "search_related", {"query": query}, run_id)).evidence


def marks(output: SearchOutput) -> dict[str, str | None]:
    return {ref.id: ref.duplicate_of for ref in output.evidence}


async def test_a_copy_is_stored_and_marked_with_the_older_one(tools: ToolActivities, store: Store) -> None:
    assert marks(await search(tools, "pubmed")) == {"pubmed:whale": None, "pubmed:bread": None}
    assert marks(await search(tools, "mirror")) == {"mirror:copy": "pubmed:whale"}
    assert [one.id for one in await store.of("default").evidence.of_run("run-a")] == [
        "pubmed:whale",
        "pubmed:bread",
        "mirror:copy",
    ]


async def test_searching_again_never_marks_what_was_there(tools: ToolActivities) -> None:
    first = [await search(tools, "pubmed"), await search(tools, "mirror")]
    for _ in range(3):
        assert [await search(tools, "pubmed"), await search(tools, "mirror")] == first


async def test_the_second_copy_of_one_search_is_marked(tools: ToolActivities) -> None:
    assert marks(await search(tools, "pubmed", "both")) == {"pubmed:one": None, "pubmed:two": "pubmed:one"}


async def test_an_attempt_that_was_lost_after_storing_changes_no_answer(
    tools: ToolActivities, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile another search found a copy: it is the younger one, whoever answers first."""

    async def lost(self: EvidenceStore, run_id: str) -> list[Evidence]:
        raise OSError("the worker is gone")

    with monkeypatch.context() as broken:
        broken.setattr(EvidenceStore, "of_run", lost)
        with pytest.raises(ApplicationError):
            await search(tools, "pubmed")
    assert marks(await search(tools, "mirror")) == {"mirror:copy": "pubmed:whale"}
    assert marks(await search(tools, "pubmed")) == {"pubmed:whale": None, "pubmed:bread": None}


async def test_of_searches_at_once_exactly_one_copy_is_older(tools: ToolActivities) -> None:
    outputs = await asyncio.gather(*(search(tools, name, "whales") for name in ("mirror", "pubmed") * 5))
    found = [mark for output in outputs for mark in marks(output).items()]
    whales = {id: original for id, original in found if id != "pubmed:bread"}
    assert sorted(whales) == ["mirror:copy", "pubmed:whale"]
    assert len(set(found)) == 3, "each attempt at each search said the same"
    (original,) = (id for id, named in whales.items() if named is None)
    assert set(whales.values()) == {None, original}


async def test_other_runs_and_sections_mark_nothing(tools: ToolActivities) -> None:
    await search(tools, "pubmed", run_id="run-a")
    await search(tools, "pubmed", run_id="run-a.0004.loop-1")
    for other in ("run-b", "run-a.0004.loop-2", "run-a.0004.loop-10"):
        assert marks(await search(tools, "mirror", run_id=other)) == {"mirror:copy": None}


async def test_related_passages_name_the_source_they_are_from(tools: ToolActivities) -> None:
    await search(tools, "mirror")
    await search(tools, "pubmed")
    output = await done(tools, "search_related", {"query": "squid sourdough"})
    assert (output.source, output.query) == ("this run", "squid sourdough")
    assert {ref.id: ref.source for ref in output.evidence} == {"mirror:copy": "mirror", "pubmed:bread": "pubmed"}


@pytest.mark.parametrize("embedder", [None, Topics()], ids=["words", "vectors"])
async def test_a_run_finds_its_own_and_its_branches_and_nothing_else(store: Store, embedder: Embedder | None) -> None:
    tools = tools_over(store, embedder)
    await search(tools, "pubmed", run_id="run-a.0004.loop-1")
    await search(tools, "mirror", run_id="run-ab")
    assert [ref.id for ref in await related(tools, "giant squid", "run-a")] == ["pubmed:whale"]
    assert [ref.id for ref in await related(tools, "giant squid", "run-a.0004.loop-1")] == ["pubmed:whale"]
    assert [ref.id for ref in await related(tools, "giant squid", "run-ab")] == ["mirror:copy"]
    for stranger in ("run", "run-b", "run-a.0004.loop-2", "run-a.0004.loop", "run-a.", "RUN-A", "run%", "run_a"):
        assert await related(tools, "giant squid", stranger) == ()


async def test_vectors_are_used_where_there_are_any(store: Store) -> None:
    await search(tools_over(store), "pubmed")
    assert await related(tools_over(store), "cetacean") == ()
    (found,) = await related(tools_over(store, Topics()), "cetacean")
    assert found.id == "pubmed:whale"


async def test_what_the_run_has_is_searched_where_it_is_named_as_a_source(tools: ToolActivities) -> None:
    await search(tools, "pubmed")
    await search(tools, "mirror", run_id="run-b")
    found = await search(tools, "this run", "giant squid")
    assert (found.source, found.query) == ("this run", "giant squid")
    assert [(ref.id, ref.source) for ref in found.evidence] == [("pubmed:whale", "pubmed")]
    assert (await search(tools, "this run", "giant squid " * 500)).evidence == found.evidence


LOOK_BACK = """
{
  "name": "look_back",
  "nodes": [
    {"id": "search", "kind": "tool", "tool": "search", "for_each": "sources", "reducer": "add_evidence",
     "inputs": {"source": "item", "query": "question"}},
    {"id": "look_back", "kind": "tool", "tool": "search_related",
     "inputs": {"query": "'giant squid'", "limit": "`3`"}},
    {"id": "writer", "kind": "agent", "agent": "writer",
     "inputs": {"question": "question", "sources": "sources", "conversation": "conversation",
                "evidence": "outputs.look_back.evidence[].id"}}
  ],
  "edges": [
    {"kind": "sequential", "from_node": "search", "to_node": "look_back"},
    {"kind": "sequential", "from_node": "look_back", "to_node": "writer"}
  ],
  "entry_node": "search",
  "exit_nodes": ["writer"]
}
"""


async def test_a_graph_can_look_back(tools: ToolActivities) -> None:
    graph = ResearchGraph.model_validate(json.loads(LOOK_BACK))
    assert find_graph_faults(graph) == []
    script = Script()

    async def perform(work: Call, at: float) -> Entry:
        if not isinstance(work, CallTool):
            return await script.perform(work, at)
        outputs = [(await done(tools, work.tool, given)).model_dump(mode="json") for given in work.inputs]
        items = tuple(ItemOutcome(index=at, output=output) for at, output in enumerate(outputs))
        whole = ItemOutcomes(items=items).model_dump(mode="json") if work.for_each else outputs[0]
        return StepCompleted(step=work.step, node=work.node, at=at, output=whole)

    state = ResearchState(question="whales", sources=("pubmed", "mirror"))
    journal = await run_in_memory(asked(graph, state), perform, clock=lambda: 0.0)
    assert journal.run.state.distinct_evidence == ("pubmed:whale", "pubmed:bread")
    assert len(journal.run.state.evidence) == 3
    told = [event.message for event in journal.events if event.type == "search_complete"]
    assert told == ["3 passages from 2 searches", "1 passage from 1 search"]
    drafted = journal.run.state.outputs["writer"]
    assert isinstance(drafted, dict)
    assert drafted["evidence"] == ["pubmed:whale"]
