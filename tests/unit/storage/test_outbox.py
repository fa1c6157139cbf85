"""Workflows to start or signal are noted together with what decides it, and followed at least once."""

from typing import Any, cast

import pytest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from elcano.doors.batches.batch_store import get_batch_store, get_batches
from elcano.doors.batches.batch_tables import Batch, BatchQuestion
from elcano.graphs.records import ArchivedRun
from elcano.service.temporal.background_starts import empty_outbox
from elcano.storage.store import Store


class Server:
    """A Temporal server that breaks, or has forgotten a workflow, when a test says so."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.error: RPCStatusCode | None = None

    def get_workflow_handle(self, id: str) -> "Server":
        self.calls.append(f"signal {id}")
        return self

    async def signal(self, name: str) -> None:
        assert name == "wake"
        if self.error is not None:
            raise RPCError("refused", self.error, b"")

    async def start_workflow(self, workflow: str, work: object, **given: Any) -> None:
        assert given["start_signal"] == "wake"
        self.calls.append(f"start {workflow} {given['id']} {work}")


def ended(notify: str) -> ArchivedRun:
    return ArchivedRun(
        run_id="a-1", question="Why?", mode="simple", tenant="a", status="completed", started_at=1.0, notify=notify
    )


async def test_a_run_that_ends_wakes_the_workflow_that_waits_for_it_in_spite_of_a_failure(whole: Store) -> None:
    server, runs = Server(), whole.of("a").runs
    await runs.archive(ended(""), ())
    assert await empty_outbox(cast("Client", server), whole.outbox) == 0
    await runs.archive(ended("waiting").model_copy(update={"status": "running"}), ())
    assert await whole.outbox.list_notices(10) == []
    await runs.archive(ended("waiting"), ())
    server.error = RPCStatusCode.UNAVAILABLE
    with pytest.raises(RPCError):
        await empty_outbox(cast("Client", server), whole.outbox)
    server.error = RPCStatusCode.INVALID_ARGUMENT  # something is wrong with this one alone
    assert await empty_outbox(cast("Client", server), whole.outbox) == 0
    server.error = RPCStatusCode.NOT_FOUND  # it has ended: nothing is left to do
    assert await empty_outbox(cast("Client", server), whole.outbox) == 1
    assert await empty_outbox(cast("Client", server), whole.outbox) == 0
    assert server.calls == ["signal waiting"] * 3


async def test_a_batch_is_started_and_open_ones_are_woken_when_a_worker_starts(whole: Store) -> None:
    server = Server()
    batch = Batch(id="one", name="", at_once=1, created_at=1.0, since=1.0)
    questions = [BatchQuestion(number=0, request={"question": "Why?"})]
    await get_batches(whole.of("a")).create(batch, questions, None)
    await get_batches(whole.of("b")).create(batch.model_copy(update={"id": "two", "state": "ended"}), questions, None)
    started = "start BatchOfQuestions batch.a.one {'tenant': 'a', 'batch': 'one'}"
    assert await empty_outbox(cast("Client", server), whole.outbox) == 1
    await get_batch_store(whole).wake_open()
    assert await empty_outbox(cast("Client", server), whole.outbox) == 1
    assert server.calls == [started] * 2
