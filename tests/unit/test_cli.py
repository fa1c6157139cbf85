"""The command line against a scripted server over real HTTP: streams that break, refusals, exit codes."""

import io
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rich.console import Console
from rich.live import Live

import cli.client
import settings
from cli import main
from cli.exits import Exit
from cli.live import Moving, budget_line, display
from dev.ports import free_ports
from graphs.events import AgentEvent, EventType
from graphs.frozen import JsonObject
from graphs.modes.iterative import ITERATIVE

ROOT = Path(__file__).parents[2]
RUN = "run-1"
REPORT = "# Answer\n\nA claim [1].\n"
EVENTS = f"/v1/runs/{RUN}/events"


class Answer:
    """What the server sends once. A `broken` answer promises more than it sends and hangs up."""

    def __init__(self, body: object, status: int = 200, media_type: str = "application/json", broken: bool = False):
        self.body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.status = status
        self.media_type = media_type
        self.broken = broken


class Server(ThreadingHTTPServer):
    """Answers each path from its script, the last answer again and again, and keeps what was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: dict[str, list[Answer]] = {}
        self.asked: list[tuple[str, dict[str, str], bytes]] = []

    def answer(self, request: str, *answers: Answer) -> None:
        self.script[request] = list(answers)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = f"{self.command} {self.path}"
        self.server.asked.append((request, {name.lower(): value for name, value in self.headers.items()}, body))
        answers = self.server.script[request]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(answer.body) + answer.broken))
        self.end_headers()
        self.wfile.write(answer.body)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        use_api(monkeypatch, found.server_port)
        yield found
        found.shutdown()
        thread.join()
    settings.settings.cache_clear()


def use_api(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    monkeypatch.setenv("ELCANO_API_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setattr(cli.client, "FIRST_PAUSE", 0.01)
    settings.settings.cache_clear()


def event(seq: int, type: EventType, message: str = "", *, section: str = "", id: str = "", **data: object) -> str:
    told = AgentEvent.model_validate(
        {
            "seq": seq,
            "type": type,
            "message": message or type,
            "at": 0.0,
            "step": 0,
            "iteration": 0,
            "path": section and f"0004.{section}",
            "section": section,
            "data": data,
        }
    )
    return f"id: {id or seq}\nevent: {type}\ndata: {told.model_dump_json()}\n\n"


def stream(*events: str, broken: bool = False) -> Answer:
    return Answer("".join(events), media_type="text/event-stream", broken=broken)


def problem(status: int, title: str, detail: str = "", errors: list[JsonObject] | None = None) -> Answer:
    body = {"type": "urn:x", "title": title, "status": status, "detail": detail, "errors": errors or []}
    return Answer(body, status, "application/problem+json")


def finished(partial: str | None = None) -> str:
    return event(3, "complete", "Done", report={"title": "Answer"}, partial=partial)


def run(*arguments: str) -> int:
    """Runs a command in this process and returns its exit code, however it ends."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)


def script_a_run(server: Server, *streams: Answer) -> None:
    server.answer("POST /v1/runs", Answer({"run_id": RUN, "status": "running", "engine": "graph"}, status=201))
    server.answer(f"GET {EVENTS}", *streams)
    server.answer(f"GET /v1/runs/{RUN}/report", Answer(REPORT, media_type="text/markdown"))
    server.answer(f"GET /v1/runs/{RUN}", Answer({"run_id": RUN, "status": "completed", "budget": {}}))


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
        "mode": "iterative",
        "sources": ["a", "b"],
        "budget": {"tokens": 5000, "cost_usd": 0.5},
    }


