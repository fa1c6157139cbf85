"""Sessions of browsers: begun with a key, read by a cookie, safe from other pages, ended in the store."""

import httpx
import pytest
from fastapi import FastAPI

from elcano.operations.access.access_store import AccessStore
from elcano.operations.access.credentials import Credential, Kind
from elcano.storage.store import Store
from tests.unit.operations.access.conftest import Bearer, make_key

OWN = {"Origin": "http://localhost"}


def unknown(kind: Kind) -> str:
    """A credential that is whole, and that nobody has."""
    return Credential(kind, "0" * 12, "0" * 43).text


async def sign_in(api: httpx.AsyncClient, key: Bearer) -> httpx.Response:
    answer = await api.post("/v1/session", json={"key": key.token}, headers=OWN)
    assert answer.status_code == 201, answer.text
    return answer


async def test_a_browser_signs_in_reads_and_signs_out(api: httpx.AsyncClient, access: AccessStore) -> None:
    answer = await sign_in(api, await make_key(access, "researcher"))
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert answer.json()["user"] == "the researcher"
    assert "start_run" in answer.json()["permissions"]
    assert (await api.get("/v1/runs")).status_code == 200
    who = (await api.get("/v1/session")).json()
    assert (who["tenant"], who["role"]) == ("acme", "researcher")
    kept = dict(api.cookies)
    assert (await api.delete("/v1/session", headers=OWN)).status_code == 204
    assert (await api.get("/v1/runs")).status_code == 401
    api.cookies.update(kept)  # a copy that somebody kept
    over = await api.get("/v1/runs")
    assert over.status_code == 401
    assert "the session is over" in over.json()["detail"]


async def test_elsewhere_than_on_this_machine_the_cookie_is_for_encrypted_connections(
    api: httpx.AsyncClient, access: AccessStore
) -> None:
    key = await make_key(access)
    answer = await api.post("https://localhost/v1/session", json={"key": key.token})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-elcano_session=els_")
    assert "Secure" in cookie
    assert "Domain" not in cookie


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://localhost"}, 422),
        ({"Sec-Fetch-Site": "same-origin"}, 422),
        ({}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://localhost:9999"}, 403),
    ],
)
async def test_a_change_comes_from_a_page_of_this_server(
    api: httpx.AsyncClient, access: AccessStore, headers: dict[str, str], status: int
) -> None:
    await sign_in(api, await make_key(access))
    answer = await api.post("/v1/keys", json={}, headers=headers)
    assert answer.status_code == status, answer.text


async def test_a_session_ends_with_its_key(api: httpx.AsyncClient, access: AccessStore) -> None:
    key = await make_key(access, "reader")
    await sign_in(api, key)
    assert (await api.get("/v1/runs")).status_code == 200
    await access.of("acme").revoke_key(key.token.split("_")[1])
    assert (await api.get("/v1/runs")).status_code == 401


async def test_a_key_in_a_header_goes_before_a_session(api: httpx.AsyncClient, access: AccessStore) -> None:
    await sign_in(api, await make_key(access, "reader"))
    answer = await api.get("/v1/session", auth=await make_key(access, "admin", tenant="zebra"))
    assert answer.json()["tenant"] == "zebra"
    wrong = await api.get("/v1/session", auth=Bearer(unknown("elc")))
    assert wrong.status_code == 401


@pytest.mark.parametrize("cookie", ["", "els_", unknown("els"), unknown("elc"), "x" * 4_000])
async def test_a_cookie_that_is_no_session_is_refused(api: httpx.AsyncClient, store: Store, cookie: str) -> None:
    answer = await api.get("/v1/runs", headers={"Cookie": f"elcano_session={cookie}"})
    assert answer.status_code == 401


@pytest.mark.parametrize("key", ["", "elc_", unknown("elc"), unknown("els")])
async def test_a_wrong_key_begins_no_session(api: httpx.AsyncClient, store: Store, key: str) -> None:
    answer = await api.post("/v1/session", json={"key": key}, headers=OWN)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


async def test_a_session_says_nothing_that_a_key_could(api: httpx.AsyncClient, access: AccessStore) -> None:
    """The secret of a session is no key, and the other way round."""
    await sign_in(api, await make_key(access))
    session = api.cookies["elcano_session"]
    api.cookies.clear()
    assert (await api.get("/v1/runs", auth=Bearer(session))).status_code == 401


async def test_logins_are_in_the_audit_log(api: httpx.AsyncClient, access: AccessStore) -> None:
    await sign_in(api, await make_key(access, "reader"))
    (entry,) = await access.of("acme").audit.read(limit=9)
    assert (entry.action, entry.user, entry.outcome) == ("sign_in", "the reader", 201)


async def test_a_list_of_routes_has_no_other_way_in(app: FastAPI) -> None:
    document = app.openapi()
    paths = {path: [one.get("security") for one in methods.values()] for path, methods in document["paths"].items()}
    assert {path for path, security in paths.items() if path.startswith("/v1/") and [] in security} == {
        "/v1/session",
        "/v1/session/oidc",
        "/v1/session/oidc/callback",
        "/v1/shared/{link}",
        "/v1/shared/{link}/report",
        "/v1/shared/{link}/events",
    }
