"""The databases that this worker offers, by name. A client names a database, never an address.

Nothing is opened by naming it. What cannot be used at all is told to whoever asks for it, not at the start: a worker
does its other work without it.

SQLite files, asked for reading alone.
"""

import difflib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

from elcano.graphs.errors import SourceRefused
from elcano.graphs.report.tables import Dialect, dialect_of
from elcano.plugins.data.databases.database import Database
from elcano.plugins.data.databases.duckdb import Duckdb, Files
from elcano.plugins.data.databases.engine import Engine
from elcano.plugins.data.databases.file_engine import FileEngine
from elcano.plugins.data.databases.postgresql import Postgresql
from elcano.settings import Settings


class Sqlite(FileEngine):
    """One file.

    Args:
        name: as the operator called it.
        path: of the file, which has to be there: none is ever made.
    """

    dialect: Dialect = "sqlite"
    process = "sqlite"


class Databases:
    """What can be asked here.

    Args:
        databases: by the names under which they are asked for.
        refused: of what was named and cannot be used here: why.
    """

    def __init__(self, databases: Mapping[str, Database], refused: Mapping[str, str] | None = None) -> None:
        self._databases = dict(databases)
        self._refused = dict(refused or {})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the usable databases, in the order of the settings."""
        return tuple(self._databases)

    def get(self, name: str) -> Database:
        """The database called `name`.

        Raises:
            SourceRefused: there is none, or it cannot be used here; the text says what to do.
        """
        found = self._databases.get(name)
        if found is not None:
            return found
        if (why := self._refused.get(name)) is not None:
            raise SourceRefused(why)
        if not self._databases:
            raise SourceRefused(f"there is no database {name!r}, nor any other: name one in ELCANO_DATABASES")
        close = difflib.get_close_matches(name, self._databases, n=1)
        guess = f"; did you mean {close[0]!r}?" if close else ""
        raise SourceRefused(f"there is no database {name!r}; there are: {', '.join(self._databases)}{guess}")


def open_databases(settings: Settings) -> Databases:
    """Every database of the settings, none of them opened yet."""
    found: dict[str, Database] = {}
    refused: dict[str, str] = {}
    for name, address in settings.databases.items():
        try:
            engine = engine_of(name, address, settings.data_dir / "databases")
        except SourceRefused as error:
            refused[name] = str(error)
            continue
        found[name] = Database(engine, samples=settings.database_samples, seconds=settings.database_seconds)
    return Databases(found, refused)


def engine_of(name: str, address: str, folder: Path) -> Engine:
    """What asks the database at an address.

    Args:
        name: as the operator called it.
        address: as `ELCANO_DATABASES` has it.
        folder: where copies of files are kept.

    Raises:
        SourceRefused: this worker lacks a library for it.
    """
    dialect = dialect_of(address)
    if dialect == "postgresql":
        return Postgresql(name, address)
    scheme, found, rest = address.partition("://")
    if not found:
        return Files(name, Path(scheme), folder)
    place = Path(unquote(rest.partition("?")[0].removeprefix("/")))
    return Sqlite(name, place) if dialect == "sqlite" else Duckdb(name, place)
