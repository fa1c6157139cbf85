"""Whoever plans searches may look into what was found, and is told of pages where a source wants an address."""

from collections.abc import Mapping, Sequence

import pytest

from elcano.activities.agents.prompt_parts import MOST_PAGES, Loader
from elcano.activities.agents.prompt_passages import fit_passages_to_tokens
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.envelope import Loaded, Needs, OfferedSource, TaskEnvelope
from elcano.graphs.state.state import RELATED, IterationData, ToolCallRecord
from elcano.storage.evidence import Evidence
from elcano.storage.store import Store, TenantStore
from elcano.subjects.quoting.planning import plan_searches
from elcano.subjects.research.agents.tool_selector import (
    AGENT,
    SEEN_AT_ONCE,
    AgentTask,
    ToolSelectorInput,
    complete_tasks,
)
from tests.unit.activities.agents.material import PANCAKES, TEMPORAL, FixedSource, passage, stored

DOCS = OfferedSource(name="docs")
FILLING = [passage(number, f"{PANCAKES} Recipe {number}.") for number in range(2, 12)]
OLD = passage(1, TEMPORAL)


def found(passages: Sequence[Evidence], number: int = 1) -> IterationData:
    call = ToolCallRecord(source="docs", query="batter", found=len(passages), new=len(passages))
    return IterationData(number=number, tool_calls=(call,), findings=tuple(one.id for one in passages))


def offered(passages: int) -> tuple[OfferedSource, ...]:
    many = [passage(number, PANCAKES) for number in range(passages)]
    given = ToolSelectorInput(question="What of crashes?", sources=("docs",), conversation=(found(many),))
    return AGENT.asks.shown(given, Loaded(sources=(DOCS,))).sources


def test_what_was_found_is_offered_once_nobody_sees_all_of_it_at_a_time() -> None:
    assert offered(SEEN_AT_ONCE) == (DOCS,)
    assert [one.name for one in offered(SEEN_AT_ONCE + 1)] == ["docs", RELATED]


def test_what_is_brought_back_is_shown_though_newer_passages_fill_the_room() -> None:
    everything = [OLD, *FILLING]
    turns = [found([OLD]), found(FILLING, 2)]
    room = 130
    assert OLD.id not in fit_passages_to_tokens(everything, turns, room).ids.values()
    back = ToolCallRecord(source=RELATED, query="temporal crash", found=1)
    shown = fit_passages_to_tokens(everything, [*turns, IterationData(number=3, tool_calls=(back,))], room)
    assert OLD.id in shown.ids.values()
    assert shown.ids[shown.order[0]] == OLD.id
    failed = back.model_copy(update={"found": 0, "error": "no"})
    without = fit_passages_to_tokens(everything, [*turns, IterationData(number=3, tool_calls=(failed,))], room)
    assert OLD.id not in without.ids.values()


def test_new_passages_of_a_look_and_of_the_search_after_it_are_told_apart() -> None:
    """A graph may look back to what its state does not have: what a step found that was undone."""
    everything = [OLD, *FILLING]
    calls = (
        ToolCallRecord(source=RELATED, query="temporal crash", found=1, new=1),
        ToolCallRecord(source="docs", query="batter", found=len(FILLING), new=len(FILLING)),
    )
    turn = IterationData(number=1, tool_calls=calls, findings=tuple(one.id for one in everything))
    shown = fit_passages_to_tokens(everything, [turn], 4_000)
    assert [shown.ids[key] for key in shown.order] == [one.id for one in everything]


def test_the_extractive_model_searches_sources_alone() -> None:
    task = TaskEnvelope(kind="tool_selector", question="How does it survive a crash?", sources=(DOCS,))
    both = task.model_copy(update={"sources": (DOCS, OfferedSource(name=RELATED))})
    assert plan_searches(both) == plan_searches(task)
    assert plan_searches(task).tasks


def test_sources_are_searched_by_names_as_models_write_them() -> None:
    written = ("europe-pmc", "Europe PMC", "EUROPE_PMC", "notes (documents)", "elsewhere")
    tasks = tuple(AgentTask(source=name, query=f"batter {number}") for number, name in enumerate(written))
    completed = complete_tasks(tasks, (), ("europe-pmc", "notes"), ())
    assert [one.source for one in completed] == ["europe-pmc", "europe-pmc", "europe-pmc", "notes", "elsewhere"]


@pytest.fixture
def store(store: Store) -> TenantStore:
    return store.of("default")


class Named(FixedSource):
    """A source that is only named."""


async def pages(store: TenantStore, places: Mapping[int, str], *sources: str) -> tuple[str, ...]:
    """What the selector is told of passages at `places`, where these sources are offered."""
    known = [
        passage(number, f"{PANCAKES} {number}").model_copy(update={"locator": at}) for number, at in places.items()
    ]
    await store.evidence.add("run-1", known, [stored(one) for one in known])
    loader = Loader(store, Sources({name: Named({}) for name in sources}))
    needs = Needs(evidence=tuple(one.id for one in known), offered=sources)
    loaded = await loader.load("run-1", AGENT, needs, None, most=0, weighed=False)
    given = ToolSelectorInput(question="What of crashes?", sources=sources)
    return AGENT.asks.shown(given, loaded).pages


@pytest.mark.of_plugins("web")
async def test_addresses_of_pages_are_told_where_a_source_reads_them(store: TenantStore) -> None:
    places = {1: "https://a.example/x", 2: "notes.md", 3: "https://a.example/x", 4: "http://b.example/", 5: "file:///x"}
    assert await pages(store, places, "docs") == ()
    assert await pages(store, places, "docs", "page") == ("https://a.example/x", "http://b.example/")
    assert await pages(store, places, "crawl") == ("https://a.example/x", "http://b.example/")


@pytest.mark.of_plugins("web")
async def test_the_latest_addresses_are_told(store: TenantStore) -> None:
    many = {number: f"https://a.example/{number}" for number in range(MOST_PAGES + 5)}
    told = await pages(store, many, "page")
    assert told == tuple(many.values())[5:]
