"""Schedules on the real server: nights of clock changes, 31sts, a run that is started once, and what is refused."""

import json
import shlex
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import httpx
import pytest
from temporalio.client import (
    Client,
    ScheduleActionStartWorkflow,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
)

from elcano.api.services import Process, Writable
from elcano.doors.schedules.background import build_schedule_work
from elcano.doors.schedules.temporal_schedules import read_last_refusal
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, doing, ended, put_background_on, until, working
from tests.api.again.test_temporal_commands import Operator
from tests.api.asking import start

Json = dict[str, Any]
RUN: Json = {"question": QUESTION, "mode": "iterative"}


@pytest.fixture(autouse=True)
def switched_on(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setenv("ELCANO_SCHEDULES", "true")
    put_background_on(f"{task_queue}-background", monkeypatch)


@pytest.fixture
async def make(api: httpx.AsyncClient) -> AsyncIterator[Callable[..., Any]]:
    """Makes schedules, which are deleted after the test: the server is shared."""
    names: list[str] = []

    async def made(**fields: Any) -> Json:
        name = f"test-{uuid4().hex[:8]}"
        answer = await api.post("/v1/schedules", json={"name": name, "run": RUN, **fields})
        assert answer.status_code == 201, answer.text
        names.append(name)
        found: Json = answer.json()
        return found

    yield made
    for name in names:
        await api.delete(f"/v1/schedules/{name}")


@asynccontextmanager
async def starting(client: Client, store: Store, settings: Settings, queue: str) -> AsyncIterator[None]:
    """A worker of schedules."""

    async def connect() -> Client:
        return client

    temporal = Temporal(Connection(connect), queue)
    process = Process(settings, store, temporal, Writable(store.probe), lambda tenant, run: None)
    async with doing(client, store, build_schedule_work(process)):
        yield


def local_times(schedule: Json, zone: str) -> list[str]:
    times = (datetime.fromisoformat(one).astimezone(ZoneInfo(zone)) for one in schedule["next_times"])
    return [one.strftime("%m-%d %H:%M %Z") for one in times]


async def test_nights_of_clock_changes_and_months_without_a_31st(make: Callable[..., Any]) -> None:
    zone = "Europe/Berlin"
    spring = await make(cron=["30 2 * * *"], time_zone=zone, start_at="2027-03-27T00:00:00+01:00")
    assert local_times(spring, zone)[:2] == ["03-27 02:30 CET", "03-29 02:30 CEST"]
    autumn = await make(cron=["30 2 * * *"], time_zone=zone, start_at="2027-10-30T00:00:00+02:00")
    assert local_times(autumn, zone)[:3] == ["10-30 02:30 CEST", "10-31 02:30 CET", "11-01 02:30 CET"]
    last = await make(cron=["0 9 31 * *"], time_zone=zone, start_at="2027-01-01T00:00:00+01:00")
    assert [one[:5] for one in local_times(last, zone)][:4] == ["01-31", "03-31", "05-31", "07-31"]
    leap = await make(cron=["0 9 29 2 *"], start_at="2027-01-01T00:00:00Z")
    assert leap["next_times"][0].startswith("2028-02-29T09:00")


async def test_schedules_that_were_changed_in_temporal_are_listed_with_what_is_wrong(
    make: Callable[..., Any], api: httpx.AsyncClient, temporal: Client
) -> None:
    """As `temporal schedule update` leaves them: it replaces the whole schedule, question included."""
    kept, emptied, other, retimed, foreign, unread = [(await make(cron=["0 7 * * MON"]))["name"] for _ in range(6)]

    async def change(name: str, **changes: Any) -> None:
        def changed(told: ScheduleUpdateInput) -> ScheduleUpdate:
            schedule = told.description.schedule
            assert isinstance(schedule.action, ScheduleActionStartWorkflow)
            for field, value in changes.items():
                target = schedule if field in ("spec", "policy") else schedule.action
                setattr(target, field, value)
            return ScheduleUpdate(schedule)

        await temporal.get_schedule_handle(f"schedule.default.{name}").update(changed)

    await change(emptied, args=[], policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.CANCEL_OTHER))
    await change(other, workflow="SomethingElse", args=["x"])
    await change(retimed, spec=ScheduleSpec(cron_expressions=["30 8 1 * *"]))
    await change(foreign, args=[{"tenant": "another", "schedule": foreign, "request": {"question": "A secret?"}}])
    await change(unread, args=[{"tenant": "default", "schedule": unread, "request": {**RUN, "modes": "deep"}}])
    listed = (await api.get("/v1/schedules")).json()
    found = {one["name"]: one for one in listed}
    assert {kept, emptied, other, retimed, foreign, unread} <= found.keys()
    assert found[kept]["fault"] == ""
    assert found[emptied]["fault"].startswith("it has no question any more")
    assert found[emptied]["overlap"] == "cancel_other"
    assert found[other]["fault"].startswith("it starts something else")
    assert (found[retimed]["cron"], found[retimed]["fault"]) == (["30 8 1 * *"], "")
    assert found[foreign]["fault"].startswith("it asks under the name of another")
    assert "secret" not in str(listed)
    assert found[unread]["fault"].startswith("its request is not understood (modes: ")
    for name in (kept, emptied, other, retimed, foreign, unread):
        assert (await api.get(f"/v1/schedules/{name}")).status_code == 200
        assert (await api.get(f"/schedules/{name}", headers={"accept": "text/html"})).status_code == 200


