"""The commands about runs that there are: report, runs, stop, top-up; and how a refusal is told."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from rich.console import Console

from elcano.cli.exit_codes import BY_STATUS, Exit
from elcano.cli.options import Form
from elcano.cli.reports import MEDIA_TYPES
from elcano.cli.runs import build_runs_table
from elcano.client import connection
from elcano.dev.claims import free_ports
from elcano.graphs.contracts import RunStatus
from tests.unit.cli.scripted import (
    REPORT,
    RUN,
    Answer,
    Server,
    event,
    finished,
    problem,
    run,
    script_a_run,
    stands,
    stream,
)


@pytest.mark.parametrize("status", get_args(RunStatus))
def test_every_end_has_an_exit_code_of_its_own(status: RunStatus) -> None:
    assert (status in BY_STATUS) == (status != "running")
    assert len(set(BY_STATUS.values())) == len(BY_STATUS)


@pytest.mark.parametrize("status", sorted(BY_STATUS))
def test_report_ends_as_the_run_did(server: Server, capsys: pytest.CaptureFixture[str], status: RunStatus) -> None:
    script_a_run(server)
    server.answer(f"GET /v1/runs/{RUN}", stands(status))
    assert run("report", RUN) == BY_STATUS[status]
    assert run("report", RUN, "--json") == BY_STATUS[status]
    assert capsys.readouterr().out == REPORT + REPORT
    asked = [headers["accept"] for request, headers, _ in server.asked if request.endswith("/report")]
    assert asked == ["text/markdown", "application/json"]


@pytest.mark.parametrize("form", get_args(get_args(Form)[0]))
def test_a_report_comes_in_every_form_that_there_is(server: Server, form: str, tmp_path: Path) -> None:
    script_a_run(server)
    server.answer(f"GET /v1/runs/{RUN}", stands("completed"))
    assert run("report", RUN, "--format", form, "--out", str(tmp_path / "it")) == Exit.OK
    (accepted,) = [headers["accept"] for request, headers, _ in server.asked if request.endswith("/report")]
    assert accepted == MEDIA_TYPES[form]
    assert (tmp_path / "it").read_bytes().decode() == REPORT
    assert set(get_args(get_args(Form)[0])) == set(MEDIA_TYPES)


def test_lines_are_saved_as_they_are_ended(server: Server, tmp_path: Path) -> None:
    script_a_run(server)
    server.answer(f"GET /v1/runs/{RUN}", stands("completed"))
    server.answer(f"GET /v1/runs/{RUN}/report", Answer("TY  - JOUR\r\nER  - \r\n", media_type=MEDIA_TYPES["ris"]))
    assert run("report", RUN, "--format", "ris", "--out", str(tmp_path / "it.ris")) == Exit.OK
    assert (tmp_path / "it.ris").read_bytes() == b"TY  - JOUR\r\nER  - \r\n"


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        ("failed", Exit.FAILED, "its status is failed: the key was refused"),
        ("cancelled", Exit.CANCELLED, "its status is cancelled"),
        ("terminated", Exit.TERMINATED, "its status is terminated"),
        ("running", Exit.BAD_INPUT, f"no report yet; `elcano watch {RUN}`"),
    ],
)
def test_a_run_without_a_report_says_why(
    server: Server, capsys: pytest.CaptureFixture[str], status: RunStatus, code: Exit, said: str
) -> None:
    failure = {"message": "the key was refused"} if status == "failed" else None
    server.answer(f"GET /v1/runs/{RUN}", stands(status, report=False, failure=failure))
    assert run("report", RUN) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err


def test_a_report_of_a_run_that_is_about_to_end_waits_for_its_end(server: Server) -> None:
    script_a_run(server, stream(event(1, "started")), stream(finished("unanswered")))
    server.answer(f"GET /v1/runs/{RUN}", stands("running"))
    assert run("report", RUN) == Exit.UNANSWERED


def test_runs_are_listed(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    listed = {
        "run_id": RUN,
        "status": "completed",
        "mode": "auto",
        "choice": {"mode": "iterative", "reason": "One point."},
        "engine": "chain",
        "started_at": "2026-11-18T08:26:40.250000Z",
        "question": "Why\nnot?",
    }
    waiting = {**listed, "status": "running", "stage": "approval", "choice": None}
    unseen = {**waiting, "stage": None, "stale": True}
    server.answer("GET /v1/runs?limit=3&status=completed", Answer({"runs": [listed, waiting, unseen]}))
    server.answer("GET /v1/runs?limit=20", Answer({"runs": []}))
    assert run("runs", "--limit", "3", "--status", "completed") == Exit.OK
    (_, row, other, last) = capsys.readouterr().out.splitlines()
    assert row.split()[:4] == [RUN, "completed", "auto/iterative", "chain"]
    assert other.split()[:5] == [RUN, "running", "(approval)", "auto", "chain"]
    assert last.split()[:4] == [RUN, "running?", "auto", "chain"]
    assert "Why not?" in row
    assert run("runs") == Exit.OK
    assert "no runs yet" in capsys.readouterr().out


def test_on_a_terminal_a_run_in_the_list_links_to_its_page() -> None:
    page = f"http://127.0.0.1:8233/namespaces/default/workflows/{RUN}"
    listed = {
        "run_id": RUN,
        "status": "running",
        "mode": "deep",
        "engine": "graph",
        "started_at": "2026-11-18T08:26:40.250000Z",
        "question": "?",
    }
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    console.print(build_runs_table([listed | {"links": {"temporal_ui": page}}], 120))
    console.print(build_runs_table([listed], 120))
    linked, plain = [line for line in console.file.getvalue().splitlines() if RUN in line]  # type: ignore[attr-defined]
    assert (page in linked, page in plain) == (True, False)


def test_stop_sends_the_reason(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"POST /v1/runs/{RUN}/stop", Answer({"run_id": RUN, "reason": "enough"}, status=202))
    assert run("stop", RUN, "--reason", "enough") == Exit.OK
    assert json.loads(server.asked[0][2]) == {"reason": "enough"}
    assert RUN in capsys.readouterr().out


def test_top_up_sends_what_is_added_and_shows_the_limits(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    limits = {"tokens": 150_000, "cost_usd": None, "seconds": 660.0, "iterations": 5, "steps": 200}
    server.answer(f"POST /v1/runs/{RUN}/top-up", Answer({"run_id": RUN, "limits": limits}, status=202))
    assert run("top-up", RUN, "--tokens", "50000", "--seconds", "60") == Exit.OK
    assert json.loads(server.asked[0][2]) == {"tokens": 50_000, "seconds": 60.0}
    assert "tokens 150,000, seconds 660.0, iterations 5, steps 200" in capsys.readouterr().out
    assert run("top-up", RUN, "--tokens", "-1") == Exit.BAD_INPUT


@pytest.mark.parametrize(
    ("answer", "code", "line"),
    [
        (problem(404, "No such run", "there is no run 'x'"), Exit.BAD_INPUT, "No such run: there is no run 'x'"),
        (
            problem(422, "The request cannot work", "x", [{"field": "budget.tokens", "message": "too small"}]),
            Exit.BAD_INPUT,
            "The request cannot work: budget.tokens: too small",
        ),
        (problem(503, "No worker answers"), Exit.NOT_REACHABLE, "No worker answers"),
        (problem(500, "Internal error"), Exit.FAILED, "Internal error"),
        (Answer("<html>", 404, "text/html"), Exit.BAD_INPUT, "is that really Elcano's API?"),
    ],
)
def test_a_refusal_is_one_line(
    server: Server, capsys: pytest.CaptureFixture[str], answer: Answer, code: Exit, line: str
) -> None:
    server.answer(f"GET /v1/runs/{RUN}", answer)
    assert run("report", RUN) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert line in shown.err
    assert shown.err.count("\n") == 1


def test_an_api_that_is_not_there_is_said_so(
    use_api: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (port,) = free_ports(1)
    use_api(port)
    monkeypatch.setattr(connection, "GIVE_UP_SECONDS", 0.05)
    assert run("runs") == Exit.NOT_REACHABLE
    assert run("watch", RUN) == Exit.NOT_REACHABLE
    assert "elcano serve" in capsys.readouterr().err
