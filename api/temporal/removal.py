"""A run's workflows are taken out of Temporal: every execution of its own and of its branches, histories and all.

Temporal is asked by workflow id, because a run that was continued as new or reset has several executions, and a branch
of a branch is named by no record of ours. What one call leaves, because it was cut off, the next call finds.
"""

from collections.abc import Sequence

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client

from elcano.api.http.errors import DeleteRefused, RunForgotten
from elcano.api.temporal.execution import describe_execution
from elcano.api.temporal.rpc import CALL_TIMEOUT, map_rpc_errors


async def delete_workflows(client: Client, run_id: str, branches: Sequence[str]) -> None:
    """Deletes every execution of a run and of its branches, of which `branches` are known, if all are closed.

    The server answers at once and deletes them once it has noted that they are closed, within a minute.

    Raises:
        DeleteRefused: one of the workflows is open; nothing was deleted.
    """
    found = set(await _list_executions(client, run_id))
    for workflow_id in sorted({run_id, *branches, *(listed for listed, _ in found)}):
        try:
            last = await describe_execution(client, workflow_id)
        except RunForgotten:
            continue
        if last.status == "running":
            raise DeleteRefused(f"the workflow {workflow_id!r} has not ended: ask again when it has, or terminate it")
        found.add((workflow_id, last.id))  # the list is seconds behind
    for workflow_id, execution in sorted(found):
        await _delete_execution(client, workflow_id, execution)


async def _list_executions(client: Client, run_id: str) -> list[tuple[str, str]]:
    """Workflow and execution of everything that the server's list has of the run and its branches."""
    name = run_id.replace("'", "''")
    query = f"WorkflowId = '{name}' OR WorkflowId STARTS_WITH '{name}.'"
    with map_rpc_errors():
        return [(found.id, found.run_id) async for found in client.list_workflows(query, rpc_timeout=CALL_TIMEOUT)]


async def _delete_execution(client: Client, workflow_id: str, execution: str) -> None:
    request = DeleteWorkflowExecutionRequest(
        namespace=client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=workflow_id, run_id=execution),
    )
    try:
        with map_rpc_errors():
            await client.workflow_service.delete_workflow_execution(request, retry=True, timeout=CALL_TIMEOUT)
    except RunForgotten:  # somebody was quicker
        return