async def test_a_living_report_is_asked_for_once_and_then_brought_up_to_date(
    make: Callable[..., Any],
    served: str,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "scripted")
    run: Json = {"question": QUESTION, "mode": "simple", "model": "openai:gpt-5.1", "metadata": {"team": "a"}}
    provider = Provider()
    async with (
        httpx.AsyncClient(base_url=served, timeout=60) as api,
        working(temporal, store, api_settings, provider),
        starting(temporal, store, api_settings, task_queue),
    ):
        made = await make(cron=["@yearly"], run=run)
        path, body = f"/v1/schedules/{made['name']}", {"run": run, "living": True}  # the address has the name
        assert (await api.put(path, json={**body, "name": "another", "cron": ["@daily"]})).status_code == 422
        replaced = await api.put(path, json={**body, "cron": ["@monthly"], "overlap": "queue_all"})
        assert replaced.status_code == 200, replaced.text
        assert (replaced.json()["living"], replaced.json()["cron"], replaced.json()["overlap"]) == (
            True,
            ["@monthly"],
            "queue_all",
        )
        found: list[Json] = []
        for count in (1, 2):
            triggered = await api.post(f"{path}/trigger")
            assert triggered.status_code == 202, triggered.text

            async def has_started(count: int = count) -> bool:
                runs = (await api.get(f"{path}/runs")).json()["runs"]
                assert len(runs) <= count
                return len(runs) == count

            await until(has_started)
            found.append(await ended(api, (await api.get(f"{path}/runs")).json()["runs"][0]))
            provider.model.tasks.clear()
        first, second = found
        assert (first["mode"], second["mode"], second["previous_run"]) == ("simple", "update", first["run_id"])
        assert first["metadata"] == second["metadata"] == {"team": "a", "elcano_schedule": made["name"]}
        assert second["budget"]["used"]["tokens"] == 0
        assert (await api.put("/v1/schedules/nobody", json={**body, "name": "nobody", "cron": ["@daily"]})).is_error


async def test_a_schedule_starts_a_run_once_and_says_which(
    make: Callable[..., Any],
    served: str,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
) -> None:
    async with (
        httpx.AsyncClient(base_url=served, timeout=60) as api,
        working(temporal, store, api_settings, Provider()),
        starting(temporal, store, api_settings, task_queue),
    ):
        budget = {"tokens": 1_000, "days": 1}
        made = await make(cron=["@yearly"], time_zone="Asia/Tokyo", budget=budget, note="For the meeting")
        assert (made["cron"], made["time_zone"], made["question"]) == (["@yearly"], "Asia/Tokyo", QUESTION)
        path = f"/v1/schedules/{made['name']}"
        assert (await api.post(f"{path}/trigger")).status_code == 202
        runs: list[str] = []

        async def has_started() -> bool:
            runs[:] = (await api.get(f"{path}/runs")).json()["runs"]
            return bool(runs)

        await until(has_started)
        view = await ended(api, runs[0])
        assert view["metadata"] == {"elcano_schedule": made["name"]}
        assert view["budget"]["used"]["tokens"] > 1_000

        query = f"WorkflowId STARTS_WITH 'schedule.default.{made['name']}' AND ExecutionStatus = 'Completed'"

        async def count_ended() -> int:
            return len([one async for one in temporal.list_workflows(query)])

        async def has_told() -> bool:
            return await count_ended() == 1

        await until(has_told)
        await api.post(f"{path}/trigger")

        async def has_refused() -> bool:
            return await count_ended() == 2

        await until(has_refused)
        assert (await api.get(f"{path}/runs")).json()["runs"] == runs
        refused = (await api.get(path)).json()["last_refusal"]
        assert refused.startswith("its runs of the last 1 days used ")
        assert refused in (await api.get(f"/schedules/{made['name']}", headers={"accept": "text/html"})).text
        paused = (await api.post(f"{path}/pause", json={"note": "holidays"})).json()
        assert (paused["paused"], paused["note"]) == (True, "holidays")
        assert (await api.post(f"{path}/unpause")).json()["paused"] is False
        again = await api.post("/v1/schedules", json={"name": made["name"], "run": RUN, "cron": ["@daily"]})
        assert again.status_code == 409

        async def is_listed() -> bool:
            return made["name"] in [one["name"] for one in (await api.get("/v1/schedules")).json()]

        await until(is_listed)
        assert (await api.delete(path)).status_code == 204
        assert (await api.get(path)).status_code == 404
        assert (await api.get(f"/v1/runs/{runs[0]}")).status_code == 200


