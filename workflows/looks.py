"""Short workflows outside runs: one activity each, attempted once, and given up if no worker takes it in time.

The failure of the activity, or of nobody taking it, is the workflow's.
"""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.looks import LOOK, LOOK_WORKFLOW, LookCall
    from elcano.graphs.frozen import Json
    from elcano.graphs.providers import CHECK_SECONDS, CHECK_SOURCE, CHECK_WORKFLOW, SourceCheck, SourceChecked
    from elcano.workflows import policies


@workflow.defn(name=CHECK_WORKFLOW)
class SourceCheckWorkflow:
    """One search of one source."""

    @workflow.run
    async def run(self, check: SourceCheck) -> SourceChecked:
        """Searches the source once and returns the results."""
        found: SourceChecked = await workflow.execute_activity(
            CHECK_SOURCE,
            check,
            result_type=SourceChecked,
            task_queue=check.queue,
            summary=f"{check.source}: {check.query}"[:200],
            **policies.build_single_try_policy(timedelta(seconds=CHECK_SECONDS)),
        )
        return found


@workflow.defn(name=LOOK_WORKFLOW)
class LookWorkflow:
    """One look at something that a worker knows, as a plugin names it."""

    @workflow.run
    async def run(self, call: LookCall) -> Json:
        """Looks once and returns what was seen."""
        found: Json = await workflow.execute_activity(
            LOOK,
            call,
            task_queue=call.queue,
            summary=call.about[:200],
            **policies.build_single_try_policy(timedelta(seconds=call.seconds)),
        )
        return found
