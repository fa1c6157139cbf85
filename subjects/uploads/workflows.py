"""The workflow that reads what was uploaded to a collection, batch by batch, until nothing is left to be read.

Names and fields are persisted in histories: new fields get defaults, nothing is renamed.
"""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy

from elcano.graphs.frozen import Frozen
from elcano.graphs.tenants import Tenant

TASK_QUEUE: Final = "elcano-uploads"
OUTDATED_QUEUE: Final = "elcano-uploads-outdated"
"""Documents are read anew on a queue of their own, one at a time: new ones never wait behind them."""
READING_WORKFLOW: Final = "ReadDocuments"
READ_BATCH: Final = "read_uploaded_documents"


class ReadingWork(Frozen):
    """A collection of which documents are yet to be read."""

    tenant: Tenant
    collection: str
    outdated: bool = False
    """Whether documents are read anew that an older version of the readers read."""

    @property
    def workflow_id(self) -> str:
        """The id of its workflow: a collection is read by one at a time; no collection's name has a colon."""
        return f"uploads-{self.tenant}-{self.collection}{':outdated' if self.outdated else ''}"


BATCH_TIMEOUT: Final = timedelta(hours=2)
"""Timeout of one attempt of a batch. It begins no document after half an hour, and scans take as long."""
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=30)
OFTEN: Final = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1))
"""Retry policy: documents that were read stay read, so another attempt continues."""
BATCHES: Final = 200
"""Batches after which the workflow is continued as new."""


@workflow.defn(name=READING_WORKFLOW)
class ReadingWorkflow:
    """Reads one collection."""

    @workflow.run
    async def run(self, work: ReadingWork) -> None:
        """Read until nothing is left; what is uploaded later begins another run of it."""
        for _ in range(BATCHES):
            left = await workflow.execute_activity(
                READ_BATCH,
                work,
                result_type=int,
                start_to_close_timeout=BATCH_TIMEOUT,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                retry_policy=OFTEN,
            )
            if not left:
                return
        workflow.continue_as_new(work)
