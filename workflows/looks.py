"""Short workflows outside runs: one activity each, attempted once, and given up if no worker takes it in time.

The failure of the activity, or of nobody taking it, is the workflow's.
"""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.mcp_tools import ListToolsOutput
    from elcano.graphs.contracts import TASK_QUEUE
    from elcano.graphs.data.database_look import (
        DATABASE_LOOK_SECONDS,
        DATABASE_LOOK_WORKFLOW,
        LOOK_AT_DATABASE,
        DatabaseLook,
        DatabaseLooked,
    )
    from elcano.graphs.providers import (
        CHECK_SECONDS,
        CHECK_SOURCE,
        CHECK_WORKFLOW,
        LOOK_AT_TOOLS,
        TOOL_LOOK_SECONDS,
        TOOL_LOOK_WORKFLOW,
        SourceCheck,
        SourceChecked,
        ToolLook,
    )
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


@workflow.defn(name=DATABASE_LOOK_WORKFLOW)
class DatabaseLookWorkflow:
    """One reading of what a database holds."""

    @workflow.run
    async def run(self, look: DatabaseLook) -> DatabaseLooked:
        """Reads the database's schema and returns it."""
        found: DatabaseLooked = await workflow.execute_activity(
            LOOK_AT_DATABASE,
            look,
            result_type=DatabaseLooked,
            task_queue=look.queue or TASK_QUEUE,
            summary=f"{look.database}: what does it hold?",
            **policies.build_single_try_policy(timedelta(seconds=DATABASE_LOOK_SECONDS)),
        )
        return found


@workflow.defn(name=TOOL_LOOK_WORKFLOW)
class ToolLookWorkflow:
    """One look at what servers of tools offer."""

    @workflow.run
    async def run(self, look: ToolLook) -> ListToolsOutput:
        """What they offer."""
        found: ListToolsOutput = await workflow.execute_activity(
            LOOK_AT_TOOLS,
            look,
            result_type=ListToolsOutput,
            task_queue=look.queue,
            summary=", ".join(look.asked.servers)[:200] or "all servers",
            **policies.build_single_try_policy(timedelta(seconds=TOOL_LOOK_SECONDS)),
        )
        return found
