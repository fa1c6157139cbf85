"""`python -m elcano.storage` creates or migrates the tables of the store, and ends: to be run before a new release.

With `--to REVISION` it takes them up or down to that revision: back to the release before, once its programs alone are
to work.
"""

import argparse
import asyncio
import logging
import sys
from functools import partial

from elcano.graphs.errors import ElcanoError
from elcano.redaction import log_to_stderr
from elcano.settings import SettingsInvalid
from elcano.settings.settings import BAD_SETTINGS, Settings, program_settings
from elcano.storage.sql.engine import database_url, open_engine, prepare_tables
from elcano.storage.sql.schema_revision import move_tables
from elcano.storage.store import DATABASE_FILE, open_configured

_log = logging.getLogger("storage")


async def move_store(settings: Settings, revision: str) -> None:
    """Take the tables up or down to a revision."""
    engine = open_engine(database_url(settings.store_url, settings.data_dir / DATABASE_FILE))
    try:
        await prepare_tables(engine, partial(move_tables, revision=revision))
    finally:
        await engine.dispose()
    _log.info("the tables are those of version %s", revision)


async def prepare_store(settings: Settings) -> None:
    """Opens the store, which brings its tables up to date, and closes it."""
    async with open_configured(settings):
        _log.info("the tables are those of this release")


def main() -> None:
    """The program; its exit code is 2 if the store cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m elcano.storage", description=__doc__)
    parser.add_argument("--to", metavar="REVISION", help="the revision of the tables; left out: that of this release")
    revision: str | None = parser.parse_args().to
    chosen = program_settings()
    log_to_stderr(chosen.log_level)
    try:
        asyncio.run(prepare_store(chosen) if revision is None else move_store(chosen, revision))
    except (ElcanoError, SettingsInvalid) as error:  # its text is for the person who has to act
        _log.error("the store cannot be prepared: %s", error)
        sys.exit(BAD_SETTINGS)


if __name__ == "__main__":
    main()
