"""`elcano certificate` writes the bytes that came, all of them or none."""

from pathlib import Path

import pytest

from elcano.cli.exit_codes import Exit
from tests.unit.cli.scripted import RUN, Answer, Server, problem, run

PATH = f"GET /v1/runs/{RUN}/certificate"
WHOLE = '{\n"certificate":{"format":1}\n}\n'


def test_it_is_saved_under_the_runs_name(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    server.answer(PATH, Answer(WHOLE))
    assert run("certificate", RUN) == Exit.OK
    assert (tmp_path / f"{RUN}.certificate.json").read_text() == WHOLE
    assert capsys.readouterr().out == f"{RUN}.certificate.json\n"


def test_it_is_saved_where_somebody_says(server: Server, tmp_path: Path) -> None:
    server.answer(PATH, Answer(WHOLE))
    assert run("certificate", RUN, "--out", str(tmp_path / "here")) == Exit.OK
    assert [file.name for file in tmp_path.iterdir()] == ["here"]
    assert (tmp_path / "here").read_text() == WHOLE


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(WHOLE, broken=True), Exit.NOT_REACHABLE),
        (problem(409, "There is no certificate of this run", "it has not ended"), Exit.BAD_INPUT),
    ],
)
def test_one_that_does_not_come_whole_leaves_what_was_there(
    server: Server, tmp_path: Path, answer: Answer, code: Exit
) -> None:
    file = tmp_path / "here"
    file.write_text("an earlier one")
    server.answer(PATH, answer)
    assert run("certificate", RUN, "--out", str(file)) == code
    assert [found.name for found in tmp_path.iterdir()] == ["here"]
    assert file.read_text() == "an earlier one"


def test_a_place_that_cannot_be_written_is_said_first(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("certificate", RUN, "--out", str(tmp_path / "no" / "file")) == Exit.BAD_INPUT
    assert "is not a file in an existing folder" in capsys.readouterr().err
    assert server.asked == []
