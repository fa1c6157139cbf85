"""Counts of waiting runs, by a server that has never had a worker."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio.service import RPCError, RPCStatusCode

from elcano.operations.telemetry.queues import count_waiting_runs


def failing(status: RPCStatusCode, message: str) -> Any:
    async def count_workflows(query: str, **_: object) -> SimpleNamespace:
        raise RPCError(message, status, b"")

    return SimpleNamespace(count_workflows=count_workflows)


async def test_without_the_search_attribute_nothing_waits() -> None:
    client = failing(RPCStatusCode.INVALID_ARGUMENT, "invalid search attribute: ElcanoWaiting")
    assert set((await count_waiting_runs(cast(Any, client))).values()) == {0.0}


async def test_a_server_that_does_not_answer_is_no_zero() -> None:
    with pytest.raises(RPCError):
        await count_waiting_runs(failing(RPCStatusCode.UNAVAILABLE, "tcp connect error"))
    with pytest.raises(RPCError):
        await count_waiting_runs(failing(RPCStatusCode.INVALID_ARGUMENT, "namespace is not valid"))
