"""`elcano knowledge` prints what runs found, with ids that the next command takes."""

import json

import pytest

from elcano.subjects.knowledge.graph import build_knowledge_edge, build_knowledge_node
from tests.unit.cli.scripted import Answer, Server, problem, run

PAPER = build_knowledge_node("document", "doi:10.1/a", "Aspirin\nand stroke", url="https://doi.org/10.1/a", year=2018)
CLAIM = build_knowledge_node("claim", "Aspirin helps.", "Aspirin helps.", text="Aspirin helps.")
CITES = build_knowledge_edge("cites", CLAIM.id, PAPER.id, "run-1", evidence="ev-1", support="not_supported")
SEARCH = "GET /v1/knowledge/search?q={}&limit={}"
HITS = [{"score": 1.0, "node": PAPER.model_dump()}]


def test_how_much_is_known(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("GET /v1/knowledge", Answer({"nodes": {"claim": 1_200}, "edges": {}, "cypher": False}))
    assert run("knowledge") == 0
    assert capsys.readouterr().out == "nodes  claim           1,200\n"
    server.answer("GET /v1/knowledge", Answer({"nodes": {}, "edges": {}, "cypher": False}))
    assert run("knowledge") == 0
    assert "Nothing is known yet" in capsys.readouterr().out


def test_what_words_find(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"{SEARCH.format('aspirin+%26+stroke%3F', 5)}&kind=document", Answer(HITS))
    assert run("knowledge", "search", "aspirin & stroke?", "--kind", "document", "--limit", "5") == 0
    assert capsys.readouterr().out == f"1.00  document: Aspirin and stroke (2018)  {PAPER.id}\n"
    server.answer(SEARCH.format("x", 20), Answer([]))
    assert run("knowledge", "search", "x") == 0
    assert "Nothing is known about 'x'." in capsys.readouterr().out
    server.answer(SEARCH.format("x", 20), Answer(HITS))
    assert run("knowledge", "search", "x", "--json") == 0
    assert json.loads(capsys.readouterr().out) == HITS


def test_a_node_is_shown_by_its_key_with_what_is_beside_it(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(SEARCH.format("doi%3A10.1%2Fa", 100), Answer(HITS))
    server.answer(f"GET /v1/knowledge/nodes/{PAPER.id}", Answer(PAPER.model_dump()))
    beside = {"neighbours": [{"edge": CITES.model_dump(), "node": CLAIM.model_dump()}], "next": "f" * 32}
    server.answer(f"GET /v1/knowledge/nodes/{PAPER.id}/neighbours?limit=50", Answer(beside))
    assert run("knowledge", "show", "doi:10.1/a") == 0
    said = capsys.readouterr().out
    assert f"<-cites-- claim: Aspirin helps.  {CLAIM.id}" in said
    assert "from run run-1, passage ev-1, not supported" in said
    assert "and more" in said


def test_what_nobody_knows_is_bad_input(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(SEARCH.format("doi%3A10.1%2Fother", 100), Answer(HITS))
    assert run("knowledge", "show", "doi:10.1/other") == 2
    assert "no node has the key 'doi:10.1/other'" in capsys.readouterr().err
    server.answer(SEARCH.format("x", 20), problem(409, "knowledge-disabled", "set ELCANO_KNOWLEDGE to `tables`"))
    assert run("knowledge", "search", "x") == 2
    assert "ELCANO_KNOWLEDGE" in capsys.readouterr().err


def test_paths_are_shown_step_by_step(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    path = {"nodes": [PAPER.model_dump(), CLAIM.model_dump()], "edges": [CITES.model_dump()]}
    asked = f"GET /v1/knowledge/paths?from={PAPER.id}&to={CLAIM.id}&longest=4&limit=5"
    server.answer(asked, Answer({"paths": [path], "complete": True}))
    assert run("knowledge", "paths", PAPER.id, CLAIM.id) == 0
    assert f"   <-cites-- claim: Aspirin helps.  {CLAIM.id}  (run run-1)" in capsys.readouterr().out
    server.answer(asked, Answer({"paths": [], "complete": False}))
    assert run("knowledge", "paths", PAPER.id, CLAIM.id) == 0
    assert "in the part of the graph that was searched" in capsys.readouterr().out


def test_rows_of_a_query_are_printed_as_columns(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["Ada", 3], [{"id": 1}, None]]
    server.answer("POST /v1/knowledge/cypher", Answer({"columns": ["a", "b"], "rows": rows}))
    assert run("knowledge", "cypher", "MATCH (a) RETURN a, 3", "--column", "a", "--column", "b") == 0
    assert capsys.readouterr().out == 'a\tb\nAda\t3\n{"id": 1}\tnull\n'
