"""Temporal's command line on runs that wait for a person, of batches and of schedules: they stay true as others do."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import httpx
import pytest
from temporalio.client import Client

from elcano.api.services import Process, Writable
from elcano.doors.batches.background import build_batch_work
from elcano.doors.schedules.background import build_schedule_work
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import CONTROL_SIGNAL, CONTROL_UPDATE
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, doing, put_background_on, until, working
from tests.api.again.test_temporal_commands import ALL, Case, Operator, Stand
from tests.api.again.test_temporal_commands_on_sections import Planner
from tests.api.asking import start

Json = dict[str, Any]
Wait: TypeAlias = Literal["approval", "answers", "budget", "batch", "schedule"]
PAUSE: Final = ("workflow pause --reason ops", "workflow unpause")
RESET: Final = "workflow reset --type LastWorkflowTask --reason ops"
FIRST: Final = "workflow reset --type FirstWorkflowTask --reapply-exclude All --reason ops"


class WaitingCase(NamedTuple):
    """What is done to a run that waits, each command twice, and the statuses that it may end with."""

    wait: Wait
    case: Case


CASES: Final = (
    *(
        WaitingCase(wait, Case("paused", commands, ALL, is_refused=wrong_order))
        for wait in ("approval", "answers", "budget")
        for commands, wrong_order in (
            ([f"workflow signal --name {CONTROL_SIGNAL}", f"workflow update execute --name {CONTROL_UPDATE}"], True),
            (PAUSE, False),
            (["workflow unpause", "activity unpause", *PAUSE], True),
            ([RESET], False),
        )
    ),
    WaitingCase("approval", Case("paused", [FIRST], ALL, True)),
    WaitingCase("approval", Case("paused", ["workflow cancel"], ["cancelled"])),
    WaitingCase("answers", Case("paused", ["workflow pause --reason ops", "workflow cancel"], ["cancelled"])),
    WaitingCase("budget", Case("paused", ["workflow terminate --reason ops"], ["terminated"])),
    *(
        WaitingCase(door, Case("working", commands, ends, True))
        for door in ("batch", "schedule")
        for commands, ends in (
            (["workflow terminate --reason ops"], ["terminated"]),
            (["workflow cancel"], ["cancelled"]),
            ([RESET], ALL),
            (["workflow delete --yes"], ["terminated"]),
            (PAUSE, ALL),
        )
    ),
)


STAGES: Final[Mapping[Wait, str]] = {"approval": "approval", "answers": "answers", "budget": "paused"}
REQUESTS: Final[Mapping[Wait, Json]] = {
    "approval": {"mode": "deep", "approve_plan": True},
    "answers": {"mode": "simple", "clarify": True, "model": "openai:gpt-5.1"},
    "budget": {"budget": {"iterations": 1, "when_exhausted": "pause"}},
}
RELEASES: Final[Mapping[Wait, tuple[str, Json]]] = {
    "approval": ("approve", {}),
    "answers": ("clarifications", {}),
    "budget": ("top-up", {"iterations": 2}),
}
"""What a run that waits is given, and where."""


class Person(Planner):
    """Plans, and asks back before it begins."""

    def _output(self, task: TaskEnvelope) -> Mapping[str, object]:
        if task.kind == "clarifier":
            return {"questions": [{"question": "In which language?", "options": ["Python", "Go"]}]}
        return super()._output(task)


class OnWaiting(Stand):
    """Brings runs to where they wait, and gives them what they wait for at the end."""

    async def play_wait(self, number: int, one: WaitingCase) -> None:
        question = f"{QUESTION} ({number})"
        door, run_id = await self.bring(one.wait, question)
        await self.do_all(one.case, run_id)
        await self.release(one.wait, run_id)
        faults = [fault async for fault in self.find_faults(run_id, question, one.case)]
        if door:
            faults += [fault async for fault in self.find_faults_of_door(door, one.case)]
        self.wrong += [f"{number}, {one.wait}, {one.case.commands}: {fault}" for fault in faults]

    async def bring(self, wait: Wait, question: str) -> tuple[str, str]:
        """What started the run, if it was not the caller, and the run's id."""
        if wait in STAGES:
            run_id = await start(self.api, question, **REQUESTS[wait])

            async def waits() -> bool:
                return bool((await self.api.get(f"/v1/runs/{run_id}")).json()["stage"] == STAGES[wait])

            await until(waits)
            return "", run_id
        self.provider.slow[("thinking", question)] = 4.0
        run = {"question": question, "mode": "iterative"}
        if wait == "batch":
            made = await self.api.post("/v1/batches", json={"questions": [run]})
            door = f"/v1/batches/{made.json()['id']}"
        else:
            name = f"waits-{question.rpartition('(')[2].strip(')')}"
            made = await self.api.post("/v1/schedules", json={"name": name, "run": run, "cron": ["@yearly"]})
            door = f"/v1/schedules/{name}"
            assert (await self.api.post(f"{door}/trigger")).status_code == 202
        assert made.status_code == 201, made.text
        await self.provider.asked(("thinking", question))
        runs = (await self.api.get("/v1/runs", params={"limit": 50})).json()["runs"]
        return door, next(str(one["run_id"]) for one in runs if one["question"] == question)

    async def release(self, wait: Wait, run_id: str) -> None:
        """Give a run what it waits for until it has ended: one that was reset waits for it again."""
        if wait not in STAGES:
            return
        path, body = RELEASES[wait]

        async def is_over() -> bool:
            view = (await self.api.get(f"/v1/runs/{run_id}")).json()
            if view["stage"] == STAGES[wait]:
                await self.api.post(f"/v1/runs/{run_id}/{path}", json=body)
            return bool(view["status"] != "running")

        with suppress(TimeoutError):  # whoever looks for faults says so
            await until(is_over)

    async def find_faults_of_door(self, door: str, case: Case) -> AsyncIterator[str]:
        """A batch ends with its run; a schedule is listed as before and has started one run."""
        view: Json = {}

        async def is_over() -> bool:
            answer = await self.api.get(door)
            view.update(answer.json())
            if "batches" in door:
                return bool(view["state"] == "ended" and sum(view["counts"].values()) == 1)
            return answer.status_code == 200 and not view["fault"]

        try:
            await until(is_over)
        except TimeoutError:
            yield f"its door does not end: {view}"
            return
        if "batches" in door and not set(view["counts"]) <= set(case.ends):
            yield f"its batch counts {view['counts']}"
        if "schedules" in door and len((await self.api.get(f"{door}/runs")).json()["runs"]) != 1:
            yield "its schedule has not one run"


