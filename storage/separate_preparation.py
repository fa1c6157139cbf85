"""Prepares the tables in a process of its own, before a program starts.

What migrations import would stay in the memory of the program that makes the tables: 30 MB for as long as it lives.
"""

import asyncio
import os
from contextlib import suppress

from elcano.graphs.errors import ElcanoError
from elcano.settings import Settings
from elcano.storage.sql.engine import open_engine, prepare_tables
from elcano.storage.store import locate_database


def prepare_separately(settings: Settings) -> None:
    """Create or migrate the tables in a child process; to be called before the program has threads.

    Errors are left to the program, which opens the same store next and says what is wrong.
    """
    if child := os.fork():
        os.waitpid(child, 0)
        return
    try:
        with suppress(ElcanoError):
            asyncio.run(_prepare(settings))
    finally:
        os._exit(0)


async def _prepare(settings: Settings) -> None:
    engine = open_engine(await locate_database(settings.data_dir, settings.store_url))
    try:
        await prepare_tables(engine)
    finally:
        await engine.dispose()
