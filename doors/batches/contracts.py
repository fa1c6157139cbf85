"""Names and models of batches: what its API and its workflows share.

Names and fields are persisted in histories: new fields get defaults, nothing is renamed.
"""

from typing import Final, Literal, TypeAlias

from elcano.graphs.frozen import Frozen
from elcano.graphs.tenants import Tenant

WORKFLOW: Final = "BatchOfQuestions"
ADVANCE: Final = "advance_batch"
METADATA: Final = "elcano_batch"
"""The metadata of a run that says which batch started it."""

BatchState: TypeAlias = Literal["running", "waiting", "out_of_budget", "cancelling", "ended", "cancelled"]
"""`waiting`: for room or a quota, after which it continues by itself; `out_of_budget`: for a top-up."""


class BatchWork(Frozen):
    """A batch by its name; its questions are in the store."""

    tenant: Tenant
    batch: str

    @property
    def workflow_id(self) -> str:
        """The id of its workflow: no tenant's name has a full stop, so no two batches share one."""
        return f"batch.{self.tenant}.{self.batch}"


class BatchProgress(Frozen):
    """Progress of a batch."""

    state: BatchState
    waiting: int = 0
    """Questions whose runs are yet to be started."""
    open: int = 0
    """Questions whose runs are open."""
    reason: str = ""
    """Why it waits."""
    look_after: float = 0.0
    """Seconds to the next turn, if nothing wakes it before."""
