"""A check of a source: a workflow of its own, whose end is waited for."""

import asyncio
from datetime import timedelta
from typing import Final
from uuid import uuid4

from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ActivityError, ApplicationError

from elcano.api.http.errors import SourceUnanswered, TemporalUnavailable
from elcano.api.temporal.rpc import CALL_TIMEOUT, mapped
from elcano.graphs.providers import CHECK_SECONDS, CHECK_WORKFLOW, PROVIDER_QUEUE, SourceCheck, SourceChecked

GRACE: Final = 3.0
"""Seconds for the workflow around the search."""


async def checked(client: Client, check: SourceCheck) -> SourceChecked:
    """What a worker found.

    Raises:
        SourceUnanswered: nothing, because the search failed, or because no worker did it in time.
        TemporalUnavailable: the server does not answer.
        TemporalRefused: it refused.
    """
    with mapped():
        handle = await client.start_workflow(
            CHECK_WORKFLOW,
            check,
            id=f"elcano-source-check-{check.source}-{uuid4()}",
            task_queue=PROVIDER_QUEUE,
            result_type=SourceChecked,
            execution_timeout=timedelta(seconds=CHECK_SECONDS + GRACE),
            static_summary=f"does {check.source} find anything?",
            rpc_timeout=CALL_TIMEOUT,
        )
        try:
            async with asyncio.timeout(CHECK_SECONDS + 2 * GRACE):
                found: SourceChecked = await handle.result()
        except WorkflowFailureError as error:
            raise SourceUnanswered(_why(check, error)) from error
        except TimeoutError as error:
            raise TemporalUnavailable("Temporal did not say in time what became of the check") from error
    return found


def _why(check: SourceCheck, error: WorkflowFailureError) -> str:
    """The search's own failure, or that nobody made it."""
    cause = error.cause.cause if isinstance(error.cause, ActivityError) else error.cause
    if isinstance(cause, ApplicationError):
        return cause.message
    return f"no worker searched {check.source!r} within {CHECK_SECONDS:g} s"
