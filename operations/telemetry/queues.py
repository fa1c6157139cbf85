"""Counts of what is open and what waits: in the store, and in the task queues of Temporal."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, get_args

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.contracts import TASK_QUEUE, model_queue
from elcano.graphs.mode_choice import MODES
from elcano.graphs.plugin import Surroundings
from elcano.graphs.run_contracts import WAITING_ATTRIBUTE
from elcano.graphs.state.failures import HoldReason
from elcano.settings import Settings

CALL_TIMEOUT: Final = timedelta(seconds=5)
_TYPES: Final = {
    "workflow": TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    "activity": TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
}


async def count_open_runs(around: Surroundings) -> Mapping[tuple[str, ...], float]:
    """Count the runs of all tenants that have not ended, by state and mode."""
    none_yet = {(state, mode): 0.0 for state in ("starting", "running") for mode in MODES}
    counted = await around.store.count_open_runs()
    return none_yet | {("running" if begun else "starting", mode): float(n) for (begun, mode), n in counted.items()}


async def count_waiting_runs(client: Client) -> Mapping[tuple[str, ...], float]:
    """Count the runs and sections that wait, by reason.

    The first worker makes the search attribute: before it a server does not know it, and nothing waits.
    """
    found: dict[tuple[str, ...], float] = {(reason,): 0.0 for reason in get_args(HoldReason)}
    for (reason,) in found:
        query = f"ExecutionStatus = 'Running' AND {WAITING_ATTRIBUTE} = '{reason}'"
        try:
            found[(reason,)] = float((await client.count_workflows(query, rpc_timeout=CALL_TIMEOUT)).count)
        except RPCError as error:
            if error.status is RPCStatusCode.INVALID_ARGUMENT and WAITING_ATTRIBUTE in error.message:
                return found
            raise
    return found


def list_queues(settings: Settings) -> list[str]:
    """List the task queues of runs, sources and models."""
    sources = (spec.queue for spec in SOURCES.values() if spec.queue)
    return list(dict.fromkeys([TASK_QUEUE, *sources, *map(model_queue, settings.model_rates)]))


async def read_backlog(
    client: Client, queues: list[str]
) -> tuple[Mapping[tuple[str, ...], float], Mapping[tuple[str, ...], float]]:
    """Read how many tasks wait in each queue, and for how many seconds the oldest has waited."""
    backlog: dict[tuple[str, ...], float] = {}
    ages: dict[tuple[str, ...], float] = {}
    for queue in queues:
        for name, kind in _TYPES.items():
            asked = DescribeTaskQueueRequest(
                namespace=client.namespace,
                task_queue=TaskQueue(name=queue),
                task_queue_type=kind,
                report_stats=True,
            )
            stats = (await client.workflow_service.describe_task_queue(asked, timeout=CALL_TIMEOUT)).stats
            backlog[queue, name] = float(stats.approximate_backlog_count)
            ages[queue, name] = stats.approximate_backlog_age.ToTimedelta().total_seconds()
    return backlog, ages
