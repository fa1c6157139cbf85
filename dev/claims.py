"""The claims of a stack: ports, and the data folder by an operating-system lock that ends with its holder.

The lock is held by the supervisor and by its guard (see `dev.child`), so a folder stays claimed until the last process
that works in it is gone, even when the supervisor was killed. `filelock` does not serve here: its locks keep to
themselves the descriptor that the guard must inherit, and its `lock_descriptor` is but the call of `flock` below,
without the shared lock by which `read_folder_owner` looks and does not claim.
"""

import fcntl
import json
import os
import random
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import psutil

from elcano.dev.program import CannotStart
from elcano.graphs.text import shorten_text

_LOCK = "stack.lock"
_PAUSE = 0.1
"""Seconds between two checks of a lock whose owner is gone."""


@contextmanager
def claim_folder(folder: Path, facts: dict[str, str], *, patience: float) -> Iterator[int]:
    """Claim `folder`, creating it if necessary, and return the lock's file descriptor.

    `facts` are left in the lock file, for people and for `elcano doctor`. When the supervisor that had the folder is
    dead but its processes are still ending, they are waited for, `patience` seconds at most.

    Raises:
        CannotStart: another stack has the folder, or it cannot be written to.
    """
    path = folder / _LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise CannotStart(
            f"the data folder {str(folder)!r} cannot be written to ({error.strerror}): set ELCANO_DATA_DIR to another"
        ) from error
    try:
        _lock_folder(descriptor, folder, patience)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": str(os.getpid()), **facts}).encode(), 0)
        yield descriptor
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def read_folder_owner(folder: Path) -> dict[str, str]:
    """Return the entry in the lock file of the stack that holds `folder` (`pid`, `api`, ...); empty if none does."""
    path = folder / _LOCK
    if not path.exists():
        return {}
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            facts: dict[str, str] = json.loads(file.read() or b"{}")
            return facts
    return {}


def _lock_folder(descriptor: int, folder: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            facts = read_folder_owner(folder)
            lives = "pid" in facts and psutil.pid_exists(int(facts["pid"]))
            if lives or time.monotonic() > deadline:
                raise CannotStart(_explain_taken_folder(folder, facts)) from None
            time.sleep(_PAUSE)
        else:
            return


def _explain_taken_folder(folder: Path, facts: dict[str, str]) -> str:
    who = f"process {facts['pid']}, API {facts.get('api', 'unknown')}" if "pid" in facts else "a process unknown"
    return (
        f"another stack works in the data folder {str(folder)!r} ({who}): "
        "use that one, stop it, or set ELCANO_DATA_DIR to another folder"
    )


SHOWN_CHARACTERS: Final = 140
"""Maximum length of a process's description: its number and the beginning of its command."""


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. Closing connections of an earlier server do not count."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except OSError:
            return False
    return True


PORTS: Final = range(20_000, 32_000)
"""Below those that systems give to outgoing connections: such a port could be taken before it is listened on."""


def free_ports(count: int) -> list[int]:
    """Return different ports that are free at this moment."""
    found: list[int] = []
    with ExitStack() as held:
        while len(found) < count:
            port = random.choice(PORTS)
            with suppress(OSError):  # it is taken
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
                found.append(port)
    return found


def find_listener(port: int) -> str | None:
    """Describe the process that listens on `port`; None if it cannot be determined (another user's, for example)."""
    for process in psutil.process_iter():
        # Each process by itself: on macOS only root may ask for the connections of all at once.
        with suppress(psutil.Error):  # it has ended, or is not ours to look into
            if any(one.status == psutil.CONN_LISTEN and one.laddr.port == port for one in process.net_connections()):
                return shorten_text(f"process {process.pid}: {' '.join(process.cmdline())}", SHOWN_CHARACTERS)
    return None
