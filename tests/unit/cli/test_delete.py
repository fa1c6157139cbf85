"""`elcano delete`: asked first, each run by itself, and the exit code says whether all are gone."""

import io

import pytest

from elcano.cli.exit_codes import Exit
from tests.unit.cli.scripted import RUN, Answer, Server, problem, run

GONE = Answer("", status=204)
OTHER = "run-2"


class Terminal(io.StringIO):
    """Somebody who types an answer."""

    def isatty(self) -> bool:
        return True


def test_runs_are_deleted_one_by_one(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    for run_id in (RUN, OTHER):
        server.answer(f"DELETE /v1/runs/{run_id}", GONE)
    assert run("delete", RUN, OTHER, RUN, "--yes") == Exit.OK
    assert [request for request, *_ in server.asked] == [f"DELETE /v1/runs/{RUN}", f"DELETE /v1/runs/{OTHER}"]
    assert capsys.readouterr().out == f"{RUN} is deleted\n{OTHER} is deleted\n"


def test_one_that_cannot_be_deleted_does_not_keep_the_others(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer(f"DELETE /v1/runs/{RUN}", problem(409, "The run cannot be deleted now", "stop it and ask again"))
    server.answer(f"DELETE /v1/runs/{OTHER}", GONE)
    assert run("delete", RUN, OTHER, "--yes") == Exit.BAD_INPUT
    shown = capsys.readouterr()
    assert shown.out == f"{OTHER} is deleted\n"
    assert shown.err == f"elcano: {RUN}: The run cannot be deleted now: stop it and ask again\n"


def test_an_api_in_trouble_is_not_asked_again(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"DELETE /v1/runs/{RUN}", problem(503, "Temporal cannot be reached"))
    assert run("delete", RUN, OTHER, "--yes") == Exit.NOT_REACHABLE
    assert len(server.asked) == 1
    assert capsys.readouterr().out == ""


def test_without_a_terminal_it_has_to_be_said(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("delete", RUN) == Exit.BAD_INPUT
    assert "add --yes" in capsys.readouterr().err
    assert server.asked == []


@pytest.mark.parametrize(("typed", "code"), [("y\n", Exit.OK), ("\n", Exit.BAD_INPUT), ("n\n", Exit.BAD_INPUT)])
def test_a_person_is_asked(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, code: Exit
) -> None:
    server.answer(f"DELETE /v1/runs/{RUN}", GONE)
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert run("delete", RUN) == code
    assert f"Delete {RUN} with everything they left behind?" in capsys.readouterr().err
    assert len(server.asked) == (code == Exit.OK)
