"""Deep research whose worker is killed, each time at another moment: every run ends like an undisturbed one.

The moments are drawn: after how many notes of the worker, and how many milliseconds after that.
"""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowExecutionStatus

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import ArchivedRun
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.testing.script import Script
from elcano.workflows.research import ResearchWorkflow
from tests.cases import long_case
from tests.chaos.histories import Call, completed_activities
from tests.chaos.scripted_worker import LONGEST_CALL, Note, notes, serve
from tests.forked_programs import FORKING
from tests.unit.dev.test_dev import until
from tests.workflow.conftest import Handle

AT_ONCE = 5
"""Seeds at the same time: most of what a seed takes is waiting for the server to notice that a worker is dead."""
SECONDS = 120.0
"""A run takes a few; with a workflow task and several calls cut off it may have to wait for 10 s a few times."""
UNDISTURBED = -1
"""The seed of the worker that is not killed."""


@dataclass(frozen=True)
class Outcome:
    """What came of one seed."""

    left: dict[str, Any]
    was_running: bool
    """At the kill."""
    repeated: set[Call]
    """Activities that had been completed before the kill and were made again after it."""


class Trial:
    """One run on a queue of its own, and the workers that it has."""

    def __init__(
        self,
        client: Client,
        payloads: Path,
        folder: Path,
        *,
        graph: ResearchGraph = MODES["deep"],
        script: Callable[[], Script] = Script,
    ) -> None:
        self.run_id = f"run-{uuid.uuid4()}"
        self._client = client
        self._payloads = payloads
        self._file = folder / f"{self.run_id}.jsonl"
        self._graph = graph
        self._script = script

    async def start(self) -> Handle:
        asked = ResearchInput(
            run_id=self.run_id,
            question="What is it?",
            mode=self._graph.name,
            graph=self._graph,
            sources=("library",),
            limits=default_limits(self._graph),
        )
        return await self._client.start_workflow(ResearchWorkflow.run, asked, id=self.run_id, task_queue=self.run_id)

    @asynccontextmanager
    async def worker(self, seed: int) -> AsyncIterator[BaseProcess]:
        """A worker, until the block is left; then it is killed."""
        address = self._client.service_client.config.target_host
        process = FORKING.Process(
            target=serve, args=(address, self.run_id, self._payloads, self._file, seed, self._script)
        )
        process.start()
        try:
            yield process
        finally:
            process.kill()
            await asyncio.to_thread(process.join)

    def notes(self) -> list[Note]:
        return notes(self._file)

    async def completed(self) -> set[Call]:
        """The activities of the run and its sections whose results the server has."""
        return set(await completed_activities(self._client, self.run_id))

    def left(self) -> dict[str, Any]:
        """What the run was published from, and how it and its sections were archived; without ids and times."""
        left: dict[str, Any] = {}
        for note in self.notes():
            if note.publish is not None:
                left["published"] = note.publish.model_copy(update={"run_id": ""})
            if note.archive is not None:
                left[note.run_id.removeprefix(self.run_id)] = timeless(note.archive.run)
        return left


def timeless(run: ArchivedRun) -> ArchivedRun:
    budget = {name: gauge for name, gauge in run.budget.items() if name != "seconds"}
    branch = run.branch_of.model_copy(update={"run_id": ""}) if run.branch_of else None
    branches = tuple(one.model_copy(update={"run_id": one.run_id.removeprefix(run.run_id)}) for one in run.branches)
    changed: dict[str, object] = {
        "run_id": "",
        "execution": "",
        "branch_of": branch,
        "branches": branches,
        "started_at": 0.0,
        "finished_at": None,
        "budget": budget,
    }
    return run.model_copy(update=changed)


async def undisturbed(trial: Trial) -> tuple[dict[str, Any], int]:
    """What a run leaves if nothing happens to it, and how many notes its worker makes."""
    handle = await trial.start()
    async with trial.worker(UNDISTURBED):
        await handle.result()
    return trial.left(), len(trial.notes())


async def killed(trial: Trial, seed: int, moments: int) -> Outcome:
    """A run whose worker is killed at the moment that `seed` says; a second one ends it."""
    drawn = random.Random(seed)
    moment, later = drawn.randrange(1, moments), drawn.uniform(0, LONGEST_CALL)
    handle = await trial.start()
    async with trial.worker(seed) as worker:
        await until(lambda: len(trial.notes()) >= moment or not worker.is_alive())
        assert worker.is_alive(), "the worker died by itself"
        await asyncio.sleep(later)
    was_running = (await handle.describe()).status == WorkflowExecutionStatus.RUNNING
    completed, noted = await trial.completed(), len(trial.notes())
    async with trial.worker(seed):
        await handle.result()
    made_after = {(note.run_id, note.activity_id) for note in trial.notes()[noted:] if note.what == "begun"}
    return Outcome(trial.left(), was_running, completed & made_after)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seeds", [range(4), long_case(range(12))], ids=len)
async def test_no_moment_is_a_bad_one_to_die_at(
    temporal: Client, payload_dir: Path, tmp_path: Path, seeds: range
) -> None:
    expected, moments = await undisturbed(Trial(temporal, payload_dir, tmp_path))
    places = asyncio.Semaphore(AT_ONCE)

    async def attempt(seed: int) -> Outcome:
        async with places, asyncio.timeout(SECONDS):
            return await killed(Trial(temporal, payload_dir, tmp_path), seed, moments)

    outcomes = dict(zip(seeds, await asyncio.gather(*map(attempt, seeds)), strict=True))
    assert set(expected) == {"published", "", ".0004.loop-1", ".0004.loop-2", ".0004.loop-3"}
    assert {seed: outcome.repeated for seed, outcome in outcomes.items() if outcome.repeated} == {}
    assert [seed for seed, outcome in outcomes.items() if outcome.left != expected] == []
    assert sum(outcome.was_running for outcome in outcomes.values()) >= len(seeds) / 2
