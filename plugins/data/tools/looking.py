"""Describes a database to a waiting user: what it holds, outside any run."""

import time

from elcano.activities.services import Services
from elcano.plugins.data.databases.registry import open_databases
from elcano.plugins.data.models.database_look import DatabaseLook, DatabaseLooked


async def look_at_database(services: Services, look: DatabaseLook) -> DatabaseLooked:
    """Read a schema.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    began = time.monotonic()
    database = services.get(open_databases).get(look.database)
    found = await database.schema() if look.values else await database.structure(fresh=True)
    return DatabaseLooked(found=found, seconds=time.monotonic() - began)
