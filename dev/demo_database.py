"""The database of `make demo MODE=data`: the files of the installed Python packages, as the packages list them.

Its saved questions can be asked without a model; any other needs one. It is rebuilt for each demo, beside the demo's
other data: other packages give other numbers.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath
from typing import Final

DATABASE: Final = "installed"
"""The name of the demo's database."""
QUESTION: Final = "What are the top 5 packages by total bytes?"
SAVED_QUESTIONS: Final = {
    QUESTION: (
        "SELECT package, SUM(bytes) AS total_bytes FROM files GROUP BY package "
        "ORDER BY total_bytes DESC, package LIMIT 5"
    ),
    "How many packages are there?": "SELECT COUNT(*) AS packages FROM packages",
    "How many files does each package have?": (
        "SELECT package, COUNT(*) AS files FROM files GROUP BY package ORDER BY files DESC, package"
    ),
    "What are the total bytes by suffix?": (
        "SELECT suffix, SUM(bytes) AS total_bytes FROM files WHERE suffix IS NOT NULL GROUP BY suffix "
        "ORDER BY total_bytes DESC, suffix"
    ),
}
"""The saved questions, each with the query that answers it."""
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


def build_demo_database(folder: Path) -> Path:
    """Write the database into `folder` and return its path. A package without a list of its files has none here."""
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
            (row for name, one in sorted(known.items()) for row in _list_package_files(name, one)),
        )
    return place


def save_questions(folder: Path) -> Path:
    """Write the saved questions into `folder`, in the form of `ELCANO_DATABASE_EXAMPLES`, and return their path."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{DATABASE}.jsonl"
    lines = (json.dumps({"question": question, "sql": sql}) for question, sql in SAVED_QUESTIONS.items())
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place


def _list_package_files(name: str, package: Distribution) -> Iterator[tuple[str, str, str | None, int]]:
    """List the files whose size the package states."""
    for file in package.files or ():
        if file.size is not None:
            yield name, str(file), PurePosixPath(file).suffix.lstrip(".") or None, file.size
