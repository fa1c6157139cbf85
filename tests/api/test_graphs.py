"""Graphs over HTTP: the list, one graph in its forms, the schema, and every fault of one of your own."""

import json
import threading
from typing import Any

import httpx
import pytest

from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.drawing import render_mermaid
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import MAX_FAULTS
from elcano.service.runs import named_graphs


async def test_the_built_in_graphs_are_listed(api: httpx.AsyncClient) -> None:
    cards = {card["name"]: card for card in (await api.get("/v1/graphs")).json()}
    assert cards.keys() == MODES.keys()
    assert cards["iterative"]["nodes"] == len(MODES["iterative"].nodes)
    assert "judge" in cards["iterative"]["agents"]


@pytest.mark.parametrize(
    ("query", "accept", "form"),
    [
        ("", None, "application/json"),
        ("", "text/vnd.mermaid", "text/vnd.mermaid"),
        ("", "text/plain", "text/plain"),
        ("?format=mermaid", "application/json", "text/vnd.mermaid"),
        ("?format=json", "text/plain", "application/json"),
    ],
)
async def test_a_graph_comes_in_the_form_that_is_wanted(
    api: httpx.AsyncClient, query: str, accept: str | None, form: str
) -> None:
    headers = {} if accept is None else {"Accept": accept}
    answer = await api.get(f"/v1/graphs/iterative{query}", headers=headers)
    assert answer.headers["content-type"].partition(";")[0] == form
    if form == "application/json":
        assert ResearchGraph.model_validate_json(answer.content) == MODES["iterative"]
    else:
        assert answer.text == render_mermaid(MODES["iterative"])


@pytest.mark.parametrize(("path", "status"), [("nothing", 404), ("%00", 404), ("iterative?format=png", 422)])
async def test_a_graph_that_there_is_not_is_refused(api: httpx.AsyncClient, path: str, status: int) -> None:
    answer = await api.get(f"/v1/graphs/{path}")
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


async def test_the_schema_describes_a_graph(api: httpx.AsyncClient) -> None:
    assert (await api.get("/v1/graphs/schema")).json() == json.loads(json.dumps(ResearchGraph.model_json_schema()))


async def test_a_graph_without_faults_is_valid(api: httpx.AsyncClient) -> None:
    answer = await api.post("/v1/graphs/validate", json=MODES["iterative"].model_dump(mode="json"))
    assert answer.json() == {"valid": True, "faults": [], "errors": []}


async def test_every_fault_is_told(api: httpx.AsyncClient) -> None:
    graph = MODES["iterative"].model_dump(mode="json")
    graph["entry_node"] = "nowhere"
    next(node for node in graph["nodes"] if node["id"] == "thinking")["agent"] = "thinkng"
    verdict = (await api.post("/v1/graphs/validate", json=graph)).json()
    assert not verdict["valid"]
    assert any("'nowhere'" in fault for fault in verdict["faults"])
    assert any("did you mean 'thinking'" in fault for fault in verdict["faults"])


@pytest.mark.parametrize(
    ("graph", "place"),
    [
        ({"name": "x", "nodes": [{"kind": "agent", "id": "BAD ID", "agent": "judge"}]}, "nodes.0.id"),
        ({"name": "x", "nodes": [{"kind": "robot", "id": "a"}]}, "nodes.0"),
        ({"name": "x"}, "entry_node"),
        ([], "body"),
        ("graph", "body"),
        (None, "body"),
    ],
)
async def test_a_wrong_type_is_a_fault_too(api: httpx.AsyncClient, graph: Any, place: str) -> None:
    answer = await api.post(
        "/v1/graphs/validate", content=json.dumps(graph), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 200
    verdict = answer.json()
    assert not verdict["valid"]
    assert any(fault.startswith(f"{place}: ") for fault in verdict["faults"])


def nested(levels: int) -> str:
    leaf = '{"name": "a", "nodes": [], "entry_node": "a", "exit_nodes": []'
    return f'{leaf}, "branches": {{"b": ' * levels + leaf + "}" + "}}" * levels


@pytest.mark.parametrize("levels", [4, 100, 400, 2_000])
async def test_graphs_nested_too_deep_are_refused(api: httpx.AsyncClient, levels: int) -> None:
    answer = await api.post("/v1/graphs/validate", content=nested(levels), headers={"content-type": "application/json"})
    assert answer.status_code == 400 or answer.json()["valid"] is False


async def test_a_body_that_is_no_json_is_refused(api: httpx.AsyncClient) -> None:
    answer = await api.post("/v1/graphs/validate", content=b"{", headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["type"] == "urn:elcano:body-unreadable"


def large(nodes: int) -> dict[str, Any]:
    """A graph of so many nodes."""
    named = [{"kind": "state", "id": f"n{number}", "reducer": "set_value"} for number in range(nodes)]
    return {"name": "large", "nodes": named, "entry_node": "n0", "exit_nodes": ["n0"]}


async def test_a_graph_of_ten_thousand_nodes_is_refused_with_its_count(api: httpx.AsyncClient) -> None:
    verdict = (await api.post("/v1/graphs/validate", json=large(10_000))).json()
    too_many = "10000 nodes are more than 200"
    place = {"field": "", "message": too_many, "pointer": "/nodes"}
    assert verdict == {"valid": False, "faults": [too_many], "errors": [place]}
    answer = await api.post("/v1/runs", json={"question": "Why?", "graph": large(10_000)})
    assert answer.status_code == 422
    problem = answer.json()
    assert problem["type"] == "urn:elcano:graph-invalid"
    assert "10000 nodes are more than 200" in json.dumps(problem)


async def test_of_many_faults_the_first_are_told(api: httpx.AsyncClient) -> None:
    wrong = {"name": "x", "nodes": [{"kind": "state", "id": "BAD"}] * 150, "entry_node": "a", "exit_nodes": ["a"]}
    for graph in (large(200), wrong):
        found = (await api.post("/v1/graphs/validate", json=graph)).json()["faults"]
        assert len(found) == MAX_FAULTS + 1
        assert found[-1] == "and more: mend these first"


async def test_a_graph_is_looked_at_in_a_thread_of_its_own(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def watched(graph: object) -> list[str]:
        threads.append(threading.current_thread())
        return ["seen"]

    monkeypatch.setattr(named_graphs, "size_faults", watched)
    await api.post("/v1/graphs/validate", json=large(1))
    await api.post("/v1/runs", json={"question": "Why?", "graph": large(1)})
    assert len(threads) == 2
    assert threading.current_thread() not in threads
