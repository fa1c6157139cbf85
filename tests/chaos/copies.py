"""Copies of the databases of a stack that works, as an operator makes them, and their restoration."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Literal

from elcano.settings import Settings

Part = Literal["elcano.db", "temporal.db", "objects"]


def copy_part(chosen: Settings, part: Part, to: Path) -> None:
    """Copy one part while programs use it: databases by SQLite's own backup, objects file by file."""
    to.mkdir(parents=True, exist_ok=True)
    if part == "objects":
        shutil.copytree(chosen.data_dir / part, to / part, dirs_exist_ok=True)
        return
    with closing(sqlite3.connect(chosen.data_dir / part)) as source, closing(sqlite3.connect(to / part)) as target:
        source.backup(target)


def restore_part(chosen: Settings, part: Part, copy: Path) -> None:
    """Put a copy in the place of what is there; nothing may use it."""
    place = chosen.data_dir / part
    if part == "objects":
        shutil.rmtree(place)
        shutil.copytree(copy / part, place)
        return
    for name in (part, f"{part}-wal", f"{part}-shm"):
        (chosen.data_dir / name).unlink(missing_ok=True)
    shutil.copyfile(copy / part, place)
