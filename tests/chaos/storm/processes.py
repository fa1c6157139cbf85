"""One process of the stack under chaos: started, killed, stopped for a while, and started again when told to.

Unlike `elcano.dev.child` it does not mend itself: when a process comes back is part of the schedule. One that ends
unasked is started again after a moment, and that it did is told.
"""

import asyncio
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import psutil

from elcano.dev.child import Guard

UNASKED_PAUSE: Final = 0.5
"""Seconds after which a process is started again that ended by itself, as whoever supervises it would."""


class Disturbed(Protocol):
    """What can be killed and stopped."""

    name: str

    async def kill(self) -> None:
        """SIGKILL; returns when it is dead."""

    async def start(self) -> None:
        """Starts it, or starts it again."""

    def stop(self) -> None:
        """SIGSTOP."""

    def go_on(self) -> None:
        """SIGCONT."""


class Program:
    """A program of ours, in the group of a guard."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        folder: Path,
        log: Path,
        guard: Guard,
        ended: Callable[[str, float], None],
    ) -> None:
        """`folder` is where it is started; `ended` is told of each death that nobody asked for."""
        self.name = name
        self._command = command
        self._environment = environment
        self._folder = folder
        self._log = log
        self._guard = guard
        self._ended = ended
        self._process: asyncio.subprocess.Process | None = None
        self._asked = False
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Starts it; returns at once."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                cwd=self._folder,
                env=dict(self._environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(self._guard.leash,),
                process_group=self._guard.group,
            )
        self._asked = False
        self._keeper = asyncio.create_task(self._keep(self._process))

    async def kill(self) -> None:
        """SIGKILL; returns when it is dead."""
        self._asked = True
        self._signal(signal.SIGKILL)
        if self._process is not None:
            await self._process.wait()

    def stop(self) -> None:
        """SIGSTOP."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    async def _keep(self, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        if self._asked or process is not self._process:
            return
        self._ended(f"{self.name} ended by itself with code {code} (its log: {self._log})", time.time())
        await asyncio.sleep(UNASKED_PAUSE)
        if not self._asked and process is self._process:
            await self.start()


class Postgres:
    """The database of `pgserver`, which starts itself and is killed with all that it forked."""

    name = "postgres"

    def __init__(self, folder: Path) -> None:
        """`folder` is short and may be entered by everybody: a server that root starts runs as a user of its own."""
        from pgserver.postgres_server import get_server

        self._folder = folder
        self._server = get_server(folder, cleanup_mode="delete")

    @property
    def url(self) -> str:
        """As its administrator."""
        url: str = self._server.get_uri()
        return url

    async def start(self) -> None:
        """Starts it again; tries again while it is not ready, for pgserver waits 10 s alone."""
        for left in reversed(range(20)):
            try:
                await asyncio.to_thread(self._server.ensure_postgres_running)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired, AssertionError):
                if not left:
                    raise
                await asyncio.sleep(0.2)
            else:
                return

    async def kill(self) -> None:
        """SIGKILL for the server and all that it forked; returns when they are dead.

        Its notes of itself go with it: whoever reaps it may take seconds, and until then pgserver takes it for alive.
        """
        await asyncio.to_thread(_until_dead, self._all(signal.SIGKILL))
        for note in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            (self._folder / note).unlink(missing_ok=True)

    def stop(self) -> None:
        """SIGSTOP."""
        self._all(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        self._all(signal.SIGCONT)

    def close(self) -> None:
        """Ends it, and removes its folder."""
        self._server.cleanup()

    def _all(self, number: signal.Signals) -> list[psutil.Process]:
        """Sends it to the server first, so that it forks no more."""
        with suppress(psutil.NoSuchProcess):
            parent = psutil.Process(self._server.get_pid())
            parent.send_signal(signal.SIGSTOP)
            whole = [parent, *parent.children(recursive=True)]
            for process in whole:
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(number)
            return whole
        return []


def _until_dead(processes: Sequence[psutil.Process]) -> None:
    while any(map(_lives, processes)):
        time.sleep(0.02)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
