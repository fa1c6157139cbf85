"""One process of the stack: started, monitored, and restarted whenever it dies unexpectedly; and its guard.

No process of the stack outlives its supervisor, even one that was killed outright. The guard leads the process group
that all children are put in, so Ctrl-C in the terminal reaches the supervisor alone and it decides the order of
stopping. The guard reads a pipe that only the supervisor holds open; when that ends, it signals the group to stop, and
kills what has not stopped in time. Pipes and process groups are the same on Linux and macOS, and work for programs that
are not ours. `psutil` finds children only while their supervisor lives to ask.
"""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
"""Maximum backoff in seconds before a dead child is restarted; the backoff doubles up to it."""
CALM = 60.0
"""Seconds of uptime after which the backoff starts over."""
LOG_LIMIT = 10_000_000
"""Size in bytes from which a log file is rotated at the next start; one older file is kept."""
_FOLLOW_PAUSE = 0.2
_SEVERE = re.compile(r"\b(WARN|WARNING|ERROR|CRITICAL|FATAL)\b")
_ORDINARY = re.compile(r"\b(DEBUG|INFO)\b")


_PROGRAM = """
import os, select, signal, sys
sys.stdin.buffer.read()
os.killpg(0, signal.SIGTERM)
select.select([int(sys.argv[1])], [], [], float(sys.argv[2]))
os.killpg(0, signal.SIGKILL)
"""


@dataclass(frozen=True)
class Guard:
    """The data that a child process needs to be guarded."""

    group: int
    """The process group."""
    leash: int
    """File descriptor to pass on: the guard sees it close when the last child is gone."""


@contextmanager
def start_guard(*, grace: float, lock: int) -> Iterator[Guard]:
    """Start a guard that gives the group `grace` seconds to stop and holds `lock` until it has.

    Leaving kills whatever is still in the group.
    """
    watched, leash = os.pipe()
    with _blocked_signals():
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM, str(watched), str(grace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,  # readers of the supervisor's output must not wait for the guard
            stderr=subprocess.DEVNULL,
            pass_fds=(watched, lock),
            process_group=0,
        )
    os.close(watched)
    try:
        yield Guard(group=process.pid, leash=leash)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(leash)
        if process.stdin is not None:
            process.stdin.close()


@contextmanager
def _blocked_signals() -> Iterator[None]:
    """Block signals for a child started here: neither a Ctrl-C just then nor the guard's own SIGTERM can end it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Child:
    """A supervised process. Its output goes to `log`; warnings, or all lines if `verbose`, also go to `say`."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        log: Path,
        guard: Guard,
        say: Callable[[str], None],
        verbose: bool = False,
    ) -> None:
        self.name = name
        self.log = log
        self.deaths = 0
        """Number of unexpected deaths."""
        self._shown_from = 0
        """Position in the log from which on its lines are shown."""
        self._command = command
        self._environment = environment
        self._guard = guard
        self._say = say
        self._verbose = verbose
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()

    @property
    def pid(self) -> int:
        """The process id of the running process.

        Raises:
            RuntimeError: it was not started, or was stopped.
        """
        if self._process is None:
            raise RuntimeError(f"{self.name} is not running")
        return self._process.pid

    async def start(self) -> None:
        """Start the process and keep it alive until `stop`."""
        self._stopping.clear()
        _set_aside(self.log)
        end = self.log.stat().st_size if self.log.exists() else 0
        self._process = await self._spawn()
        self._tasks = [asyncio.create_task(self._keep(self._process)), asyncio.create_task(self._follow(end))]

    async def stop(self, grace: float) -> None:
        """End the process: SIGTERM, and SIGKILL after `grace` seconds. Does nothing if it is not running."""
        if self._process is None:
            return
        self._stopping.set()
        keeper, follower = self._tasks
        self._signal(signal.SIGTERM)
        _, late = await asyncio.wait({keeper}, timeout=grace)
        if late:
            self._say(f"{self.name} did not stop within {grace:g} s and is killed")
            self._signal(signal.SIGKILL)
        await keeper
        await follower
        self._process = None

    def hide_log(self) -> None:
        """Show nothing of its log until `show_log`."""
        self._shown_from = sys.maxsize

    def show_log(self) -> None:
        """Show warnings among what it writes from now on."""
        self._shown_from = self.log.stat().st_size

    def kill(self) -> None:
        """Send SIGKILL, to test what survives it; the process is then restarted as after any other death."""
        self._signal(signal.SIGKILL)

    def last_words(self, lines: int = 15) -> str:
        """Return the end of the log."""
        with self.log.open(errors="replace") as file:
            return "".join(deque(file, maxlen=lines)).rstrip()

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):  # it was quicker
                self._process.send_signal(number)

    async def _spawn(self) -> asyncio.subprocess.Process:
        with self.log.open("ab") as output:
            return await asyncio.create_subprocess_exec(
                *self._command,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(self._guard.leash,),
                process_group=self._guard.group,
            )

    async def _keep(self, process: asyncio.subprocess.Process) -> None:
        pause = FIRST_PAUSE
        while True:
            born = time.monotonic()
            code = await process.wait()
            if self._stopping.is_set():
                return
            self.deaths += 1
            if time.monotonic() - born > CALM:
                pause = FIRST_PAUSE
            self._say(
                f"{self.name} {_describe_exit_code(code)}; starting it again in {pause:g} s (its log: {self.log})"
            )
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()
                    return
            pause = min(2 * pause, LONGEST_PAUSE)
            process = self._process = await self._spawn()
            if self._stopping.is_set():
                self._signal(signal.SIGTERM)

    async def _follow(self, position: int) -> None:
        """Show new lines of the log, from byte `position` on, until the child is stopped."""
        severe = False
        with self.log.open(errors="replace") as file:
            file.seek(position)
            while True:
                stopping = self._stopping.is_set()
                while line := file.readline():
                    shown = file.tell() > self._shown_from
                    severe = shown and (bool(_SEVERE.search(line)) or (severe and not _ORDINARY.search(line)))
                    if severe or self._verbose:
                        self._say(f"{self.name}: {line.rstrip()}")
                if stopping:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(_FOLLOW_PAUSE):
                        await self._stopping.wait()


def _describe_exit_code(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _set_aside(log: Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        log.replace(log.with_suffix(".log.1"))
