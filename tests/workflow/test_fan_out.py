"""Many sections: each takes little of its parent's history, and only so many children are open at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import Limits
from elcano.testing.script import Script
from tests.control import stop
from tests.workflow.conftest import Handle, Start, deep_with

SECTIONS = 60
AT_ONCE = 15
MOST = 200
"""Sections that a plan may have; with so many the history has to stay below 4,096 events and 2 MB."""


@asynccontextmanager
async def watched(handle: Handle) -> AsyncIterator[list[int]]:
    """How many children were pending, looked at again and again."""
    counts: list[int] = []

    async def look() -> None:
        while True:
            described = await handle.describe()
            counts.append(len(described.raw_description.pending_children))
            await asyncio.sleep(0.02)

    watching = asyncio.create_task(look())
    yield counts
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


@pytest.mark.long
async def test_each_of_many_sections_takes_little_of_the_history(start: Start, script: Script) -> None:
    script.complete_in = 1
    script.sections = tuple(f"part {number}" for number in range(SECTIONS))
    limits = Limits(sections=SECTIONS, tokens=10_000_000, seconds=3_600)
    handle = await start(mode="deep", graph=deep_with(max_concurrency=AT_ONCE), limits=limits)
    async with watched(handle) as pending:
        result = await handle.result()
    assert result.ending is None
    (published,) = script.published
    assert [section.title for section in published.sections] == list(script.sections)
    assert all(section.gap is None and section.evidence for section in published.sections)
    assert AT_ONCE // 2 < max(pending) <= AT_ONCE
    described = (await handle.describe()).raw_description.workflow_execution_info
    assert described.history_length * MOST / SECTIONS < 4_096
    assert described.history_size_bytes * MOST / SECTIONS < 2 * 1024 * 1024
    assert result.usage.requests == len(script.calls) - script.calls.count("search")


@pytest.mark.long
async def test_a_stop_reaches_sections_that_are_just_starting(start: Start, script: Script) -> None:
    begun = asyncio.Event()

    def endless(given: JsonObject) -> JsonObject:
        begun.set()
        return {"research_complete": False, "outstanding_gaps": [f"gap {len(script.calls)}"]}

    script.overrides["knowledge_gap"] = endless
    script.sections = tuple(f"part {number}" for number in range(20))
    limits = Limits(sections=20, iterations=12, steps=2_000, tokens=100_000_000)
    handle = await start(mode="deep", graph=deep_with(max_concurrency=20), limits=limits)
    await begun.wait()
    await stop(handle, "enough")
    result = await handle.result()
    assert result.ending is not None
    assert result.ending.kind == "stopped"
    (published,) = script.published
    assert {section.ending for section in published.sections} == {"enough"}
