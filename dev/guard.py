"""The guard: no process of the stack outlives its supervisor, even one that was killed outright.

The guard leads the process group that all children are put in, so Ctrl-C in the terminal reaches the supervisor alone
and it decides the order of stopping. The guard reads a pipe that only the supervisor holds open; when that ends, it
tells the group to stop, and kills what has not stopped in time. Pipes and process groups are the same on Linux and
macOS, and work for programs that are not ours. `psutil` finds children only while their supervisor lives to ask.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_PROGRAM = """
import os, select, signal, sys
sys.stdin.buffer.read()
os.killpg(0, signal.SIGTERM)
select.select([int(sys.argv[1])], [], [], float(sys.argv[2]))
os.killpg(0, signal.SIGKILL)
"""


@dataclass(frozen=True)
class Guard:
    """What a child process needs to be guarded."""

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
            stdout=subprocess.DEVNULL,  # whoever reads the supervisor's output must not wait for the guard
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
