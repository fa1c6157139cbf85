"""Which files of the product are entered, and in which order: what somebody would have to read to follow a call."""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]


class Trace:
    """The functions of the product that were called, in order.

    Each call counts once, however often a coroutine or a generator is resumed. Threads that were begun while it was
    installed count too.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        """The file and the function of each."""
        self._is_on = False
        self._seen: dict[int, FrameType] = {}  # kept, so that no other frame gets the same id
        self._files: dict[str, str] = {}

    def note(self, frame: FrameType, event: str, argument: object) -> None:
        """What Python tells a profiler."""
        if not self._is_on or event != "call" or id(frame) in self._seen:
            return
        name = frame.f_code.co_filename
        if name not in self._files:
            self._files[name] = _find_product_file(name)
        if self._files[name]:
            self._seen[id(frame)] = frame
            self.calls.append((self._files[name], frame.f_code.co_name))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Calls count within the block."""
        self._is_on = True
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)
            self._is_on = False

    def between(self, first: str, last: str) -> list[tuple[str, str]]:
        """The calls from the first of the function `first` to the first of `last`."""
        names = [name for _, name in self.calls]
        begin = names.index(first)
        return self.calls[begin : names.index(last, begin) + 1]


def _find_product_file(name: str) -> str:
    """The path of a file in the checkout; empty if it is not the product's."""
    path = Path(name).resolve()
    if name.startswith("<") or not path.is_relative_to(ROOT):
        return ""
    inside = path.relative_to(ROOT)
    return "" if inside.parts[0] in {".venv", "tests"} else str(inside)


def list_stays(calls: Sequence[tuple[str, str]]) -> list[str]:
    """The files that are read one after the other: calls within a file that follow each other are one stay."""
    return [file for file, _ in groupby(file for file, _ in calls)]


def count_returns(stays: Sequence[str]) -> int:
    """How often a file is entered that was left before."""
    return len(stays) - len(set(stays))


@contextmanager
def installed_trace() -> Iterator[Trace]:
    """A trace that this thread, and those that begin from now on, tell of their calls while it records."""
    trace = Trace()
    threading.setprofile(trace.note)
    try:
        yield trace
    finally:
        threading.setprofile(None)
