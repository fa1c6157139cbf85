"""`elcano graph`: looking at graphs and checking them, without a server."""

import json
from pathlib import Path

import pytest

from elcano.cli.exit_codes import Exit
from elcano.graphs.spec.graph import ResearchGraph
from elcano.subjects.research.loops import ITERATIVE
from elcano.subjects.research.modes import DEEP
from tests.unit.cli.scripted import Answer, Server, problem, run


def test_graphs_are_shown_checked_and_drawn_without_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("graph", "list") == Exit.OK
    assert "iterative" in capsys.readouterr().out
    assert run("graph", "show", "iterative") == Exit.OK
    saved = tmp_path / "mine.json"
    saved.write_text(capsys.readouterr().out)
    assert run("graph", "check", str(saved)) == Exit.OK
    assert run("graph", "draw", str(saved)) == Exit.OK
    assert "flowchart TD" in capsys.readouterr().out


def test_every_fault_of_a_graph_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = ITERATIVE.model_copy(update={"entry_node": "nowhere", "exit_nodes": ("nobody",)})
    file = tmp_path / "broken.json"
    file.write_text(broken.model_dump_json())
    assert run("graph", "check", str(file)) == Exit.BAD_INPUT
    shown = capsys.readouterr().out
    assert "'nowhere'" in shown
    assert "'nobody'" in shown


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "neither a file"), ("{", "is not a graph: Invalid JSON: EOF"), ("{}", "'nodes' is missing")],
)
def test_what_is_no_graph_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, said: str
) -> None:
    file = tmp_path / "graph.json"
    if content is not None:
        file.write_text(content)
    assert run("graph", "check", str(file)) == Exit.BAD_INPUT
    assert said in capsys.readouterr().err


def test_a_graph_that_is_too_large_is_neither_checked_nor_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = tuple(ITERATIVE.nodes[0].model_copy(update={"id": f"n{number}"}) for number in range(300))
    file = tmp_path / "large.json"
    file.write_text(ITERATIVE.model_copy(update={"nodes": nodes}).model_dump_json())
    for command in ("check", "draw"):
        assert run("graph", command, str(file)) == Exit.BAD_INPUT
        shown = capsys.readouterr()
        assert "300 nodes are more than 200" in shown.out + shown.err


def test_a_new_graph_is_made_of_another_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("graph", "new", "mine", "--like", "deep") == Exit.OK
    file = tmp_path / "mine.json"
    file.write_text(capsys.readouterr().out)
    made = file.read_text()
    assert ResearchGraph.model_validate_json(made) == DEEP.model_copy(update={"name": "mine"})
    assert ": null" not in made  # as a value; expressions may name it
    assert len(made) < len(DEEP.model_dump_json(indent=2))
    for name, said in (("iterative", "built-in"), ("My Graph", "lower-case")):
        assert run("graph", "new", name) == Exit.BAD_INPUT
        assert said in capsys.readouterr().err


def test_a_branch_may_be_the_name_of_a_built_in_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = DEEP.model_dump(mode="json")
    file = tmp_path / "named.json"
    for name, code, said in (
        ("simple", Exit.OK, "can run"),
        ("simpel", Exit.BAD_INPUT, "/branches/loop: unknown built-in graph 'simpel'"),
    ):
        file.write_text(json.dumps({**graph, "branches": {"loop": name}}))
        assert run("graph", "check", str(file)) == code
        shown = capsys.readouterr()
        assert said in shown.out + shown.err


def test_a_graph_is_tried_without_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text('{"judge": [{"next_search_queries": ["deeper"]}, {"recommendation": "synthesize"}]}')
    assert run("graph", "try", "simple", "--answers", str(answers), "--json") == Exit.OK
    walked = json.loads(capsys.readouterr().out)
    way = ["search", "judge", "enough", "search", "judge", "enough", "synthesize"]
    assert [step["node"] for step in walked["steps"]] == way
    assert run("graph", "try", "deep") == Exit.OK
    shown = capsys.readouterr().out
    assert "null: inputs.suggested_queries: conversation[-2].suggested_queries" in shown
    lines = [line.split()[0] for line in shown.splitlines()]
    assert lines.index("0004.loop-2") < lines.index("5")  # branches stand where they were run