async def test_schedules_are_listed_while_a_time_of_one_is_open_that_may_overlap(
    make: Callable[..., Any], api: httpx.AsyncClient, temporal: Client
) -> None:
    made = [await make(cron=["@yearly"], overlap=overlap) for overlap in ("allow", "skip")]
    names = sorted(one["name"] for one in made)
    path = f"/v1/schedules/{made[0]['name']}"
    assert (await api.post(f"{path}/trigger")).status_code == 202  # no worker takes it

    async def has_begun() -> bool:
        described = await temporal.get_schedule_handle(f"schedule.default.{made[0]['name']}").describe()
        return bool(described.info.recent_actions)

    async def are_listed() -> bool:
        answer = await api.get("/v1/schedules")
        assert answer.status_code == 200
        return [one["name"] for one in answer.json() if one["name"] in names] == names

    await until(has_begun)
    await until(are_listed)
    assert (await api.get(path)).json()["last_refusal"] == ""


async def test_a_time_that_has_no_place_yet_says_so_until_it_has_one(
    make: Callable[..., Any],
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
) -> None:
    provider = Provider()
    provider.slow[("thinking", "Another question on retries?")] = 60.0
    one_at_a_time = api_settings.model_copy(update={"open_runs": 1})
    async with (
        working(temporal, store, api_settings, provider),
        starting(temporal, store, one_at_a_time, task_queue),
    ):
        first = await start(api, "Another question on retries?")
        path = f"/v1/schedules/{(await make(cron=['@yearly']))['name']}"
        assert (await api.post(f"{path}/trigger")).status_code == 202
        refusals: list[str] = []

        async def has_refused() -> bool:
            refusals.append((await api.get(path)).json()["last_refusal"])
            return bool(refusals[-1])

        async def has_started() -> bool:
            return bool((await api.get(f"{path}/runs")).json()["runs"])

        await until(has_refused)
        assert "open" in refusals[-1]
        assert refusals[-1].endswith("; it is tried again for up to 6 hours")
        assert not await has_started()
        assert (await api.post(f"/v1/runs/{first}/cancel")).status_code == 202
        await until(has_started)
        assert not await has_refused()


REFUSED: list[tuple[Json, str]] = [
    ({}, "cron"),
    ({"cron": ["every day"]}, "cron"),
    ({"cron": ["0 25 * * *"]}, "cron"),
    ({"cron": ["@daily", "0 0 7 * * *"]}, "cron"),
    ({"cron": ["@every 1s"]}, "cron"),
    ({"cron": ["0 0 30 2 *"]}, "cron"),
    ({"cron": ["@yearly"], "start_at": "2097-02-01T00:00:00Z", "end_at": "2097-12-01T00:00:00Z"}, "end_at"),
    ({"cron": ["@daily"], "time_zone": "Europe/Atlantis"}, "time_zone"),
    ({"cron": ["@daily"], "time_zone": "../../etc/passwd"}, "time_zone"),
    ({"every_seconds": 1}, "every_seconds"),
    ({"cron": ["@daily"], "end_at": "2020-01-01T00:00:00Z"}, "end_at"),
    ({"cron": ["@daily"], "overlap": "cancel"}, "overlap"),
    ({"cron": ["@daily"], "name": "No spaces"}, "name"),
    ({"cron": ["@daily"], "name": "a.b"}, "name"),
    ({"cron": ["@daily"], "run": {"question": ""}}, "run.question"),
    ({"cron": ["@daily"], "run": {"question": QUESTION, "mode": "telepathy"}}, "mode"),
    ({"cron": ["@daily"], "budget": {"tokens": 1}}, "budget.tokens"),
]


