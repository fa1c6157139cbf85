"""Agents of one's own over HTTP: kept in versions, read, deleted, called by the graphs of runs."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from elcano.graphs.catalogue.agents import AGENTS
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.asking import QUESTION, start
from tests.api.serving import speaking
from tests.unit.graphs.own_agents import SCREENER, screened

Json = dict[str, Any]
MODEL = {"model": "openai:gpt-5.1"}


def called(name: str = "screener", **changes: Any) -> Json:
    return {**SCREENER, "name": name, **changes}


async def kept(api: httpx.AsyncClient, agent: Json, path: str = "/v1/agents") -> Json:
    answer = await api.post(path, json=agent)
    assert answer.status_code in (200, 201), answer.text
    card: Json = answer.json()
    return card


async def test_an_agent_is_kept_in_versions(api: httpx.AsyncClient) -> None:
    first = await api.post("/v1/agents", json=called())
    assert (first.status_code, first.json()["version"]) == (201, 1)
    assert first.headers["Location"] == "/v1/agents/screener@1"
    again = await api.post("/v1/agents", json=called())
    assert (again.status_code, again.json()) == (200, first.json())
    assert (await kept(api, called(description="other")))["version"] == 2
    view = (await api.get("/v1/agents/screener@1")).json()
    assert view["definition"]["description"] == SCREENER["description"]
    assert view["output"] == SCREENER["output"]
    assert view["outputs"] == ["kept", "why", "studies", "verdict"]
    assert {one["name"]: one["required"] for one in view["inputs"]} == {
        **{"question": True, "background": False, "guidance": False, "language": False},
        **{"reader": True, "strict": False, "evidence": True},
    }
    assert await kept(api, {**view["definition"], "description": "third"})
    assert [one["version"] for one in (await api.get("/v1/agents/screener/versions")).json()] == [3, 2, 1]


async def test_all_agents_are_listed_with_what_they_take_and_give(api: httpx.AsyncClient) -> None:
    await kept(api, called())
    cards = {card["name"]: card for card in (await api.get("/v1/agents")).json()}
    assert cards.keys() == {*AGENTS, "screener"}
    judge = cards["judge"]
    assert (judge["version"], judge["passages"], judge["writes"]) == (None, True, False)
    assert "sufficient" in judge["outputs"]
    assert cards["writer"]["writes"]
    for name in AGENTS:
        view = (await api.get(f"/v1/agents/{name}")).json()
        assert view["instructions"]
        assert view["definition"] is None


async def test_a_deleted_agent_is_gone_and_its_numbers_are_not_used_again(api: httpx.AsyncClient) -> None:
    await kept(api, called())
    assert (await api.delete("/v1/agents/screener@1")).status_code == 422
    assert (await api.delete("/v1/agents/screener")).status_code == 204
    for path in ("", "@1", "/versions"):
        answer = await api.get(f"/v1/agents/screener{path}")
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:elcano:agent-not-found")
    assert (await api.delete("/v1/agents/screener")).status_code == 404
    assert (await kept(api, called()))["version"] == 2


async def test_a_built_in_agent_stays_what_it_is(api: httpx.AsyncClient) -> None:
    answer = await api.post("/v1/agents", json=called("judge"))
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "/name")
    assert (await api.delete("/v1/agents/judge")).status_code == 422
    assert "built-in" in (await api.get("/v1/agents/judge/versions")).json()["detail"]
    assert "did you mean 'judge'?" in (await api.get("/v1/agents/jugde")).json()["detail"]


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"name": "Größe", "output": {"type": "object"}}, {"/name", "/output/properties"}),
        ({"instructions": "x" * 30_000}, {"/instructions"}),
        ({"inputs": [{"name": "a", "type": "text"}], "model": 3}, {"/inputs/0/type", "/model"}),
        ({"inputs": [{"name": f"a{number}"} for number in range(99)]}, {"/inputs"}),
        ({"output": []}, {"/output"}),
        ({"unknown": 1, "output_tokens": 10**9}, {"/unknown", "/output_tokens"}),
        ({"model": "gpt", "inputs": [{"name": "question"}]}, {"/model", "/inputs/0/name"}),
        ({"instructions": " ", "output": {"type": "object", "properties": {"a": {"oneOf": []}}}},
         {"/instructions", "/output/properties/a", "/output/properties/a/oneOf"}),
    ],
)  # fmt: skip
async def test_what_cannot_work_is_told_at_once_with_its_places(
    api: httpx.AsyncClient, changes: Json, fields: set[str]
) -> None:
    answer = await api.post("/v1/agents", json=called(**changes))
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:elcano:request-invalid")
    assert {one["field"] for one in answer.json()["errors"]} == fields
    assert (await api.get("/v1/agents/screener")).status_code == 404


@pytest.mark.parametrize("body", [[], "x", 1, None, {}])
async def test_what_is_no_agent_is_not_kept(api: httpx.AsyncClient, body: object) -> None:
    assert (await api.post("/v1/agents", json=body)).status_code == 422


async def test_a_megabyte_of_instructions_is_refused(api: httpx.AsyncClient) -> None:
    answer = await api.post("/v1/agents", json=called(instructions="x" * 1_100_000))
    assert answer.status_code == 413


async def test_pushes_of_one_name_at_once_are_all_kept(api: httpx.AsyncClient) -> None:
    cards = await asyncio.gather(*(kept(api, called(description=f"text {number}")) for number in range(8)))
    assert sorted(card["version"] for card in cards) == list(range(1, 9))


async def test_a_graph_takes_the_agents_with_it_that_it_calls(api: httpx.AsyncClient) -> None:
    await kept(api, called())
    await kept(api, screened(), "/v1/graphs")
    await kept(api, called(description="changed"))
    graph = (await api.get("/v1/graphs/screened")).json()
    assert graph["nodes"][1]["agent"] == "screener@1"
    assert graph["agents"]["screener@1"]["description"] == SCREENER["description"]
    assert (await kept(api, graph, "/v1/graphs"))["version"] == 1
    assert (await kept(api, screened(), "/v1/graphs"))["version"] == 2  # it means the latest agent now
    assert (await kept(api, screened("screener@1"), "/v1/graphs"))["version"] == 3
    assert (await api.delete("/v1/agents/screener")).status_code == 204
    assert (await api.get("/v1/graphs/screened")).json()["agents"].keys() == {"screener@1"}
    walked = (await api.post("/v1/graphs/screened/dry-run", json={"question": "Why?"})).json()
    assert [step["calls"] for step in walked["steps"]] == ["search", "screener@1", "writer"]
    gone = (await api.post("/v1/graphs", json=screened())).json()
    assert "unknown agent 'screener'" in gone["errors"][0]["message"]


async def test_an_agent_in_a_graph_is_not_passed_off_as_another_one(api: httpx.AsyncClient) -> None:
    await kept(api, called())
    forged = {**screened("screener@1"), "agents": {"screener@1": called(instructions="Do as you like.")}}
    answer = await api.post("/v1/graphs", json=forged)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "graph.agents.screener@1")
    inline = {**screened(), "agents": {"screener": called(instructions="Another one.")}}
    assert (await api.post("/v1/graphs/validate", json=inline)).json() == {"valid": True, "faults": [], "errors": []}


async def test_wrong_use_is_named_with_what_was_meant(api: httpx.AsyncClient) -> None:
    await kept(api, called())
    graph = screened(readr="question")
    graph["nodes"][2]["inputs"]["evidence"] = "outputs.screen.keep"
    told = (await api.post("/v1/graphs/validate", json=graph)).json()["faults"]
    assert any("unknown input 'readr'; did you mean 'reader'?" in one for one in told)
    assert any("unknown field 'keep'; did you mean 'kept'?" in one for one in told)
    for name in ("screner", "screener@9"):
        told = (await api.post("/v1/graphs/validate", json=screened(name))).json()["faults"]
        assert told == [f"node 'screen': unknown agent {name!r}; did you mean 'screener'?"]


async def test_a_run_keeps_the_version_that_it_started_with(api: httpx.AsyncClient, store: Store) -> None:
    await kept(api, called())
    await kept(api, screened(), "/v1/graphs")
    for asked in ({"mode": "screened"}, {"graph": screened()}):
        run_id = await start(api, **asked, **MODEL)
        assert (await api.get(f"/v1/runs/{run_id}")).json()["mode"] == "screened"
    by_name: Json = {"model": {"default": "openai:a", "by_agent": {"screener": "openai:gpt-5.1"}}}
    assert await start(api, mode="screened", **by_name)


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("offline", "model.default"),
        ({"default": "openai:a", "by_agent": {"screener": "offline"}}, "model.by_agent.screener"),
        ({"default": "openai:a", "by_agent": {"screner": "offline"}}, "model.by_agent"),
    ],
)
async def test_without_a_language_model_it_is_refused_with_what_to_do(
    api: httpx.AsyncClient, model: object, field: str
) -> None:
    await kept(api, called())
    answer = await api.post("/v1/runs", json={"question": QUESTION, "graph": screened(), "model": model})
    assert answer.status_code == 422, answer.text
    (fault,) = answer.json()["errors"]
    assert fault["field"] == field
    assert "dry-run" in fault["message"] or "did you mean" in fault["message"]
    assert (await api.get("/v1/runs")).json()["runs"] == []


async def test_what_the_workers_go_by_counts_where_it_is_known(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    knowing = api_settings.model_copy(update={"shared_environment": True, "model": "offline"})
    async with speaking(make_app(knowing)) as api:
        await kept(api, called())
        answer = await api.post("/v1/runs", json={"question": QUESTION, "graph": screened()})
        assert answer.status_code == 422
        assert "ELCANO_MODEL" in answer.json()["errors"][0]["message"]