@pytest.mark.parametrize(
    ("content", "said"),
    [("[]", "no answers by node"), ("{", "no answers"), ('{"jugde": [{}]}', "did you mean 'judge'"), (None, "No such")],
)
def test_what_is_no_answer_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, said: str
) -> None:
    file = tmp_path / "answers.json"
    if content is not None:
        file.write_text(content)
    assert run("graph", "try", "simple", "--answers", str(file)) == Exit.BAD_INPUT
    assert said in capsys.readouterr().err


def test_an_answer_that_does_not_fit_fails_the_walk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answers.json"
    file.write_text('{"synthesize": [{"claims": -1}]}')
    assert run("graph", "try", "simple", "--answers", str(file)) == Exit.FAILED
    assert "It failed at synthesize" in capsys.readouterr().out


def test_a_graph_is_pushed_as_it_stands_in_its_file(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.json"
    file.write_text('{"name": "mine", "branches": {"loop": "theirs@2"}}')
    server.answer("POST /v1/graphs", Answer('{"name": "mine", "version": 3}', status=201))
    assert run("graph", "push", str(file)) == Exit.OK
    ((request, _, sent),) = server.asked
    assert (request, json.loads(sent)) == ("POST /v1/graphs", json.loads(file.read_text()))
    assert "mine@3 is stored" in capsys.readouterr().out
    file.write_text("[]")
    assert run("graph", "push", str(file)) == Exit.BAD_INPUT


def test_graphs_of_ones_own_are_listed_and_deleted(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    cards = [
        {"name": "simple", "version": None, "description": "Built in."},
        {"name": "mine", "version": 2, "description": "My own."},
    ]
    server.answer("GET /v1/graphs", Answer(json.dumps(cards)))
    assert run("graph", "list", "--own") == Exit.OK
    assert capsys.readouterr().out == "mine  @2  My own.\n"
    server.answer("DELETE /v1/graphs/mine", Answer("", status=204))
    server.answer("DELETE /v1/graphs/other", problem(404, "No such graph", "unknown graph 'other'"))
    assert run("graph", "delete", "other", "mine") == Exit.BAD_INPUT
    shown = capsys.readouterr()
    assert shown.out == "mine is deleted\n"
    assert "unknown graph 'other'" in shown.err


def test_a_graph_that_was_pushed_is_shown_drawn_and_tried_by_its_name(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = ITERATIVE.model_copy(update={"name": "mine"})
    server.answer("GET /v1/graphs/mine@2", Answer(mine.model_dump_json()))
    assert run("graph", "show", "mine@2") == Exit.OK
    assert json.loads(capsys.readouterr().out) == mine.model_dump(mode="json")
    for command in ("check", "draw", "try"):
        assert run("graph", command, "mine@2") == Exit.OK
    capsys.readouterr()
    server.answer("GET /v1/graphs/min", problem(404, "No such graph", "unknown graph 'min'; did you mean 'mine'?"))
    assert run("graph", "draw", "min") == Exit.BAD_INPUT
    assert "did you mean 'mine'?" in capsys.readouterr().err


def test_faults_of_a_file_stand_behind_their_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = DEEP.model_dump(mode="json")
    graph["nodes"][1]["agent"] = "planer"
    graph["branches"]["loop"] = "simple"
    graph["edges"][0]["inputs"] = {}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(graph))
    for command in ("check", "try"):
        assert run("graph", command, str(file)) == Exit.BAD_INPUT
        shown = capsys.readouterr()
        assert "/nodes/1/agent: node 'planner': unknown agent 'planer'" in shown.out + shown.err
        assert "/edges/0/inputs: " in shown.out + shown.err
