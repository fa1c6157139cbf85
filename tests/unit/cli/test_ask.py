"""`elcano ask`: what it sends, what it prints where, and how the run's end becomes an exit code."""

import json
import re
from pathlib import Path

import pytest

from elcano.cli.exit_codes import Exit
from elcano.graphs.frozen import JsonObject
from elcano.subjects.research.loops import ITERATIVE
from tests.unit.cli.scripted import REPORT, RUN, Server, event, finished, run, script_a_run, stream


def test_ask_prints_the_report_alone_on_standard_output(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server, stream(event(1, "started", "Research started"), event(2, "looping", "Again"), finished()))
    assert (
        run("ask", "Why?", "--budget-tokens", "5000", "--budget-usd", "0.5", "--source", "a", "--docs", "b") == Exit.OK
    )
    shown = capsys.readouterr()
    assert shown.out == REPORT
    assert re.findall(r"\d\d:\d\d:\d\d (\w+): (.*)", shown.err) == [
        ("started", "Research started"),
        ("looping", "Again"),
        ("complete", "Done"),
    ]
    assert f"Run {RUN} (engine: graph)\n" in shown.err
    assert json.loads(server.asked[0][2]) == {
        "question": "Why?",
        "sources": ["a", "b"],
        "budget": {"tokens": 5000, "cost_usd": 0.5},
    }


@pytest.mark.parametrize(
    ("last", "code"),
    [
        (finished(), Exit.OK),
        (finished("partial"), Exit.PARTIAL),
        (finished("stopped"), Exit.STOPPED),
        (finished("unanswered"), Exit.UNANSWERED),
        (event(3, "failed", status="failed", report=None), Exit.FAILED),
        (event(3, "cancelled", status="cancelled", report=None), Exit.CANCELLED),
        (event(3, "cancelled", status="terminated", outside=True), Exit.TERMINATED),
    ],
)
def test_how_the_run_ended_is_the_exit_code(
    server: Server, capsys: pytest.CaptureFixture[str], last: str, code: Exit
) -> None:
    script_a_run(server, stream(last))
    assert run("ask", "Why?") == code
    assert run("watch", RUN) == code
    assert capsys.readouterr().out.startswith(REPORT) == ('"complete"' in last)


def test_the_report_is_saved(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script_a_run(server, stream(finished()))
    saved = tmp_path / "report.md"
    assert run("ask", "Why?", "--out", str(saved)) == Exit.OK
    assert saved.read_text() == REPORT
    shown = capsys.readouterr()
    assert shown.out == ""
    assert str(saved) in shown.err


def test_an_empty_question_is_sent_so_that_the_api_says_what_is_wrong(server: Server) -> None:
    script_a_run(server, stream(finished()))
    run("ask", "")
    assert json.loads(server.asked[0][2]) == {"question": ""}


def test_a_path_that_cannot_be_written_is_refused_before_the_research(server: Server, tmp_path: Path) -> None:
    assert run("ask", "Why?", "--out", str(tmp_path / "missing" / "report.md")) == Exit.BAD_INPUT
    assert server.asked == []


def test_no_watch_prints_the_run_and_leaves(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server)
    assert run("ask", "Why?", "--no-watch") == Exit.OK
    assert capsys.readouterr().out == f"{RUN}\n"
    assert run("ask", "Why?", "--no-watch", "--json") == Exit.OK
    assert json.loads(capsys.readouterr().out)["run_id"] == RUN


def test_a_paused_run_says_how_to_go_on(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server, stream(event(1, "paused", "Paused: no tokens left"), finished()))
    assert run("ask", "Why?", "--pause") == Exit.OK
    assert json.loads(server.asked[0][2])["budget"] == {"when_exhausted": "pause"}
    shown = capsys.readouterr().err
    assert "Paused: no tokens left" in shown
    assert f"elcano top-up {RUN} --tokens" in shown
    assert f"elcano stop {RUN}" in shown


def test_a_graph_of_ones_own_is_sent_whole(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script_a_run(server, stream(finished()))
    file = tmp_path / "mine.json"
    mine = ITERATIVE.model_copy(update={"name": "mine"})
    file.write_text(mine.model_dump_json())
    assert run("ask", "Why?", "--graph", str(file)) == Exit.OK
    assert json.loads(server.asked[0][2])["graph"] == mine.model_dump(mode="json")
    assert run("ask", "Why?", "--graph", str(tmp_path / "missing.json")) == Exit.BAD_INPUT
    assert "neither a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sent"),
    [((), {}), (("--engine", "graph"), {"use_graph": True}), (("--engine", "chain"), {"use_graph": False})],
)
def test_the_engine_is_asked_for_only_if_it_was_named(
    server: Server, options: tuple[str, ...], sent: JsonObject
) -> None:
    script_a_run(server, stream(finished()))
    assert run("ask", "Why?", "--no-watch", *options) == Exit.OK
    assert json.loads(server.asked[0][2]) == {"question": "Why?", **sent}


def test_a_domain_is_a_name_or_the_rubric_in_a_file(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric = {"name": "own", "description": "Für Tests."}
    (tmp_path / "own.json").write_text(json.dumps(rubric), encoding="utf-8")
    script_a_run(server, stream(finished()))
    for given, sent in (("biomedical", "biomedical"), (str(tmp_path / "own.json"), rubric)):
        assert run("ask", "Why?", "--no-watch", "--domain", given, "--mode", "simple") == Exit.OK
        assert json.loads(server.asked[-1][2]) == {"question": "Why?", "mode": "simple", "domain": sent}
    (tmp_path / "list.json").write_text("[]")
    for given in ("none.json", str(tmp_path / "list.json")):
        assert run("ask", "Why?", "--domain", given) == Exit.BAD_INPUT
        assert given in capsys.readouterr().err


def test_an_engine_that_there_is_not_is_refused(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ask", "Why?", "--engine", "steam") == Exit.BAD_INPUT
    shown = " ".join(re.findall(r"[^\s│]+", capsys.readouterr().err))  # the box that it stands in wraps it
    assert "'steam' is not one of 'graph', 'chain'" in shown
    assert server.asked == []
