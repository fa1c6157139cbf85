"""A look at what servers of tools offer: a workflow of its own, whose end is waited for."""

import asyncio
from datetime import timedelta
from typing import Final
from uuid import uuid4

from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ActivityError, ApplicationError

from elcano.api.http.errors import TemporalUnavailable, ToolServerNotFound, ToolsUnanswered
from elcano.api.temporal.rpc import CALL_TIMEOUT, mapped
from elcano.graphs.catalogue.calling import ListToolsOutput
from elcano.graphs.providers import LOOK_SECONDS, LOOK_WORKFLOW, PROVIDER_QUEUE, ToolLook
from elcano.graphs.values.failures import FailureType

GRACE: Final = 3.0
"""Seconds for the workflow around the look."""


async def looked(client: Client, look: ToolLook) -> ListToolsOutput:
    """What a worker was told.

    Raises:
        ToolServerNotFound: that worker knows no such server.
        ToolsUnanswered: no worker did it in time.
        TemporalUnavailable: the server does not answer.
        TemporalRefused: it refused.
    """
    with mapped():
        handle = await client.start_workflow(
            LOOK_WORKFLOW,
            look,
            id=f"elcano-tool-look-{uuid4()}",
            task_queue=PROVIDER_QUEUE,
            result_type=ListToolsOutput,
            execution_timeout=timedelta(seconds=LOOK_SECONDS + GRACE),
            static_summary="what tools are there?",
            rpc_timeout=CALL_TIMEOUT,
        )
        try:
            async with asyncio.timeout(LOOK_SECONDS + 2 * GRACE):
                found: ListToolsOutput = await handle.result()
        except WorkflowFailureError as error:
            cause = error.cause.cause if isinstance(error.cause, ActivityError) else error.cause
            if isinstance(cause, ApplicationError) and cause.type == FailureType.TOOL_REFUSED:
                raise ToolServerNotFound(cause.message) from error
            why = cause.message if isinstance(cause, ApplicationError) else f"no worker did within {LOOK_SECONDS:g} s"
            raise ToolsUnanswered(why) from error
        except TimeoutError as error:
            raise TemporalUnavailable("Temporal did not say in time what became of the look") from error
    return found
