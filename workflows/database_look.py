"""A look into a database by somebody who waits for it: one reading of its schema, tried once."""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import TASK_QUEUE
    from elcano.graphs.data.databases import (
        LOOK_AT_DATABASE,
        LOOK_SECONDS,
        LOOK_WORKFLOW,
        DatabaseLook,
        DatabaseLooked,
    )
    from elcano.workflows import policies


@workflow.defn(name=LOOK_WORKFLOW)
class DatabaseLookWorkflow:
    """What one database holds, which belongs to no run."""

    @workflow.run
    async def run(self, look: DatabaseLook) -> DatabaseLooked:
        """What a worker saw; the failure of the reading, or of nobody taking it, is the workflow's."""
        found: DatabaseLooked = await workflow.execute_activity(
            LOOK_AT_DATABASE,
            look,
            result_type=DatabaseLooked,
            task_queue=look.queue or TASK_QUEUE,
            summary=f"{look.database}: what does it hold?",
            **policies.once(timedelta(seconds=LOOK_SECONDS)),
        )
        return found
