"""Temporal's errors become ours here and nowhere else.

What a status means depends on who had to answer: a timeout is a missing worker for a query and a missing server for
everything else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final, TypeVar

from temporalio.client import WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from elcano.api.http.errors import RunForgotten, RunUnreadable, TemporalRefused, TemporalUnavailable, WorkerNotAnswering
from elcano.workflows.sandbox import TOO_EARLY

CALL_TIMEOUT: Final = timedelta(seconds=5)
"""For calls that the server answers by itself."""
NO_WORKER: Final = "no worker answers; the run goes on when one does"

FIRST_PAUSE: Final = 0.02
"""Seconds before a run is asked again that has yet to hear of something; doubled from try to try."""
TRIES: Final = 10

T = TypeVar("T")

_UNAVAILABLE = frozenset(
    {
        RPCStatusCode.UNAVAILABLE,
        RPCStatusCode.DEADLINE_EXCEEDED,
        RPCStatusCode.CANCELLED,
        RPCStatusCode.RESOURCE_EXHAUSTED,
        RPCStatusCode.UNKNOWN,  # a connection that breaks off in the middle of a call
    }
)
_NO_WORKER = frozenset({RPCStatusCode.FAILED_PRECONDITION, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED})


@contextmanager
def mapped() -> Iterator[None]:
    """Temporal's errors as ours."""
    try:
        yield
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            raise RunForgotten("Temporal does not know this run, or not any more") from error
        if error.status in _UNAVAILABLE:
            raise TemporalUnavailable(f"Temporal does not answer: {error.message}") from error
        raise TemporalRefused(f"Temporal refused: {error.message} ({error.status.name})") from error


@contextmanager
def mapped_query() -> Iterator[None]:
    """Temporal's errors as ours, where a worker has to answer."""
    with mapped():
        try:
            yield
        except WorkflowQueryFailedError as error:
            raise RunUnreadable(f"the worker cannot read this run: {error}") from error
        except RPCError as error:
            if error.status in _NO_WORKER:
                raise WorkerNotAnswering(NO_WORKER) from error
            raise


async def in_turn(ask: Callable[[], Awaitable[T]]) -> T:
    """What a query gives, asked again while something has happened that its run has yet to hear of.

    Raises:
        WorkflowQueryFailedError: the run cannot be read.
        RPCError: nobody answers.
    """
    for earlier in range(TRIES - 1):
        try:
            return await ask()
        except WorkflowQueryFailedError as error:
            if str(error) != TOO_EARLY:
                raise
            await asyncio.sleep(FIRST_PAUSE * 2**earlier)
    return await ask()
