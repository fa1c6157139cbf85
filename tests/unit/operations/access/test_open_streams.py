"""A stream that is open ends once the credential that it was opened with is not valid any more."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI

from elcano.api.app import create_app
from elcano.graphs.errors import StoreUnavailable
from elcano.operations.access.access_store import AccessStore
from elcano.operations.access.credentials import parse_credential
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.serving import serving
from tests.unit.operations.access.conftest import Bearer, make_key
from tests.unit.operations.access.runs import connect_to_nothing, leave_run

End: TypeAlias = Callable[[AccessStore, Bearer], Awaitable[object]]


@pytest.fixture
def app(store: Store, tmp_path: Path) -> FastAPI:
    return create_app(Settings(data_dir=tmp_path, _env_file=None), store=store, client=connect_to_nothing)


@pytest.fixture
async def run_id(store: Store) -> str:
    """A run that goes on, so that its stream stays open."""
    found = await store.of("acme").runs.get(await leave_run(store.of("acme")))
    assert found is not None
    going = found.model_copy(update={"run_id": f"{found.run_id[:-1]}0"}).without_end()
    await store.of("acme").runs.begin(going)
    return going.run_id


@pytest.fixture
async def served(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    monkeypatch.setattr("elcano.api.http.stream_check.CHECK_SECONDS", 0.05)
    async with serving(app) as address:
        yield address


def id_of(key: Bearer) -> str:
    given = parse_credential(key.token, "elc")
    assert given is not None
    return given.id


async def revoke(access: AccessStore, key: Bearer) -> None:
    await access.of("acme").revoke_key(id_of(key))


async def rotate(access: AccessStore, key: Bearer) -> None:
    await access.of("acme").rotate_key(id_of(key), 0)


async def stays_open(reading: "asyncio.Task[bytes]") -> bool:
    await asyncio.wait({reading}, timeout=0.3)
    return not reading.done()


@pytest.mark.parametrize("end", [revoke, rotate])
@pytest.mark.parametrize("signs_in", [False, True])
async def test_a_stream_ends_with_its_key(
    served: str, access: AccessStore, run_id: str, end: End, signs_in: bool
) -> None:
    key = await make_key(access, "reader")
    async with httpx.AsyncClient(base_url=served, auth=None if signs_in else key, timeout=30) as api:
        if signs_in:
            await api.post("/v1/session", json={"key": key.token}, headers={"Origin": served})
        async with api.stream("GET", f"/v1/runs/{run_id}/events") as answer:
            assert answer.status_code == 200
            reading = asyncio.create_task(answer.aread())
            assert await stays_open(reading)
            await end(access, key)
            await reading  # it ends as a whole answer does: the client asks again, and is refused
        assert (await api.get(f"/v1/runs/{run_id}/events")).status_code == 401


async def test_a_stream_of_a_link_ends_with_it(served: str, access: AccessStore, run_id: str) -> None:
    made, _ = await access.of("acme").create_link(run_id, 4e9, "alice")
    async with (
        httpx.AsyncClient(base_url=served, timeout=30) as api,
        api.stream("GET", f"/v1/shared/{made.text}/events") as answer,
    ):
        reading = asyncio.create_task(answer.aread())
        assert await stays_open(reading)
        await access.of("acme").revoke_link(run_id, made.id)
        await reading


@pytest.mark.parametrize("user", ["alice", "auth0|7f/a?b", "https://login.example.org/#alice"])
async def test_a_stream_of_a_person_whom_the_login_service_knew_ends_when_the_sessions_are_ended(
    served: str, access: AccessStore, run_id: str, user: str
) -> None:
    """The session names no key that could be revoked, and the login service reports nobody who left."""
    own = access.of("acme")
    made, _ = await own.begin_session(user, "reader", frozenset(), "", 3_600)
    other, _ = await own.begin_session("bob", "reader", frozenset(), "", 3_600)
    elsewhere, _ = await access.of("zebra").begin_session(user, "reader", frozenset(), "", 3_600)
    operator, admin = await make_key(access, "operator"), await make_key(access, "admin")
    ending = f"{served}/v1/sessions/{quote(user, safe='')}"
    async with (
        httpx.AsyncClient(base_url=served, timeout=30, cookies={"elcano_session": made.text}) as api,
        httpx.AsyncClient(timeout=30) as asking,
        api.stream("GET", f"/v1/runs/{run_id}/events") as answer,
    ):
        reading = asyncio.create_task(answer.aread())
        assert await stays_open(reading)
        assert (await asking.delete(ending, auth=operator)).status_code == 403
        assert await stays_open(reading)
        assert (await asking.delete(ending, auth=admin)).status_code == 204
        await reading
        assert (await asking.delete(ending, auth=admin)).status_code == 404
        assert (await api.get("/v1/session")).status_code == 401
    assert await access.find_session(other.id) is not None
    assert await access.find_session(elsewhere.id) is not None
    assert [entry.target for entry in await own.audit.read(limit=9) if entry.outcome == 204] == [f"/v1/sessions/{user}"]


async def test_a_store_that_is_away_ends_no_stream(
    served: str, access: AccessStore, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await make_key(access, "reader")
    asked = asyncio.Event()

    async def away(*_: object) -> None:
        asked.set()
        raise StoreUnavailable("it is away")

    async with (
        httpx.AsyncClient(base_url=served, auth=key, timeout=30) as api,
        api.stream("GET", f"/v1/runs/{run_id}/events") as answer,
    ):
        reading = asyncio.create_task(answer.aread())
        with monkeypatch.context() as patched:
            patched.setattr(AccessStore, "find_key", away)
            await asked.wait()
            assert await stays_open(reading)
        await revoke(access, key)
        await reading


async def test_a_session_ends_with_the_secret_that_it_was_begun_with(access: AccessStore) -> None:
    own = access.of("acme")
    made, record = await own.create_key("k", "reader", (), None, "")
    _, session = await own.begin_session("k", "reader", frozenset(), record.id, 3_600)
    rotated = await own.rotate_key(record.id, 60)
    assert rotated is not None
    new, key = rotated
    found = await access.find_session(session.id)
    assert found is not None
    assert found.expires_at == key.former_until == key.find_secret_end(made)
    assert key.find_secret_end(new) == float("inf")
