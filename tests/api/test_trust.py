"""Browsers: which names lead here, and whose pages may change something."""

from collections.abc import Callable

import httpx
import pytest
from fastapi import FastAPI

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.serving import speaking

OWN = "http://localhost:8000"


def kind(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["type"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:9", "[::1]", "[::1]:8000"])
async def test_this_machines_names_lead_here(api: httpx.AsyncClient, host: str) -> None:
    assert (await api.get("/healthz", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "rebound.example",
        "rebound.example:8000",
        "localhost.example",
        "127.0.0.1.example",
        "notlocalhost",
        "192.0.2.7",
        "",
        "x@localhost",
        "localhost:port",
        "localhost/x",
        "[::1",
    ],
)
async def test_a_name_of_another_site_that_leads_here_is_refused(
    api: httpx.AsyncClient, store: Store, host: str
) -> None:
    for answer in (
        await api.get("/v1/runs", headers={"Host": host}),
        await api.post("/v1/runs", headers={"Host": host}, json={"question": "Why?"}),
    ):
        assert kind(answer) == (421, "urn:elcano:host-refused")
        assert "ELCANO_TRUSTED_HOSTS" in answer.json()["detail"]
    assert (await store.of("default").runs.page(limit=1)).runs == ()


@pytest.mark.parametrize(
    ("given", "host", "status"),
    [
        ({"trusted_hosts": ("Research.example.org",)}, "research.example.org:443", 200),
        ({"trusted_hosts": ("research.example.org",)}, "other.example.org", 421),
        ({"trusted_hosts": ("*.example.org",)}, "a.b.example.org", 200),
        ({"trusted_hosts": ("*.example.org",)}, "example.org", 421),
        ({"trusted_hosts": ("*",)}, "anything.example", 200),
        ({"api_url": "https://research.example.org/"}, "research.example.org", 200),
        ({"api_host": "research.internal"}, "research.internal:8000", 200),
        ({"api_host": "0.0.0.0"}, "192.0.2.7:8000", 200),
        ({"api_host": "::"}, "[2001:db8::7]:8000", 200),
        ({"api_host": "0.0.0.0"}, "rebound.example", 421),
    ],
)
async def test_the_settings_name_the_server(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings, given: dict[str, object], host: str, status: int
) -> None:
    async with speaking(make_app(api_settings.model_copy(update=given))) as api:
        assert (await api.get("/healthz", headers={"Host": host})).status_code == status


async def test_pages_of_other_sites_may_not_change_anything(api: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    headerss: list[dict[str, str]] = [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "http://localhost"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://[::1"},
        {"Origin": "http://localhost:8000@elsewhere.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ]
    paths: list[str] = ["/v1/runs", "/v1/runs/run-1/stop", "/v1/runs/run-1/top-up", "/v1/graphs/validate"]
    for headers in headerss:
        for path in paths:
            with subtests.test(headers=headers, path=path):
                answer = await api.post(path, headers={"Host": "localhost:8000", **headers})
                assert kind(answer) == (403, "urn:elcano:cross-origin-refused")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "localhost:8000", "Origin": OWN},
        {"Host": "localhost", "Origin": "http://localhost:80"},
        {"Host": "localhost", "Origin": "https://localhost"},
        {"Origin": "https://research.example.org"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
    ],
)
async def test_programs_and_our_own_pages_may(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings, headers: dict[str, str]
) -> None:
    trusting = api_settings.model_copy(update={"trusted_hosts": ("research.example.org",)})
    async with speaking(make_app(trusting)) as api:
        answer = await api.post("/v1/runs/run-nobody/stop", headers=headers)
    assert kind(answer) == (404, "urn:elcano:run-not-found")


async def test_any_name_does_not_mean_any_page(make_app: Callable[[Settings], FastAPI], api_settings: Settings) -> None:
    async with speaking(make_app(api_settings.model_copy(update={"trusted_hosts": ("*",)}))) as api:
        answer = await api.post("/v1/runs/run-1/stop", headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 403


async def test_reading_gives_other_origins_no_permission(api: httpx.AsyncClient) -> None:
    answer = await api.get("/v1/runs", headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers
