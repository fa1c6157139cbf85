"""What is wrong with a graph is told over HTTP with its place in the body, whatever was sent; nothing is ever a 500."""

import asyncio
import json
from random import Random
from typing import Any

import httpx
import pytest

from elcano.graphs.mode_choice import MODES
from tests.api.test_own_graphs import team
from tests.unit.graphs.spec.test_fault_places import at, mutated

Graph = dict[str, Any]


def simple(**changes: Any) -> Graph:
    graph: Graph = json.loads(MODES["simple"].model_dump_json())
    return {**graph, "name": "mine", **changes}


async def told(api: httpx.AsyncClient, path: str, body: Any) -> list[tuple[str, str]]:
    """The pointer and the message of each fault of a body that is refused."""
    answer = await api.post(path, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    return [(fault["pointer"], fault["message"]) for fault in answer.json()["errors"]]


async def test_a_fault_has_its_place_wherever_the_graph_is_sent(api: httpx.AsyncClient) -> None:
    graph = simple()
    graph["nodes"][1]["agent"] = "jugde"
    graph["nodes"][3]["limits"] = {"model": "gpt-5.1", "tokens": 5}
    places = {"/nodes/1/agent", "/nodes/3/limits/model", "/nodes/3/limits/tokens"}
    assert {place for place, _ in await told(api, "/v1/graphs", graph)} == places
    inline = {"question": "Why?", "graph": graph}
    assert {place for place, _ in await told(api, "/v1/runs", inline)} == {f"/graph{place}" for place in places}
    verdict = (await api.post("/v1/graphs/validate", json=graph)).json()
    assert {fault["pointer"] for fault in verdict["errors"]} == places
    assert [fault["message"] for fault in verdict["errors"]] == verdict["faults"]


async def test_faults_are_told_in_words(api: httpx.AsyncClient) -> None:
    verdict = (await api.post("/v1/graphs/validate", json={**simple(), "name": "My way"})).json()
    assert verdict["faults"] == ["name: must be 1 to 48 small letters, digits and `_`, the first a letter"]
    assert (await api.post("/v1/graphs/validate", json=[])).json()["faults"] == ["body: must be a JSON object"]
    assert (await api.post("/v1/graphs", json=[])).json()["detail"] == "body: must be a JSON object"


async def test_a_fault_inside_a_named_graph_has_the_place_of_its_name(api: httpx.AsyncClient) -> None:
    ((place, said),) = await told(api, "/v1/graphs", team("iteratve"))
    assert (place, "did you mean 'iterative'?" in said) == ("/branches/member", True)
    graph = team("iterative")
    graph["edges"][1]["inputs"] = {}
    graph["edges"][1]["branch"] = "membr"
    places = {place for place, _ in await told(api, "/v1/graphs", graph)}
    assert places == {"/edges/1/inputs", "/edges/1/branch", "/branches/member"}


async def test_two_edges_into_one_branch_are_a_fault(api: httpx.AsyncClient) -> None:
    graph = team("simple")
    del graph["nodes"][1]["for_each"]
    graph["edges"].append(graph["edges"][1])
    ((place, said),) = await told(api, "/v1/graphs", graph)
    assert (place, "for_each" in said) == ("/nodes/1", True)


DEEP: Any = "simple"
for _ in range(20):
    DEEP = team(DEEP)


@pytest.mark.parametrize(
    ("graph", "place"),
    [
        ({**simple(), "nodes": [{"kind": "decision", "id": "n"}] * 10_000}, "/nodes"),
        ({**simple(), "result": {"long": "a" * 100_000}}, "/result/long"),
        ({**simple(), "result": {"long": "[" * 400}}, "/result/long"),
        ({**simple(), "result": {f"r{number}": "a" * 499 for number in range(250)}}, ""),
        (DEEP, "/branches/member/branches/member/branches/member"),
        ({**simple(), "nodes": "all of them"}, "/nodes"),
        ({**simple(), "name": "Ä" * 10_000}, "/name"),
        ({**simple(), "exit_nodes": ["\x00", "/", "~"]}, "/exit_nodes/0"),
        ({**simple(), "edges": [{"kind": "sequential"}] * 60}, "/edges/0"),
    ],
)
async def test_what_is_huge_deep_or_of_another_kind_is_refused_with_a_place(
    api: httpx.AsyncClient, graph: Graph, place: str
) -> None:
    found = await told(api, "/v1/graphs", graph)
    assert place in [pointer for pointer, _ in found]
    assert len(found) <= 51
    assert all(len(message) < 2_000 for _, message in found)


async def test_mutated_graphs_are_kept_or_refused_with_places_that_are_there(api: httpx.AsyncClient) -> None:
    statuses = set()
    for seed in range(1_000, 1_060):
        graph = {**mutated(Random(seed)), "name": "mine"}
        answer = await api.post("/v1/graphs", json=graph)
        statuses.add(answer.status_code)
        assert answer.status_code in (200, 201, 422), answer.text
        if answer.status_code == 422:
            assert answer.json()["errors"]
            for fault in answer.json()["errors"]:
                at(graph, fault["pointer"])
        else:
            walked = await api.post("/v1/graphs/mine/dry-run", json={"question": "Why?"})
            assert walked.status_code == 200, walked.text
    assert statuses == {200, 201, 422} or statuses == {201, 422}


async def test_the_same_push_twice_at_once_is_one_version(api: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(api.post("/v1/graphs", json=simple()) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 200, 200, 201]
    assert {answer.json()["version"] for answer in answers} == {1}