async def test_what_could_never_run_is_refused(api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for fields, field in REFUSED:
        answer = await api.post("/v1/schedules", json={"name": "refused", "run": RUN, **fields})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), (fields, answer.text)
    named = await api.post("/v1/schedules", json={"name": "No spaces", "run": RUN, "cron": ["@daily"]})
    assert "name: must be 1 to 64 small letters, digits and hyphens" in named.json()["detail"]
    assert (await api.get("/v1/schedules/refused")).status_code == 404
    monkeypatch.setenv("ELCANO_SCHEDULES", "false")
    off = await api.post("/v1/schedules", json={"name": "off", "run": RUN, "cron": ["@daily"]})
    assert off.status_code == 409
    assert "ELCANO_SCHEDULES=true" in off.json()["detail"]


async def test_a_schedule_stays_true_under_temporals_command_line(
    make: Callable[..., Any],
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
) -> None:
    made = await make(cron=["0 7 1 1 *"], time_zone="UTC")
    path = f"/v1/schedules/{made['name']}"

    async def command(line: str) -> Json:
        """What the schedule is after a command."""
        call = [*shlex.split(line), "--schedule-id", f"schedule.default.{made['name']}"]
        code, said = await Operator(temporal).run(*call)
        assert code == 0, said
        assert made["name"] in [one["name"] for one in (await api.get("/v1/schedules")).json()]
        found: Json = (await api.get(path)).json()
        return found

    async def until_started(count: int) -> list[str]:
        runs: list[str] = []

        async def have_started() -> bool:
            runs[:] = (await api.get(f"{path}/runs")).json()["runs"]
            return len(runs) == count

        await until(have_started)
        for run_id in runs:
            assert (await ended(api, run_id))["status"] == "completed"
        return runs

    async with working(temporal, store, api_settings, Provider()), starting(temporal, store, api_settings, task_queue):
        assert (await command("schedule trigger"))["fault"] == ""
        await until_started(1)
        years = "--start-time 2024-01-01T00:00:00Z --end-time 2025-12-31T00:00:00Z"
        await command(f"schedule backfill {years} --overlap-policy AllowAll")
        runs = await until_started(3)
        paused = await command("schedule toggle --pause --reason ops")
        assert (paused["paused"], paused["note"]) == (True, "ops")
        assert (await command("schedule toggle --unpause"))["paused"] is False
        own = f"--type ScheduledRun --workflow-id another --task-queue {task_queue}-background --cron '0 7 1 1 *'"

        async def ask(schedule: str) -> Json:
            asked = {"tenant": "default", "schedule": schedule, "request": {**RUN, "question": "What of delays?"}}
            await command(f"schedule update {own} --input {shlex.quote(json.dumps(asked))}")
            return await command("schedule trigger")

        assert (await ask(made["name"]))["fault"] == ""
        runs = await until_started(4)
        assert (await ask("another"))["fault"].startswith("it asks under the name of another")

        async def is_refused() -> bool:
            described = await temporal.get_schedule_handle(f"schedule.default.{made['name']}").describe()
            return "asks under its name" in await read_last_refusal(described, temporal)

        await until(is_refused)
        assert (await api.get(path)).json()["last_refusal"] == ""  # its `fault` says more
        assert await until_started(4) == runs
        workflow = "--type scheduled_run --workflow-id other --task-queue other"
        emptied = await command(f'schedule update --cron "30 8 1 * *" {workflow}')
        assert emptied["fault"]
        assert emptied["cron"] == ["30 8 1 * *"]
        code, said = await Operator(temporal).run("schedule", "delete", "-s", f"schedule.default.{made['name']}")
        assert code == 0, said
        assert (await api.get(path)).status_code == 404
        assert made["name"] not in (await api.get("/v1/schedules")).text
        assert [(await api.get(f"/v1/runs/{one}")).status_code for one in runs] == [200] * 4
