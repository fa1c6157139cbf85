"""A call that no worker can take, or that is tried again, is told of while it waits, by the run and by its events."""

import asyncio
import time
from collections.abc import AsyncIterator

import httpx
import pytest
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionResponse
from temporalio.client import Client

from elcano.activities.sources.registry import Sources
from elcano.service.runs.pending_calls import (
    MOST_FAILURES,
    join_blocked,
    mark_unserved,
    summarize_pending_calls,
    waited_for,
)
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.service.temporal.executions import SILENT_AFTER, Execution, PendingActivity
from elcano.settings.settings import Settings
from elcano.storage.store import Store
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.worker import source_workers
from tests.api.asking import start
from tests.api.sse import Message, following
from tests.sources import Shelf, listed_shelf
from tests.workflow.conftest import worker_for

STARTED = PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
SCHEDULED = PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    return listed_shelf(monkeypatch)


async def unserved(api: httpx.AsyncClient, run_id: str) -> list[dict[str, object]]:
    """The calls of a run that nobody takes, once there is one."""
    async with asyncio.timeout(30):
        while True:
            pending = (await api.get(f"/v1/runs/{run_id}")).json().get("pending") or []
            if found := [one for one in pending if one["unserved"]]:
                return found
            await asyncio.sleep(0.25)


async def first_notice(messages: AsyncIterator[Message]) -> str:
    async with asyncio.timeout(30):
        async for message in messages:
            if message.event == "waiting" and "task queue" in message.data["message"]:
                return str(message.data["message"])
    raise AssertionError("the stream ended")


async def test_a_search_whose_worker_is_gone_says_so(
    api: httpx.AsyncClient,
    served: str,
    temporal: Client,
    store: Store,
    task_queue: str,
    shelf: Shelf,
) -> None:
    run_id = await start(api, sources=[shelf.spec.name])  # while no worker runs: a run waits for any
    async with worker_for(temporal, task_queue, scripted_activities(Script())):
        (waiting,) = await unserved(api, run_id)
        assert waiting["queue"] == shelf.spec.queue
        assert (waiting["attempt"], waiting["last_failure"], waiting["next_try"]) == (1, "", None)
        async with following(f"{served}/v1/runs/{run_id}/events") as messages:
            notice = await first_notice(messages)
            assert notice == f"no worker polls the task queue '{shelf.spec.queue}': start one that does"
            run = (await api.get(f"/v1/runs/{run_id}")).json()
            (listed,) = [one for one in (await api.get("/v1/runs")).json()["runs"] if one["run_id"] == run_id]
            assert (waiting["unserved"], run["blocked"], listed["blocked"]) == (notice, notice, notice)
            settings = Settings(_env_file=None)
            (worker,) = source_workers(temporal, store, Sources({shelf.spec.name: shelf}), settings)
            async with worker, asyncio.timeout(60):
                last = [message async for message in messages][-1]
    assert last.event == "complete"
    assert shelf.asked


async def test_nothing_is_held_against_calls_of_a_server_that_does_not_answer() -> None:
    async def away() -> Client:
        return await Client.connect("127.0.0.1:1")

    temporal = Temporal(Connection(away), "any")
    call = PendingActivity(activity_id="0001-search", activity="search", attempt=1, queue="elcano-source-x")
    assert await mark_unserved([call], temporal) == (call,)
    assert await waited_for("run-1", temporal) == ""


@pytest.mark.parametrize(
    ("silence", "allowed", "state", "repeated_in"),
    [
        (SILENT_AFTER + 1, 30, STARTED, 30 - SILENT_AFTER - 1),
        (SILENT_AFTER - 1, 30, STARTED, None),
        (SILENT_AFTER + 1, 0, STARTED, None),  # without heartbeats nothing is known
        (SILENT_AFTER + 1, 30, SCHEDULED, None),  # it waits, and no worker has it
    ],
)
async def test_a_call_whose_worker_is_silent_says_when_it_is_repeated(
    temporal: Client, silence: float, allowed: int, state: PendingActivityState.ValueType, repeated_in: float | None
) -> None:
    now = time.time()
    pending = PendingActivityInfo(activity_id="0004-judge", state=state, attempt=2)
    pending.activity_type.name = "judge"
    pending.activity_options.heartbeat_timeout.seconds = allowed
    pending.last_heartbeat_time.FromMilliseconds(round(1_000 * (now - 500)))  # of the attempt before
    pending.last_started_time.FromMilliseconds(round(1_000 * (now - silence)))
    answer = DescribeWorkflowExecutionResponse(pending_activities=[pending])
    (call,) = (await Execution.of(answer, temporal)).pending
    if repeated_in is None:
        assert call.repeated_at is None
        assert summarize_pending_calls([call]) == ""
    else:
        assert call.repeated_at is not None
        assert call.repeated_at.timestamp() == pytest.approx(now + repeated_in, abs=0.01)
        at = f"{call.repeated_at:%H:%M:%S} UTC"
        said = (
            f"the worker of judge has stopped reporting; another one repeats the call at {at}, unless it reports before"
        )
        assert summarize_pending_calls([call]) == said


def test_each_queue_is_named_once() -> None:
    one = PendingActivity(activity_id="0001-a", activity="search", attempt=1, queue="q", unserved="none polls q")
    other = one.model_copy(update={"queue": "r", "unserved": "r was stopped"})
    served = one.model_copy(update={"queue": "s", "unserved": ""})
    assert join_blocked("", pending=[one, one, other]) == "none polls q; r was stopped"
    assert join_blocked("it is paused", pending=[one]) == "it is paused; none polls q"
    assert summarize_pending_calls([one, one, other, served]) == "none polls q; r was stopped"


def test_a_run_that_makes_other_calls_is_not_blocked() -> None:
    one = PendingActivity(activity_id="0001-a", activity="search", attempt=1, queue="q", unserved="none polls q")
    served = one.model_copy(update={"queue": "s", "unserved": ""})
    assert join_blocked("", pending=[one, served]) == ""
    assert join_blocked("", pending=[served]) == ""


def test_what_is_tried_again_is_told_once_for_each_reason() -> None:
    calls = [
        PendingActivity(
            activity_id=f"0001-search-{number}", activity="search", attempt=3, last_failure=f"down {number}"
        )
        for number in range(2 + MOST_FAILURES)
    ]
    said = summarize_pending_calls([calls[0], calls[0], *calls])
    assert said.split("; ")[0] == "search is tried again (attempt 3): down 0"
    assert len(said.split("; ")) == MOST_FAILURES
    (long,) = summarize_pending_calls([calls[0].model_copy(update={"last_failure": "x" * 1_000})]).split("; ")
    assert len(long) < 400
