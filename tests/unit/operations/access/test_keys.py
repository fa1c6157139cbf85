"""API keys: made, listed, rotated, revoked, expired, limited; and what wrong ones cost."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from elcano.graphs.errors import StoreUnavailable
from elcano.operations.access.access_store import AccessStore, KeyRecord
from elcano.operations.access.credentials import new_credential
from elcano.storage.store import Store
from tests.unit.operations.access.conftest import EACH_DATABASE, Bearer, make_key

pytestmark = EACH_DATABASE


@contextmanager
def counting(store: Store) -> Iterator[list[str]]:
    """Every statement that the database gets."""
    found: list[str] = []

    def note(*arguments: Any) -> None:
        found.append(arguments[2])

    event.listen(store._engine.sync_engine, "before_cursor_execute", note)
    yield found
    event.remove(store._engine.sync_engine, "before_cursor_execute", note)


async def finish_background_writes() -> None:
    """Wait until the uses of keys that are noted in the background are stored."""
    notes = [task for task in asyncio.all_tasks() if task.get_name().startswith("note use of key")]
    await asyncio.gather(*notes)


async def test_reading_with_a_key_needs_no_write(
    api: httpx.AsyncClient, access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await make_key(access)
    locked, tries = asyncio.Event(), list[str]()

    async def wait_for_lock(store: AccessStore, key: KeyRecord, now: float) -> None:
        tries.append(key.id)
        await locked.wait()
        raise StoreUnavailable("another process kept it locked for 30 s: try again")

    monkeypatch.setattr(AccessStore, "_write_use", wait_for_lock)
    for _ in range(3):
        assert (await api.get("/v1/runs", auth=key)).status_code == 200
    assert len(tries) == 1, "one write at a time waits for the lock, however many requests come"
    locked.set()
    await finish_background_writes()
    assert (await api.get("/v1/runs", auth=key)).status_code == 200


async def test_the_way_of_a_key(api: httpx.AsyncClient, access: AccessStore) -> None:
    admin = await make_key(access)
    made = await api.post("/v1/keys", json={"name": "nightly", "role": "reader", "days": 7}, auth=admin)
    assert made.status_code == 201, made.text
    key = made.json()
    assert made.headers["cache-control"] == "no-store"
    assert made.headers["location"] == f"/v1/keys/{key['id']}"
    assert (await api.get("/v1/runs", auth=Bearer(key["key"]))).status_code == 200
    await finish_background_writes()
    listed = (await api.get("/v1/keys", auth=admin)).json()
    assert [one["name"] for one in listed] == ["nightly", "the admin"]
    assert listed[0]["used_at"] is not None
    assert key["key"].rpartition("_")[2][:40] not in str(listed)

    rotated = (await api.post(f"/v1/keys/{key['id']}/rotate", json={"grace_hours": 1}, auth=admin)).json()
    assert rotated["id"] == key["id"]
    assert rotated["former_until"] is not None
    for text in (key["key"], rotated["key"]):
        assert (await api.get("/v1/runs", auth=Bearer(text))).status_code == 200
    again = (await api.post(f"/v1/keys/{key['id']}/rotate", json={"grace_hours": 0}, auth=admin)).json()
    for text, status in ((key["key"], 401), (rotated["key"], 401), (again["key"], 200)):
        assert (await api.get("/v1/runs", auth=Bearer(text))).status_code == status

    for _ in range(2):
        assert (await api.delete(f"/v1/keys/{key['id']}", auth=admin)).status_code == 204
    refused = await api.get("/v1/runs", auth=Bearer(again["key"]))
    assert refused.json()["detail"] == f"the API key {key['id']} was revoked: make a new one"
    assert refused.headers["www-authenticate"] == 'Bearer realm="elcano", error="invalid_token"'
    assert (await api.post(f"/v1/keys/{key['id']}/rotate", auth=admin)).status_code == 404
    assert (await api.get("/v1/keys", auth=admin)).json()[0]["state"] == "revoked"


async def test_a_key_of_another_tenant_cannot_be_touched(api: httpx.AsyncClient, access: AccessStore) -> None:
    admin, other = await make_key(access), await make_key(access, tenant="zebra")
    theirs = (await api.get("/v1/keys", auth=other)).json()[0]["id"]
    assert theirs not in (await api.get("/v1/keys", auth=admin)).text
    assert (await api.delete(f"/v1/keys/{theirs}", auth=admin)).status_code == 404
    assert (await api.post(f"/v1/keys/{theirs}/rotate", auth=admin)).status_code == 404
    assert (await api.get("/v1/keys", auth=other)).status_code == 200


async def test_an_expired_key_says_so(api: httpx.AsyncClient, access: AccessStore) -> None:
    expired = await make_key(access, expires_at=time.time() - 1)
    answer = await api.get("/v1/runs", auth=expired)
    assert answer.status_code == 401
    assert "has expired: make a new one" in answer.json()["detail"]


async def test_scopes_limit_a_key(api: httpx.AsyncClient, access: AccessStore) -> None:
    limited = await make_key(access, "researcher", scopes=("list_runs",))
    assert (await api.get("/v1/runs", auth=limited)).status_code == 200
    refused = await api.get("/v1/graphs", auth=limited)
    assert refused.status_code == 403
    assert refused.json()["type"] == "urn:elcano:forbidden"
    assert "limited to list_runs" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"name": "x", "role": "reader", "scopes": ["start_run"]}, "does not have start_run"),
        ({"name": "x", "role": "root"}, "must be 'reader', 'researcher'"),
        ({"name": " ", "role": "reader"}, "name"),
        ({"name": "a\u202eb", "role": "reader"}, "name"),
        ({"name": "x", "role": "reader", "days": 0}, "greater than 0"),
        ({"name": "x", "role": "reader", "days": 1e9}, "less than or equal to 3650"),
        ({"name": "x", "role": "reader", "tenant": "zebra"}, "there is no such field"),
    ],
)
async def test_what_is_no_key_is_not_made(
    api: httpx.AsyncClient, access: AccessStore, body: dict[str, Any], said: str
) -> None:
    answer = await api.post("/v1/keys", json=body, auth=await make_key(access))
    assert answer.status_code == 422
    assert said in answer.text


async def test_a_limited_administrator_cannot_take_over_a_mightier_key(
    api: httpx.AsyncClient, access: AccessStore
) -> None:
    admin, limited = await make_key(access), await make_key(access, scopes=("administer",))
    mighty = (await api.post("/v1/keys", json={"name": "mighty", "role": "researcher"}, auth=admin)).json()
    answer = await api.post(f"/v1/keys/{mighty['id']}/rotate", auth=limited)
    assert (answer.status_code, answer.json()["type"]) == (403, "urn:elcano:forbidden")
    assert "start_run" in answer.json()["detail"]
    assert (await api.get("/v1/runs", auth=Bearer(mighty["key"]))).status_code == 200


async def test_a_limited_administrator_cannot_widen_itself(api: httpx.AsyncClient, access: AccessStore) -> None:
    limited = await make_key(access, scopes=("administer",))
    answer = await api.post("/v1/keys", json={"name": "x", "role": "admin"}, auth=limited)
    assert answer.status_code == 422
    assert "limit the key with `scopes`" in answer.text
    assert (
        await api.post("/v1/keys", json={"name": "x", "role": "admin", "scopes": ["administer"]}, auth=limited)
    ).status_code == 201


async def test_without_a_key_every_way_to_send_one_is_told(api: httpx.AsyncClient) -> None:
    answer = await api.get("/v1/runs")
    assert answer.status_code == 401
    assert answer.json()["detail"] == (
        "the request does not say whose it is: send an API key as `Authorization: Bearer elc_...`; "
        "or sign in (docs/access.md)"
    )
    assert answer.headers["www-authenticate"] == 'Bearer realm="elcano"'


@pytest.mark.parametrize(
    "token",
    [
        "elc_",
        "elc_0123456789ab_" + "0" * 49,
        "elc_" + "x" * 5_000,
        "elc_0123456789ab_" + "é" * 49,
        "elc_\x00",
        "elc_' OR 1=1 --",
    ],
)
async def test_what_is_no_key_costs_no_read(api: httpx.AsyncClient, store: Store, token: str) -> None:
    with counting(store) as statements:
        answer = await api.get("/v1/runs", headers=[(b"Authorization", b"Bearer " + token.encode())])
    assert answer.status_code == 401
    assert "not complete, or was mistyped" in answer.json()["detail"]
    assert statements == []


async def test_hundreds_of_wrong_keys_cost_a_read_each_and_write_nothing(
    api: httpx.AsyncClient, access: AccessStore, store: Store
) -> None:
    key = await make_key(access)
    known = key.token.split("_")[1]
    wrong = [new_credential("elc", known if number % 2 else "").text for number in range(300)]
    at_once = asyncio.Semaphore(50)

    async def ask(text: str) -> int:
        async with at_once:
            return (await api.get("/v1/runs", auth=Bearer(text))).status_code

    with counting(store) as statements:
        answers = await asyncio.gather(*map(ask, wrong))
    assert set(answers) == {401}
    reads = [one for one in statements if one.startswith("SELECT") and "api_keys" in one]
    assert len(reads) == len(wrong)
    assert [one for one in statements if "INSERT" in one or "UPDATE" in one] == []
    assert await access.of("acme").audit.read(limit=10) == []


async def test_the_last_use_is_written_once_a_minute(api: httpx.AsyncClient, access: AccessStore, store: Store) -> None:
    key = await make_key(access)
    with counting(store) as statements:
        for _ in range(20):
            assert (await api.get("/v1/runs", auth=key)).status_code == 200
    assert len([one for one in statements if one.startswith("UPDATE api_keys")]) == 1


async def test_a_request_with_two_keys_is_refused(api: httpx.AsyncClient, access: AccessStore) -> None:
    key = await make_key(access)
    headers = [("Authorization", f"Bearer {key.token}")] * 2
    assert (await api.get("/v1/runs", headers=headers)).status_code == 401


async def test_keys_are_not_in_what_is_stored(access: AccessStore, store: Store) -> None:
    key = await make_key(access)
    secret = key.token.rpartition("_")[2][:43]
    async with store._engine.connect() as connection:
        rows = (await connection.exec_driver_sql("SELECT * FROM api_keys")).all()
    assert key.token.split("_")[1] in str(rows)
    assert secret not in str(rows)
