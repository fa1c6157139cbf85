"""Programs of a stack, forked from a process that has imported what they consist of already.

Importing is most of what the processor has to do for a worker that takes the place of one that was killed, and what a
test of kills wants to know begins afterwards. How programs begin is tested with programs that were started as users
start them.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from elcano.dev.child import Child
from elcano.plugins import load_plugins

FORKING: Final = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(["tests.imported_programs"])


PROGRAMS: Final = {"elcano.worker": "elcano.worker", "elcano.api": "elcano.api.__main__"}


class ForkedProcess:
    """A process that is forked, as `asyncio` sees one that was started."""

    def __init__(self, module: str, environment: Mapping[str, str], log: Path, group: int) -> None:
        self._process = FORKING.Process(target=_become, args=(module, dict(environment), log, group))
        self._process.start()
        self.pid: int = self._process.pid or 0

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal.

        Raises:
            ProcessLookupError: the process has ended.
        """
        os.kill(self.pid, number)

    async def wait(self) -> int:
        """Return the exit code once the process has ended: negative after a signal."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process.sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        self._process.join()
        code = self._process.exitcode
        assert code is not None
        return code


@contextmanager
def forked_programs() -> Iterator[None]:
    """Stacks that are opened meanwhile fork their worker and their API; Temporal's server is started as ever."""
    started = Child._spawn

    async def spawn(child: Child) -> Any:
        python, *options = child._command
        if python != sys.executable:
            return await started(child)
        child.log.touch()
        return ForkedProcess(options[-1], child._environment, child.log, child._guard.group)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Child, "_spawn", spawn)
        yield


def _become(module: str, environment: Mapping[str, str], log: Path, group: int) -> None:
    os.setpgid(0, group)
    os.environ.clear()
    os.environ.update(environment)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = [module]
    load_plugins()  # those of this environment
    import_module(PROGRAMS[module]).main()
