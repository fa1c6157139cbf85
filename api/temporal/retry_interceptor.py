"""Repeats requests to a run that were answered by a party that could not know the answer.

Queries, while something has happened that their run has yet to hear of (`workflows/sandbox.py`). That lasts until the
next workflow task of the run, which is about to begin: some milliseconds. And requests that the run never saw: a server
that was killed hands a task to a worker, forgets which requests it put into it, and refuses them as unsupported once
the task comes back without an answer to them.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from temporalio.client import (
    Interceptor,
    OutboundInterceptor,
    QueryWorkflowInput,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.exceptions import ApplicationError

from elcano.workflows.sandbox import TOO_EARLY

Answer = TypeVar("Answer")

FIRST_PAUSE: Final = 0.02
"""Seconds before a run is asked again; doubled from try to try."""
TRIES: Final = 10
"""More than a worker refuses a run that gets no further task."""
UNHEARD: Final = "UnprocessedUpdate"
"""The type of the server's own refusal."""
UNHEARD_PAUSE: Final = 0.2
"""Seconds before a request is sent again that its run did not see; doubled from try to try."""
UNHEARD_TRIES: Final = 4


class RetryQueries(Interceptor):
    """An interceptor for every client that queries runs."""

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        """Around each of its requests."""
        return _AskingAgain(next)


class _AskingAgain(OutboundInterceptor):
    async def query_workflow(self, input: QueryWorkflowInput) -> Any:
        for earlier in range(TRIES - 1):
            try:
                return await super().query_workflow(input)
            except WorkflowQueryFailedError as error:
                if str(error) != TOO_EARLY:
                    raise
                await asyncio.sleep(FIRST_PAUSE * 2**earlier)
        return await super().query_workflow(input)


async def until_heard(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """What the run answers to `ask`, which sends one request under one id each time that it is called.

    Raises:
        WorkflowUpdateFailedError: the run refuses it, or it did not come to see it in `UNHEARD_TRIES` tries.
    """
    for earlier in range(UNHEARD_TRIES - 1):
        try:
            return await ask()
        except WorkflowUpdateFailedError as error:
            if not is_unheard(error):
                raise
            await asyncio.sleep(UNHEARD_PAUSE * 2**earlier)
    return await ask()


def is_unheard(error: WorkflowUpdateFailedError) -> bool:
    """Whether it was not the run that refused."""
    return isinstance(error.cause, ApplicationError) and error.cause.type == UNHEARD
