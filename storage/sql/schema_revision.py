"""The revision of the tables: who may work with it, and how it is changed in both directions.

Releases overlap while a service is upgraded, so programs of the release before work with the tables of the one after.
Each migration says so: `works_with` names the oldest revision whose programs work with the tables that it makes. It is
stored next to the revision (`schema_floor`), for programs to which a newer revision is unknown. A change that older
programs cannot bear takes two releases: one adds what is new and uses it, the next takes away what is old.

Most starts find the tables as they should be, and do without alembic: its table is read, and the newest revision is in
the names of the migrations' files.
"""

import logging
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import sqlalchemy
from sqlalchemy import Column, Table, delete, insert, inspect, select, text

from elcano.graphs.errors import StoreIncompatible
from elcano.storage.sql.columns import Id
from elcano.storage.sql.tables import metadata

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

SCRIPTS: Final = "elcano.storage.sql:migrations"
VERSIONS: Final = ["elcano.storage.sql.migrations:versions"]
"""Folders of migrations; a test adds those of later releases."""
LOCK_SECONDS: Final = 10
"""Seconds that a schema change waits for users of the tables, who wait behind it."""
_log = logging.getLogger("storage")
logging.getLogger("alembic").setLevel(logging.WARNING)  # what it did is logged here, and only if it did something

schema_floor = Table("schema_floor", metadata, Column("revision", Id, primary_key=True))
"""One row: the oldest revision whose programs work with the tables as they are."""


def migrate_tables(connection: sqlalchemy.Connection) -> None:
    """Creates the tables, or takes them from any earlier revision to this one, in the caller's transaction.

    Tables of a newer release with which this one works are left as they are.

    Raises:
        StoreIncompatible: their revision is unknown here, or they have none.
    """
    found, head = require_known_tables(connection)
    if found == head:
        return
    if found is not None and found not in list_revisions():
        place = _name_database(connection)
        _log.info("the tables of %s are those of a newer release, %s, with which this one works", place, found)
        return
    _change_tables(connection, found, head)


def require_known_tables(connection: sqlalchemy.Connection) -> tuple[str | None, str]:
    """Return the result of `read_revision`, of tables with which this release works once it has migrated them.

    Raises:
        StoreIncompatible: it cannot work with them: their revision is unknown here, or they have none.
    """
    place = _name_database(connection)
    found, head = read_revision(connection)
    if found is None and metadata.tables.keys() & set(inspect(connection).get_table_names()):
        raise StoreIncompatible(
            f"{place} has tables of these names without a version: they are another program's, or older than every "
            "release; name another store, or move them away"
        )
    if found not in (None, head) and not {found, _read_floor(connection)} & {*list_revisions()}:
        raise StoreIncompatible(
            f"{place} has version {found!r} of the tables, which this program does not know (its own is {head!r}): "
            "use the release that wrote it or a newer one, or name another store"
        )
    return found, head


def move_tables(connection: sqlalchemy.Connection, revision: str) -> None:
    """Takes the tables up or down to a revision, in the caller's transaction.

    Raises:
        StoreIncompatible: the revision, or that of the tables, is unknown here, or there are no tables.
    """
    known = list_revisions()
    found = _read_current_revision(connection)
    if revision not in known:
        raise StoreIncompatible(f"there is no version {revision!r} of the tables; there are {', '.join(known)}")
    if found not in known:
        place = _name_database(connection)
        raise StoreIncompatible(
            f"{place} has version {found!r} of the tables, which this program does not know: use the release that "
            "wrote it"
            if found
            else f"{place} has no tables yet: start a program, or leave --to out"
        )
    if found != revision:
        _change_tables(connection, found, revision)


def list_revisions() -> list[str]:
    """The revisions that this release knows, the oldest first."""
    return [script.revision for script in reversed(list(_load_scripts().walk_revisions()))]


def read_floor_of(revision: str) -> str:
    """The oldest revision whose programs work with the tables of this one."""
    floor: str = _load_scripts().get_revision(revision).module.works_with
    return floor


def read_revision(connection: sqlalchemy.Connection) -> tuple[str | None, str]:
    """Return the revision of the tables, None if there are none, and the one that this program needs."""
    return _read_current_revision(connection), find_newest_revision()


def _read_current_revision(connection: sqlalchemy.Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def find_newest_revision() -> str:
    """The newest revision here; the file of a migration is called `WHAT_REVISION.py`."""
    places = [place.partition(":") for place in VERSIONS]
    names = [file.name for package, _, folder in places for file in files(package).joinpath(folder).iterdir()]
    return max(name.removesuffix(".py").rpartition("_")[2] for name in names if name[-7:-3].isdigit())


def _change_tables(connection: sqlalchemy.Connection, found: str | None, revision: str) -> None:
    if found is not None and connection.dialect.name == "postgresql":
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"))
    from alembic import command

    config = _build_alembic_config(connection)
    revisions = list_revisions()
    if found is not None and revisions.index(found) > revisions.index(revision):
        command.downgrade(config, revision)
    else:
        command.upgrade(config, revision)
    _write_floor(connection, revision)
    if found is not None:
        _log.info("the tables of %s were migrated from version %s to %s", _name_database(connection), found, revision)


def _read_floor(connection: sqlalchemy.Connection) -> str | None:
    """The oldest revision whose programs work with the tables; None: they do not say."""
    if not inspect(connection).has_table(schema_floor.name):
        return None
    return connection.scalar(select(schema_floor.c.revision))


def _write_floor(connection: sqlalchemy.Connection, revision: str) -> None:
    if inspect(connection).has_table(schema_floor.name):
        connection.execute(delete(schema_floor))
        connection.execute(insert(schema_floor).values(revision=read_floor_of(revision)))


def _name_database(connection: sqlalchemy.Connection) -> str:
    """The URL of the database, without the password."""
    return connection.engine.url.render_as_string()


def _build_alembic_config(connection: sqlalchemy.Connection | None = None) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", SCRIPTS)
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(VERSIONS))
    config.attributes["connection"] = connection
    return config


@lru_cache(maxsize=1)
def _load_scripts() -> "ScriptDirectory":
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_build_alembic_config())
