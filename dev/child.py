"""One process of the stack: started, followed, and started again whenever it dies unasked."""

import asyncio
import re
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from elcano.dev.guard import Guard

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
"""Seconds before a dead child is started again: doubled from the first to the longest."""
CALM = 60.0
"""Seconds of life after which the next death counts as the first."""
LOG_LIMIT = 10_000_000
"""Bytes after which a log file is set aside at the next start; one older file is kept."""
_FOLLOW_PAUSE = 0.2
_SEVERE = re.compile(r"\b(WARN|WARNING|ERROR|CRITICAL|FATAL)\b")
_ORDINARY = re.compile(r"\b(DEBUG|INFO)\b")


class Child:
    """One kept process. Its output goes to `log`; lines that warn, or all if `verbose`, also to `say`."""

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
        """How often it died unasked."""
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
        """The process id of the present life.

        Raises:
            RuntimeError: it was not started, or was stopped.
        """
        if self._process is None:
            raise RuntimeError(f"{self.name} is not running")
        return self._process.pid

    async def start(self) -> None:
        """Starts it and keeps it alive until `stop`."""
        self._stopping.clear()
        _set_aside(self.log)
        end = self.log.stat().st_size if self.log.exists() else 0
        self._process = await self._spawn()
        self._tasks = [asyncio.create_task(self._keep(self._process)), asyncio.create_task(self._follow(end))]

    async def stop(self, grace: float) -> None:
        """Ends it: SIGTERM, and SIGKILL after `grace` seconds. Does nothing if it does not run."""
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

    async def restart(self, grace: float) -> None:
        """Stops it and starts it again."""
        await self.stop(grace)
        await self.start()

    def kill(self) -> None:
        """SIGKILL, as a test of what survives it; it is then started again like after any other death."""
        self._signal(signal.SIGKILL)

    def last_words(self, lines: int = 15) -> str:
        """The end of its log."""
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
        """Shows new lines of the log, from byte `position` on, until the child was stopped."""
        severe = False
        with self.log.open(errors="replace") as file:
            file.seek(position)
            while True:
                stopping = self._stopping.is_set()
                while line := file.readline():
                    severe = bool(_SEVERE.search(line)) or (severe and not _ORDINARY.search(line))
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
