"""What the workflow of a batch is begun from. Pure: workflows load it. New fields get defaults; nothing is renamed."""

from typing import Final, Literal, TypeAlias

from elcano.graphs.frozen import Frozen
from elcano.graphs.tenant_identity import Tenant

TASK_QUEUE: Final = "elcano-batches"
WORKFLOW: Final = "BatchOfQuestions"
ADVANCE: Final = "advance_batch"
CHANGED: Final = "batch_changed"
"""The signal that a batch was topped up or cancelled."""
METADATA: Final = "elcano_batch"
"""The metadata of a run that says which batch started it."""

BatchState: TypeAlias = Literal["running", "waiting", "out_of_budget", "cancelling", "ended", "cancelled"]
"""`waiting`: for room or a quota, after which it goes on by itself; `out_of_budget`: for a top-up."""


class BatchWork(Frozen):
    """A batch by its name; its questions are in the store."""

    tenant: Tenant
    batch: str

    @property
    def workflow_id(self) -> str:
        """The id of its workflow: no tenant's name has a full stop, so no two batches share one."""
        return f"batch.{self.tenant}.{self.batch}"


class BatchProgress(Frozen):
    """How far a batch is."""

    state: BatchState
    waiting: int = 0
    """Questions whose runs are yet to be started."""
    open: int = 0
    """Questions whose runs go on."""
    reason: str = ""
    """Why it waits."""
