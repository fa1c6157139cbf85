"""Many runs of several tenants, whose calls wait in a queue before a worker serves them; and in which order it does."""

import asyncio
import json
import uuid
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import pass_without_waiting
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.contracts import RunPriority
from elcano.graphs.spec.graph import ResearchGraph
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import Connection
from elcano.settings.settings import Settings
from elcano.storage.store import Store
from elcano.worker import source_workers
from tests.api.serving import connecting
from tests.sources import Shelf
from tests.workflow.conftest import asking
from tests.workflow.test_sources import looking

ANSWER = timedelta(seconds=10)


class Crowd:
    """Starts runs as the API does, and waits until their calls are queued."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._temporal = Temporal(Connection(connecting(client)), queue)
        self.started: list[str] = []

    async def start(self, tenant: str, graph: ResearchGraph, priority: RunPriority = "interactive") -> None:
        run_id = f"{tenant}-{uuid.uuid4()}"
        asked = asking(run_id, graph=graph).model_copy(
            update={"tenant": tenant, "priority": priority, "sources": (), "mode": graph.name}
        )
        assert await self._temporal.start(asked, "graph")
        self.started.append(run_id)

    async def until_queued(self, queue: str, calls: int) -> None:
        """Waits until so many calls are in a queue that no worker polls."""
        asked = DescribeTaskQueueRequest(
            namespace=self._client.namespace,
            task_queue=TaskQueue(name=queue),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
            report_stats=True,
        )
        async with asyncio.timeout(60):
            while True:
                with suppress(RPCError):  # a server that is busy with the queue may not answer: it is asked again
                    described = await self._client.workflow_service.describe_task_queue(asked, timeout=ANSWER)
                    if described.stats.approximate_backlog_count >= calls:
                        return
                await asyncio.sleep(0.05)

    async def end(self) -> None:
        """Waits until all runs have ended."""
        for run_id in self.started:
            await self._client.get_workflow_handle(run_id).result()


def searches(spec: SourceSpec, who: str, number: int) -> ResearchGraph:
    """Searches `spec` so often, at once, and writes."""
    return looking(json.dumps(list(range(number))), f"'{spec.name}'", f"join(' ', ['{who}', to_string(item)])")


def last_place(order: Sequence[str], who: str) -> int:
    """The position of the last call of `who`, from 1."""
    return max(place for place, one in enumerate(order, 1) if one == who)


async def serve(client: Client, store: Store, shelf: Shelf, crowd: Crowd) -> list[str]:
    """Searches all that is queued, and says whose searches they were, in the order in which they were given out."""
    sources = Sources({shelf.spec.name: shelf})
    settings = Settings(_env_file=None)
    (worker,) = source_workers(client, store, sources, settings, passing=pass_without_waiting)
    async with worker:
        await crowd.end()
    return [query.partition(" ")[0] for _, query, _ in shelf.asked]
