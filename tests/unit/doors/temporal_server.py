"""A Temporal server that knows which workflows are open, and notes which are started."""

from typing import Any

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflow.v1 import WorkflowExecutionInfo
from temporalio.api.workflowservice.v1 import ListWorkflowExecutionsRequest, ListWorkflowExecutionsResponse
from temporalio.service import RPCError, RPCStatusCode


class Server:
    """A Temporal server where some workflows are open, and some cannot be started."""

    namespace = "default"

    def __init__(self, *at_work: str) -> None:
        self.at_work = at_work
        self.refused: dict[str, RPCStatusCode] = {}
        self.queries: list[str] = []
        self.started: list[str] = []
        self.works: list[Any] = []
        """The inputs of what was started."""

    @property
    def workflow_service(self) -> "Server":
        return self

    async def list_workflow_executions(
        self, request: ListWorkflowExecutionsRequest, **_: object
    ) -> ListWorkflowExecutionsResponse:
        self.queries.append(request.query)
        open_ones = [WorkflowExecutionInfo(execution=WorkflowExecution(workflow_id=id)) for id in self.at_work]
        return ListWorkflowExecutionsResponse(executions=open_ones)

    async def start_workflow(self, workflow: str, work: object, *, id: str, **given: Any) -> None:
        if id in self.refused:
            raise RPCError("refused", self.refused[id], b"")
        self.started.append(f"{workflow} {id}")
        self.works.append(work)
