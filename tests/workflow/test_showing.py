"""What an operator sees of a run in Temporal, at the moment in which he looks."""

import asyncio
from typing import Any

from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client, WorkflowExecutionDescription, WorkflowHandle
from temporalio.common import SearchAttributeKey
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.run_contracts import SEARCH_ATTRIBUTES
from elcano.graphs.state.budget import Limits, TopUp
from elcano.testing.script import Script
from tests.cases import BOTH_WAYS
from tests.control import pause, top_up
from tests.workflow.conftest import Start
from tests.workflow.test_budget import paused
from tests.workflow.test_deep_pause import ENOUGH
from tests.workflow.test_holds import down, held, running
from tests.workflow.test_plan_approval import waiting

UPSERTS = "upsert_workflow_search_attributes_event_attributes"


def shown(described: WorkflowExecutionDescription) -> dict[str, Any]:
    return {
        pair.key.name.removeprefix("Elcano"): pair.value
        for pair in described.typed_search_attributes
        if pair.key.name in SEARCH_ATTRIBUTES
    }


async def attributes(client: Client, run_id: str) -> dict[str, Any]:
    return shown(await client.get_workflow_handle(run_id).describe())


async def details(handle: WorkflowHandle[Any, Any]) -> str:
    found: WorkflowMetadata = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    return found.current_details


async def upserts(handle: WorkflowHandle[Any, Any]) -> int:
    return sum(event.HasField(UPSERTS) for event in (await handle.fetch_history()).events)  # type: ignore[arg-type]


async def test_a_run_that_waits_for_a_top_up_says_so_until_it_goes_on(
    start: Start, script: Script, temporal: Client
) -> None:
    script.complete_in = 2
    handle = await start(limits=Limits(iterations=1, when_exhausted="pause"))
    snapshot = await paused(handle)
    found = await attributes(temporal, handle.id)
    assert (found["Stage"], found["Waiting"]) == ("paused", "budget")
    assert found["Tokens"] == script.usage.tokens * (len(script.calls) - script.calls.count("search"))
    told = await details(handle)
    assert "**waits for a top-up** since 20" in told
    assert f"=> {snapshot.node} " in told
    await top_up(handle, TopUp(iterations=3))
    await handle.result()
    found = await attributes(temporal, handle.id)
    assert (found["Stage"], found["Outcome"]) == ("closed", "completed")
    assert "Waiting" not in found
    assert "**completed**" in await details(handle)


async def test_what_a_run_used_is_told_in_a_bounded_number_of_events(
    start: Start, script: Script, temporal: Client
) -> None:
    script.tokens = 1_400
    script.complete_in = 5
    handle = await start(limits=Limits(tokens=40_000, iterations=9))
    result = await handle.result()
    assert result.usage.tokens > 20_000, "two quarters at the least"
    assert 2 + 2 <= await upserts(handle) <= 2 + 3
    found = await attributes(temporal, handle.id)
    assert found["Tokens"] == result.usage.tokens
    assert found["CostUsd"] == result.usage.cost_microusd / 1_000_000


@BOTH_WAYS
async def test_a_run_whose_provider_is_down_says_who_and_when_it_is_tried_again(
    chain: bool, skipping: WorkflowEnvironment, script: Script
) -> None:
    limits = Limits(seconds=60, when_exhausted="pause", hold_seconds=3_600)
    async with running(skipping.client, down(script, "judge", 3), limits, chain=chain) as handle:
        await handle.result()
        waiting = [seen["ElcanoWaiting"] for seen in await _upserted(handle) if "ElcanoWaiting" in seen]
    assert waiting == [b'"provider"', b""], "it waited once, and then no more"


async def _upserted(handle: WorkflowHandle[Any, Any]) -> list[dict[str, bytes]]:
    """What each upsert said, by attribute; nothing of one that it unset."""
    attributes = (
        event.upsert_workflow_search_attributes_event_attributes.search_attributes.indexed_fields
        for event in (await handle.fetch_history()).events
        if event.HasField(UPSERTS)  # type: ignore[arg-type]
    )
    return [{name: payload.data for name, payload in fields.items()} for fields in attributes]


async def test_details_of_a_held_run_name_the_agent(temporal: Client, script: Script) -> None:
    limits = Limits(seconds=600, when_exhausted="pause")
    async with running(temporal, down(script, "judge", 999), limits) as handle:
        await held(handle)
        told = await details(handle)
        assert "**waits for a provider** since 20" in told
        assert "`judge` failed 1 time; next try 20" in told
        assert "=> judge" in told
        await handle.terminate()


async def test_a_plan_that_waits_is_shown_with_how_it_is_approved(start: Start, script: Script) -> None:
    handle = await start(mode="deep", limits=ENOUGH, approve_plan=True)
    await waiting(handle)
    await pause(handle)  # which hides nothing of it
    told = await details(handle)
    assert [f"  {number}. **{title}**: " in told for number, title in enumerate(script.sections, 1)] == [True] * 3
    assert f"- approve it: `elcano approve {handle.id}`" in told
    assert f"- refuse it: `elcano refuse {handle.id} REASON`" in told
    await handle.terminate()


async def test_sections_are_rows_of_their_run_and_stand_in_its_details(
    start: Start, temporal: Client, script: Script
) -> None:
    script.complete_in, script.tokens = 5, 1_200
    handle = await start(mode="deep", limits=ENOUGH)
    await paused(handle)
    told = await details(handle)
    assert [f"- {title}: **waits for a top-up**" in told for title in script.sections] == [True] * 3
    assert "its sections do" in told
    query = f'ElcanoRun = "{handle.id}" AND ElcanoSection IS NOT NULL AND ElcanoWaiting = "budget"'
    async with asyncio.timeout(30):
        while len(found := [one async for one in temporal.list_workflows(query)]) < 3:
            pass  # the list is some moments behind
    section = SearchAttributeKey.for_keyword("ElcanoSection")
    assert {one.typed_search_attributes[section] for one in found} == set(script.sections)
    await top_up(handle, TopUp(tokens=300_000))
    result = await handle.result()
    told = await details(handle)
    assert [f"- {title}: **done**, " in told for title in script.sections] == [True] * 3
    assert (await attributes(temporal, handle.id))["Tokens"] == result.usage.tokens
