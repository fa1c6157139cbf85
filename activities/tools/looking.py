"""Describes a database to a waiting user: what it holds, outside any run."""

import time

from temporalio import activity

from elcano.activities.calls.failures import classify_failure
from elcano.activities.calls.heartbeat import send_heartbeats
from elcano.activities.databases.registry import Databases
from elcano.graphs.data.database_look import LOOK_AT_DATABASE, DatabaseLook, DatabaseLooked


class DatabaseLookActivities:
    """The activity `look_at_database`."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases

    @activity.defn(name=LOOK_AT_DATABASE)
    async def look_at_database(self, look: DatabaseLook) -> DatabaseLooked:
        """Reads a schema.

        Raises:
            ApplicationError: there is no such database here, or it is away.
        """
        began = time.monotonic()
        async with send_heartbeats():
            try:
                database = self._databases.get(look.database)
                found = await database.schema() if look.values else await database.structure(fresh=True)
            except Exception as error:
                raise classify_failure(error) from None
        return DatabaseLooked(found=found, seconds=time.monotonic() - began)
