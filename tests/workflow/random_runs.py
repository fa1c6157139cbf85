"""Playing many random runs at once on the real server, and counting which promises were broken."""

import asyncio
import time
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from temporalio.client import Client, WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.common import SearchAttributeKey
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from elcano.graphs.contracts import CHAIN_WORKFLOW, PROGRESS_QUERY, RESEARCH_WORKFLOW, SNAPSHOT_QUERY
from elcano.graphs.records import ProgressPage, RunSnapshot
from elcano.graphs.run_contracts import OUTCOME_ATTRIBUTE, ResearchResult
from elcano.workflows.research import ResearchWorkflow
from tests.control import stop, top_up
from tests.workflow.audit import audit
from tests.workflow.conftest import Handle, worker_for
from tests.workflow.scenarios import Scenario, Stage

AT_ONCE = 24
"""Runs open at the same time."""


@dataclass(frozen=True)
class Tally:
    """What the audit of many runs found. Everything but the first and the last three should be zero."""

    runs: int
    overspends: int
    """Runs, branches included, that made a research call after their budget was used up."""
    without_report: int
    not_ended_once: int
    """Runs, branches included, with other than one terminal event, or with events after it."""
    wrongly_numbered: int
    wrongly_charged: int
    """Runs, branches included, whose usage is not the sum of their calls'."""
    faults: tuple[str, ...]
    """Each of the above and everything else that was wrong, in words, with the scenario."""
    branches: int
    endings: Counter[str]
    seconds: float


async def random_scenarios(client: Client, count: int, seed: int) -> Tally:
    """Runs `count` random scenarios on the server of `client`, many at once, and audits each."""
    tag = uuid.uuid4().hex[:8]
    scenarios = [Scenario(f"random-{tag}-{number}", Random(f"{seed}/{number}")) for number in range(count)]
    room = asyncio.Semaphore(AT_ONCE)
    began = time.perf_counter()

    async def play(scenario: Scenario) -> None:
        async with room:
            await _run(client, scenario, queue=tag)

    async with worker_for(client, tag, Stage(scenarios).activities, cached_workflows=500):
        await asyncio.gather(*(play(scenario) for scenario in scenarios))
        seconds = time.perf_counter() - began
    found = [(kind, text) for number, scenario in enumerate(scenarios) for kind, text in audit(scenario, number)]
    kinds = Counter(kind for kind, _ in found)
    return Tally(
        runs=count,
        overspends=kinds["overspend"],
        without_report=kinds["report"],
        not_ended_once=kinds["terminal"],
        wrongly_numbered=kinds["numbers"],
        wrongly_charged=kinds["usage"],
        faults=tuple(text for _, text in found),
        branches=sum(len(scenario.archived) - 1 for scenario in scenarios),
        endings=Counter(_ending(scenario) for scenario in scenarios),
        seconds=seconds,
    )


async def _run(client: Client, scenario: Scenario, *, queue: str) -> None:
    workflow = CHAIN_WORKFLOW if scenario.chain else RESEARCH_WORKFLOW
    handle: Handle = await client.start_workflow(
        workflow, scenario.asked, id=scenario.run_id, task_queue=queue, result_type=ResearchResult
    )
    minding = [asyncio.create_task(_stop(handle, scenario)), asyncio.create_task(_mind(handle, scenario))]
    try:
        scenario.result = await handle.result()
    except WorkflowFailureError as error:
        if isinstance(error.cause, ApplicationError) and error.cause.details:
            scenario.result = ResearchResult.model_validate(error.cause.details[0])
    finally:
        for task in minding:
            task.cancel()
        await asyncio.gather(*minding, return_exceptions=True)
    await _hear(handle, scenario)


async def _hear(handle: Handle, scenario: Scenario) -> None:
    """What everybody says of the end: the archive, its last event, the search attribute, and of some runs the queries.

    A query replays a run that is over, which takes a worker's whole core for a moment.
    """
    kept = scenario.archived[scenario.run_id]
    shown = (await handle.describe()).typed_search_attributes[SearchAttributeKey.for_keyword(OUTCOME_ATTRIBUTE)]
    scenario.stories = {
        "archive": {kept.run.status},
        "archived event": {str(kept.events[-1].data["status"])},
        "search attribute": {shown},
    }
    if scenario.queried:
        snapshot: RunSnapshot = await _answered(handle, SNAPSHOT_QUERY, RunSnapshot)
        page: ProgressPage = await _answered(handle, PROGRESS_QUERY, ProgressPage, kept.events[-1].seq - 1)
        scenario.stories["snapshot"] = {snapshot.status}
        scenario.stories["stream"] = {str(event.data["status"]) for event in page.events}


async def _answered(handle: Handle, query: str, answer: type, *given: int) -> Any:
    """Asks again if nobody answers: a query that comes in the moment in which a workflow closes can be lost."""
    for _ in range(5):
        with suppress(RPCError):
            return await handle.query(query, *given, result_type=answer, rpc_timeout=timedelta(seconds=10))
    return await handle.query(query, *given, result_type=answer, rpc_timeout=timedelta(minutes=1))


async def _stop(handle: Handle, scenario: Scenario) -> None:
    """Stops the run at its moment; a run that is writing or over by then refuses, which is right."""
    await scenario.now.wait()
    with suppress(WorkflowUpdateFailedError, RPCError):
        await stop(handle, "scripted")


async def _mind(handle: Handle, scenario: Scenario) -> None:
    """Tops the run up whenever it has paused, and stops it when patience is at an end."""
    if scenario.limits.when_exhausted == "finish":
        return
    for pause in range(1, 100):
        await _next_pause(handle)
        with suppress(WorkflowUpdateFailedError, RPCError):
            if (more := scenario.more(pause)) is None:
                await stop(handle, "scripted")
                return
            await top_up(handle, more)


async def _next_pause(handle: Handle) -> None:
    while True:
        snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
        if snapshot.paused is not None:
            return
        await asyncio.sleep(0.25)


def _ending(scenario: Scenario) -> str:
    if scenario.result is None:
        return "none"
    if scenario.result.failure:
        return "failed"
    return scenario.result.ending.kind if scenario.result.ending else "complete"
