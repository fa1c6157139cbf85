"""Locks the data folder for one stack at a time, by an operating-system lock that ends with its holder.

The lock is held by the supervisor and by its guard (see `dev.guard`), so a folder stays claimed until the last process
that works in it is gone, even when the supervisor was killed. `filelock` does not serve here: its locks keep to
themselves the descriptor that the guard must inherit, and its `lock_descriptor` is but the call of `flock` below,
without the shared lock by which `read_folder_owner` looks and does not claim.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from elcano.dev.errors import CannotStart

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
    """Return what the stack that holds `folder` left in the lock file (`pid`, `api`, ...); empty if none holds it."""
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
