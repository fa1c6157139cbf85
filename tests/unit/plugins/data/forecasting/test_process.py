"""The process that computes, seen from the worker: it may hang, crash, talk nonsense or be slow to start."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from elcano.plugins.data.forecasting.fitting import FitAnswer, FitRequest
from elcano.plugins.data.forecasting.process import ForecastProcess, Starting

REQUEST = FitRequest(
    model="ets", values=(1.0,), moments=(datetime(2000, 1, 1),) * 2, season=1, ends=(1,), horizon=1, seconds=60
)
HURRIED = REQUEST.model_copy(update={"seconds": 0.1})
READY = "import sys, time; print('ready', flush=True)\n"
ANSWERS = READY + 'for line in sys.stdin: print(\'{"failed": "as asked"}\', flush=True)'


@pytest.fixture
def started() -> Iterator[Callable[[str], ForecastProcess]]:
    processes: list[ForecastProcess] = []

    def start(code: str) -> ForecastProcess:
        processes.append(ForecastProcess((sys.executable, "-c", code)))
        return processes[-1]

    yield start
    for process in processes:
        process.end()


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


def test_one_process_answers_again_and_again_and_many_at_once(started: Callable[[str], ForecastProcess]) -> None:
    process = started(READY + 'import os\nfor line in sys.stdin: print(\'{"failed": "%d"}\' % os.getpid(), flush=True)')
    answers: list[FitAnswer] = []
    threads = [threading.Thread(target=lambda: answers.append(process.ask(REQUEST, soon()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert len({answer.failed for answer in answers}) == 1


def test_what_hangs_is_killed_and_the_next_is_answered_by_another(started: Callable[[str], ForecastProcess]) -> None:
    process = started(READY + "time.sleep(600)")
    assert process.ask(HURRIED, soon()).failed == "it took longer than the 0.1 s that there were for it"
    process._command = (sys.executable, "-c", ANSWERS)
    assert process.ask(REQUEST, soon()).failed == "as asked"


@pytest.mark.parametrize("end", ["sys.stdin.readline(); sys.exit(3)", "sys.stdin.readline(); print('{', end='')"])
def test_what_takes_its_process_down_is_left_out(started: Callable[[str], ForecastProcess], end: str) -> None:
    assert started(READY + end).ask(REQUEST, soon()).failed == "it took its process down"


def test_one_that_ended_because_it_was_idle_is_started_again(started: Callable[[str], ForecastProcess]) -> None:
    process = started(READY + 'sys.stdin.readline(); print(\'{"failed": "once"}\', flush=True)')
    assert process.ask(REQUEST, soon()).failed == "once"
    assert process._process is not None
    process._process.wait(60)
    assert process.ask(REQUEST, soon()).failed == "once"


def test_a_slow_start_is_said_and_goes_on(started: Callable[[str], ForecastProcess]) -> None:
    process = started("import sys; sys.stdin.readline()\n" + ANSWERS)
    with pytest.raises(Starting, match="still being loaded"):
        process.ask(REQUEST, soon(0.1))
    child = process._process
    assert child is not None
    assert child.stdin is not None
    child.stdin.write(b"go on\n")
    child.stdin.flush()
    assert process.ask(REQUEST, soon()).failed == "as asked"
    assert process._process is child


def test_a_start_that_fails_is_an_error(started: Callable[[str], ForecastProcess]) -> None:
    with pytest.raises(RuntimeError, match="before it was ready"):
        started("raise SystemExit(1)").ask(REQUEST, soon())


def test_no_time_is_left_for_who_waits_too_long(started: Callable[[str], ForecastProcess]) -> None:
    process = started(ANSWERS)
    process.ask(REQUEST, soon())
    with process._turn, pytest.raises(Starting, match="another forecast"):
        process.ask(REQUEST, soon(0.05))
    assert process.ask(REQUEST, time.monotonic() - 1).failed == "there was no time left for it"
