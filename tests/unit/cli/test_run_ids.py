"""A run is named by any part of its id that no other has, and a narrow terminal shows such a part and the question."""

import io

import pytest
from rich.console import Console

from elcano.cli.exit_codes import Exit
from elcano.cli.options import shorten_run_ids
from elcano.cli.runs import build_runs_table
from tests.unit.cli.scripted import Answer, Server, run, script_a_run, stands

WHOLE = "default-01kb1q3yw5v7c8m2n4p6r8t0vx"
OTHER = "default-01kb1q3yw5v7c8m2n4p6r8t0vz"
LISTED = {
    "run_id": WHOLE,
    "status": "terminated",
    "mode": "auto",
    "choice": {"mode": "literature_review", "reason": "."},
    "engine": "graph",
    "started_at": "2026-11-18T08:26:40.250000Z",
    "question": "Which Python packages here can read PDF files, and how do they differ?",
}


def look_up(part: str) -> str:
    return f"GET /v1/runs?limit=11&run_id={part}"


def test_a_part_of_an_id_names_its_run(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server)
    for part in ("4p6r8t0vx", "default-01kb1q"):
        server.answer(look_up(part), Answer({"runs": [LISTED], "next": None}))
        server.answer(f"POST /v1/runs/{WHOLE}/stop", Answer({"run_id": WHOLE}, status=202))
        assert run("stop", part) == Exit.OK
        assert WHOLE in capsys.readouterr().out


def test_a_whole_id_is_not_looked_up(server: Server) -> None:
    server.answer(f"POST /v1/runs/{WHOLE}/stop", Answer({"run_id": WHOLE}, status=202))
    assert run("stop", WHOLE) == Exit.OK
    assert [request for request, _, _ in server.asked] == [f"POST /v1/runs/{WHOLE}/stop"]


def test_a_section_is_named_by_a_part_of_its_run(server: Server) -> None:
    server.answer(look_up("t0vx"), Answer({"runs": [LISTED], "next": None}))
    server.answer(f"GET /v1/runs/{WHOLE}.0004.loop-2", stands("failed", report=False))
    assert run("report", "t0vx.0004.loop-2") == Exit.FAILED


def test_a_part_of_several_ids_names_them(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(look_up("0v"), Answer({"runs": [LISTED, LISTED | {"run_id": OTHER}], "next": None}))
    assert run("cancel", "0v", "--yes") == Exit.BAD_INPUT
    said = capsys.readouterr().err
    assert "'0v' matches several runs" in said
    assert all(f"{one}  Which Python packages" in said for one in (WHOLE, OTHER))
    assert len(server.asked) == 1


def test_several_runs_are_deleted_by_parts(server: Server) -> None:
    for part, whole in (("t0vx", WHOLE), ("t0vz", OTHER)):
        server.answer(look_up(part), Answer({"runs": [LISTED | {"run_id": whole}], "next": None}))
        server.answer(f"DELETE /v1/runs/{whole}", Answer("", status=204))
    assert run("delete", "t0vx", "t0vz", "--yes") == Exit.OK
    assert [request for request, _, _ in server.asked][2:] == [f"DELETE /v1/runs/{one}" for one in (WHOLE, OTHER)]


def test_80_columns_show_the_question_and_the_whole_status() -> None:
    console = Console(file=io.StringIO(), width=80)
    console.print(build_runs_table([LISTED, LISTED | {"run_id": OTHER, "status": "completed"}], 80))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert all(len(line) <= 80 for line in lines)
    assert lines[1].startswith("p6r8t0vx")
    assert lines[2].startswith("p6r8t0vz")
    assert "terminated" in lines[1]
    assert "Which Python packages" in lines[1]


def test_ends_are_as_long_as_they_have_to_be() -> None:
    assert shorten_run_ids(["run-a12345678", "run-b12345678"]) == {
        "run-a12345678": "a12345678",
        "run-b12345678": "b12345678",
    }
    assert shorten_run_ids(["run-1"]) == {"run-1": "run-1"}
    assert shorten_run_ids([]) == {}
