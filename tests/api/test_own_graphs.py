"""Graphs of one's own over HTTP: kept in versions, read, drawn, deleted, run by name, and used within others."""

import asyncio
from typing import Any

import httpx
import pytest

from elcano.graphs.mode_choice import MODES
from tests.api.asking import start

Graph = dict[str, Any]


def called(name: str, **changes: Any) -> Graph:
    return {**MODES["simple"].model_dump(mode="json"), "name": name, **changes}


def team(branch: object) -> Graph:
    """A graph whose branches are what is given."""
    return {
        "name": "team",
        "nodes": [
            {"kind": "state", "id": "begin", "reducer": "set_values", "inputs": {"values": '`{"parts": [1, 2]}`'}},
            {"kind": "parallel", "id": "members", "for_each": "values.parts"},
            {"kind": "state", "id": "end", "reducer": "set_values", "inputs": {}},
        ],
        "edges": [
            {"kind": "sequential", "from_node": "begin", "to_node": "members"},
            {"kind": "parallel", "from_node": "members", "branch": "member", "inputs": {"question": "question"}},
            {"kind": "sequential", "from_node": "members", "to_node": "end"},
        ],
        "entry_node": "begin",
        "exit_nodes": ["end"],
        "branches": {"member": branch},
        "result": {"parts": "values.parts"},
    }


async def kept(api: httpx.AsyncClient, graph: Graph) -> dict[str, Any]:
    answer = await api.post("/v1/graphs", json=graph)
    assert answer.status_code in (200, 201), answer.text
    card: dict[str, Any] = answer.json()
    return card


async def test_a_graph_is_kept_in_versions(api: httpx.AsyncClient) -> None:
    first = await api.post("/v1/graphs", json=called("mine"))
    assert (first.status_code, first.json()["version"]) == (201, 1)
    assert first.headers["Location"] == "/v1/graphs/mine@1"
    again = await api.post("/v1/graphs", json=called("mine"))
    assert (again.status_code, again.json()) == (200, first.json())
    second = await api.post("/v1/graphs", json=called("mine", description="other"))
    assert (second.status_code, second.json()["version"]) == (201, 2)
    assert (await api.get("/v1/graphs/mine")).json()["description"] == "other"
    assert (await api.get("/v1/graphs/mine@1")).json() == called("mine")
    assert (await api.get(first.headers["Location"])).json() == called("mine")
    assert [one["version"] for one in (await api.get("/v1/graphs/mine/versions")).json()] == [2, 1]
    assert "flowchart" in (await api.get("/v1/graphs/mine?format=mermaid")).text
    listed = {card["name"]: card["version"] for card in (await api.get("/v1/graphs")).json()}
    assert listed == {**dict.fromkeys(MODES), "mine": 2}


async def test_a_deleted_graph_is_gone_and_its_numbers_are_not_used_again(api: httpx.AsyncClient) -> None:
    await kept(api, called("mine"))
    assert (await api.delete("/v1/graphs/mine@1")).status_code == 422
    assert (await api.delete("/v1/graphs/mine")).status_code == 204
    for answer in (
        await api.get("/v1/graphs/mine"),
        await api.get("/v1/graphs/mine@1"),
        await api.get("/v1/graphs/mine/versions"),
        await api.delete("/v1/graphs/mine"),
    ):
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:elcano:graph-not-found")
    assert (await kept(api, called("mine")))["version"] == 2


@pytest.mark.parametrize("name", ["iterative", "deep"])
async def test_a_built_in_graph_stays_what_it_is(api: httpx.AsyncClient, name: str) -> None:
    answer = await api.post("/v1/graphs", json=called(name))
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "graph.name")
    assert (await api.delete(f"/v1/graphs/{name}")).status_code == 422
    assert (await api.get(f"/v1/graphs/{name}")).json() == MODES[name].model_dump(mode="json")
    assert (await api.get(f"/v1/graphs/{name}/versions")).status_code == 404


@pytest.mark.parametrize("name", ["validate", "schema"])
async def test_a_name_that_stands_for_something_else_is_refused(api: httpx.AsyncClient, name: str) -> None:
    answer = await api.post("/v1/graphs", json=called(name))
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "graph.name")
    assert "is a path of this API" in answer.json()["errors"][0]["message"]


