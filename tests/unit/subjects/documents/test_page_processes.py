"""Pages are read in several processes as in one: in order, within their limits, and none outlives its reader."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.pdf import page_processes
from elcano.subjects.documents.pdf.page_processes import Limits, read_each

COUNT_PROCESSORS = page_processes._count_processors
LIMITS = Limits(seconds=60.0, page_seconds=60.0, worth=2)


@pytest.fixture(autouse=True)
def _two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_processes, "_count_processors", lambda: 2)


def test_pages_come_in_their_order_from_other_processes() -> None:
    read = list(read_each(lambda page: (page, os.getpid()), range(7), LIMITS))
    assert [page for page, _ in filter(None, read)] == list(range(7))
    processes = {process for _, process in filter(None, read)}
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_a_few_pages_are_read_here() -> None:
    assert list(read_each(lambda page: os.getpid(), range(3), LIMITS)) == [os.getpid()] * 3


def test_pages_are_read_here_where_no_other_process_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    forked = list[int]()

    def fork() -> int:
        if forked:
            raise BlockingIOError("no more processes")
        forked.append(process := original())
        return process

    original = os.fork
    monkeypatch.setattr(os, "fork", fork)
    pages = read_each(lambda page: os.getpid(), range(8), LIMITS)
    assert next(pages) == os.getpid()
    with pytest.raises(ProcessLookupError):  # it reads nothing in vain meanwhile
        os.kill(forked[0], 0)
    assert list(pages) == [os.getpid()] * 7
    assert len(forked) == 1


def test_an_error_of_one_page_is_raised_here() -> None:
    def read(page: int) -> int:
        if page == 3:
            raise MemoryError("no more")
        return page

    pages = read_each(read, range(8), LIMITS)
    assert [next(pages), next(pages), next(pages)] == [0, 1, 2]
    with pytest.raises(MemoryError, match="no more"):
        next(pages)


class BrokenTable(Exception):
    """It is pickled, and cannot be made again of its message alone."""

    def __init__(self, page: int, reason: str) -> None:
        super().__init__(f"{page}: {reason}")


def test_an_error_that_cannot_be_handed_over_is_named() -> None:
    def read(page: int) -> int:
        raise BrokenTable(page, "no rows")

    with pytest.raises(FileSkipped, match=r"^its parser failed \(BrokenTable\)$"):
        list(read_each(read, range(8), LIMITS))


@pytest.mark.parametrize(
    ("written", "count"), [("150000 100000\n", 2), ("50000 100000\n", 1), ("max 100000\n", 8), ("", 8), (None, 8)]
)
def test_a_share_of_the_processors_is_respected(
    written: str | None, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_processes, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)), raising=False)
    if written is not None:
        (tmp_path / "cpu.max").write_text(written, encoding="ascii")
    assert COUNT_PROCESSORS() == count


def test_a_page_that_ends_its_process_ends_the_document() -> None:
    def read(page: int) -> int:
        if page == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return page

    with pytest.raises(FileSkipped, match="reading one of its pages"):
        list(read_each(read, range(8), LIMITS))


def test_pages_beyond_the_time_of_a_process_are_not_read() -> None:
    def read(page: int) -> int:
        until = time.process_time() + 0.02
        while time.process_time() < until:
            pass
        return page

    assert list(read_each(read, range(6), LIMITS._replace(seconds=0.01))) == [0, 1, None, None, None, None]


def test_no_process_is_left_when_nobody_wants_the_rest() -> None:
    pages = read_each(lambda page: os.getpid(), range(400), LIMITS)
    process = next(pages)
    assert process is not None
    pages.close()  # type: ignore[attr-defined]  # a generator
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_no_process_outlives_a_reader_that_is_killed() -> None:
    code = (
        "import os, time\n"
        "from elcano.subjects.documents.pdf import page_processes\n"
        "page_processes._count_processors = lambda: 2\n"
        "limits = page_processes.Limits(60.0, 60.0, 2)\n"
        "for process in page_processes.read_each(lambda page: time.sleep(0.05) or os.getpid(), range(1000), limits):\n"
        "    print(process, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        processes = {int(reader.stdout.readline()) for _ in range(2)}
        reader.kill()
    until = time.monotonic() + 60
    while any(map(_is_alive, processes)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(_is_alive, processes))


def _is_alive(process: int) -> bool:
    """Whether a process works still; one that has ended may wait for whoever takes on orphans."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as status:
            return status.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_hanging_page_is_ended_by_the_timer_of_its_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork has no timers of its own: it is given those of the process that forks it."""
    monkeypatch.setattr(page_processes, "extend_deadline", lambda seconds: None)
    signal.setitimer(signal.ITIMER_REAL, 30.0)
    try:
        left = list(read_each(lambda page: signal.getitimer(signal.ITIMER_REAL)[0], range(4), LIMITS))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    assert all(0 < (seconds or 0) <= 30 for seconds in left)
