"""Following a run: streams that break, sections, an API that is away, and Ctrl-C."""

import json
import re
from queue import SimpleQueue

import pytest

from elcano.cli.client import Api
from elcano.cli.exit_codes import Exit
from tests.unit.cli.scripted import EVENTS, RUN, Server, event, finished, problem, run, script_a_run, stream


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


def test_words_that_are_being_written_are_no_events(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    words = 'event: streaming\ndata: {"text": "half a rep", "path": "", "characters": 10}\n\n'
    script_a_run(server, stream(event(1, "started"), words, broken=True), stream(words, finished()))
    assert run("watch", RUN) == Exit.OK
    assert "half a rep" not in capsys.readouterr().out
    script_a_run(server, stream(event(1, "started"), words, finished()))
    assert run("watch", RUN, "--json") == Exit.OK
    assert [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()] == [1, 3]


def test_words_are_shown_as_they_come_and_are_void_when_the_stream_breaks(server: Server) -> None:
    def words(text: str) -> str:
        return f'event: streaming\ndata: {{"text": "{text}", "path": "", "characters": 1}}\n\n'

    script_a_run(server, stream(event(1, "started"), words("a"), broken=True), stream(words("b"), finished()))
    written: list[object] = []
    with Api(f"http://127.0.0.1:{server.server_port}") as api:
        told = [
            one.type for one in api.watch_run(RUN, lambda said: None, lambda data: written.append(data.get("text")))
        ]
    assert told == ["started", "complete"]
    assert written == ["a", None, "b"]


def test_a_nodes_error_is_shown_by_the_type_in_its_data(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server, stream(event(1, "started"), event(2, "error", "judge failed"), finished()))
    assert run("watch", RUN) == Exit.OK
    assert "error: judge failed" in capsys.readouterr().out


def test_watch_as_json_gives_one_event_a_line(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    script_a_run(server, stream(event(1, "started"), finished()))
    assert run("watch", RUN, "--json") == Exit.OK
    assert [json.loads(line)["seq"] for line in capsys.readouterr().out.splitlines()] == [1, 3]


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


def test_watching_a_run_that_does_not_exist_is_refused(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"GET {EVENTS}", problem(404, "No such run"))
    assert run("watch", RUN) == Exit.BAD_INPUT
    assert "No such run" in capsys.readouterr().err


def test_ctrl_c_leaves_the_run_and_says_how_to_come_back(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script_a_run(server, stream(event(1, "started")))
    monkeypatch.setattr("elcano.client.blocking.SimpleQueue", Interrupted)
    assert run("ask", "Why?") == Exit.INTERRUPTED
    assert f"elcano watch {RUN}" in capsys.readouterr().err
    assert not [request for request, _, _ in server.asked if "stop" in request]


class Interrupted(SimpleQueue[object]):
    """What is waited for when Ctrl-C is pressed."""

    def get(self, block: bool = True, timeout: float | None = None) -> object:
        raise KeyboardInterrupt
