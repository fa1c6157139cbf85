"""The service itself: health, readiness, its OpenAPI document, and errors that nobody foresaw."""

import warnings
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker

from elcano.api.app import create_app
from elcano.service.errors import PROBLEMS
from elcano.service.temporal.connection import map_rpc_errors
from elcano.settings.settings import Settings


async def test_a_living_process_says_so(api: httpx.AsyncClient) -> None:
    assert (await api.get("/healthz")).json() == {"status": "ok"}


async def test_readiness_needs_a_worker(api: httpx.AsyncClient, make_worker: Callable[[], Worker]) -> None:
    before = await api.get("/readyz")
    assert before.status_code == 503
    checks = before.json()["checks"]
    assert (checks["temporal"]["ok"], checks["store"]["ok"], checks["worker"]["ok"]) == (True, True, False)
    assert "no worker polls" in checks["worker"]["detail"]
    async with make_worker():
        while (ready := await api.get("/readyz")).status_code == 503:
            pass
    assert ready.json()["ready"]
    after = await api.get("/readyz")
    assert after.status_code == 503
    assert "no worker polls" in after.json()["checks"]["worker"]["detail"]


async def test_readiness_needs_temporal(away: httpx.AsyncClient) -> None:
    answer = await away.get("/readyz")
    alive = await away.get("/healthz")
    assert answer.status_code == 503
    assert not answer.json()["checks"]["temporal"]["ok"]
    assert answer.json()["checks"]["store"]["ok"]
    assert alive.status_code == 200


async def test_readiness_needs_temporals_database(
    api: httpx.AsyncClient, make_worker: Callable[[], Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server whose disk is full says that it serves, and lists its search attributes."""

    async def ask(*_: Any, **__: Any) -> None:
        with map_rpc_errors():
            raise RPCError("shard status unknown", RPCStatusCode.UNAVAILABLE, b"")

    async with make_worker():
        while (await api.get("/readyz")).status_code == 503:
            pass
        monkeypatch.setattr("elcano.service.temporal.client.ask_for_execution", ask)
        answer = await api.get("/readyz")
    assert answer.status_code == 503
    assert "shard status unknown" in answer.json()["checks"]["temporal"]["detail"]


async def test_the_app_opens_its_own_store(tmp_path: Any) -> None:
    app = create_app(Settings(data_dir=tmp_path / "own"))
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
    async with app.router.lifespan_context(app), client as made:
        assert (await made.get("/v1/runs")).json() == {"runs": [], "next": None}
    assert (tmp_path / "own").is_dir()


def operations(app: FastAPI) -> list[tuple[str, dict[str, Any]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        document = app.openapi()
    return [
        (f"{method} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


async def test_every_operation_is_documented(app: FastAPI) -> None:
    found = operations(app)
    assert len(found) == 151, "an operation was added or removed: write down how many there are now"
    for name, operation in found:
        assert operation["summary"], name
        assert operation["description"], name
        assert "HTTPValidationError" not in str(operation), name
        for parameter in operation.get("parameters", []):
            if parameter["in"] != "path":
                assert parameter["description"], (name, parameter)
        for status, response in operation["responses"].items():
            assert response["description"], name
            if status != "default" and int(status) >= 400 and name != "get /readyz":
                assert list(response["content"]) == ["application/problem+json"], (name, status)


async def test_every_route_with_a_run_says_that_it_may_not_exist(app: FastAPI) -> None:
    for name, operation in operations(app):
        if "{run_id}" in name:
            assert "404" in operation["responses"], name


async def test_every_reference_of_the_document_leads_somewhere(app: FastAPI) -> None:
    document = app.openapi()

    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [ref for value in part.values() for ref in references(value)]
        return [ref for item in part for ref in references(item)] if isinstance(part, list) else []

    for reference in references(document):
        place: Any = document
        for name in reference.removeprefix("#/").split("/"):
            assert name in place, reference
            place = place[name]


async def test_every_field_of_the_api_is_described(app: FastAPI) -> None:
    schemas = app.openapi()["components"]["schemas"]
    for name in (
        "RunRequest",
        "BudgetRequest",
        "ModelRequest",
        "StopBody",
        "TopUpBody",
        "RunView",
        "RunList",
        "Problem",
        "StepList",
        "StepView",
        "BetweenView",
        "StepDetail",
        "Change",
        "RunComparison",
        "StepPair",
        "ClaimPair",
    ):
        for field, schema in schemas[name]["properties"].items():
            assert schema.get("description"), f"{name}.{field}"


def test_problem_types_are_named_once_per_meaning() -> None:
    names = {kind.name: kind for kind in PROBLEMS.values()}
    assert {(kind.name, kind.kind, kind.title) for kind in PROBLEMS.values()} == {
        (name, kind.kind, kind.title) for name, kind in names.items()
    }


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nothing", 404), ("PUT", "/v1/runs", 405)])
async def test_what_there_is_not_is_a_problem_too(api: httpx.AsyncClient, method: str, path: str, status: int) -> None:
    answer = await api.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["instance"] == path


async def test_an_error_that_nobody_foresaw_tells_nothing(app: FastAPI, api: httpx.AsyncClient) -> None:
    async def broken() -> None:
        raise ValueError("the password is 1234")

    app.router.routes.append(APIRoute("/broken", broken))
    answer = await api.get("/broken")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "1234" not in answer.text


async def test_other_origins_get_no_permission(api: httpx.AsyncClient) -> None:
    answer = await api.get("/healthz", headers={"Origin": "https://elsewhere.example"})
    assert "access-control-allow-origin" not in answer.headers
