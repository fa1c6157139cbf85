"""A provider with which something is wrong: its task queue is looked after until it answers again.

The row in the store says how it stands; this workflow is what moves the queue when that changes by time alone, whoever
dies meanwhile. It ends when nothing is wrong, and is begun anew by whoever is told to wait next.
"""

import asyncio

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.errors import ElcanoError
    from elcano.graphs.providers import KEEP_QUEUE, PROVIDER_CHANGED, PROVIDER_WORKFLOW, ProviderQueue, QueueState
    from elcano.workflows import policies


@workflow.defn(name=PROVIDER_WORKFLOW, failure_exception_types=[ElcanoError, ValueError])
class ProviderWorkflow:
    """The workflow of one provider, named by its id."""

    def __init__(self) -> None:
        self._changes = 0

    @workflow.run
    async def run(self, looked: ProviderQueue) -> QueueState:
        """Looks, and sleeps until there is something else to see; the last look is its result."""
        while True:
            seen = self._changes
            standing: QueueState = await workflow.execute_activity(
                KEEP_QUEUE, looked, result_type=QueueState, summary=f"limits {looked.queue}", **policies.BOOKS
            )
            workflow.set_current_details(f"**{standing.state}**: {standing.said.replace('`', '')}")
            if standing.next_look is None and self._changes == seen:
                return standing
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(looked)
            await self._until_otherwise(seen, standing)

    @workflow.signal(name=PROVIDER_CHANGED)
    def changed(self) -> None:
        """Its row is another one now."""
        self._changes += 1

    async def _until_otherwise(self, seen: int, standing: QueueState) -> None:
        if standing.next_look is None:
            return
        timer = asyncio.create_task(workflow.sleep(standing.next_look, summary=standing.state))
        try:
            await workflow.wait_condition(lambda: timer.done() or self._changes != seen)
        finally:
            timer.cancel()
