"""The check of a source by somebody who waits for it: one search, tried once, given up after half a minute."""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.providers import CHECK_SECONDS, CHECK_SOURCE, CHECK_WORKFLOW, SourceCheck, SourceChecked
    from elcano.workflows import policies


@workflow.defn(name=CHECK_WORKFLOW)
class SourceCheckWorkflow:
    """One search of one source, which belongs to no run."""

    @workflow.run
    async def run(self, check: SourceCheck) -> SourceChecked:
        """What it found; the failure of the search, or of nobody taking it, is the workflow's."""
        found: SourceChecked = await workflow.execute_activity(
            CHECK_SOURCE,
            check,
            result_type=SourceChecked,
            task_queue=check.queue,
            summary=f"{check.source}: {check.query}"[:200],
            **policies.once(timedelta(seconds=CHECK_SECONDS)),
        )
        return found
