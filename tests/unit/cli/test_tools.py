"""`elcano tools` shows what servers offer in their own words, which move no cursor."""

import json

import pytest

from tests.unit.cli.scripted import Answer, Server, problem, run

TIME = {
    "name": "time",
    "transport": "stdio",
    "answers": True,
    "error": "",
    "protocol": "2026-07-28",
    "count": 2,
    "seconds": 1.25,
    "tools": [
        {"name": "now", "description": "The time.\x1b[2J", "kind": "reads", "needs_approval": False},
        {"name": "set", "description": "", "kind": "writes", "needs_approval": True},
    ],
}
DOWN = {"name": "down", "answers": False, "error": "its program cannot be started", "tools": []}


def test_each_server_with_its_tools(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    body = {"servers": [TIME, DOWN], "truncated": True}
    server.answer("GET /v1/tools", Answer(body))
    assert run("tools") == 0
    assert capsys.readouterr().out.splitlines() == [
        "time  2 tools, stdio, answered in 1.2 s",
        "  now  reads",
        "  set  writes; needs approval",
        "down  does not answer: its program cannot be started",
        "There are more: `elcano tools check NAME` lists those of one server.",
    ]
    assert run("tools", "--json") == 0
    assert json.loads(capsys.readouterr().out) == body


def test_none_is_said_with_what_to_do(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("GET /v1/tools", Answer({"servers": [], "truncated": False}))
    assert run("tools") == 0
    assert "ELCANO_MCP_SERVERS" in capsys.readouterr().out


def test_a_check_quotes_and_says_whether_it_answers(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("GET /v1/tools/time", Answer(TIME))
    assert run("tools", "check", "time") == 0
    assert "“The time.\\x1b[2J”" in capsys.readouterr().out
    server.answer("GET /v1/tools/down", Answer(DOWN))
    assert run("tools", "check", "down") == 1
    server.answer("GET /v1/tools/none", problem(404, "No such server of tools", "there are: time"))
    assert run("tools", "check", "none") == 2
    assert "there are: time" in capsys.readouterr().err


def test_a_question_follows_a_run(server: Server) -> None:
    server.answer("POST /v1/runs", problem(422, "The request cannot work", "no"))
    assert run("ask", "And in 2024?", "--follow", "default-01kb1q3yw5v7c8m2n4p6r8t0vx") == 2
    assert json.loads(server.asked[-1][2])["previous_run"] == "default-01kb1q3yw5v7c8m2n4p6r8t0vx"
