"""Short workflows that belong to no run, whose result the caller waits for.

A check searches a source once; a look asks a worker for what a plugin wants to know, such as what a database holds.
Each is tried once; its failure is the answer.
"""

import asyncio
from datetime import timedelta
from typing import Final, TypeVar
from uuid import uuid4

from pydantic import BaseModel
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ActivityError, ApplicationError

from elcano.graphs.catalogue.tools import LOOK_WORKFLOW, LookCall, LookSpec
from elcano.graphs.frozen import Frozen
from elcano.graphs.providers import CHECK_SECONDS, CHECK_WORKFLOW, PROVIDER_QUEUE, SourceCheck, SourceChecked
from elcano.service.errors import SourceCheckFailed, TemporalUnavailable
from elcano.service.temporal.connection import CALL_TIMEOUT, Connection, map_rpc_errors

GRACE: Final = 3.0
"""Seconds for the workflow around the activity."""

Answer = TypeVar("Answer", bound=BaseModel)


class LookFailed(Exception):
    """A look failed; the text is the reason, `type` the name of the worker's error, empty if no worker took it."""

    def __init__(self, reason: str, type: str = "") -> None:
        super().__init__(reason)
        self.type = type


class Looks:
    """Every method can raise `TemporalUnavailable` and `TemporalRefused`."""

    def __init__(self, connection: Connection, task_queue: str) -> None:
        self._connection = connection
        self._task_queue = task_queue

    async def check_source(self, check: SourceCheck) -> SourceChecked:
        """Runs one search of a source and returns its results.

        Raises:
            SourceCheckFailed: it failed, or no worker did it in time.
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
            timed_out = f"no worker searched {check.source!r} within {CHECK_SECONDS:g} s"
            raise SourceCheckFailed(failed.message if failed else timed_out) from error

    async def look(self, spec: LookSpec, asked: Frozen, about: str) -> BaseModel:
        """Has a worker look at something, and returns what it saw, an object of `spec.output`.

        Args:
            spec: what kind of look it is.
            asked: its input.
            about: what it is about, for Temporal's own page.

        Raises:
            LookFailed: it failed, or no worker did it in time.
        """
        call = LookCall(
            look=spec.name,
            asked=asked.model_dump(mode="json"),
            queue=self._task_queue,
            seconds=spec.seconds,
            about=about,
        )
        try:
            return await self._end(
                LOOK_WORKFLOW, call, spec.output, spec.seconds, id=f"elcano-look-{spec.name}", summary=about
            )
        except WorkflowFailureError as error:
            failed = _find_activity_failure(error)
            if failed is None:
                raise LookFailed(f"no worker did within {spec.seconds:g} s") from error
            raise LookFailed(failed.message, failed.type or "") from error

    async def _end(
        self, workflow: str, asked: Frozen, answer: type[Answer], seconds: float, *, id: str, summary: str
    ) -> Answer:
        """Return the result of the workflow.

        Raises:
            WorkflowFailureError: it failed, or no worker took it within `seconds`.
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
                raise TemporalUnavailable("Temporal did not report the outcome in time") from error
        return found


def _find_activity_failure(error: WorkflowFailureError) -> ApplicationError | None:
    """Return the activity's own failure; None if no worker ran it."""
    cause = error.cause.cause if isinstance(error.cause, ActivityError) else error.cause
    return cause if isinstance(cause, ApplicationError) else None
