"""`python -m elcano.storage` creates or migrates the tables of the store, and ends: to be run before a new release."""

import asyncio
import logging
import sys

from elcano.graphs.errors import ElcanoError
from elcano.redaction import log_to_stderr
from elcano.settings import SettingsInvalid
from elcano.settings.settings import BAD_SETTINGS, Settings, program_settings, refuse_arguments
from elcano.storage.store import open_configured

_log = logging.getLogger("storage")


async def prepare_store(settings: Settings) -> None:
    """Opens the store, which brings its tables up to date, and closes it."""
    async with open_configured(settings):
        _log.info("the tables are those of this release")


def main() -> None:
    """The program; its exit code is 2 if the store cannot be used."""
    refuse_arguments(__doc__)
    chosen = program_settings()
    log_to_stderr(chosen.log_level)
    try:
        asyncio.run(prepare_store(chosen))
    except (ElcanoError, SettingsInvalid) as error:  # its text is for the person who has to act
        _log.error("the store cannot be prepared: %s", error)
        sys.exit(BAD_SETTINGS)


if __name__ == "__main__":
    main()
