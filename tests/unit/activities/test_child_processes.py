"""Processes for one request each: they may hang, crash, talk nonsense or be slow to start."""

import io
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from elcano.activities import child_processes
from elcano.activities.child_processes import ChildProcesses, Message, NotStarted, ProcessEnded, Stop, TimedRequest
from elcano.graphs.frozen import Frozen

MODULE = "tests.unit.activities.test_child_processes"
"""As a process imports it; what pytest calls it depends on the name of the checkout's folder."""
REQUEST = TimedRequest(seconds=60)
HURRIED = TimedRequest(seconds=0.1)


class Said(Frozen):
    pid: int


class Nonsense(Frozen):
    number: str = "none"


def say(request: TimedRequest) -> Said:
    return Said(pid=os.getpid())


class Copied(Message):
    raw = ("content",)

    name: str
    content: bytes = b""


class Copying(TimedRequest):
    raw = ("content",)

    content: bytes = b""


def copy(request: Copying) -> Copied:
    return Copied(name="copy", content=request.content)


def hang(request: TimedRequest) -> Said:
    """Takes every exception for its own."""
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


def crash(request: TimedRequest) -> Said:
    os.kill(os.getpid(), signal.SIGKILL)
    return say(request)


def talk_nonsense(request: TimedRequest) -> Nonsense:
    return Nonsense()


Started = Callable[..., ChildProcesses[TimedRequest, Said]]


@pytest.fixture
def started() -> Iterator[Started]:
    made: list[ChildProcesses[TimedRequest, Said]] = []

    def start(function: Callable[..., object], *libraries: str) -> ChildProcesses[TimedRequest, Said]:
        made.append(ChildProcesses(f"{MODULE}:{function.__name__}", Said, libraries))
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_each_request_has_a_process_and_many_are_answered_at_once(started: Started) -> None:
    processes = started(say)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(processes.ask, [REQUEST] * 8))
    assert len({answer.pid for answer in answers} - {os.getpid()}) == 8


def test_what_hangs_is_killed(started: Started) -> None:
    with pytest.raises(ProcessEnded) as ended:
        started(hang).ask(HURRIED)
    assert ended.value.late


def test_work_that_is_stopped_before_it_begins_ends_at_once(started: Started) -> None:
    stop = Stop()
    stop.now()
    with pytest.raises(ProcessEnded) as ended:
        started(hang).ask(REQUEST, stop)
    assert ended.value.late


def test_bytes_travel_as_they_are() -> None:
    processes: ChildProcesses[Copying, Copied] = ChildProcesses(f"{MODULE}:copy", Copied)
    content = bytes(range(256)) * 1_000 + b"\n3 4\n"
    assert processes.ask(Copying(seconds=60, content=content)) == Copied(name="copy", content=content)
    assert processes.ask(Copying(seconds=60)) == Copied(name="copy")
    processes.close()


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b'{"name": "copy"}\n5\ncut', "cut off"),
        (b'{"name": "copy"}\n', "shorter"),
        (b'{"name": "copy"}\nmany\n', "invalid literal"),
        (b"{}\n0\n", "Field required"),
    ],
)
def test_a_message_that_is_cut_off_or_makes_no_sense_is_none(sent: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        child_processes._receive(io.BytesIO(sent), Copied)


@pytest.mark.parametrize("function", [crash, talk_nonsense])
def test_a_process_without_an_answer_was_not_late(started: Started, function: Callable[..., object]) -> None:
    with pytest.raises(ProcessEnded) as ended:
        started(function).ask(REQUEST)
    assert not ended.value.late


def test_a_server_that_ended_is_started_again(started: Started) -> None:
    processes = started(say)
    processes.ask(REQUEST)
    assert processes._running is not None
    processes._running[0].kill()  # as yet nobody has seen that it is gone
    assert processes.ask(REQUEST).pid
    processes.close()
    assert processes.ask(REQUEST).pid


def test_a_server_that_nobody_asks_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    mine, theirs = socket.socketpair()
    monkeypatch.setattr(os, "dup", lambda fd: theirs.detach())
    monkeypatch.setattr(signal, "signal", lambda number, way: None)
    with mine:
        child_processes.serve_connections(f"{MODULE}:say", "", "0.01")
        assert mine.recv(1) == b""


def test_a_slow_start_is_said_and_goes_on(started: Started) -> None:
    processes = started(say)
    with pytest.raises(NotStarted, match="still being loaded"):
        processes.ask(REQUEST, start_seconds=0.001)
    server = processes._running
    assert processes.ask(REQUEST).pid
    assert processes._running == server


def test_a_start_that_fails_is_an_error(started: Started) -> None:
    with pytest.raises(NotStarted, match="ended before it began"):
        started(say, "no_such_library").ask(REQUEST)
