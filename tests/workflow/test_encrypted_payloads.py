"""Keys are turned on and rotated while runs are open: each run goes on, whichever keys wrote its history."""

import asyncio
from pathlib import Path

import pytest
from temporalio import activity
from temporalio.client import Client

from benchmarks.server import NOOP_ACTIVITIES, chain_of_noops, research_worker
from elcano.graphs.contracts import ToolCall, ToolResult
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.state.budget import Limits
from elcano.operations.encryption.keys import INDEX, make_key, parse_keys
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter
from elcano.storage.sealed_payloads import SEALED
from elcano.workflows.research import ResearchWorkflow

QUEUE = "rotated"
FIRST, SECOND, WORDS = make_key("first"), make_key("second"), make_key(INDEX)
STEPS = 12


@activity.defn(name="noop")
async def take_a_moment(call: ToolCall) -> ToolResult:
    await asyncio.sleep(0.1)
    return ToolResult(output={"ok": True}, last_event=call.last_event)


def client_with(client: Client, folder: Path, *keys: str) -> Client:
    ring = parse_keys("\n".join([*keys, WORDS])) if keys else None
    config = client.config()
    config["data_converter"] = data_converter(open_objects("", folder), ring)
    return Client(**config)


async def result_of(client: Client, run_id: str) -> ResearchResult:
    handle = client.get_workflow_handle(run_id, result_type=ResearchResult)
    result: ResearchResult = await handle.result()
    return result


@pytest.mark.long
async def test_runs_go_on_while_keys_are_turned_on_and_rotated(temporal: Client, tmp_path: Path) -> None:
    activities = [take_a_moment, *NOOP_ACTIVITIES[1:]]
    stages = [
        client_with(temporal, tmp_path, *keys)
        for keys in ((), (FIRST,), (FIRST, SECOND), (SECOND, FIRST), (SECOND, FIRST))
    ]
    begun: list[str] = []
    for number, client in enumerate(stages):
        async with research_worker(client, QUEUE, activities):
            for _ in range(3):
                run_id = f"rotated-{number}-{len(begun)}"
                asked = ResearchInput(
                    run_id=run_id,
                    question="what is secret?",
                    mode="noops",
                    graph=chain_of_noops(STEPS),
                    limits=Limits(steps=STEPS + 10),
                )
                await client.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=QUEUE)
                begun.append(run_id)
            await asyncio.sleep(0.5)  # each stage leaves runs that are about half done
            if client is stages[-1]:
                results = [await result_of(client, run_id) for run_id in begun]
    assert [result.steps for result in results] == [STEPS] * len(begun)
    first = (await stages[-1].get_workflow_handle(begun[0]).fetch_history()).events
    kinds = [
        payload.metadata["encoding"]
        for event in first
        for payload in event.activity_task_completed_event_attributes.result.payloads
    ]
    assert b"json/plain" in kinds
    assert SEALED.encode() in kinds
