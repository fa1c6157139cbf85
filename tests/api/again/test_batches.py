"""Batches on the real server: faults told at once, a budget that stops and is topped up, a quota, a cancellation."""

import asyncio
import io
import json
import tracemalloc
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.api.services import Process, Writable
from elcano.doors.batches import background
from elcano.doors.batches.background import LOOK_AFTER, build_batch_work
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import Provider, doing, put_background_on, until, working
from tests.api.serving import speaking

Json = dict[str, Any]
DEFAULTS: Json = {"question": "To whom do {what} belong?", "mode": "iterative"}


@pytest.fixture(autouse=True)
def on_queue_of_its_own(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    put_background_on(f"{task_queue}-background", monkeypatch)


@asynccontextmanager
async def working_on_batches(
    client: Client, store: Store, settings: Settings, queue: str, provider: Provider
) -> AsyncIterator[None]:
    """A worker of runs and batches."""

    async def connect() -> Client:
        return client

    process = Process(settings, store, Temporal(Connection(connect), queue), Writable(store.probe), lambda *_: None)
    async with working(client, store, settings, provider), doing(client, store, build_batch_work(process)):
        yield


def rows(*names: str) -> list[Json]:
    return [{"row": {"what": name}} for name in names]


async def start(api: httpx.AsyncClient, questions: list[Json], status: int = 201, key: str = "", **fields: Any) -> Json:
    headers = {"Idempotency-Key": key} if key else {}
    body = {"questions": questions, "defaults": DEFAULTS, **fields}
    answer = await api.post("/v1/batches", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    found: Json = answer.json()
    return found


async def until_state(api: httpx.AsyncClient, batch: Json, *states: str) -> Json:
    found: Json = {}

    async def holds() -> bool:
        found.update((await api.get(f"/v1/batches/{batch['id']}")).json())
        return found["state"] in states

    await until(holds)
    return found


async def test_faults_are_told_at_once_or_skipped_and_results_come_as_a_table(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none is asked")
    provider = Provider()
    provider.answers["form_filler"] = {"answer": {"owner": {"value": "nobody", "citations": []}}}
    bad: list[Json] = [{"question": ""}, {"row": {"who": "x"}}, {"question": "Why?", "mode": "telepathy"}]
    form = {"type": "object", "properties": {"owner": {"type": "string"}}}
    filled = {"output_schema": form, "model": "openai:gpt-5.1"}
    asked = [{**rows("retries")[0], **filled}, *rows('=HYPERLINK("http://evil")'), *bad]
    refused = await start(api, asked, 422)
    fields = [error["field"] for error in refused["errors"]]
    assert fields == ["questions.2.question", "questions.3.row", "questions.4.mode"]
    shared = await start(api, rows("a", "b"), 422, defaults={**DEFAULTS, "mode": "telepathy"})
    assert [error["field"] for error in shared["errors"]] == ["defaults.mode"]
    await start(api, bad, 422, skip_invalid=True)
    await start(api, [], 422)
    body = {"questions": asked, "defaults": DEFAULTS, "skip_invalid": True}
    both = [api.post("/v1/batches", json=body, headers={"Idempotency-Key": "once"}) for _ in range(2)]
    answers = await asyncio.gather(*both)  # a client that gave up asks again while the first request goes on
    assert sorted(answer.status_code for answer in answers) == [200, 201]
    made = answers[0].json()
    assert answers[1].json()["id"] == made["id"]
    assert (await start(api, asked, 200, "once", skip_invalid=True))["id"] == made["id"]
    assert (await start(api, asked[:2], 422, "once"))["type"] == "urn:elcano:key-reused"
    async with working_on_batches(temporal, store, api_settings, task_queue, provider):
        view = await until_state(api, made, "ended")
    assert view["counts"] == {"completed": 2, "skipped": 3}
    assert [one["state"] for one in view["results"]] == ["completed"] * 2 + ["skipped"] * 3
    assert "there is no column 'what'" in view["results"][3]["reason"]
    run = (await api.get(f"/v1/runs/{view['results'][0]['run_id']}")).json()
    assert (run["priority"], run["metadata"]) == ("batch", {"elcano_batch": made["id"]})
    assert run["question"] == "To whom do retries belong?"
    assert run["output_schema"] == form
    assert {one["output_schema"] for one in (await api.get("/v1/runs")).json()["runs"]} == {None}
    archive = f"/v1/runs/{run['run_id']}/exports/zip"

    async def is_packed() -> bool:
        return (await api.get(archive)).status_code == 200

    await until(is_packed)
    with zipfile.ZipFile(io.BytesIO((await api.get(archive)).content)) as packed:
        answer = (await api.get(f"/v1/runs/{run['run_id']}/answer")).json()
        assert json.loads(packed.read("answer.json")) == answer
    table = (await api.get(f"/v1/batches/{made['id']}/results/csv")).text.splitlines()
    assert table[0] == "number,what,who,question,state,owner,answer,run_id,tokens,cost_usd,reason"
    assert (view["results"][0]["answer"], type(view["results"][1]["answer"])) == ({"owner": None}, str)
    assert table[2].startswith("""1,"'=HYPERLINK(""http://evil"")",,""")
    lines = (await api.get(f"/v1/batches/{made['id']}/results/jsonl")).text.splitlines()
    assert len(lines) == 5
    assert (await api.delete(f"/v1/batches/{made['id']}")).status_code == 204
    assert (await api.get(f"/v1/batches/{made['id']}")).status_code == 404
    assert (await api.get(f"/v1/runs/{run['run_id']}")).status_code == 200


async def test_the_size_of_a_batch_is_known_before_anything_of_it_is_built(api: httpx.AsyncClient) -> None:
    cell, places = "a" * 9_000, 9_000
    template = {"question": "{what}" * places, "mode": "iterative"}
    tracemalloc.start()
    try:
        refused = await start(api, [{"row": {"what": cell}}] * 20, 422, defaults=template)
        repeated = await start(api, rows("a") * 900, 422, defaults={**DEFAULTS, "graph": {"name": "a" * 100_000}})
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < len(cell) * places, "less than one of the questions would take"
    assert {error["message"] for error in refused["errors"]} == {
        "has 81,000,000 characters once `row` is filled in, and 10,000 are the most: shorten it"
    }
    assert [error["field"] for error in repeated["errors"]] == ["defaults"]
    exact = await start(
        api, [{"row": {"what": "a" * 4_000}}], 422, defaults={**template, "question": "{what} {what } b{what}"}
    )
    assert "has 12,003 characters" in exact["errors"][0]["message"]


async def test_a_question_that_no_time_is_left_to_judge_is_judged_when_its_turn_comes(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = {**rows("b")[0], "mode": "telepathy"}
    refused = await start(api, [*rows("a"), wrong], 422)
    assert [error["field"] for error in refused["errors"]] == ["questions.1.mode"]
    monkeypatch.setattr("elcano.doors.batches.judgement.JUDGED_SECONDS", 0.0)
    shared = await start(api, [wrong, *rows("a")], 422)
    assert [error["field"] for error in shared["errors"]] == ["questions.0.mode"]
    made = await start(api, [*rows("a"), wrong])
    async with working_on_batches(temporal, store, api_settings, task_queue, Provider()):
        view = await until_state(api, made, "ended")
    assert view["counts"] == {"completed": 1, "refused": 1}
    assert "telepathy" in view["results"][1]["reason"]


async def test_a_budget_that_is_used_up_waits_for_a_top_up_and_a_cancelled_batch_starts_nothing_more(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    provider = Provider()
    provider.input_tokens = 5_000
    async with working_on_batches(temporal, store, api_settings, task_queue, provider):
        made = await start(api, rows(*"abcdefgh"), budget={"tokens": 60_000}, at_once=2)
        stopped = await until_state(api, made, "out_of_budget")
        assert "tokens" in stopped["reason"]
        assert stopped["tokens"]["used"] <= 60_000
        assert stopped["counts"]["waiting"] > 0
        path = f"/v1/batches/{made['id']}"
        wrong = await api.post(f"{path}/top-up", json={"cost_usd": 1})
        assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "cost_usd")
        for _ in range(2):  # counts once
            topped = await api.post(f"{path}/top-up", json={"tokens": 90_000}, headers={"Idempotency-Key": "more"})
            assert topped.json()["tokens"]["limit"] == 150_000
        provider.slow[("judge", "")] = 600.0
        provider.slow[("input_parser", "")] = 600.0

        async def goes_on() -> bool:
            return "running" in (await api.get(path)).json()["counts"]

        await until(goes_on)
        assert (await api.post(f"{path}/cancel")).status_code == 202
        view = await until_state(api, made, "cancelled")
        assert view["counts"]["cancelled"] >= 1
        assert not view["counts"].keys() & {"waiting", "running"}
        assert (await api.post(f"{path}/cancel")).json()["state"] == "cancelled"
        assert (await api.post(f"{path}/top-up", json={"tokens": 1})).status_code == 409


@pytest.mark.long
async def test_a_batch_waits_for_a_quota_and_goes_on_by_itself(
    make_app: Callable[[Settings], FastAPI],
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quotas = tmp_path / "quotas.toml"
    quotas.write_text("[every_tenant]\nruns_a_day = 1\n", encoding="utf-8")
    monkeypatch.setenv("ELCANO_QUOTAS", str(quotas))
    monkeypatch.setitem(LOOK_AFTER, "waiting", 0.2)
    async with (
        speaking(make_app(api_settings)) as api,
        working_on_batches(temporal, store, api_settings, task_queue, Provider()),
    ):
        made = await start(api, rows("a", "b", "c"))
        view = await until_state(api, made, "waiting")
        assert "runs_a_day" in view["reason"]
        quotas.write_text("[every_tenant]\nruns_a_day = 30\n", encoding="utf-8")
        view = await until_state(api, made, "ended")
        assert (view["counts"], view["reason"]) == ({"completed": 3}, "")


async def test_a_batch_whose_workflow_was_ended_in_temporal_goes_on(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background, "LOST_SECONDS", 0.5)
    provider = Provider()
    provider.slow[("thinking", "")] = 2.0
    async with working_on_batches(temporal, store, api_settings, task_queue, provider):
        made = await start(api, rows("a", "b"), at_once=1)

        async def has_begun() -> bool:
            view = (await api.get(f"/v1/batches/{made['id']}")).json()
            return bool(view["counts"] == {"running": 1, "waiting": 1})

        await until(has_begun)
        await temporal.get_workflow_handle(f"batch.default.{made['id']}").terminate(reason="ops")
        view = await until_state(api, made, "ended")
        assert view["counts"] == {"completed": 2}
        questions = [task.question for task in provider.model.tasks if task.kind == "writer"]
    assert len(questions) == len(set(questions)) == 2, "each was researched once"
