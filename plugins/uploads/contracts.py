"""What the workflow that reads documents is told. Pure: workflows load it.

Names and fields are persisted in histories. New fields get defaults; nothing is renamed.
"""

from typing import Final

from elcano.graphs.frozen import Frozen
from elcano.graphs.tenant_identity import Tenant

TASK_QUEUE: Final = "elcano-uploads"
READING_WORKFLOW: Final = "ReadDocuments"
READ_BATCH: Final = "read_uploaded_documents"


class ReadingWork(Frozen):
    """A collection of which documents are yet to be read."""

    tenant: Tenant
    collection: str

    @property
    def workflow_id(self) -> str:
        """The id of its workflow: a collection is read by one at a time."""
        return f"uploads-{self.tenant}-{self.collection}"
