"""The database of `make demo MODE=data`: the files of the installed Python packages, as these list them.

It is made anew for each demo, beside the demo's other data: who has other packages gets other numbers.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath
from typing import Final

DATABASE: Final = "installed"
"""As what the demo names it."""
QUESTION: Final = "What are the top 5 packages by total bytes?"
_TABLES: Final = """
CREATE TABLE packages (name TEXT PRIMARY KEY, version TEXT NOT NULL);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    package TEXT NOT NULL REFERENCES packages (name),
    path TEXT NOT NULL,
    suffix TEXT,
    bytes INTEGER NOT NULL
);
"""


def build(folder: Path) -> Path:
    """Writes the database into `folder` and gives its place. A package without a list of its files has none here."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{DATABASE}.db"
    place.unlink(missing_ok=True)
    known = {one.metadata["Name"]: one for one in distributions() if one.metadata["Name"]}
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.executescript(_TABLES)
        connection.executemany(
            "INSERT INTO packages VALUES (?, ?)", ((name, one.version) for name, one in sorted(known.items()))
        )
        connection.executemany(
            "INSERT INTO files (package, path, suffix, bytes) VALUES (?, ?, ?, ?)",
            (row for name, one in sorted(known.items()) for row in _files(name, one)),
        )
    return place


def _files(name: str, package: Distribution) -> Iterator[tuple[str, str, str | None, int]]:
    """Those whose size its list tells."""
    for file in package.files or ():
        if file.size is not None:
            yield name, str(file), PurePosixPath(file).suffix.lstrip(".") or None, file.size
