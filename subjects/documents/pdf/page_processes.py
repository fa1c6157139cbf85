"""Reads pages in several processes at once: a page waits for no other, and one processor alone is slow.

The processes are forked from the one that has the document open, so nothing is opened or sent twice. Each is as limited
as that one, has its own time, and ends with the first page that it cannot hand over.
"""

import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, Generic, NamedTuple, TypeVar, cast

from elcano.activities.child_processes import extend_deadline
from elcano.activities.passages.document import FileSkipped

MOST_PROCESSES: Final = 4
"""Each may need the memory of a whole reader."""
_TIMERS: Final = (signal.ITIMER_REAL, signal.ITIMER_PROF)
_FIRST_FILE: Final = 3
"""After the standard input, output and errors."""
_LAST_FILE: Final = 1_000_000
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
"""Microseconds of processor time in each period of so many, of a container by cgroup version 2: `150000 100000`."""

Page = TypeVar("Page")
Found = TypeVar("Found")


class Limits(NamedTuple):
    """How long pages may be read, and how many are worth a process."""

    seconds: float
    """Processor time of each process for all its pages; those that are left then are not read."""
    page_seconds: float
    """Time until one page ends its process."""
    worth: int
    """Pages from which on a process saves more than it costs."""


def read_each(read: Callable[[Page], Found], pages: Sequence[Page], limits: Limits) -> Iterator[Found | None]:
    """Read pages, in their order; None: there was no time left for it.

    Args:
        read: reads one of them. What it changes may be lost with its process; what it returns is pickled.
        pages: what it is called with.
        limits: of their time.

    Raises:
        FileSkipped: a page ended the process that read it.
    """
    count = min(_count_processors(), MOST_PROCESSES, len(pages) // limits.worth)
    readers: list[_Reader[Found]] = []
    try:
        if count > 1 and _fork_readers(readers, read, pages, limits, count):
            for number in range(len(pages)):
                extend_deadline(limits.page_seconds)
                yield readers[number % count].receive()
        else:
            yield from _read_here(read, pages, limits)
    finally:
        for reader in readers:
            reader.end()


def _read_here(read: Callable[[Page], Found], pages: Sequence[Page], limits: Limits) -> Iterator[Found | None]:
    until = time.process_time() + limits.seconds
    for page in pages:
        extend_deadline(limits.page_seconds)
        yield None if time.process_time() > until else read(page)


class _Reader(NamedTuple, Generic[Found]):
    process: int
    answers: BinaryIO

    def receive(self) -> Found | None:
        """The next page; what its reader raised is raised here."""
        try:
            answer = pickle.load(self.answers)  # of a process that may do no more than this one
        except (EOFError, pickle.UnpicklingError):
            raise FileSkipped("reading one of its pages took too long, or took its parser down") from None
        if isinstance(answer, Exception):
            raise answer
        return cast("Found | None", answer)

    def end(self) -> None:
        self.answers.close()
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def _fork_readers(
    readers: list[_Reader[Found]], read: Callable[[Page], Found], pages: Sequence[Page], limits: Limits, count: int
) -> bool:
    """Add `count` readers, each of every so many pages; False: the system allows no more processes."""
    for first in range(count):
        try:
            readers.append(_fork_reader(_read_here(read, pages[first::count], limits)))
        except OSError:
            while readers:  # they would read, beside this process, what nobody takes
                readers.pop().end()
            return False
    return True


def _fork_reader(pages: Iterator[Found | None]) -> _Reader[Found]:
    left = [signal.getitimer(timer)[0] for timer in _TIMERS]
    receives, sends = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(receives)
        os.close(sends)
        raise
    if process:
        os.close(sends)
        return _Reader(process, open(receives, "rb"))
    try:
        # Whoever waits for the end of the process that forked is not to wait for this one too.
        os.closerange(_FIRST_FILE, sends)
        os.closerange(sends + 1, _LAST_FILE)
        for timer, seconds in zip(_TIMERS, left, strict=True):
            signal.setitimer(timer, seconds)  # a fork has none
        with open(sends, "wb") as answers:
            try:
                for page in pages:
                    pickle.dump(page, answers, pickle.HIGHEST_PROTOCOL)
                    answers.flush()
            except Exception as error:
                answers.write(_pickle_error(error))
    finally:
        os._exit(0)


def _pickle_error(error: Exception) -> bytes:
    """An error for the process that forked this one; of one that gets lost on the way, its name."""
    try:
        pickled = pickle.dumps(error)
        if isinstance(pickle.loads(pickled), type(error)):
            return pickled
    except Exception:  # of a parser's own kind, which may need more than its message to be made
        pass
    return pickle.dumps(FileSkipped(f"its parser failed ({type(error).__name__})"))


def _count_processors() -> int:
    """How many processors this process may use at a time: a container may have a smaller share than there are."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _QUOTA.read_text("ascii").split()
        return min(count, -(-int(quota) // int(period)))
    except (OSError, ValueError):  # no control groups of version 2 here, or "max": all of them
        return count
