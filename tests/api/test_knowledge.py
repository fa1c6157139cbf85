"""The knowledge graph over HTTP: found by words, by node and by path; bad input is a problem document, never a 500."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.settings.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.subjects.knowledge.graph import build_knowledge_edge, build_knowledge_node
from elcano.subjects.knowledge.knowledge_store import get_graph
from tests.api.serving import connecting, speaking

RUN = build_knowledge_node("run", "run-1", "Does aspirin prevent strokes?")
PAPER = build_knowledge_node("document", "doi:10.1/a", "Aspirin and stroke", url="https://doi.org/10.1/a", year=2018)
CLAIM = build_knowledge_node("claim", "Aspirin lowers the risk of stroke.", "Aspirin lowers the risk of stroke.")
ENTITY = build_knowledge_node("entity", "aspirin", "Aspirin")
EDGES = [
    build_knowledge_edge("found", RUN.id, PAPER.id, "run-1", evidence="ev-1"),
    build_knowledge_edge("stated", RUN.id, CLAIM.id, "run-1", support="supported"),
    build_knowledge_edge("cites", CLAIM.id, PAPER.id, "run-1", evidence="ev-1", support="supported"),
    build_knowledge_edge("mentions", CLAIM.id, ENTITY.id, "run-1", evidence="ev-1"),
]
NOBODY = f"claim-{'0' * 24}"


@pytest.fixture
async def _filled(store: Store) -> None:
    await get_graph(store.of("default")).upsert([RUN, PAPER, CLAIM, ENTITY], EDGES)


async def json_of(api: httpx.AsyncClient, path: str) -> Any:
    answer = await api.get(f"/v1/knowledge{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_an_empty_graph_says_so(api: httpx.AsyncClient) -> None:
    assert await json_of(api, "") == {"nodes": {}, "edges": {}, "cypher": False}
    assert await json_of(api, "/search?q=aspirin") == []


@pytest.mark.usefixtures("_filled")
async def test_it_is_found_by_words_by_node_and_by_path(api: httpx.AsyncClient) -> None:
    hits = await json_of(api, "/search?q=stroke%20aspirin&kind=claim&kind=document")
    assert {hit["node"]["id"] for hit in hits} == {CLAIM.id, PAPER.id}
    assert await json_of(api, f"/nodes/{PAPER.id}") == PAPER.model_dump()
    page = await json_of(api, f"/nodes/{CLAIM.id}/neighbours?limit=2")
    rest = await json_of(api, f"/nodes/{CLAIM.id}/neighbours?limit=2&cursor={page['next']}")
    assert rest["next"] is None
    both = page["neighbours"] + rest["neighbours"]
    assert {one["node"]["id"] for one in both} == {RUN.id, PAPER.id, ENTITY.id}
    assert {one["edge"]["evidence"] for one in both} == {"", "ev-1"}
    (path,) = (await json_of(api, f"/paths?from={PAPER.id}&to={ENTITY.id}"))["paths"]
    assert [one["id"] for one in path["nodes"]] == [PAPER.id, CLAIM.id, ENTITY.id]
    assert [one["kind"] for one in path["edges"]] == ["cites", "mentions"]
    assert (await json_of(api, "?"))["nodes"] == {"claim": 1, "document": 1, "entity": 1, "run": 1}


@pytest.mark.usefixtures("_filled")
async def test_bad_input_is_told(api: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int, str, str]] = [
        ("/search", 422, "request-invalid", "q"),
        ("/search?q=", 422, "request-invalid", "q"),
        (f"/search?q={'x' * 1_001}", 422, "request-invalid", "q"),
        ("/search?q=a&kind=Claim", 422, "request-invalid", "kind.0"),
        ("/search?q=a&limit=0", 422, "request-invalid", "limit"),
        ("/nodes/claim-1", 422, "request-invalid", "node_id"),
        ("/nodes/%27%3B%20DROP%20TABLE%20runs", 422, "request-invalid", "node_id"),
        (f"/nodes/{NOBODY}", 404, "node-not-found", ""),
        (f"/nodes/{NOBODY}/neighbours", 404, "node-not-found", ""),
        (f"/nodes/{CLAIM.id}/neighbours?kind=x&limit=201&cursor=z", 422, "request-invalid", "kind.0"),
        (f"/paths?from={CLAIM.id}", 422, "request-invalid", "to"),
        (f"/paths?from={CLAIM.id}&to={NOBODY}", 404, "node-not-found", ""),
        (f"/paths?from={CLAIM.id}&to={PAPER.id}&longest=7", 422, "request-invalid", "longest"),
    ]
    for path, status, kind, field in cases:
        with subtests.test(path=path, status=status, kind=kind, field=field):
            answer = await api.get(f"/v1/knowledge{path}")
            assert (answer.status_code, answer.json()["type"]) == (status, f"urn:elcano:{kind}")
            assert answer.headers["content-type"].startswith("application/problem+json")
            assert not field or field in [fault["field"] for fault in answer.json()["errors"]]


async def test_a_query_is_refused_where_nobody_answers_it(api: httpx.AsyncClient) -> None:
    body = {"query": "MATCH (n) RETURN n", "columns": ["n"]}
    answer = await api.post("/v1/knowledge/cypher", json=body)
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:elcano:cypher-refused")
    assert "ELCANO_KNOWLEDGE" in answer.json()["detail"]


@pytest.fixture
async def in_age(
    age: str, tmp_path: Path, api_settings: Settings, temporal: Client
) -> AsyncIterator[httpx.AsyncClient]:
    async with open_store(tmp_path / "age", settings=Settings(knowledge=age)) as store:
        await get_graph(store.of("default")).upsert([RUN, PAPER, CLAIM, ENTITY], EDGES)
        async with speaking(create_app(api_settings, store=store, client=connecting(temporal))) as api:
            yield api


async def test_age_answers_all_of_it_and_openCypher(in_age: httpx.AsyncClient) -> None:
    await test_it_is_found_by_words_by_node_and_by_path(in_age)
    query = "MATCH (c:Claim)-[e:CITES]->(d) WHERE d.key = $key RETURN c.name, e.run"
    body = {"query": query, "columns": ["claim", "run"], "parameters": {"key": PAPER.key}}
    answer = await in_age.post("/v1/knowledge/cypher", json=body)
    assert answer.json() == {"columns": ["claim", "run"], "rows": [[CLAIM.name, "run-1"]]}
    for wrong in ("MATCH (n) DETACH DELETE n RETURN 1", "RETURN pg_catalog.pg_sleep(5)", "RETURN 1)", "RETURN a"):
        refused = await in_age.post("/v1/knowledge/cypher", json={"query": wrong, "columns": ["a"]})
        assert (refused.status_code, refused.json()["type"]) == (422, "urn:elcano:cypher-refused"), refused.text
    assert (await json_of(in_age, ""))["cypher"] is True


async def test_a_graph_that_was_switched_off_says_what_turns_it_on(
    tmp_path: Path, api_settings: Settings, temporal: Client
) -> None:
    async with (
        open_store(tmp_path / "off", settings=Settings(knowledge="")) as store,
        speaking(create_app(api_settings, store=store, client=connecting(temporal))) as api,
    ):
        for path in (
            "",
            "/search?q=a",
            f"/nodes/{NOBODY}",
            f"/nodes/{NOBODY}/neighbours",
            f"/paths?from={NOBODY}&to={NOBODY}",
        ):
            answer = await api.get(f"/v1/knowledge{path}")
            assert (answer.status_code, answer.json()["type"]) == (409, "urn:elcano:knowledge-disabled")
            assert "ELCANO_KNOWLEDGE" in answer.json()["detail"]


async def test_a_server_that_is_away_is_told_as_one(tmp_path: Path, api_settings: Settings, temporal: Client) -> None:
    away = "postgresql://nobody@127.0.0.1:1/none"
    async with (
        open_store(tmp_path / "away", settings=Settings(knowledge=away)) as store,
        speaking(create_app(api_settings, store=store, client=connecting(temporal))) as api,
    ):
        answer = await api.get("/v1/knowledge/search?q=a")
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:elcano:store-unavailable")
