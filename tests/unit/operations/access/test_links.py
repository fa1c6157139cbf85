"""A link reads one run, its events and its report, and nothing else; it expires, is revoked, and goes with the run."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from elcano.api.app import create_app
from elcano.operations.access.access_store import AccessStore
from elcano.operations.access.credentials import new_credential
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.unit.operations.access.conftest import Bearer, make_key
from tests.unit.operations.access.runs import connect_to_nothing, leave_run


@pytest.fixture
def app(store: Store, tmp_path: Path) -> FastAPI:
    return create_app(Settings(data_dir=tmp_path, _env_file=None), store=store, client=connect_to_nothing)


@pytest.fixture
async def run_id(store: Store) -> str:
    return await leave_run(store.of("acme"))


def path_of(link: str) -> Callable[[str], str]:
    return lambda below: link.removesuffix("/report") + below


async def test_whoever_has_a_link_reads_the_run(api: httpx.AsyncClient, access: AccessStore, run_id: str) -> None:
    researcher = await make_key(access, "researcher")
    made = await api.post(f"/v1/runs/{run_id}/links", json={"days": 1}, auth=researcher)
    assert made.status_code == 201, made.text
    link = path_of(made.json()["path"])
    run = await api.get(link(""))
    assert run.json()["run_id"] == run_id
    assert run.headers["cache-control"] == "no-store"
    assert run.headers["referrer-policy"] == "no-referrer"
    events = await api.get(link("/events"))
    assert events.status_code == 200
    assert events.headers["content-type"].startswith("text/event-stream")
    assert (await api.get(link("/report"))).status_code in (200, 409, 404)
    for below in ("/evidence", "/steps", "/certificate", "/stop", "/links"):
        assert (await api.get(link(below))).status_code == 404, below
    for method in ("POST", "DELETE", "PUT"):
        assert (await api.request(method, link(""))).status_code == 405


async def test_a_link_is_no_key(api: httpx.AsyncClient, access: AccessStore, run_id: str) -> None:
    made = await api.post(f"/v1/runs/{run_id}/links", auth=await make_key(access))
    secret = made.json()["path"].split("/")[3]
    assert (await api.get(f"/v1/runs/{run_id}", auth=Bearer(secret))).status_code == 401
    assert (await api.get(f"/v1/runs/{run_id}")).status_code == 401
    key = await make_key(access)
    assert (await api.get(f"/v1/shared/{key.token}")).status_code == 404


async def test_links_are_listed_and_revoked(api: httpx.AsyncClient, access: AccessStore, run_id: str) -> None:
    researcher = await make_key(access, "researcher")
    made = (await api.post(f"/v1/runs/{run_id}/links", auth=researcher)).json()
    listed = (await api.get(f"/v1/runs/{run_id}/links", auth=researcher)).json()[0]
    assert listed["id"] == made["id"]
    assert (listed["state"], listed["created_by"]) == ("valid", "the researcher")
    assert made["path"].split("_")[2][:43] not in str(listed)
    stranger = await make_key(access, tenant="zebra")
    for answer in (
        await api.get(f"/v1/runs/{run_id}/links", auth=stranger),
        await api.delete(f"/v1/runs/{run_id}/links/{made['id']}", auth=stranger),
        await api.post(f"/v1/runs/{run_id}/links", auth=stranger),
    ):
        assert answer.status_code == 404
    for _ in range(2):
        assert (await api.delete(f"/v1/runs/{run_id}/links/{made['id']}", auth=researcher)).status_code == 204
    assert (await api.get(made["path"].removesuffix("/report"))).status_code == 404
    listed = (await api.get(f"/v1/runs/{run_id}/links", auth=researcher)).json()[0]
    assert listed["id"] == made["id"]
    assert listed["state"] == "revoked"


async def test_expired_revoked_and_unknown_links_are_alike(
    api: httpx.AsyncClient, access: AccessStore, run_id: str
) -> None:
    own = access.of("acme")
    expired, _ = await own.create_link(run_id, time.time() - 1, "")
    revoked, record = await own.create_link(run_id, time.time() + 60, "")
    await own.revoke_link(run_id, record.id)
    wrong = new_credential("ell", record.id)
    unknown = new_credential("ell")
    answers = [await api.get(f"/v1/shared/{one.text}") for one in (expired, revoked, wrong, unknown)]
    answers += [await api.get(f"/v1/shared/{text}") for text in ("ell_", "x", "%00")]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.json()["detail"] for answer in answers[:6]}) == 1


async def test_links_go_with_the_run(api: httpx.AsyncClient, access: AccessStore, store: Store, run_id: str) -> None:
    made, _ = await access.of("acme").create_link(run_id, time.time() + 60, "")
    await store.of("acme").runs.delete(run_id)
    assert (await api.get(f"/v1/shared/{made.text}")).status_code == 404
    assert await access.find_link(made.id) is None


@pytest.mark.parametrize("days", [0, -1, 366, "x"])
async def test_a_link_has_an_end(api: httpx.AsyncClient, access: AccessStore, run_id: str, days: object) -> None:
    answer = await api.post(f"/v1/runs/{run_id}/links", json={"days": days}, auth=await make_key(access))
    assert answer.status_code == 422
