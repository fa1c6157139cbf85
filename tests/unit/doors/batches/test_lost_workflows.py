"""Open batches whose workflow is lost are continued; the others are left alone."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from temporalio.service import RPCError, RPCStatusCode

from elcano.doors.batches.background import begin_batches
from elcano.doors.batches.batch_store import get_batches
from elcano.doors.batches.batch_tables import Batch, BatchQuestion
from elcano.service.process import Process
from elcano.storage.store import Store, open_store
from tests.unit.doors.temporal_server import Server


def look(server: Server, store: Store) -> Process:
    async def client() -> Server:
        return server

    return cast("Process", SimpleNamespace(temporal=SimpleNamespace(client=client), store=store))


async def keep(store: Store, tenant: str, id: str, state: str = "running") -> None:
    batch = Batch.model_validate({"id": id, "name": "", "at_once": 1, "created_at": 1.0, "since": 1.0, "state": state})
    await get_batches(store.of(tenant)).create(batch, [BatchQuestion(number=0, request={"question": "Why?"})], None)


async def test_only_batches_without_a_workflow_are_started_and_all_are_listed_at_once(tmp_path: Path) -> None:
    server = Server("batch.a.spent", "batch.b.busy")
    async with open_store(tmp_path) as store:
        assert await begin_batches(look(server, store)) == 0
        assert server.queries == [], "nothing is open"
        await keep(store, "a", "spent", "out_of_budget")
        await keep(store, "b", "busy")
        await keep(store, "b", "lost", "out_of_budget")
        await keep(store, "b", "over", "ended")
        assert await begin_batches(look(server, store)) == 1
    assert server.queries == ["WorkflowType = 'BatchOfQuestions' AND ExecutionStatus = 'Running'"]
    assert server.started == ["BatchOfQuestions batch.b.lost"]


async def test_a_batch_whose_start_is_refused_holds_up_no_other(tmp_path: Path) -> None:
    server = Server()
    async with open_store(tmp_path) as store:
        for id in ("one", "two", "three"):
            await keep(store, "a", id)
        server.refused = {"batch.a.two": RPCStatusCode.INVALID_ARGUMENT}
        assert await begin_batches(look(server, store)) == 2
        assert sorted(server.started) == ["BatchOfQuestions batch.a.one", "BatchOfQuestions batch.a.three"]
        server.refused = dict.fromkeys(("batch.a.one", "batch.a.two", "batch.a.three"), RPCStatusCode.UNAVAILABLE)
        with pytest.raises(RPCError):
            await begin_batches(look(server, store))
