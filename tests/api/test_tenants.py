"""Two tenants on one stack: neither sees, counts, follows or changes anything of the other, by any route there is."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.api.http.request_identity import SingleTenant
from elcano.graphs.tenants import is_tenant
from elcano.service.errors import Unauthenticated
from elcano.service.permissions import Principal
from elcano.settings.settings import Settings
from elcano.storage.store import Store
from tests.api.asking import QUESTION, start
from tests.api.every_route import Route, routes
from tests.api.serving import serving, speaking

HEADER = "X-Tenant"
NOBODYS = "0" * 26


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", collections={"handbook": tmp_path}, tenant_header=HEADER)


@pytest.fixture
async def ask_as(served: str) -> AsyncIterator[Callable[[str], httpx.AsyncClient]]:
    """Makes a client of a tenant; with an empty name, of none."""
    async with AsyncExitStack() as stack:
        clients: dict[str, httpx.AsyncClient] = {}

        def client(tenant: str) -> httpx.AsyncClient:
            if tenant not in clients:
                headers = {HEADER: tenant} if tenant else {}
                clients[tenant] = httpx.AsyncClient(base_url=served, headers=headers, timeout=30)
                stack.push_async_callback(clients[tenant].aclose)
            return clients[tenant]

        yield client


AskAs = Callable[[str], httpx.AsyncClient]


@pytest.fixture
def known(app: FastAPI) -> list[Route]:
    return routes(app.openapi())


async def ended(temporal: Client, run_id: str) -> None:
    await temporal.get_workflow_handle(run_id).signal("order", "complete")
    await temporal.get_workflow_handle(run_id).result()


def without(answer: httpx.Response, run_id: str) -> tuple[int, str]:
    """An answer, but for the id that was asked for."""
    return answer.status_code, answer.text.replace(run_id, "...")


@pytest.mark.usefixtures("worker")
async def test_every_route_answers_anothers_run_as_one_that_never_was(
    ask_as: AskAs, temporal: Client, known: list[Route]
) -> None:
    owner, stranger = ask_as("acme"), ask_as("zebra")
    going, done = await start(owner), await start(owner, "Is it done?")
    await ended(temporal, done)
    about = [route for route in known if route.about_a_run and "{link_id}" not in route.path]
    assert {"GET /v1/runs/{run_id}/events", "DELETE /v1/runs/{run_id}"} <= {str(route) for route in about}
    for route in about:
        unknown = f"zebra-{NOBODYS}"
        nothing = without(await route.ask(stranger, unknown), unknown)
        assert nothing[0] == 404, route
        for run_id in (going, done):
            assert without(await route.ask(stranger, run_id), run_id) == nothing, route
    assert (await owner.get(f"/v1/runs/{going}")).json()["status"] == "running"
    for route in about:  # the last ones delete it, each anew
        if "{page}" in route.path:  # the run has no passage of the name that is asked for
            continue
        assert (await route.ask(owner, done)).status_code != 404, route
        if route.method == "delete":
            assert (await owner.get(f"/v1/runs/{done}")).status_code == 404
            done = await start(owner, f"Is it done after {route}?")
            await ended(temporal, done)


@pytest.mark.usefixtures("worker")
async def test_lists_show_ones_own(ask_as: AskAs, temporal: Client) -> None:
    acme, zebra = ask_as("acme"), ask_as("zebra")
    theirs = [await start(acme, f"What of {number}?") for number in range(3)]
    own = await start(zebra, "What of zebras?")
    await ended(temporal, theirs[0])
    assert all(run_id.startswith("acme-") for run_id in theirs)
    assert own.startswith("zebra-")
    for params in ({}, {"status": "running"}, {"limit": 1}, {"cursor": f"zz-{NOBODYS}"}):
        page = (await zebra.get("/v1/runs", params=params)).json()
        assert [run["run_id"] for run in page["runs"]] == [own], params
        assert page["next"] is None
    for params in ({"status": "completed"}, {"cursor": theirs[1]}):
        assert (await zebra.get("/v1/runs", params=params)).json() == {"runs": [], "next": None}, params
    assert [run["run_id"] for run in (await acme.get("/v1/runs")).json()["runs"]] == theirs[::-1]
    assert (await ask_as("default").get("/v1/runs")).json()["runs"] == []


@pytest.mark.usefixtures("worker")
async def test_a_key_is_of_the_tenant_that_sent_it(ask_as: AskAs) -> None:
    asked = {"question": QUESTION}
    headers = {"Idempotency-Key": "mine"}
    first = await ask_as("acme").post("/v1/runs", json=asked, headers=headers)
    again = await ask_as("acme").post("/v1/runs", json=asked, headers=headers)
    other = await ask_as("zebra").post("/v1/runs", json={"question": "Another?"}, headers=headers)
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 201)
    assert first.json()["run_id"] == again.json()["run_id"] != other.json()["run_id"]


@pytest.mark.usefixtures("worker")
async def test_each_follows_ones_own_run_at_the_same_time(ask_as: AskAs, temporal: Client) -> None:
    runs = {tenant: await start(ask_as(tenant), f"What of {tenant}?") for tenant in ("acme", "zebra")}
    for number, run_id in enumerate(runs.values()):
        await temporal.get_workflow_handle(run_id).signal("emit", number + 1)
    following = [ask_as(tenant).get(f"/v1/runs/{run_id}/events") for tenant, run_id in runs.items()]
    told = asyncio.gather(*following)
    for run_id in runs.values():
        await ended(temporal, run_id)
    assert [answer.text.count("event: thinking") for answer in await told] == [1, 2]
    for tenant, run_id in runs.items():  # read from the archive now, and kept in memory
        other = next(name for name in runs if name != tenant)
        assert (await ask_as(tenant).get(f"/v1/runs/{run_id}/events")).text.count("event: complete") == 1
        assert (await ask_as(other).get(f"/v1/runs/{run_id}/events")).status_code == 404


async def test_who_does_not_say_it_is_nobody(ask_as: AskAs, known: list[Route]) -> None:
    nobody = ask_as("")
    for route in known:
        answer = await route.ask(nobody, f"default-{NOBODYS}")
        assert (answer.status_code == 401) == route.asks_who, (route, answer.text)
        if route.asks_who:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["www-authenticate"] == 'Proxy realm="elcano"'
            assert answer.json()["type"] == "urn:elcano:unauthenticated"
            assert "the proxy that signs you in" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["", "Default", "a b", "-a", "x" * 41, "acme,zebra", "acme;", "%61cme", "ä"])
async def test_what_is_no_tenant_is_refused(ask_as: AskAs, name: str) -> None:
    answer = await ask_as("").get("/v1/runs", headers=[(HEADER.encode(), name.encode())])
    assert answer.status_code == 401
    assert "no tenant's name" in answer.json()["detail"]


async def test_a_request_that_says_it_twice_is_refused(ask_as: AskAs) -> None:
    twice = [(HEADER, "acme"), (HEADER.lower(), "acme")]
    answer = await ask_as("").get("/v1/runs", headers=twice)
    assert answer.status_code == 401
    assert "says 2 times" in answer.json()["detail"]


async def test_without_the_setting_the_header_says_nothing(store: Store, tmp_path: Path) -> None:
    async with speaking(create_app(Settings(data_dir=tmp_path), store=store)) as api:
        assert (await api.get("/v1/runs", headers={HEADER: "no name at all"})).status_code == 200


async def test_the_application_may_be_told_in_another_way(store: Store, tmp_path: Path) -> None:
    class ByToken(SingleTenant):
        advice = "send a token"
        challenge = "Token"

        async def find_principal(self, request: Request, /) -> Principal | None:
            token = request.headers.get("authorization", "")
            if token and not is_tenant(token):
                raise Unauthenticated("send another token")
            return Principal(tenant=token) if token else None

    app = create_app(Settings(data_dir=tmp_path), store=store, identity=ByToken())
    async with serving(app) as url, httpx.AsyncClient(base_url=url, timeout=60) as api:
        answers = [await api.get("/v1/runs", headers=headers) for headers in TOKENS]
    assert [answer.status_code for answer in answers] == [401, 200, 401]
    assert answers[0].json()["detail"] == "the request does not say whose it is: send a token"
    assert answers[0].headers["www-authenticate"] == "Token"


TOKENS: list[dict[str, Any]] = [{}, {"Authorization": "acme"}, {"Authorization": "Bearer acme"}]


@pytest.mark.usefixtures("worker")
async def test_a_full_house_tells_nothing_of_others(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    small = make_app(api_settings.model_copy(update={"open_runs": 4}))
    async with speaking(small) as api:
        for _ in range(2):
            api.headers[HEADER] = "acme"
            assert (await api.post("/v1/runs", json={"question": QUESTION})).status_code == 201
        api.headers[HEADER] = "zebra"
        answers = [await api.post("/v1/runs", json={"question": QUESTION}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert "4 may be open, of which 2 may be yours now" in answers[2].json()["detail"]
    assert "acme" not in answers[2].text
