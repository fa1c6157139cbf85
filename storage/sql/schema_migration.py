"""The tables are brought to this release's version when the store is opened, by one process while others wait."""

import logging
from functools import lru_cache
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from elcano.graphs.errors import StoreIncompatible
from elcano.storage.sql.tables import metadata

_SCRIPTS: Final = "elcano.storage.sql:migrations"
_log = logging.getLogger("storage")
logging.getLogger("alembic").setLevel(logging.WARNING)  # what it did is told here, and only if it did something


def migrate_tables(connection: Connection) -> None:
    """Creates the tables, or takes them from any earlier version to this one, in the caller's transaction.

    Raises:
        StoreIncompatible: their version is unknown here, or they have none.
    """
    place = connection.engine.url.render_as_string()  # without the password
    scripts = _load_scripts()
    head = scripts.get_current_head()
    found = MigrationContext.configure(connection).get_current_revision()
    if found == head:
        return
    known = {script.revision for script in scripts.walk_revisions()}
    if found is not None and found not in known:
        raise StoreIncompatible(
            f"{place} has version {found!r} of the tables, which this program does not know (its own is {head!r}): "
            "use the release that wrote it or a newer one, or name another store"
        )
    if found is None and metadata.tables.keys() & set(inspect(connection).get_table_names()):
        raise StoreIncompatible(
            f"{place} has tables of these names without a version: they are another program's, or older than every "
            "release; name another store, or move them away"
        )
    command.upgrade(_build_alembic_config(connection), "head")
    if found is not None:
        _log.info("the tables of %s were migrated from version %s to %s", place, found, head)


def _build_alembic_config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", _SCRIPTS)
    config.attributes["connection"] = connection
    return config


@lru_cache(maxsize=1)
def _load_scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_build_alembic_config())
