"""Pages of the origins that the operator named may use the API; no other page sees or changes anything."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from fastapi import FastAPI

from elcano.settings import Settings
from tests.api.serving import speaking

PAGE = "https://app.example.org"
OTHER = "https://elsewhere.example"


@pytest.fixture
async def opened(make_app: Callable[[Settings], FastAPI], api_settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with speaking(make_app(api_settings.model_copy(update={"allowed_origins": (PAGE,)}))) as client:
        yield client


async def asks_first(client: httpx.AsyncClient, origin: str, method: str = "POST") -> httpx.Response:
    """What a browser sends before a request that needs permission."""
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "content-type,idempotency-key,x-csrf-token",
    }
    return await client.options("/v1/runs", headers=headers)


async def test_a_named_page_reads_follows_and_changes(opened: httpx.AsyncClient) -> None:
    permitted = await asks_first(opened, PAGE)
    assert permitted.status_code == 200
    assert permitted.headers["access-control-allow-origin"] == PAGE
    assert permitted.headers["access-control-allow-credentials"] == "true"
    assert "POST" in permitted.headers["access-control-allow-methods"]
    assert "idempotency-key" in permitted.headers["access-control-allow-headers"]
    started = await opened.post("/v1/runs", json={"question": "Why?"}, headers={"Origin": PAGE})
    assert started.status_code == 201
    read = await opened.get(started.headers["location"], headers={"Origin": PAGE})
    async with opened.stream("HEAD", f"{started.headers['location']}/events", headers={"Origin": PAGE}) as stream:
        for answer in (started, read, stream):
            assert answer.headers["access-control-allow-origin"] == PAGE
            assert "Origin" in answer.headers["vary"]
            assert {"Location", "ETag", "Retry-After"} <= set(
                answer.headers["access-control-expose-headers"].split(", ")
            )
    refused = await opened.get("/v1/runs/no-such-run", headers={"Origin": PAGE})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (404, PAGE)
    same = await opened.get("/v1/graphs/schema", headers={"Origin": PAGE})
    again = await opened.get("/v1/graphs/schema", headers={"Origin": PAGE, "If-None-Match": same.headers["etag"]})
    assert (again.status_code, again.headers["access-control-allow-origin"]) == (304, PAGE)


async def test_another_page_neither_reads_nor_changes(opened: httpx.AsyncClient) -> None:
    asked = await asks_first(opened, OTHER)
    assert (asked.status_code, asked.json()["type"]) == (403, "urn:elcano:cross-origin-refused")
    posted = await opened.post("/v1/runs", json={"question": "Why?"}, headers={"Origin": OTHER})
    assert (posted.status_code, posted.json()["type"]) == (403, "urn:elcano:cross-origin-refused")
    assert "ELCANO_ALLOWED_ORIGINS" in posted.json()["detail"]
    read = await opened.get("/v1/runs", headers={"Origin": OTHER})
    assert "access-control-allow-origin" not in read.headers
    for near in ("https://app.example.org.elsewhere.example", "http://app.example.org", f"{PAGE}:8443", "null"):
        assert (await asks_first(opened, near)).status_code == 403, near


async def test_a_method_that_there_is_not_is_refused(opened: httpx.AsyncClient) -> None:
    assert (await asks_first(opened, PAGE, "PATCH")).status_code == 400


async def test_another_host_is_refused_for_a_named_page_too(opened: httpx.AsyncClient) -> None:
    headers = {"Host": "rebound.example", "Origin": PAGE}
    answer = await opened.post("/v1/runs", json={"question": "Why?"}, headers=headers)
    assert answer.status_code == 421


async def test_no_page_is_named_unless_the_operator_does(api: httpx.AsyncClient) -> None:
    assert "access-control-allow-origin" not in (await asks_first(api, PAGE)).headers
    posted = await api.post("/v1/runs", json={"question": "Why?"}, headers={"Origin": PAGE})
    assert posted.status_code == 403


async def test_options_of_a_program_are_answered_as_ever(opened: httpx.AsyncClient) -> None:
    answer = await opened.options("/v1/runs")
    assert (answer.status_code, answer.headers["allow"]) == (204, "GET, POST, HEAD, OPTIONS")
