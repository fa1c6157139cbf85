"""`elcano agent`: making agents and checking them without a server, and keeping them with one."""

import json
from pathlib import Path

import pytest

from elcano.cli.exit_codes import Exit
from tests.unit.cli.scripted import Answer, Server, problem, run
from tests.unit.graphs.own_agents import SCREENER, screened


def test_a_new_agent_is_one_without_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("agent", "new", "mine") == Exit.OK
    file = tmp_path / "mine.json"
    file.write_text(capsys.readouterr().out)
    assert run("agent", "check", str(file)) == Exit.OK
    assert "'mine' can be called" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "said"), [("judge", "built-in"), ("Größe", "lower-case"), ("", "lower-case")])
def test_a_name_that_cannot_be_is_refused(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("agent", "new", name) == Exit.BAD_INPUT
    assert said in capsys.readouterr().err


def test_every_fault_is_printed_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps({**SCREENER, "name": "X", "output": {"type": "object", "properties": {}}}))
    assert run("agent", "check", str(file)) == Exit.BAD_INPUT
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["/name", "/output/properties"]


@pytest.mark.parametrize("content", [None, "{", "[]", "3"])
def test_what_is_no_agent_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None) -> None:
    file = tmp_path / "agent.json"
    if content is not None:
        file.write_text(content)
    for command in ("check", "push"):
        assert run("agent", command, str(file)) == Exit.BAD_INPUT
        assert "is not an agent" in capsys.readouterr().err


def test_the_built_in_agents_are_listed_and_shown_without_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("agent", "list") == Exit.OK
    assert "Judges whether the evidence is enough" in capsys.readouterr().out
    assert run("agent", "show", "judge") == Exit.OK
    shown = json.loads(capsys.readouterr().out)
    assert {"input", "output", "instructions"} <= shown.keys()


def test_a_graph_with_its_agent_in_it_is_checked_drawn_and_tried_without_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "graph.json"
    file.write_text(json.dumps({**screened(), "agents": {"screener": SCREENER}}))
    for command in ("check", "draw", "try"):
        assert run("graph", command, str(file)) == Exit.OK
    assert "screen" in capsys.readouterr().out


def test_an_agent_is_pushed_listed_shown_and_deleted(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(SCREENER))
    card = {"name": "screener", "version": 2, "description": "Screens."}
    server.answer("POST /v1/agents", Answer(card, 201))
    server.answer("GET /v1/agents", Answer([{**card, "name": "judge", "version": None}, card]))
    server.answer("GET /v1/agents/screener@1", Answer({"definition": SCREENER}))
    server.answer("DELETE /v1/agents/screener", Answer("", status=204))
    server.answer("DELETE /v1/agents/other", problem(404, "No such agent", "unknown agent 'other'"))
    assert run("agent", "push", str(file)) == Exit.OK
    assert "screener@2 is stored" in capsys.readouterr().out
    assert run("agent", "list", "--own") == Exit.OK
    assert capsys.readouterr().out == "screener@2  Screens.\n"
    assert run("agent", "show", "screener@1") == Exit.OK
    assert json.loads(capsys.readouterr().out) == SCREENER
    assert run("agent", "delete", "other", "screener") == Exit.BAD_INPUT
    shown = capsys.readouterr()
    assert (shown.out, "unknown agent 'other'" in shown.err) == ("screener is deleted\n", True)