@pytest.fixture(autouse=True)
def switched_on(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "scripted")
    monkeypatch.setenv("ELCANO_SCHEDULES", "true")
    put_background_on(f"{task_queue}-background", monkeypatch)


@asynccontextmanager
async def with_doors(client: Client, store: Store, settings: Settings, queue: str) -> AsyncIterator[None]:
    """A worker of batches and schedules."""

    async def connect() -> Client:
        return client

    process = Process(settings, store, Temporal(Connection(connect), queue), Writable(store.probe), lambda *_: None)
    builders: list[Callable[[Process], Any]] = [build_batch_work, build_schedule_work]
    batches, schedules = (build(process) for build in builders)
    both = type(batches)(
        [*batches.workflows, *schedules.workflows], [*batches.activities, *schedules.activities], batches.looks
    )
    async with doing(client, store, both):
        yield


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_runs_that_wait_or_that_a_door_started_stay_true_under_temporals_command_line(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    stand = OnWaiting(api, store, Person(), Operator(temporal))
    turns = asyncio.Semaphore(8)

    async def play(number: int, one: WaitingCase) -> None:
        async with turns:
            await stand.play_wait(number, one)

    async with (
        working(temporal, store, api_settings, stand.provider),
        with_doors(temporal, store, api_settings, task_queue),
    ):
        await asyncio.gather(*(play(number, one) for number, one in enumerate(CASES, start=1)))
        for name in [one["name"] for one in (await api.get("/v1/schedules")).json()]:
            await api.delete(f"/v1/schedules/{name}")
    assert not stand.wrong, "\n".join(stand.wrong)
