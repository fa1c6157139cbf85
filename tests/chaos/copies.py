"""Copies of the databases of a stack that works, as an operator makes them, and their restoration."""

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Literal

from elcano.settings import Settings

Part = Literal["elcano.db", "temporal.db", "objects"]


def copy_part(chosen: Settings, part: Part, to: Path) -> None:
    """Copy one part while programs use it: databases by SQLite's own backup or by `pg_dump`, objects file by file."""
    to.mkdir(parents=True, exist_ok=True)
    if part == "elcano.db" and chosen.store_url:
        _run("pg_dump", "--format=custom", f"--file={to / part}", chosen.store_url)
        return
    if part == "objects":
        shutil.copytree(chosen.data_dir / part, to / part, dirs_exist_ok=True)
        return
    with closing(sqlite3.connect(chosen.data_dir / part)) as source, closing(sqlite3.connect(to / part)) as target:
        source.backup(target)


def restore_part(chosen: Settings, part: Part, copy: Path) -> None:
    """Put a copy in the place of what is there; nothing may use it."""
    place = chosen.data_dir / part
    if part == "elcano.db" and chosen.store_url:
        _run("pg_restore", "--clean", "--if-exists", f"--dbname={chosen.store_url}", str(copy / part))
        return
    if part == "objects":
        shutil.rmtree(place)
        shutil.copytree(copy / part, place)
        return
    for name in (part, f"{part}-wal", f"{part}-shm"):
        (chosen.data_dir / name).unlink(missing_ok=True)
    shutil.copyfile(copy / part, place)


def _run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL, of the package that has the server."""
    from pgserver._commands import POSTGRES_BIN_PATH  # warns where the user has no runtime folder

    subprocess.run([POSTGRES_BIN_PATH / program, *arguments], check=True)
