"""The commands that say how a run goes on: steer, approve, refuse; and how a proposed plan is shown."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from elcano.cli.exit_codes import Exit
from tests.unit.cli.scripted import RUN, Answer, Server, event, finished, problem, run, script_a_run, stream

PLAN: Final[dict[str, Any]] = {"title": "Ports", "sections": [{"title": "Law", "question": "What may they do?"}]}


def sent(server: Server) -> object:
    return json.loads(server.asked[-1][2])


def test_steer_sends_what_is_to_change_and_says_from_when_on(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = {"run_id": RUN, "step": 7, "sections": "while the sections run"}
    server.answer(f"POST /v1/runs/{RUN}/steer", Answer(answer, 202))
    arguments = ["--add-source", "a", "--add-source", "b", "--drop-source", "c", "--drop-section", "Old"]
    assert run("steer", RUN, "Be brief.", *arguments, "--add-section", "Law: What may they: do?") == Exit.OK
    assert sent(server) == {
        "instruction": "Be brief.",
        "add_sources": ["a", "b"],
        "drop_sources": ["c"],
        "add_sections": [{"title": "Law", "question": "What may they: do?"}],
        "drop_sections": ["Old"],
    }
    said = capsys.readouterr().out
    assert said == f"{RUN} follows this from step 7 on; changes to sections apply while the sections run\n"


def test_a_plan_is_approved_as_it_is_or_as_it_stands_in_a_file(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server.answer(f"POST /v1/runs/{RUN}/approve", Answer({"run_id": RUN, **PLAN}, 202))
    assert run("approve", RUN) == Exit.OK
    assert sent(server) == {}
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(PLAN), encoding="utf-8")
    assert run("approve", RUN, "--file", str(file), "--by", "Elvira") == Exit.OK
    assert sent(server) == {**PLAN, "by": "Elvira"}
    listed = f"{RUN} researches its plan now:\nPorts\n  1. Law: What may they do?\n"
    assert capsys.readouterr().out == listed + listed
    section = {"title": "Law", "question": "What may they do?", "criteria": ["names the act", "names the year"]}
    server.answer(f"POST /v1/runs/{RUN}/approve", Answer({"run_id": RUN, "sections": [section]}, 202))
    assert run("approve", RUN) == Exit.OK
    assert capsys.readouterr().out.endswith(
        "  1. Law: What may they do?\n     - names the act\n     - names the year\n"
    )


@pytest.mark.parametrize(
    ("text", "why"), [("{", "cannot be read"), ("[]", "is no plan"), ('{"plan": []}', "is no plan")]
)
def test_a_file_that_is_no_plan_is_not_sent(
    text: str, why: str, server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text, encoding="utf-8")
    assert run("approve", RUN, "--file", str(file)) == Exit.BAD_INPUT
    assert why in capsys.readouterr().err
    assert run("approve", RUN, "--file", str(tmp_path / "none.json")) == Exit.BAD_INPUT
    assert not server.asked


def test_a_plan_is_refused_with_a_reason(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(
        f"POST /v1/runs/{RUN}/refuse",
        Answer({"run_id": RUN, "reason": "no"}, 202),
        problem(409, "Refused", "the plan was refused already"),
    )
    assert run("refuse", RUN, "too broad") == Exit.OK
    assert sent(server) == {"reason": "too broad"}
    assert "going to its report" in capsys.readouterr().out
    assert run("refuse", RUN, "too broad", "--by", "Elvira") == Exit.BAD_INPUT
    assert sent(server) == {"reason": "too broad", "by": "Elvira"}
    assert "the plan was refused already" in capsys.readouterr().err


def test_watch_shows_a_proposed_plan_as_a_list(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server, stream(event(1, "started"), event(2, "plan_proposed", "Waiting", **PLAN), finished()))
    assert run("watch", RUN) == Exit.OK
    shown = capsys.readouterr().out
    assert "Ports" in shown
    assert "1. Law: What may they do?" in shown
    assert f"`elcano approve {RUN}` approves the plan" in shown


def test_a_call_is_approved_or_refused_by_its_id(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    answer = {"run_id": RUN, "call": "0003-open", "server": "tickets", "tool": "open_ticket"}
    server.answer(f"POST /v1/runs/{RUN}/approve-call", Answer(answer, 202))
    assert run("approve", RUN, "--call", "0003-open", "--by", "Elvira") == Exit.OK
    assert sent(server) == {"call": "0003-open", "by": "Elvira"}
    server.answer(f"POST /v1/runs/{RUN}/refuse-call", Answer(answer, 202))
    assert run("refuse", RUN, "no", "--call", "0003-open") == Exit.OK
    assert sent(server) == {"call": "0003-open", "reason": "no"}
    said = capsys.readouterr().out
    assert said == f"{RUN} calls tickets/open_ticket now\n{RUN} continues without calling tickets/open_ticket\n"
    asked = len(server.asked)
    assert run("approve", RUN, "--call", "0003-open", "--file", "plan.json") == Exit.BAD_INPUT
    assert len(server.asked) == asked


def test_watch_says_how_a_call_that_waits_is_decided_on(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    told: dict[str, Any] = {"run_id": f"{RUN}.0003.costs", "call": "0003-open", "whole": False}
    script_a_run(server, stream(event(1, "started"), event(2, "approval_requested", "Waiting", **told), finished()))
    assert run("watch", RUN) == Exit.OK
    shown = capsys.readouterr().out
    assert "its arguments are longer" in shown
    assert f"`elcano approve {RUN}.0003.costs --call 0003-open` approves the call" in shown
    assert f"`elcano refuse {RUN}.0003.costs REASON --call 0003-open` refuses it" in shown


@pytest.fixture
def controlled(server: Server) -> Server:
    for action in ("pause", "unpause"):
        server.answer(f"POST /v1/runs/{RUN}/{action}", Answer({"run_id": RUN}, status=202))
    server.answer(f"POST /v1/runs/{RUN}/cancel", Answer({"run_id": RUN, "worker": "not polling"}, status=202))
    return server


def list_sent(server: Server) -> list[tuple[str, object]]:
    asked = [(request, body) for request, _, body in server.asked if request.startswith("POST ")]
    return [(request.rpartition("/")[2], json.loads(body)) for request, body in asked]


def test_a_run_is_paused_continued_and_cancelled(controlled: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("pause", RUN, "--reason", "lunch") == Exit.OK
    assert run("unpause", RUN) == Exit.OK
    assert run("cancel", RUN, "--yes", "--reason", "wrong") == Exit.OK
    assert list_sent(controlled) == [("pause", {"reason": "lunch"}), ("unpause", {}), ("cancel", {"reason": "wrong"})]
    said = capsys.readouterr().out
    assert f"`elcano unpause {RUN}` continues it" in said
    assert "no worker is running" in said


def test_cancelling_wants_a_yes(
    controlled: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("cancel", RUN) == Exit.BAD_INPUT
    assert "add --yes" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert run("cancel", RUN) == Exit.BAD_INPUT
    assert "nothing was cancelled" in capsys.readouterr().err
    assert list_sent(controlled) == []