def test_a_broken_stream_is_resumed_after_the_last_event(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    waiting = 'event: waiting\ndata: {"message": "no worker answers", "at": 1.0}\n\n'
    script_a_run(
        server,
        stream(event(1, "started"), waiting, "id: 2\ndata: {half", broken=True),
        problem(503, "Temporal cannot be reached"),
        stream(event(2, "looping")),
        stream(finished()),
    )
    assert run("watch", RUN) == Exit.OK
    shown = capsys.readouterr().out
    assert re.findall(r":\d\d (\w+): ", shown) == ["started", "looping", "complete"]
    assert "(no worker answers)" in shown
    assert "broke off" in shown
    sent = [headers.get("last-event-id") for request, headers, _ in server.asked if request == f"GET {EVENTS}"]
    assert sent == [None, "1", "1", "2"]


def test_watch_as_json_gives_one_event_a_line(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server, stream(event(1, "started"), finished()))
    assert run("watch", RUN, "--json") == Exit.OK
    assert [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()] == [1, 3]


@pytest.mark.parametrize(
    ("last", "code"),
    [
        (finished(), Exit.OK),
        (finished(partial="time"), Exit.PARTIAL),
        (event(3, "failed", report=None), Exit.FAILED),
        (event(3, "cancelled", report=None), Exit.FAILED),
    ],
)
def test_how_the_run_ended_is_the_exit_code(
    server: Server, capsys: pytest.CaptureFixture[str], last: str, code: Exit
) -> None:
    script_a_run(server, stream(last))
    assert run("ask", "Why?") == code
    assert run("watch", RUN) == code
    assert capsys.readouterr().out.startswith(REPORT) == (code in (Exit.OK, Exit.PARTIAL))


def test_the_report_is_saved(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script_a_run(server, stream(finished()))
    saved = tmp_path / "report.md"
    assert run("ask", "Why?", "--out", str(saved)) == Exit.OK
    assert saved.read_text() == REPORT
    shown = capsys.readouterr()
    assert shown.out == ""
    assert str(saved) in shown.err


def test_a_path_that_cannot_be_written_is_refused_before_the_research(server: Server, tmp_path: Path) -> None:
    assert run("ask", "Why?", "--out", str(tmp_path / "missing" / "report.md")) == Exit.BAD_INPUT
    assert server.asked == []


def test_report_says_whether_it_is_partial(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server)
    assert run("report", RUN) == Exit.OK
    server.answer(f"GET /v1/runs/{RUN}", Answer({"run_id": RUN, "ending": {"kind": "time"}}))
    assert run("report", RUN, "--json") == Exit.PARTIAL
    assert capsys.readouterr().out == REPORT + REPORT
    asked = [headers["accept"] for request, headers, _ in server.asked if request.endswith("/report")]
    assert asked == ["text/markdown", "application/json"]


def test_no_watch_prints_the_run_and_leaves(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server)
    assert run("ask", "Why?", "--no-watch") == Exit.OK
    assert capsys.readouterr().out == f"{RUN}\n"
    assert run("ask", "Why?", "--no-watch", "--json") == Exit.OK
    assert json.loads(capsys.readouterr().out)["run_id"] == RUN


def test_runs_are_listed(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    listed = {
        "run_id": RUN,
        "status": "completed",
        "mode": "iterative",
        "engine": "chain",
        "started_at": 0.0,
        "question": "Why\nnot?",
    }
    server.answer("GET /v1/runs?limit=3&status=completed", Answer({"runs": [listed]}))
    server.answer("GET /v1/runs?limit=20", Answer({"runs": []}))
    assert run("runs", "--limit", "3", "--status", "completed") == Exit.OK
    (_, row) = capsys.readouterr().out.splitlines()
    assert row.split()[:4] == [RUN, "completed", "iterative", "chain"]
    assert "Why not?" in row
    assert run("runs") == Exit.OK
    assert "no runs yet" in capsys.readouterr().out


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
    assert "neither a graph" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sent"),
    [((), {}), (("--engine", "graph"), {"use_graph": True}), (("--engine", "chain"), {"use_graph": False})],
)
def test_the_engine_is_asked_for_only_if_it_was_named(
    server: Server, options: tuple[str, ...], sent: JsonObject
) -> None:
    script_a_run(server, stream(finished()))
    assert run("ask", "Why?", "--no-watch", *options) == Exit.OK
    assert json.loads(server.asked[0][2]) == {"question": "Why?", "mode": "iterative", **sent}


def test_an_engine_that_there_is_not_is_refused(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ask", "Why?", "--engine", "steam") == Exit.BAD_INPUT
    shown = " ".join(re.findall(r"[^\s│]+", capsys.readouterr().err))  # the box that it stands in wraps it
    assert "'steam' is not one of 'graph', 'chain'" in shown
    assert server.asked == []


def test_sections_are_prefixed_and_their_cursors_kept(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    lost = 'event: unreadable\ndata: {"message": "the events of costs cannot be read", "path": "", "section": ""}\n\n'
    script_a_run(
        server,
        stream(
            event(1, "branch_started", section="costs", id="1+1:0", run_id="run-1.0004.costs"),
            event(2, "thinking", "Looking closer", section="costs", id="1+1:2"),
            lost,
            broken=True,
        ),
        stream(finished()),
    )
    assert run("watch", RUN) == Exit.OK
    shown = capsys.readouterr().out
    assert "[costs] thinking: Looking closer" in shown
    assert "(the events of costs cannot be read)" in shown
    sent = [headers.get("last-event-id") for request, headers, _ in server.asked if request == f"GET {EVENTS}"]
    assert sent == [None, "1+1:2"]


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
    server.answer(f"GET /v1/runs/{RUN}/report", answer)
    assert run("report", RUN) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert line in shown.err
    assert shown.err.count("\n") == 1


def test_watching_a_run_that_does_not_exist_is_refused(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"GET {EVENTS}", problem(404, "No such run"))
    assert run("watch", RUN) == Exit.BAD_INPUT
    assert "No such run" in capsys.readouterr().err


def test_an_api_that_is_not_there_is_said_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (port,) = free_ports(1)
    use_api(monkeypatch, port)
    monkeypatch.setattr(cli.client, "GIVE_UP_SECONDS", 0.05)
    assert run("runs") == Exit.NOT_REACHABLE
    assert run("watch", RUN) == Exit.NOT_REACHABLE
    assert "elcano serve" in capsys.readouterr().err
    settings.settings.cache_clear()


def test_ctrl_c_leaves_the_run_and_says_how_to_come_back(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script_a_run(server, stream(event(1, "started")))
    monkeypatch.setattr("cli.client.time.sleep", interrupt)
    assert run("ask", "Why?") == Exit.INTERRUPTED
    assert f"elcano watch {RUN}" in capsys.readouterr().err
    assert not [request for request, _, _ in server.asked if "stop" in request]


def interrupt(seconds: float) -> None:
    raise KeyboardInterrupt


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


@pytest.mark.parametrize(("content", "said"), [(None, "neither a graph"), ("{", "is not a graph"), ("{}", "nodes: ")])
def test_what_is_no_graph_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, said: str
) -> None:
    file = tmp_path / "graph.json"
    if content is not None:
        file.write_text(content)
    assert run("graph", "check", str(file)) == Exit.BAD_INPUT
    assert said in capsys.readouterr().err


def test_usage_errors_are_bad_input() -> None:
    assert run("ask") == Exit.BAD_INPUT
    assert run("ask", "Why?", "--budget-tokens", "many") == Exit.BAD_INPUT
    assert run("nonsense") == Exit.BAD_INPUT


def test_the_manual_has_every_exit_code_and_command(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d+) \|", page, re.MULTILINE) == [str(code.value) for code in Exit]
    assert run("--help") == Exit.OK
    shown = capsys.readouterr().out
    for command in ("ask", "serve", "runs", "watch", "report", "stop", "top-up", "doctor", "graph"):
        assert f"elcano {command}" in page
        assert command in shown


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['elcano', '--help']\n"
        "from cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'httpx', 'pydantic', 'temporalio', 'pydantic_ai', 'fastapi', 'sqlalchemy'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    shown = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr


def test_the_budget_line_shows_the_limits_that_there_are() -> None:
    gauges: JsonObject = {
        "exceeded": False,
        "tokens": {"limit": 100_000, "used": 31_000, "remaining": 69_000},
        "cost_usd": {"limit": None, "used": 0.0, "remaining": None},
        "seconds": {"limit": 600.0, "used": 41.7, "remaining": 558.3},
        "iterations": {"limit": 5, "used": 2, "remaining": 3},
    }
    assert budget_line(gauges) == "tokens 31,000 of 100,000 · seconds 42 of 600 · iteration 2 of 5"
    assert budget_line({}) == ""


def test_a_terminal_keeps_the_results_and_shows_what_runs_now() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100)
    gauges: JsonObject = {"tokens": {"limit": 100_000, "used": 31_000}}
    told: list[tuple[EventType, str]] = [
        ("started", "Research [started]"),
        ("thinking", "Thinking hard"),
        ("looping", "Iteration 2 of at most 5"),
        ("judging", "Judging now"),
        ("complete", "Done"),
    ]
    with display(console, lambda: gauges) as shown:
        for seq, (type, message) in enumerate(told, start=1):
            shown.show(AgentEvent(seq=seq, type=type, message=message, at=0.0, step=0, iteration=0))
            console.file.flush()
        shown.say("the stream broke off")
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", written.getvalue())
    for kept in ("Research [started]", "Iteration 2 of at most 5", "Done", "the stream broke off"):
        assert f"{kept}\n" in re.sub(r" +\n", "\n", text)
    assert "tokens 31,000 of 100,000" in text


def test_a_terminal_shows_open_sections_side_by_side_and_how_they_ended() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100, height=40)

    def told(seq: int, type: EventType, message: str, section: str = "", **data: object) -> AgentEvent:
        place = {"path": f"0004.{section}", "section": section} if section else {}
        fields = {"seq": seq, "type": type, "message": message, "at": 0.0, "step": 0, "iteration": 0, "data": data}
        return AgentEvent.model_validate({**fields, **place})

    def since(position: int) -> str:
        console.file.flush()
        return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", written.getvalue()[position:])

    with Live(console=console, auto_refresh=False, transient=True) as live:
        shown = Moving(live, dict)
        shown.show(told(1, "branch_started", "History: research begins", "History"))
        shown.show(told(2, "branch_started", "Costs: research begins", "Costs"))
        shown.show(told(2, "searching", "Looking at 1995", "History"))
        place = len(written.getvalue())
        shown.show(told(3, "search_complete", "4 passages", "Costs"))
        live.refresh()
        side_by_side = since(place)
        assert "[History] Looking at 1995" in side_by_side
        assert "[Costs] 4 passages" in side_by_side
        shown.show(told(3, "branch_complete", "History: drafted", "History"))
        shown.show(told(4, "branch_complete", "Costs: no section, it failed", "Costs", gap={"reason": "it failed"}))
        place = len(written.getvalue())
        live.refresh()
        assert "Costs" not in since(place)
    text = since(0)
    assert "✓ History: drafted" in text
    assert "✗ Costs: no section, it failed" in text
