"""Temporal's errors become ours here and nowhere else.

What a status means depends on who had to answer: a timeout is a missing worker for a query and a missing server for
everything else.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from pydantic import ValidationError
from temporalio.client import WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from elcano.api.http.errors import RunForgotten, RunUnreadable, TemporalRefused, TemporalUnavailable, WorkerUnavailable
from elcano.graphs.errors import StoreDamaged

CALL_TIMEOUT: Final = timedelta(seconds=5)
"""For calls that the server answers by itself."""
NO_WORKER: Final = "no worker answers; the run goes on when one does"

UNAVAILABLE: Final = frozenset(
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
def map_rpc_errors() -> Iterator[None]:
    """Translate Temporal's errors, and those of data that it stores outside, into ours."""
    try:
        yield
    except (StoreDamaged, ValidationError) as error:
        raise RunUnreadable(f"what Temporal has of this run cannot be read: {error}") from error
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            raise RunForgotten("Temporal does not know this run, or not any more") from error
        if error.status in UNAVAILABLE:
            raise TemporalUnavailable(f"Temporal does not answer: {error.message}") from error
        raise TemporalRefused(f"Temporal refused: {error.message} ({error.status.name})") from error


@contextmanager
def mapped_query() -> Iterator[None]:
    """Temporal's errors as ours, where a worker has to answer."""
    with map_rpc_errors():
        try:
            yield
        except WorkflowQueryFailedError as error:
            raise RunUnreadable(f"the worker cannot read this run: {error}") from error
        except RPCError as error:
            if error.status in _NO_WORKER:
                raise WorkerUnavailable(NO_WORKER) from error
            raise
