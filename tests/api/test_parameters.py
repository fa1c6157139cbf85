"""A parameter that a route does not have is refused by its name, on every route alike."""

import httpx
from fastapi import FastAPI

from tests.api.every_route import routes


async def test_no_route_ignores_a_parameter(app: FastAPI, api: httpx.AsyncClient) -> None:
    asked = [route for route in routes(app.openapi()) if route.method == "get"]
    asked += [route for route in routes(app.openapi()) if route.method in ("post", "delete")]
    assert len(asked) > 50
    for route in asked:
        answer = await api.request(route.method, route.fill_path("run-1"), params={"befor": "x"}, json=route.body)
        assert (answer.status_code, answer.json()["type"]) == (422, "urn:elcano:request-invalid"), str(route)
        assert [fault["field"] for fault in answer.json()["errors"]] == ["befor"], str(route)


async def test_the_answer_names_those_that_there_are(api: httpx.AsyncClient) -> None:
    answer = await api.get("/v1/runs", params={"before": "x", "limit": 2, "page": 3})
    faults = {fault["field"]: fault["message"] for fault in answer.json()["errors"]}
    assert set(faults) == {"before", "page"}
    assert faults["before"].startswith("is no parameter of this path, which has limit, cursor, status")
    plain = await api.get("/v1/modes", params={"limit": 2})
    assert plain.json()["errors"] == [{"field": "limit", "message": "is no parameter of this path, which has none"}]


async def test_parameters_that_there_are_pass(api: httpx.AsyncClient) -> None:
    assert (await api.get("/v1/runs", params={"limit": 2, "status": "running"})).status_code == 200
    assert (await api.head("/v1/runs", params={"limit": 2})).status_code == 200
