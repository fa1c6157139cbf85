"""`elcano serve` as a program of its own, and the death of everything that belongs to it."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from elcano.settings import Settings

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def serving(chosen: Settings) -> AsyncIterator[Process]:
    """`elcano serve` as a program of its own, ready."""
    supervisor = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "elcano.dev", cwd=ROOT, env=chosen.environment(), stdin=DEVNULL, stdout=PIPE
    )
    assert supervisor.stdout is not None
    try:
        said = b""
        while b"is ready" not in said:
            said = await supervisor.stdout.readline()
            assert said, "the stack ended while starting"
        yield supervisor
    finally:
        with suppress(ProcessLookupError):
            supervisor.terminate()
        await supervisor.wait()


async def kill_everything(supervisor: Process) -> None:
    """SIGKILL for the supervisor and all that it started; it is stopped first, so that it cannot mend anything."""
    supervisor.send_signal(signal.SIGSTOP)
    for group in await groups_of_children(supervisor.pid):
        os.killpg(group, signal.SIGKILL)
    supervisor.kill()
    await supervisor.wait()


async def groups_of_children(parent: int) -> set[int]:
    """The process groups of a process's children, none of which is the caller's."""
    listing = await asyncio.create_subprocess_exec("ps", "-A", "-o", "ppid=,pgid=", stdout=PIPE)
    output, _ = await listing.communicate()
    rows = (line.split() for line in output.decode().splitlines())
    groups = {int(group) for owner, group in rows if int(owner) == parent}
    assert groups
    assert os.getpgrp() not in groups
    return groups
