"""A run's steps over HTTP: from the store as from the workflow, adding up to what the run and the ledger say."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import httpx
import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.activities.report.publishing import ReportActivities
from elcano.graphs.frozen import JsonObject
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner
from tests.api.again.going_on import Provider, asked, ended, working
from tests.api.asking import start

QUESTION = "To whom do retries belong, and what does their delay do?"


def scripted(client: Client, store: Store, task_queue: str, script: Script) -> Worker:
    """A worker whose agents follow the script, and whose runs are kept with their logs."""
    activities = [*scripted_activities(script)[:-1], ReportActivities(store).archive_run]
    return Worker(
        client,
        task_queue=task_queue,
        workflows=[ResearchWorkflow],
        activities=activities,
        workflow_runner=workflow_runner(),
    )


async def answered(api: httpx.AsyncClient, path: str, **params: Any) -> Any:
    answer = await api.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def until(api: httpx.AsyncClient, path: str, holds: Callable[[Any], bool]) -> Any:
    """What is at `path` once it is so."""
    found: Any = None
    try:
        async with asyncio.timeout(120):
            while not holds(found := (await api.get(path)).json()):  # noqa: ASYNC110 - HTTP has nothing to wait on
                await asyncio.sleep(0.25)
    except TimeoutError as error:
        raise TimeoutError(f"{path} was last: {found}") from error
    return found


def used(row: JsonObject) -> int:
    usage = row["usage"]
    assert isinstance(usage, dict)
    tokens = usage["input_tokens"], usage["output_tokens"]
    return sum(one for one in tokens if isinstance(one, int))


@pytest.mark.usefixtures("researching")
async def test_the_steps_of_a_run_that_ended(api: httpx.AsyncClient, away: httpx.AsyncClient, store: Store) -> None:
    run_id = await start(api, QUESTION)
    run = await ended(api, run_id)
    path = f"/v1/runs/{run_id}/steps"
    found = await answered(api, path)
    rows = found["rows"]
    assert (found["status"], found["total"], found["next"]) == (run["status"], run["steps"], None)
    assert [row["number"] for row in rows] == list(range(1, run["steps"] + 1))
    spent = await store.of("default").ledger.used(run_id)
    assert sum(map(used, rows)) == run["budget"]["used"]["tokens"] == spent.tokens
    for row in rows:
        attempts = row["attempts"]
        assert bool(attempts) == (row["kind"] in ("agent", "tool")), row
        assert sum(map(used, attempts)) == used(row)
        assert {one["outcome"] for one in attempts} <= {"completed"}
        assert row["ended_at"] >= row["began_at"] >= run["started_at"]
    assert all(one["began_at"] <= other["began_at"] for one, other in pairwise(rows))
    pages = [await answered(api, path, limit=2)]
    while pages[-1]["next"] is not None:
        pages.append(await answered(api, path, limit=2, cursor=pages[-1]["next"]))
    assert [row for page in pages for row in page["rows"]] == rows
    assert await answered(away, path) == found
    inside = [await answered(api, f"{path}/{row['number']}") for row in rows]
    for one, row in zip(inside, rows, strict=True):
        assert one["step"] == row
        assert await answered(away, f"{path}/{row['number']}") == one
        assert one["left_out"] == one["between"] == []
    for one, other in pairwise(inside):
        assert one["after"] == other["before"]
        assert one["budget_after"]["used"] == other["budget_before"]["used"]
    assert inside[0]["before"]["evidence"] == []
    assert len(inside[-1]["after"]["evidence"]) == run["evidence"] > 0


@pytest.mark.usefixtures("researching")
async def test_the_steps_of_a_section_are_a_runs_own(api: httpx.AsyncClient) -> None:
    run_id = await start(api, QUESTION, mode="deep")
    await ended(api, run_id)
    rows = (await answered(api, f"/v1/runs/{run_id}/steps"))["rows"]
    (split,) = [row for row in rows if row["kind"] == "parallel"]
    assert split["branches"]
    sections = [await answered(api, f"/v1/runs/{branch['run_id']}/steps") for branch in split["branches"]]
    assert sum(used(row) for section in sections for row in section["rows"]) == used(split)
    inside = await answered(api, f"/v1/runs/{split['branches'][0]['run_id']}/steps/1")
    assert {one["query"] for one in inside["input"]} == {inside["before"]["question"]}


async def test_a_run_that_goes_on_shows_where_it_is(
    api: httpx.AsyncClient, temporal: Client, store: Store, task_queue: str
) -> None:
    script = Script(complete_in=3, tokens=10_000)
    async with scripted(temporal, store, task_queue, script):
        run_id = await start(api, budget={"tokens": 32_000, "when_exhausted": "pause"})
        path = f"/v1/runs/{run_id}/steps"
        found = await until(api, path, lambda one: bool(one.get("rows")) and one["rows"][-1]["outcome"] == "waiting")
        last = found["rows"][-1]
        assert (found["status"], found["total"], last["ended"]) == ("running", last["number"], None)
        assert last["reason"].startswith("waits for budget: ")
        assert (await answered(api, f"{path}/{last['number']}"))["after"] is None
        missing = await api.get(f"{path}/{last['number'] + 1}")
        assert (missing.status_code, missing.json()["type"]) == (404, "urn:elcano:step-not-found")
        assert f"has {last['number']} steps" in missing.json()["detail"]
        await api.post(f"/v1/runs/{run_id}/top-up", json={"tokens": 1_000_000})
        await ended(api, run_id)
    rows = (await answered(api, path))["rows"]
    between = [row for row in rows if row["row"] == "between"]
    assert [(row["before"], row["during"], row["kind"]) for row in between] == [
        (last["number"], False, "diverted"),
        (last["number"], False, "controlled: add_budget"),
    ]
    assert rows.index(between[-1]) == last["number"]
    assert (await answered(api, f"{path}/{last['number']}"))["between"] == between


async def test_a_section_that_goes_on_is_asked_itself(
    api: httpx.AsyncClient, temporal: Client, store: Store, task_queue: str
) -> None:
    script, seen, go_on = Script(), asyncio.Event(), asyncio.Event()

    async def watching(given: JsonObject) -> None:
        if given["question"] == "What of method?":
            seen.set()
            await go_on.wait()

    script.watching = watching
    async with scripted(temporal, store, task_queue, script):
        run_id = await start(api, mode="deep")
        async with asyncio.timeout(120):
            await seen.wait()
        rows = (await answered(api, f"/v1/runs/{run_id}/steps"))["rows"]
        assert (rows[-1]["kind"], rows[-1]["outcome"]) == ("parallel", "running")
        (method,) = [branch for branch in rows[-1]["branches"] if branch["section"] == "method"]
        section = await answered(api, f"/v1/runs/{method['run_id']}/steps")
        shown = [(row["node"], row["outcome"]) for row in section["rows"]]
        assert shown == [("first_search", "completed"), ("thinking", "running")]
        stands = await answered(api, f"/v1/runs/{method['run_id']}")
        assert (stands["question"], stands["node"], stands["worker"]) == ("What of method?", "thinking", "answering")
        assert (await answered(api, f"/v1/runs/{method['run_id']}/evidence"))["evidence"] == []
        following = asyncio.create_task(api.get(f"/v1/runs/{method['run_id']}/events"))
        for path in (
            f"/v1/runs/{run_id}.0004.loop-99/steps",
            f"/v1/runs/{run_id}.0004.loop-99",
            f"/v1/runs/{run_id}.9/events",
        ):
            unknown = await api.get(path)
            assert (unknown.status_code, unknown.json()["type"]) == (404, "urn:elcano:run-not-found"), path
        go_on.set()
        await ended(api, run_id)
        followed = await following
        assert (followed.status_code, followed.text.count("event: complete")) == (200, 1)


@pytest.mark.usefixtures("researching")
async def test_two_runs_side_by_side(api: httpx.AsyncClient, away: httpx.AsyncClient) -> None:
    a = await start(api, QUESTION)
    b = await start(api, "To whom do retries belong?", budget={"tokens": 90_000})
    for run_id in (a, b):
        await ended(api, run_id)
    found = await answered(api, f"/v1/runs/{a}/diff/{b}")
    assert await answered(away, f"/v1/runs/{a}/diff/{b}") == found
    assert found["notes"] == []
    assert {one["field"] for one in found["asked"]} == {"question", "limits.tokens"}
    assert (found["a"]["run_id"], found["b"]["run_id"]) == (a, b)
    assert found["report"]["references_same"] == 1
    same = await answered(api, f"/v1/runs/{a}/diff/{a}")
    assert (same["asked"], same["steps"]["pairs"], same["report"]["claims"]) == ([], [], [])
    assert same["steps"]["common"] == same["a"]["steps"]
    assert same["evidence"]["both_count"] == same["a"]["evidence"]
    assert (await api.get(f"/v1/runs/{a}/diff/nobody")).status_code == 404


async def test_a_run_that_went_on_is_one_list(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
) -> None:
    provider = Provider(sections=2)
    provider.off.add(("judge", f"What of {provider.sections[-1]} and retries?"))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        assert (await ended(api, run_id))["status"] == "failed"
        path = f"/v1/runs/{run_id}/steps"
        failed = (await answered(api, path))["rows"][-1]
        assert (failed["outcome"], failed["error"]) == ("failed", "ModelRefused")
        provider.off.clear()
        await asked(api, run_id, "resume")
        await ended(api, run_id)
        resumed = await answered(api, path)
        await asked(api, run_id, "rollback", step=resumed["total"])
        run = await ended(api, run_id)
        rows = (await answered(api, path))["rows"]
        forked = (await api.post(f"/v1/runs/{run_id}/fork", json={"step": resumed["total"]})).json()["run_id"]
        assert (await ended(api, forked))["status"] == "completed"
    steps = [row for row in rows if row["row"] == "step"]
    assert [row["number"] for row in steps] == list(range(1, run["steps"] + 1))
    assert sum(map(used, steps)) == run["budget"]["used"]["tokens"]
    assert all(row["outcome"] == "completed" for row in steps)
    assert all(one["began_at"] <= one["ended_at"] <= other["began_at"] for one, other in pairwise(steps))
    between = [row for row in rows if row["row"] == "between"]
    assert [(row["before"], row["kind"]) for row in between] == [
        (failed["number"], "run_resumed"),
        (run["steps"], "run_resumed"),
    ]
    for row in steps:
        if row["kind"] == "agent":
            assert sum(map(used, row["attempts"])) == used(row), row
    (split,) = [row for row in steps if row["kind"] == "parallel"]
    assert [branch["status"] for branch in split["branches"]] == ["done", "done"]
    shared = (await answered(api, f"/v1/runs/{forked}/steps"))["rows"]
    *_, fork, last = shared
    assert (fork["before"], fork["kind"], last["number"]) == (run["steps"], "run_resumed", run["steps"])
    for one, other in zip(steps[:-1], [row for row in shared if row["row"] == "step"], strict=False):
        assert (one["node"], one["usage"], one["summary"]) == (other["node"], other["usage"], other["summary"])
        assert (other["began_at"], other["attempts"]) == (None, [])
        assert {branch["run_id"] for branch in one["branches"]} == {branch["run_id"] for branch in other["branches"]}
    assert last["began"] < steps[-1]["began"]
    found = await answered(api, f"/v1/runs/{run_id}/diff/{forked}")
    assert found["steps"]["common"] == run["steps"]
    assert found["b"]["tokens"] == used(last)


@pytest.mark.usefixtures("researching")
async def test_a_step_that_there_is_not(api: httpx.AsyncClient) -> None:
    run_id = await start(api, QUESTION)
    run = await ended(api, run_id)
    for step in (0, -1, 99):
        answer = await api.get(f"/v1/runs/{run_id}/steps/{step}")
        assert answer.status_code == 404, step
        assert f"it has {run['steps']} steps, numbered from 1" in answer.json()["detail"]
    assert (await api.get(f"/v1/runs/{run_id}/steps/first")).status_code == 422