@pytest.mark.parametrize("body", [[], "x", 1, None])
async def test_what_is_no_graph_is_not_kept(api: httpx.AsyncClient, body: object) -> None:
    assert (await api.post("/v1/graphs", json=body)).status_code == 422


async def test_a_graph_with_faults_is_not_kept_and_all_are_told(api: httpx.AsyncClient) -> None:
    wrong = called("mine", entry_node="nowhere", exit_nodes=["nothing"])
    answer = await api.post("/v1/graphs", json=wrong)
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:elcano:graph-invalid")
    assert {"'nowhere'", "'nothing'"} <= {word for one in answer.json()["errors"] for word in one["message"].split()}
    assert (await api.get("/v1/graphs/mine")).status_code == 404
    assert (await api.get("/v1/graphs/mne")).json()["detail"].startswith("unknown graph 'mne'")


async def test_pushes_of_one_name_at_once_are_all_kept(api: httpx.AsyncClient) -> None:
    cards = await asyncio.gather(*(kept(api, called("mine", description=f"text {number}")) for number in range(8)))
    assert sorted(card["version"] for card in cards) == list(range(1, 9))
    for card in cards:
        read = (await api.get(f"/v1/graphs/mine@{card['version']}")).json()
        assert read["description"] == card["description"]


async def test_a_run_is_started_by_name_and_keeps_the_graph_it_started_with(api: httpx.AsyncClient) -> None:
    await kept(api, called("mine", description="one"))
    await kept(api, called("mine", description="two"))
    for mode in ("mine", "mine@1"):
        run_id = await start(api, mode=mode)
        assert (await api.get(f"/v1/runs/{run_id}")).json()["mode"] == "mine"
    assert (await api.delete("/v1/graphs/mine")).status_code == 204
    answer = await api.post("/v1/runs", json={"question": "Why?", "mode": "mine"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "mode")


@pytest.mark.parametrize("mode", ["mine@3", "mine@0", "mine@", "@1", "mine@1@1", "MINE", "mine@99999999999"])
async def test_a_version_that_there_is_not_is_refused(api: httpx.AsyncClient, mode: str) -> None:
    await kept(api, called("mine"))
    answer = await api.post("/v1/runs", json={"question": "Why?", "mode": mode})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "mode")


async def test_a_graph_of_ones_own_does_not_run_as_a_chain(api: httpx.AsyncClient) -> None:
    await kept(api, called("mine"))
    answer = await api.post("/v1/runs", json={"question": "Why?", "mode": "mine", "use_graph": False})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "mode")


async def test_a_branch_is_named_and_stays_what_it_was(api: httpx.AsyncClient) -> None:
    member = called("member")
    await kept(api, member)
    await kept(api, team("member"))
    await kept(api, {**member, "description": "changed"})
    assert (await api.get("/v1/graphs/team")).json()["branches"]["member"] == member
    await api.delete("/v1/graphs/member")
    assert (await api.get("/v1/graphs/team")).json()["branches"]["member"] == member
    assert (await api.post("/v1/graphs/validate", json=team("iterative"))).json()["valid"]
    nested = {**team(team("iterative")), "name": "outer"}
    await kept(api, nested)
    inner = (await api.get("/v1/graphs/outer")).json()["branches"]["member"]
    assert inner["branches"]["member"]["name"] == "iterative"


async def test_a_branch_that_there_is_not_is_named_with_its_place(api: httpx.AsyncClient) -> None:
    for path, body in (
        ("/v1/graphs", team("iteratve")),
        ("/v1/runs", {"question": "Why?", "graph": team("iteratve")}),
    ):
        fault = (await api.post(path, json=body)).json()["errors"][0]
        assert fault["field"] == "graph.branches.member"
        assert "did you mean 'iterative'?" in fault["message"]
    told = (await api.post("/v1/graphs/validate", json=team(team("iteratve")))).json()["faults"]
    assert told[0].startswith("branches.member.branches.member: unknown graph 'iteratve'")


async def test_hostile_branches_are_refused(api: httpx.AsyncClient) -> None:
    many = {**team("iterative"), "branches": {f"b{number}": f"no{number}" for number in range(5_000)}}
    deep: object = "iterative"
    for _ in range(40):
        deep = team(deep)
    for graph in (many, deep, {**team("iterative"), "branches": {"member": ["iterative"]}}):
        answer = await api.post("/v1/graphs", json=graph)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"]


