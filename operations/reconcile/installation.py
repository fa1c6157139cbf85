"""The parts to compare: the store, the objects and the Temporal server that the settings name."""

import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import Client

from elcano.graphs.contracts import CHAIN_WORKFLOW, RESEARCH_WORKFLOW, TASK_QUEUE
from elcano.graphs.errors import ElcanoError
from elcano.operations.reconcile.row_store import RowStore, get_rows
from elcano.service.errors import RunForgotten
from elcano.service.runs.endings import START_GRACE
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.connection import CALL_TIMEOUT, Connection, connect_client, map_rpc_errors
from elcano.service.temporal.executions import Execution, ask_for_execution
from elcano.service.temporal.history import list_workflows, read_history
from elcano.settings.settings import Settings
from elcano.storage.objects import Objects
from elcano.storage.payloads import close_payloads
from elcano.storage.sql.cipher import Cipher, load_cipher
from elcano.storage.store import Store, configured_objects, open_configured

OBJECT_GRACE: Final = 3_600.0
"""Seconds for which an object may be waiting for the row, or the history, that will name it."""


class CannotMend(ElcanoError):
    """A difference cannot be mended now; the text says what is missing."""


@dataclass(frozen=True)
class Installation:
    """The parts of an installation, which work while they are compared."""

    store: Store
    objects: Objects
    temporal: Temporal
    cipher: Cipher | None = None
    keep_days: float = 0.0
    """Days after its end for which a run is kept; 0: for ever."""
    grace: float = START_GRACE
    """Seconds for which a run may be between two places: starting, ending, being deleted."""
    object_grace: float = OBJECT_GRACE

    @property
    def rows(self) -> RowStore:
        """The rows of all tenants."""
        return get_rows(self.store)

    def is_settled(self, at: float, grace: float | None = None) -> bool:
        """Whether something that happened at a time, in seconds since the epoch, is no longer under way."""
        return time.time() - at >= (self.grace if grace is None else grace)


@asynccontextmanager
async def open_installation(settings: Settings) -> AsyncIterator[Installation]:
    """Open the parts that the settings name.

    Raises:
        StoreUnavailable, StoreDamaged, StoreIncompatible: the store cannot be opened.
    """
    client: Client | None = None

    async def connect() -> Client:
        nonlocal client
        client = await connect_client(settings)
        return client

    objects = configured_objects(settings)
    try:
        async with open_configured(settings) as store:
            temporal = Temporal(Connection(connect), TASK_QUEUE)
            yield Installation(
                store.written_by("reconcile"), objects, temporal, load_cipher(settings), settings.keep_days
            )
    finally:
        objects.close()
        if client is not None:
            close_payloads(client.data_converter)


_RUNS: Final = f"(WorkflowType = '{RESEARCH_WORKFLOW}' OR WorkflowType = '{CHAIN_WORKFLOW}')"
_PAGE: Final = 500
PAYLOAD_KEY: Final = re.compile(rb"payloads/[A-Za-z0-9_-]{1,128}/[0-9a-f]{64}")
"""The key of an object that a history needs, as payloads have it."""


@dataclass(frozen=True)
class ListedExecution:
    """One execution of a run, as the server's list has it, which is seconds behind."""

    run_id: str
    execution: str
    started_at: float


async def list_executions(client: Client) -> AsyncIterator[list[ListedExecution]]:
    """The executions of all runs that people asked for, page by page."""
    page: list[ListedExecution] = []
    async for one in list_workflows(client, _RUNS):
        run_id = one.execution.workflow_id
        if "." not in run_id:  # else a section, which belongs to its run
            page.append(ListedExecution(run_id, one.execution.run_id, one.start_time.ToMilliseconds() / 1_000))
        if len(page) == _PAGE:
            yield page
            page = []
    if page:
        yield page


async def list_branch_executions(client: Client, run_id: str) -> list[str]:
    """The ids of a run's sections and theirs, those inside of others first."""
    query = f"WorkflowId STARTS_WITH '{run_id}.' AND {_RUNS}"
    found = {one.execution.workflow_id async for one in list_workflows(client, query)}
    return sorted(found, key=lambda name: (-name.count("."), name))


async def knows_execution(client: Client, run_id: str, execution: str) -> bool:
    """Whether the server has this execution of a run."""
    try:
        await ask_for_execution(client, run_id, execution, again=False)
    except RunForgotten:
        return False
    return True


async def describe_start(client: Client, run_id: str) -> tuple[Execution, float]:
    """The last execution of a run, and when it began.

    Raises:
        RunForgotten: there is no such workflow.
    """
    answer = await ask_for_execution(client, run_id)
    execution = await Execution.of(answer, client)
    return execution, answer.workflow_execution_info.start_time.ToMilliseconds() / 1_000


async def list_payload_keys(client: Client, run_id: str, execution: str) -> list[tuple[int, int, str]]:
    """The objects that an execution needs: the number of the event, of the workflow task before it, and the key."""
    found = []
    task = 0
    async for event in read_history(client, run_id, execution):
        named = PAYLOAD_KEY.findall(event.SerializeToString())
        found += [(event.event_id, task, key.decode()) for key in named]
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
            task = event.event_id
    return found


async def find_branch_start(client: Client, run_id: str, execution: str, branch_id: str) -> int | None:
    """The number of the workflow task of a run that started a section, or the one that this is a part of."""
    async for event in read_history(client, run_id, execution):
        began = event.start_child_workflow_execution_initiated_event_attributes
        if began.workflow_id and (branch_id == began.workflow_id or branch_id.startswith(f"{began.workflow_id}.")):
            return began.workflow_task_completed_event_id
    return None


async def reset_execution(client: Client, run_id: str, execution: str, task: int, reason: str) -> None:
    """Have a run begin again with the workflow task of this number. Asked again it does so once."""
    request = ResetWorkflowExecutionRequest(
        namespace=client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=run_id, run_id=execution),
        reason=reason,
        workflow_task_finish_event_id=task,
        request_id=f"reconcile-{execution}-{task}",
    )
    with map_rpc_errors():
        await client.workflow_service.reset_workflow_execution(request, retry=True, timeout=CALL_TIMEOUT)
