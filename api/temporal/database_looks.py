"""A look into a database: a workflow of its own, whose end is waited for."""

import asyncio
from datetime import timedelta
from typing import Final
from uuid import uuid4

from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ActivityError, ApplicationError

from elcano.api.http.errors import DatabaseUnanswered, TemporalUnavailable
from elcano.api.temporal.rpc import CALL_TIMEOUT, mapped
from elcano.graphs.data.databases import LOOK_SECONDS, LOOK_WORKFLOW, DatabaseLook, DatabaseLooked
from elcano.graphs.providers import PROVIDER_QUEUE

GRACE: Final = 3.0
"""Seconds for the workflow around the reading."""


async def looked(client: Client, look: DatabaseLook) -> DatabaseLooked:
    """What a worker saw.

    Raises:
        DatabaseUnanswered: nothing, because the database is away, or because no worker looked in time.
        TemporalUnavailable: the server does not answer.
        TemporalRefused: it refused.
    """
    with mapped():
        handle = await client.start_workflow(
            LOOK_WORKFLOW,
            look,
            id=f"elcano-database-look-{look.database}-{uuid4()}",
            task_queue=PROVIDER_QUEUE,
            result_type=DatabaseLooked,
            execution_timeout=timedelta(seconds=LOOK_SECONDS + GRACE),
            static_summary=f"what does {look.database} hold?",
            rpc_timeout=CALL_TIMEOUT,
        )
        try:
            async with asyncio.timeout(LOOK_SECONDS + 2 * GRACE):
                found: DatabaseLooked = await handle.result()
        except WorkflowFailureError as error:
            raise DatabaseUnanswered(_why(look, error)) from error
        except TimeoutError as error:
            raise TemporalUnavailable("Temporal did not say in time what became of the look") from error
    return found


def _why(look: DatabaseLook, error: WorkflowFailureError) -> str:
    """The reading's own failure, or that nobody did it."""
    cause = error.cause.cause if isinstance(error.cause, ActivityError) else error.cause
    if isinstance(cause, ApplicationError):
        return cause.message
    return f"no worker read {look.database!r} within {LOOK_SECONDS:g} s"
