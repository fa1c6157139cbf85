"""A question that no worker answers is told so, whatever the server says of it."""

import pytest
from temporalio.service import RPCError, RPCStatusCode

from elcano.service.errors import Refusal, TemporalUnavailable, WorkerUnavailable
from elcano.service.temporal.connection import mapped_query


@pytest.mark.parametrize(
    ("message", "status", "told"),
    [
        ("no poller", RPCStatusCode.FAILED_PRECONDITION, WorkerUnavailable),
        ("consistent query buffer is full, cannot accept", RPCStatusCode.RESOURCE_EXHAUSTED, WorkerUnavailable),
        ("namespace rate limit exceeded", RPCStatusCode.RESOURCE_EXHAUSTED, TemporalUnavailable),
    ],
)
def test_it_says_whether_a_worker_is_missing(message: str, status: RPCStatusCode, told: type[Refusal]) -> None:
    with pytest.raises(told), mapped_query():
        raise RPCError(message, status, b"")
