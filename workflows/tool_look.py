"""A look at the servers of tools by somebody who waits for it: tried once, given up when nobody takes it in time."""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.calling import ListToolsOutput
    from elcano.graphs.providers import LOOK_AT_TOOLS, LOOK_SECONDS, LOOK_WORKFLOW, ToolLook
    from elcano.workflows import policies


@workflow.defn(name=LOOK_WORKFLOW)
class ToolLookWorkflow:
    """One look, which belongs to no run."""

    @workflow.run
    async def run(self, look: ToolLook) -> ListToolsOutput:
        """What the servers offer; the failure of nobody taking it is the workflow's."""
        found: ListToolsOutput = await workflow.execute_activity(
            LOOK_AT_TOOLS,
            look,
            result_type=ListToolsOutput,
            task_queue=look.queue,
            summary=", ".join(look.asked.servers)[:200] or "all servers",
            **policies.once(timedelta(seconds=LOOK_SECONDS)),
        )
        return found
