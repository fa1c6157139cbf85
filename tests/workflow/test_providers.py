"""What a provider allows holds for all workers together: its rate, its waits, and the peace it gets while it fails."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import RateLimit, TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, UpdateTaskQueueConfigRequest
from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError

from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec
from elcano.graphs.errors import SourceBusy
from elcano.graphs.providers import (
    FAILURES,
    PROVIDER_CHANGED,
    PROVIDER_QUEUE,
    Provider,
    ProviderQueue,
    QueueState,
    get_provider_state,
    workflow_id,
)
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.worker import provider_worker
from elcano.workflows.outside_runs import ProviderWorkflow
from elcano.workflows.research import ResearchWorkflow
from tests.sources import Shelf, found
from tests.workflow.conftest import Handle, asking, worker_for
from tests.workflow.counting_service import counting
from tests.workflow.searching_worker import counted, searching
from tests.workflow.test_sources import held, looking, running

ACTIVITIES = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY


def most_within(times: Sequence[float], seconds: float) -> int:
    """The most of `times` in any window so long."""
    ordered = sorted(times)
    return max(sum(1 for at in ordered if begin <= at < begin + seconds) for begin in ordered)


@asynccontextmanager
async def many_searches(client: Client, store: Store, spec: SourceSpec, count: int) -> AsyncIterator[Handle]:
    """A run that searches so often at once, and who looks after its source."""
    queue = run_id = f"run-{uuid.uuid4()}"
    graph = looking(json.dumps([str(number) for number in range(count)]), f"'{spec.name}'", "item")
    asked = asking(run_id, graph=graph).model_copy(update={"sources": ()})
    async with (
        worker_for(client, queue, scripted_activities(Script())),
        provider_worker(client, store, Settings(_env_file=None)),
    ):
        yield await client.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)


def beside(client: Client, tmp_path: Path, payload_dir: Path) -> Settings:
    """The settings of a process that works at the same server and the same store."""
    address = client.service_client.config.target_host
    return Settings.model_validate(
        {"TEMPORAL_ADDRESS": address, "data_dir": tmp_path, "objects_url": f"file://{payload_dir}"}
    )


def listed(spec: SourceSpec, monkeypatch: pytest.MonkeyPatch) -> SourceSpec:
    monkeypatch.setitem(SOURCES, spec.name, spec)
    return spec


async def limit_of(client: Client, queue: str) -> float | None:
    """What the server was told to limit a queue to."""
    described = await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace,
            task_queue=TaskQueue(name=queue),
            task_queue_type=ACTIVITIES,
            report_config=True,
        )
    )
    limit = described.config.queue_rate_limit
    return limit.rate_limit.requests_per_second if limit.HasField("rate_limit") else None


async def until_limited(client: Client, queue: str, per_second: float | None) -> None:
    async with asyncio.timeout(60):
        while True:
            with suppress(RPCError):  # a server that is busy may not answer: it is asked again
                if await limit_of(client, queue) == per_second:
                    return
            await asyncio.sleep(0.05)


async def test_two_processes_together_never_pass_the_rate_and_all_wait_when_one_is_told_to(
    temporal: Client, store: Store, tmp_path: Path, payload_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = listed(counted(f"counted-{uuid.uuid4()}", 3.0), monkeypatch)
    settings = beside(temporal, tmp_path, payload_dir)
    with counting(tmp_path / "asked", refuse=22, retry_after=5) as service:
        async with (
            searching(2, settings, spec, service.url),
            many_searches(temporal, store, spec, 30) as handle,
        ):
            await until_limited(temporal, spec.queue, 0.0)
            provider, _ = await store.providers.get(spec.name)
            await handle.result()
            await until_limited(temporal, spec.queue, None)
        asked = service.asked
    times = [one.at for one in asked]
    assert most_within(times, 1.0) <= 4
    assert most_within(times, 5.0) <= 18
    assert {one.query for one in asked} == {str(number) for number in range(30)}
    assert len(asked) == 31, "only the one that was refused is asked again"
    assert "HTTP 429" in provider.error
    # Calls that have their turn at the moment when another one is refused cannot be called back.
    (refused,) = [one.at for one in asked if one.refused]
    assert provider.held_until >= refused + 5.0
    early = [at for at in times if refused < at < provider.held_until]
    assert len(early) <= 2
    assert [at for at in early if at > provider.held_until - 4.0] == []


@pytest.fixture
def spec(monkeypatch: pytest.MonkeyPatch) -> SourceSpec:
    """A source with a queue; its rate is no matter."""
    made = SourceSpec(
        name=f"shelf-{uuid.uuid4()}",
        kind="articles",
        description="What the tests know.",
        limits=SourceLimits(per_second=50, side_by_side=8),
        policy=SourcePolicy(attempts=10),
    )
    return listed(made, monkeypatch)


async def hold(store: Store, spec: SourceSpec, seconds: float) -> None:
    await store.providers.change(
        spec.name, lambda _, now: (Provider(held_until=now + seconds, asked=True, error="shelf: HTTP 429"), None)
    )


async def look_after(client: Client, spec: SourceSpec) -> WorkflowHandle[ProviderWorkflow, QueueState]:
    """As whoever is asked to wait begins it."""
    return await client.start_workflow(
        ProviderWorkflow.run,
        ProviderQueue(provider=spec.name, queue=spec.queue),
        id=workflow_id(spec.name),
        task_queue=PROVIDER_QUEUE,
        start_signal=PROVIDER_CHANGED,
    )


async def test_who_fails_in_a_row_is_left_alone_then_tried_by_one_call_and_back_with_its_answer(
    temporal: Client, script: Script, store: Store, spec: SourceSpec
) -> None:
    failed: list[str] = []

    def answer(query: str) -> SearchResults:
        if len(failed) < FAILURES:
            failed.append(query)
            raise SourceBusy("shelf: HTTP 503")
        return found(spec.name, query)

    shelf = Shelf(spec, answer)
    graph = looking(json.dumps([f"n {number}" for number in range(FAILURES)]), f"'{spec.name}'", "item")
    async with (
        provider_worker(temporal, store, Settings(_env_file=None)),
        running(temporal, script, store, [shelf], graph, workers=2) as handle,
    ):
        await until_limited(temporal, spec.queue, 0.0)
        failing, now = await store.providers.get(spec.name)
        assert (get_provider_state(failing, now), failing.failures, failing.openings) == ("failing", FAILURES, 1)
        result = await handle.result()
        assert result.ending is None
        standing = await temporal.get_workflow_handle(workflow_id(spec.name), result_type=QueueState).result()
        assert standing.state == "ready"
        assert await limit_of(temporal, spec.queue) is None
    assert len(shelf.asked) == 2 * FAILURES
    back, now = await store.providers.get(spec.name)
    assert (get_provider_state(back, now), back.failures, back.openings) == ("ready", 0, 0)
    assert back.error == "shelf: HTTP 503"


async def test_a_run_says_by_whom_it_is_held_and_until_when_and_asks_nobody(
    temporal: Client, script: Script, store: Store, spec: SourceSpec
) -> None:
    shelf = Shelf(spec)
    await hold(store, spec, 3_600.0)
    graph = looking(json.dumps(["whales"]), f"'{spec.name}'", "item")
    async with running(temporal, script, store, [shelf], graph) as handle:
        shown = await held(handle)
        provider, _ = await store.providers.get(spec.name)
        assert shown.source == spec.name
        assert f"{spec.name} is not asked until 20" in shown.detail
        assert "UTC: shelf: HTTP 429" in shown.detail
        assert shown.until is not None
        assert shown.until >= provider.held_until - 1.0
        assert shelf.asked == []
        await handle.terminate()


async def test_the_wait_ends_though_whoever_looked_after_it_died(
    temporal: Client, store: Store, spec: SourceSpec
) -> None:
    settings = Settings(_env_file=None)
    await hold(store, spec, 4.0)
    handle = await look_after(temporal, spec)
    async with provider_worker(temporal, store, settings):
        await until_limited(temporal, spec.queue, 0.0)
        await handle.signal(PROVIDER_CHANGED)
        await look_after(temporal, spec)
    provider, now = await store.providers.get(spec.name)
    await asyncio.sleep(max(0.0, provider.held_until - now) + 0.1)
    assert await limit_of(temporal, spec.queue) == 0.0
    async with provider_worker(temporal, store, settings):
        assert (await handle.result()).state == "ready"
    assert await limit_of(temporal, spec.queue) is None


async def test_a_limit_that_was_set_by_hand_stays(temporal: Client, store: Store, spec: SourceSpec) -> None:
    await temporal.workflow_service.update_task_queue_config(
        UpdateTaskQueueConfigRequest(
            namespace=temporal.namespace,
            task_queue=spec.queue,
            task_queue_type=ACTIVITIES,
            update_queue_rate_limit=UpdateTaskQueueConfigRequest.RateLimitUpdate(
                rate_limit=RateLimit(requests_per_second=2.0), reason="by hand"
            ),
        )
    )
    await hold(store, spec, 0.5)
    async with provider_worker(temporal, store, Settings(_env_file=None)):
        handle = await look_after(temporal, spec)
        assert (await handle.result()).state == "ready"
    assert await limit_of(temporal, spec.queue) == 2.0
