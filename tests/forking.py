"""Tests in several processes, forked from one that has collected them: what all of them need is imported once.

With processes that import and collect everything each, as pytest-xdist has them, this took longer than all tests of
graphs and of storage; and as a process more costs next to nothing, there can be enough of them for tests that wait.
A file, or a folder whose files share what takes long to make, is run by one process.
"""

import gc
import multiprocessing
import os
import random
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.tmpdir import TempPathFactory

WAITING: Final = ("chaos", "page", "tour", "packaging", "seams", "scripts", "benchmarks", "load")
"""Folders whose tests wait for seconds more than they compute: at the end they would wait alone."""

WAITING_FILES: Final = ("test_holds.py", "test_long_holds.py", "test_pause.py", "test_tries.py")

TOGETHER: Final = ("certificates", "packaging", "page", "tour")
"""Folders whose files share what takes long to make."""

_FORK: Final = multiprocessing.get_context("fork")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("forking")
    group._addoption("-n", dest="forks", type=int, default=0, metavar="N", help="share the tests among N processes")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what waits and end with what is short."""
    items.sort(key=lambda item: _rank(item.path))


def _rank(path: Path) -> int:
    folder = path.parent.name
    if folder in WAITING or path.name in WAITING_FILES:
        return WAITING.index(folder) if folder in WAITING else len(WAITING)
    return len(WAITING) + 1 + ("unit" in path.parts)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Share the tests among processes, if this is asked for."""
    count = session.config.getoption("forks")
    if not count or session.config.option.collectonly or session.testsfailed:
        return None
    _Forks(session).run(count)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


class _Fork:
    """One of the processes, as seen by the one that it was forked from."""

    def __init__(self, session: pytest.Session, number: int, others: list["_Fork"]) -> None:
        self.number = number
        self.connection, theirs = _FORK.Pipe()
        ours = [self.connection, *(other.connection for other in others)]
        self.process = _FORK.Process(target=_run_given, args=(session, number, theirs, ours))
        with warnings.catch_warnings():
            # Python warns of threads: here they are those of libraries for numbers, which know of forks.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        theirs.close()
        self.given: deque[int] = deque()
        """The numbers of the tests that it has and has not ended."""


class _Forks:
    """All processes, and the tests that none of them has yet."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        units: dict[str, list[int]] = {}
        for number, item in enumerate(session.items):
            place = item.path.parent if item.path.parent.name in TOGETHER else item.path
            units.setdefault(str(place), []).append(number)
        self._units = deque(units.values())
        self._forks: list[_Fork] = []
        self._begun = 0

    def run(self, count: int) -> None:
        """Run the tests; pytest's plugins are told here what becomes of them, as if they were run here."""
        manager = self._session.config.pluginmanager
        if terminal := manager.get_plugin("terminalreporter"):
            terminal.showfspath = False  # of which file a letter is would change with each
        if capturing := manager.get_plugin("capturemanager"):
            capturing.stop_global_capturing()  # each process has its own
        self._session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # made for all
        sys.stdout.flush()
        sys.stderr.flush()
        gc.collect()
        gc.freeze()  # memory that no process looks through is shared among them
        try:
            for _ in range(min(count, len(self._units))):
                self._begin()
            while self._forks:
                ready = wait([fork.connection for fork in self._forks])
                for fork in [fork for fork in self._forks if fork.connection in ready]:
                    self._listen(fork)
        finally:  # those that are left after Ctrl-C find that nobody listens, and end
            for fork in self._forks:
                fork.connection.close()
            for fork in self._forks:
                fork.process.join()

    def _begin(self) -> None:
        self._forks.append(_Fork(self._session, self._begun, self._forks))
        self._begun += 1

    def _listen(self, fork: _Fork) -> None:
        try:
            told, content = fork.connection.recv()
        except (EOFError, ConnectionError):
            self._end(fork)
            return
        config, hook = self._session.config, self._session.config.hook
        match told:
            case "ready":
                fork.given.extend(self._next(fork.number))
                fork.connection.send([*fork.given])
            case "start":
                item = self._session.items[content]
                hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            case "report":
                report = hook.pytest_report_from_serializable(config=config, data=content)
                hook.pytest_runtest_logreport(report=report)
            case "end":
                item = self._session.items[fork.given.popleft()]
                hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
            case "warning":
                text, filename, line, when, nodeid = content
                said = warnings.WarningMessage(UserWarning(text), UserWarning, filename, line)
                given = {"warning_message": said, "when": when, "nodeid": nodeid, "location": None}
                hook.pytest_warning_recorded.call_historic(kwargs=given)

    def _next(self, number: int) -> list[int]:
        """The first two processes go through the files from the front, the others from the end.

        So some wait while others compute, from the beginning on.
        """
        if not self._units or self._session.shouldfail or self._session.shouldstop:
            return []
        return self._units.popleft() if number < 2 else self._units.pop()

    def _end(self, fork: _Fork) -> None:
        """Take leave of a process; the test that it died of has failed, and another process takes its place."""
        self._forks.remove(fork)
        fork.connection.close()
        fork.process.join()
        stopped = self._session.shouldfail or self._session.shouldstop
        if not fork.process.exitcode and (stopped or not fork.given):
            return
        in_test = bool(fork.given)
        item = self._session.items[fork.given.popleft() if in_test else -1]
        said = f"process {fork.number} of the tests ended with {fork.process.exitcode}"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
        self._session.config.hook.pytest_runtest_logreport(report=report)
        if fork.given:
            self._units.appendleft([*fork.given])
        if in_test and self._units and not stopped:
            self._begin()


class _Telling:
    """The plugin that tells, from a forked process, what becomes of tests."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config = config
        self._connection = connection

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._connection.send(("report", data))

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, when: str, nodeid: str) -> None:
        text = f"{warning_message.category.__name__}: {warning_message.message}"
        self._connection.send(("warning", (text, warning_message.filename, warning_message.lineno, when, nodeid)))


def _run_given(session: pytest.Session, number: int, connection: Connection, closed: list[Connection]) -> None:
    """Be one of the forked processes: run the tests that are given until there are no more."""
    for other in closed:
        other.close()
    config = session.config
    random.seed()
    factory: TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    factory._basetemp = factory.getbasetemp() / f"process-{number}"
    factory._basetemp.mkdir(mode=0o700)
    manager = config.pluginmanager
    if terminal := manager.get_plugin("terminalreporter"):
        terminal._tw._file = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the process ends
    if capturing := manager.get_plugin("capturemanager"):
        capturing.start_global_capturing()
    manager.register(_Telling(config, connection))
    with suppress(KeyboardInterrupt, EOFError, ConnectionError):  # there is nobody left to tell
        try:
            for item, following in _given(session, connection):
                config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.shouldfail or session.shouldstop:
                    break
        finally:
            session._setupstate.teardown_exact(None)


def _given(session: pytest.Session, connection: Connection) -> Iterator[tuple[pytest.Item, Any]]:
    """Each test with that after it; after the last of a file it is the session, whose fixtures are kept."""
    while True:
        connection.send(("ready", None))
        numbers = connection.recv()
        if not numbers:
            return
        for place, number in enumerate(numbers):
            connection.send(("start", number))
            following = session.items[numbers[place + 1]] if place + 1 < len(numbers) else session
            yield session.items[number], following
            connection.send(("end", number))
