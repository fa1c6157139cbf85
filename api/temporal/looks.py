"""Short workflows that belong to no run, whose result the caller waits for.

A check searches a source once, looks read what databases hold and what servers of tools offer. Each is tried once; its
failure is the answer.
"""

import asyncio
from datetime import timedelta
from typing import Final, TypeVar
from uuid import uuid4

from pydantic import BaseModel
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ActivityError, ApplicationError

from elcano.api.http.errors import (
    DatabaseUnanswered,
    SourceUnanswered,
    TemporalUnavailable,
    ToolServerNotFound,
    ToolsUnanswered,
)
from elcano.api.temporal.connection import Connection
from elcano.api.temporal.rpc import CALL_TIMEOUT, map_rpc_errors
from elcano.graphs.catalogue.mcp_tools import ListToolsOutput
from elcano.graphs.data.database_look import (
    DATABASE_LOOK_SECONDS,
    DATABASE_LOOK_WORKFLOW,
    DatabaseLook,
    DatabaseLooked,
)
from elcano.graphs.frozen import Frozen
from elcano.graphs.providers import (
    CHECK_SECONDS,
    CHECK_WORKFLOW,
    PROVIDER_QUEUE,
    TOOL_LOOK_SECONDS,
    TOOL_LOOK_WORKFLOW,
    SourceCheck,
    SourceChecked,
    ToolLook,
)
from elcano.graphs.values.failures import FailureType

GRACE: Final = 3.0
"""Seconds for the workflow around the activity."""

Answer = TypeVar("Answer", bound=BaseModel)


class Looks:
    """Every method can raise `TemporalUnavailable` and `TemporalRefused`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def check_source(self, check: SourceCheck) -> SourceChecked:
        """Runs one search of a source and returns its results.

        Raises:
            SourceUnanswered: it failed, or no worker did it in time.
        """
        try:
            return await self._end(
                CHECK_WORKFLOW,
                check,
                SourceChecked,
                CHECK_SECONDS,
                id=f"elcano-source-check-{check.source}",
                summary=f"does {check.source} find anything?",
            )
        except WorkflowFailureError as error:
            failed = _find_activity_failure(error)
            nobody = f"no worker searched {check.source!r} within {CHECK_SECONDS:g} s"
            raise SourceUnanswered(failed.message if failed else nobody) from error

    async def at_database(self, look: DatabaseLook) -> DatabaseLooked:
        """Reads a database's schema through a worker.

        Raises:
            DatabaseUnanswered: it is away, or no worker looked in time.
        """
        try:
            return await self._end(
                DATABASE_LOOK_WORKFLOW,
                look,
                DatabaseLooked,
                DATABASE_LOOK_SECONDS,
                id=f"elcano-database-look-{look.database}",
                summary=f"what does {look.database} hold?",
            )
        except WorkflowFailureError as error:
            failed = _find_activity_failure(error)
            nobody = f"no worker read {look.database!r} within {DATABASE_LOOK_SECONDS:g} s"
            raise DatabaseUnanswered(failed.message if failed else nobody) from error

    async def at_tools(self, look: ToolLook) -> ListToolsOutput:
        """What the servers of tools offer that the workers know.

        Raises:
            ToolServerNotFound: they do not know one that is named.
            ToolsUnanswered: no worker said it in time.
        """
        try:
            return await self._end(
                TOOL_LOOK_WORKFLOW,
                look,
                ListToolsOutput,
                TOOL_LOOK_SECONDS,
                id="elcano-tool-look",
                summary="what tools are there?",
            )
        except WorkflowFailureError as error:
            failed = _find_activity_failure(error)
            if failed and failed.type == FailureType.TOOL_REFUSED:
                raise ToolServerNotFound(failed.message) from error
            nobody = f"no worker did within {TOOL_LOOK_SECONDS:g} s"
            raise ToolsUnanswered(failed.message if failed else nobody) from error

    async def _end(
        self, workflow: str, asked: Frozen, answer: type[Answer], seconds: float, *, id: str, summary: str
    ) -> Answer:
        """What the workflow ends with.

        Raises:
            WorkflowFailureError: it failed, or nobody took it within `seconds`.
            TemporalUnavailable: the server does not answer.
        """
        client = await self._connection.client()
        with map_rpc_errors():
            handle = await client.start_workflow(
                workflow,
                asked,
                id=f"{id}-{uuid4()}",
                task_queue=PROVIDER_QUEUE,
                result_type=answer,
                execution_timeout=timedelta(seconds=seconds + GRACE),
                static_summary=summary,
                rpc_timeout=CALL_TIMEOUT,
            )
            try:
                async with asyncio.timeout(seconds + 2 * GRACE):
                    found: Answer = await handle.result()
            except TimeoutError as error:
                raise TemporalUnavailable("Temporal did not say in time what became of it") from error
        return found


def _find_activity_failure(error: WorkflowFailureError) -> ApplicationError | None:
    """Return the activity's own failure; None if no worker ran it."""
    cause = error.cause.cause if isinstance(error.cause, ActivityError) else error.cause
    return cause if isinstance(cause, ApplicationError) else None
