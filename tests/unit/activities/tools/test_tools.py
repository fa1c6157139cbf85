import asyncio
from dataclasses import replace
from datetime import timedelta
from inspect import iscoroutinefunction
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.calls.heartbeats import send_heartbeats
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities, shorten_to_excerpt
from elcano.graphs.catalogue.sources import SourceSpec, build_collection_spec
from elcano.graphs.catalogue.tools import TOOLS, SearchOutput
from elcano.graphs.contracts import ToolCall
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.frozen import JsonObject
from elcano.graphs.plugin import import_object
from elcano.graphs.state.failures import FailureType
from elcano.graphs.state.state import EXCERPT_CHARACTERS
from elcano.storage.store import Store
from elcano.subjects.documents.source import DocumentsSource
from tests.unit.activities.agents.material import PANCAKES, passage, stored
from tests.unit.subjects.documents.collections import Shelf

pytestmark = pytest.mark.of_plugins("documents")

LONG = b"# Whales\n" + b"The whale is a very large animal of the sea. " * 15


class BrokenSource:
    """Fails as it is told to."""

    spec = SourceSpec(name="broken", kind="documents", description="Nothing that works.")

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def search(self, query: str, limit: int) -> SearchResults:
        raise self._error

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def tools(store: Store, tmp_path: Path) -> ToolActivities:
    source = DocumentsSource(
        build_collection_spec("docs"), Shelf({"a.md": LONG, "b.txt": b"\0"}), tmp_path / "index.sqlite"
    )
    return ToolActivities(store, Sources({"docs": source}))


def call(tool: str = "search", **given: object) -> ToolCall:
    payload: JsonObject = {"source": "docs", "query": "whale", **given}  # type: ignore[dict-item]
    return ToolCall(run_id="run", step=3, node="searching", item=2, tool=tool, input=payload)


def attempt(number: int = 1) -> ActivityEnvironment:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=number)
    return environment


async def test_what_is_found_is_stored_and_answered_by_reference(tools: ToolActivities, store: Store) -> None:
    result = await attempt().run(tools.run_tool, call())
    output = SearchOutput.model_validate(result.output)
    (reference,) = output.evidence
    (passage,) = await store.of("default").evidence.of_run("run")
    assert reference.id == passage.id
    assert reference.characters == len(passage.text) > EXCERPT_CHARACTERS
    assert passage.text.startswith(reference.excerpt[:-1])
    assert (output.source, output.query) == ("docs", "whale")
    assert output.warnings == ("docs: b.txt was skipped: it is binary, not text",)
    text = await store.of("default").evidence.text(passage.content_hash)
    assert text is not None
    assert text.text[passage.start : passage.end] == passage.text


async def test_searching_twice_stores_once(tools: ToolActivities, store: Store) -> None:
    for number in (1, 2):
        await attempt(number).run(tools.run_tool, call())
    assert len(await store.of("default").evidence.of_run("run")) == 1
    lines = await store.of("default").ledger.entries("run")
    assert [(line.step, line.item, line.attempt, line.kind, line.name, line.outcome) for line in lines] == [
        (3, 2, 1, "tool", "search", "completed"),
        (3, 2, 2, "tool", "search", "completed"),
    ]


class Misnamed:
    """Says that its passages are another source's."""

    spec = SourceSpec(name="tides", kind="documents", description="Tides.")

    async def search(self, query: str, limit: int) -> SearchResults:
        found = passage(1, PANCAKES)
        return SearchResults(evidence=(found,), texts=(stored(found),))

    async def close(self) -> None:
        """Nothing is open."""


async def test_a_passage_that_names_another_source_than_found_it_is_refused_by_name(store: Store) -> None:
    """Seen: it was kept, and its run told of a source that nobody had searched."""
    tools = ToolActivities(store, Sources({"tides": Misnamed()}))
    with pytest.raises(ApplicationError, match=r"the source 'tides' returned the passage 'docs:.*' as one of 'docs'"):
        await attempt().run(tools.run_tool, call(source="tides"))
    assert await store.of("default").evidence.of_run("run") == []


async def test_noop(tools: ToolActivities) -> None:
    given = ToolCall(run_id="run", step=1, node="n", tool="noop", input={"payload": {"any": 1}})
    assert (await attempt().run(tools.run_tool, given)).output == {"ok": True}


async def test_every_tool_of_the_catalogue_is_here(tools: ToolActivities) -> None:
    assert {name for name, spec in TOOLS.items() if not spec.run} == set(tools._own)
    for spec in TOOLS.values():
        assert not spec.run or iscoroutinefunction(import_object(spec.run, spec.name)), spec.name


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (call(source="nowhere"), FailureType.SOURCE_REFUSED),
        (call(limit=0), FailureType.INPUT_INVALID),
        (call(tool="unknown"), FailureType.INPUT_INVALID),
    ],
)
async def test_what_can_never_work_is_not_tried_again(
    tools: ToolActivities, store: Store, bad: ToolCall, kind: str
) -> None:
    with pytest.raises(ApplicationError) as caught:
        await attempt().run(tools.run_tool, bad)
    assert (caught.value.type, caught.value.non_retryable) == (kind, True)
    assert [line.outcome for line in await store.of("default").ledger.entries("run")] == ["failed"]
    assert await store.of("default").evidence.of_run("run") == []


@pytest.mark.parametrize(
    ("error", "final"), [(SourceUnavailable("locked"), False), (SourceRefused("gone"), True), (OSError("disk"), False)]
)
async def test_a_failing_source_is_tried_again_unless_it_refuses(store: Store, error: Exception, final: bool) -> None:
    tools = ToolActivities(store, Sources({"docs": BrokenSource(error)}))
    with pytest.raises(ApplicationError) as caught:
        await attempt().run(tools.run_tool, call())
    assert caught.value.non_retryable is final
    assert caught.value.__cause__ is None


async def test_it_beats_while_it_waits() -> None:
    environment = ActivityEnvironment()
    beats: list[tuple[object, ...]] = []
    third = asyncio.Event()

    def beat(*details: object) -> None:
        beats.append(details)
        if len(beats) == 3:
            third.set()

    environment.on_heartbeat = beat

    async def work() -> None:
        async with send_heartbeats(timedelta(milliseconds=1)):
            await third.wait()

    await environment.run(work)
    counted = len(beats)
    await asyncio.sleep(0.05)
    assert len(beats) == counted, "it went on after the work was done"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("two\n\n  lines", "two lines"),
        ("word " * 60, ("word " * 48).rstrip() + "…"),
        ("x" * 300, "x" * EXCERPT_CHARACTERS + "…"),
        ("x" * EXCERPT_CHARACTERS, "x" * EXCERPT_CHARACTERS),
    ],
)
def test_an_excerpt_ends_between_words(text: str, expected: str) -> None:
    assert shorten_to_excerpt(text) == expected
    assert len(shorten_to_excerpt(text)) <= EXCERPT_CHARACTERS + 1
