"""How workers run workflow code: in the SDK's sandbox, without work that nothing here asks for.

The SDK enters the sandbox several times for every payload, to ask in whose name it is converted. Neither our converter
nor our payload files look at that, and asking took half of the time that a worker's event loop spent on workflow tasks.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporalio.converter import SerializationContext, StorageDriverStoreContext
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
    """The SDK's sandbox, for converters and storage drivers that treat all payloads alike."""

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """One run in its sandbox."""
        return _ContextFree(super().create_instance(det))


class _ContextFree(WorkflowInstance):
    """A run whose payloads are converted without a context."""

    def __init__(self, sandboxed: WorkflowInstance) -> None:
        self._sandboxed = sandboxed

    def activate(self, act: "WorkflowActivation") -> "WorkflowActivationCompletion":
        return self._sandboxed.activate(act)

    def get_serialization_context(self, command_info: object) -> SerializationContext | None:
        return None

    def get_external_store_context(self, command_info: object) -> StorageDriverStoreContext:
        return StorageDriverStoreContext(target=None)

    def get_info(self) -> Info:
        return self._sandboxed.get_info()

    def get_thread_id(self) -> int | None:
        return self._sandboxed.get_thread_id()