async def test_a_dry_run_shows_the_way_that_a_graph_goes(api: httpx.AsyncClient) -> None:
    answers = {"judge": [{"next_search_queries": ["deeper"]}, {"recommendation": "synthesize"}]}
    body = {"question": "Why?", "sources": ["a", "b"], "answers": answers}
    walked = (await api.post("/v1/graphs/simple/dry-run", json=body)).json()
    way = ["search", "judge", "enough", "search", "judge", "enough", "synthesize"]
    assert [step["node"] for step in walked["steps"]] == way
    assert [one["input"]["query"] for one in walked["steps"][3]["output"]["items"]] == ["deeper", "deeper"]
    assert (walked["ending"], walked["unvisited"], walked["cut"]) == (None, [], False)
    assert (await api.get("/v1/runs")).json()["runs"] == []


async def test_a_dry_run_goes_through_branches_and_tells_what_gave_nothing(api: httpx.AsyncClient) -> None:
    graph = team("simple")
    graph["nodes"][2]["inputs"] = {"values": "outputs.members.nothing_here"}
    graph["nodes"].append({"kind": "state", "id": "never", "reducer": "set_values"})
    graph["edges"] += [
        {"kind": "conditional", "from_node": "begin", "to_node": "never", "when": "values.never"},
        {"kind": "sequential", "from_node": "never", "to_node": "end"},
    ]
    refused = (await api.post("/v1/graphs", json=graph)).json()["errors"]
    assert "nothing_here" in refused[0]["message"]  # what can be known without a walk is said before
    graph["nodes"][2]["inputs"] = {"values": "values.nothing"}
    await kept(api, graph)
    walked = (await api.post("/v1/graphs/team/dry-run", json={"question": "Why?"})).json()
    paths = [step["path"] for step in walked["steps"]]
    assert {path.rpartition(".")[2] for path in paths} == {"", "member-1", "member-2"}
    own = {step["node"]: step for step in walked["steps"] if not step["path"]}
    assert own["end"]["nulls"] == ["inputs.values: values.nothing"]
    assert own["begin"]["nulls"] == ["when: values.never"]
    assert walked["unvisited"] == ["never"]
    assert (own["end"]["outcome"], walked["failure"]) == ("completed", "")  # a field with a default may have no value


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"question": ""}, "question"),
        ({"question": "Why?", "answers": {"jugde": [{}]}}, "answers.jugde"),
        ({"question": "Why?", "answers": {"judge": {}}}, "answers.judge"),
        ({"question": "Why?", "budget": {"tokens": -1}}, "budget.tokens"),
    ],
)
async def test_a_dry_run_that_cannot_be_is_refused(api: httpx.AsyncClient, body: object, field: str) -> None:
    answer = await api.post("/v1/graphs/simple/dry-run", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert (await api.post("/v1/graphs/nosuch/dry-run", json={"question": "Why?"})).status_code == 404


async def test_an_answer_that_does_not_fit_is_a_failure_of_its_node(api: httpx.AsyncClient) -> None:
    body = {"question": "Why?", "answers": {"judge": [{"confidence": "high"}]}}
    walked = (await api.post("/v1/graphs/simple/dry-run", json=body)).json()
    judged = next(step for step in walked["steps"] if step["node"] == "judge")
    assert (judged["outcome"], walked["ending"]["kind"]) == ("failed", "node_failed")
    assert "confidence" in judged["reason"]


async def test_a_dry_run_comes_to_an_end(api: httpx.AsyncClient) -> None:
    """Branches within branches within branches, as many as may be."""
    many = '`{"parts": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]}`'
    graph: Graph = MODES["iterative"].model_dump(mode="json")
    for level in range(2):
        graph = {**team(graph), "name": f"level{level}"}
        graph["nodes"][0]["inputs"]["values"] = many
    await kept(api, graph)
    body = {"question": "Why?", "budget": {"tokens": 10_000_000}}
    walked = (await api.post(f"/v1/graphs/{graph['name']}/dry-run", json=body)).json()
    assert walked["cut"]
    assert walked["steps"]
