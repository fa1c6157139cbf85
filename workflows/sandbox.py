"""How workers run workflow code: in the SDK's sandbox, without work that nothing here asks for.

The SDK enters the sandbox several times for every payload, to ask in whose name it is converted. Our converter does not
look at that, our payloads only at the run, which is known from the start; asking took half of the time that a worker's
event loop spent on workflow tasks.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporalio.converter import SerializationContext, StorageDriverStoreContext, StorageDriverWorkflowInfo
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import Info

if TYPE_CHECKING:
    from temporalio.bridge.proto.workflow_activation import WorkflowActivation
    from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion


def workflow_runner() -> SandboxedWorkflowRunner:
    """The sandbox of workflows: the pure room and what it imports pass through, all else is loaded anew in it."""
    return ContextFreeRunner(
        restrictions=SandboxRestrictions.default.with_passthrough_modules("elcano.graphs", "jmespath")
    )


@dataclass(frozen=True)
class ContextFreeRunner(SandboxedWorkflowRunner):
    """The SDK's sandbox, for converters and storage drivers that treat all payloads of a run alike."""

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """One run in its sandbox."""
        return _ContextFree(super().create_instance(det), det.info)


class _ContextFree(WorkflowInstance):
    """A run whose payloads are converted without a context, and are all its own, whoever they are for."""

    def __init__(self, sandboxed: WorkflowInstance, info: Info) -> None:
        self._sandboxed = sandboxed
        run = StorageDriverWorkflowInfo(namespace=info.namespace, id=info.workflow_id)
        self._own = StorageDriverStoreContext(target=run)

    def activate(self, act: "WorkflowActivation") -> "WorkflowActivationCompletion":
        return self._sandboxed.activate(act)

    def get_serialization_context(self, command_info: object) -> SerializationContext | None:
        return None

    def get_external_store_context(self, command_info: object) -> StorageDriverStoreContext:
        return self._own

    def get_info(self) -> Info:
        return self._sandboxed.get_info()

    def get_thread_id(self) -> int | None:
        return self._sandboxed.get_thread_id()
