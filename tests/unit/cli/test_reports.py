"""`elcano results`: what it asks for, and what it prints."""

from pathlib import Path
from typing import Any

import pytest

from elcano.cli import main, reports
from elcano.cli.exit_codes import Failed

FOUND: dict[str, Any] = {
    "results": [
        {
            "number": 1,
            "database": "sales",
            "sql": "SELECT\n  \x1b[31mn",
            "columns": [{"name": "n"}],
            "rows": 1204,
            "truncated": True,
            "at": "2026-11-22T17:00:00Z",
        }
    ]
}


class Answering:
    """An API that has one result."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __enter__(self) -> "Answering":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def get(self, path: str) -> dict[str, Any]:
        self.asked.append((path, ""))
        return FOUND

    def get_text(self, path: str, media_type: str) -> str:
        self.asked.append((path, media_type))
        return "n\r\n'=1\r\n"


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Answering:
    answering = Answering()
    monkeypatch.setattr("elcano.cli.reports.open_api", lambda: answering)
    return answering


def test_results_are_listed_without_what_a_terminal_obeys(api: Answering, capsys: pytest.CaptureFixture[str]) -> None:
    reports.print_results("run-1")
    said = capsys.readouterr().out
    assert "1  sales: 1,204 rows, not read to its end (n), read at 2026-11-22T17:00:00Z" in said
    assert "\x1b" not in said


def test_results_without_an_answer_are_said_to_be_so(
    api: Answering, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reports.print_results("run-1")
    assert reports.UNANSWERED not in capsys.readouterr().out
    monkeypatch.setattr(api, "get", lambda path: {**FOUND, "answer": False})
    reports.print_results("run-1")
    assert capsys.readouterr().out.startswith(reports.UNANSWERED)
    monkeypatch.setattr(api, "get", lambda path: {"results": [], "answer": False})
    reports.print_results("run-1")
    assert capsys.readouterr().out == "There are no results.\n"


def test_one_is_printed_or_written(api: Answering, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports.print_results("run-1", 1, "csv")
    assert capsys.readouterr().out == "n\r\n'=1\r\n"
    reports.print_results("run-1", 1, "json", tmp_path / "one.json")
    assert (tmp_path / "one.json").read_bytes() == b"n\r\n'=1\r\n"
    assert api.asked == [("/v1/runs/run-1/results/1", "text/csv"), ("/v1/runs/run-1/results/1", "application/json")]


def test_what_cannot_work_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="which result"):
        reports.print_results("run-1", None, "csv")
    with pytest.raises(Failed, match="existing folder"):
        reports.print_results("run-1", 1, "csv", tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["results", "run-1", "0"])
    assert left.value.code == 2
