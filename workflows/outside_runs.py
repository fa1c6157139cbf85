"""Workflows outside any run: looks and checks of sources, and the one that manages a provider in trouble.

Looks and checks are one activity each, attempted once, and abandoned if no worker takes it in time; a failure of the
activity, or of finding a worker, is the workflow's. The row in the store holds the provider's state; its workflow
adjusts the queue when that state changes only by time, whichever process dies meanwhile. It ends when nothing is wrong.
"""

import asyncio
from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.tools import LOOK, LOOK_WORKFLOW, LookCall
    from elcano.graphs.errors import ElcanoError
    from elcano.graphs.frozen import Json
    from elcano.graphs.providers import (
        CHECK_SECONDS,
        CHECK_SOURCE,
        CHECK_WORKFLOW,
        KEEP_QUEUE,
        PROVIDER_CHANGED,
        PROVIDER_WORKFLOW,
        ProviderQueue,
        QueueState,
        SourceCheck,
        SourceChecked,
    )
    from elcano.workflows import retry_policies


@workflow.defn(name=CHECK_WORKFLOW)
class SourceCheckWorkflow:
    """Runs one search of one source."""

    @workflow.run
    async def run(self, check: SourceCheck) -> SourceChecked:
        """Searches the source once and returns the results."""
        found: SourceChecked = await workflow.execute_activity(
            CHECK_SOURCE,
            check,
            result_type=SourceChecked,
            task_queue=check.queue,
            summary=f"{check.source}: {check.query}"[:200],
            **retry_policies.build_single_try_policy(timedelta(seconds=CHECK_SECONDS)),
        )
        return found


@workflow.defn(name=LOOK_WORKFLOW)
class LookWorkflow:
    """Runs one look at something that a worker knows, as a plugin names it."""

    @workflow.run
    async def run(self, call: LookCall) -> Json:
        """Looks once and returns what was seen."""
        found: Json = await workflow.execute_activity(
            LOOK,
            call,
            task_queue=call.queue,
            summary=call.about[:200],
            **retry_policies.build_single_try_policy(timedelta(seconds=call.seconds)),
        )
        return found


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
                KEEP_QUEUE, looked, result_type=QueueState, summary=f"limits {looked.queue}", **retry_policies.BOOKS
            )
            workflow.set_current_details(f"**{standing.state}**: {standing.said.replace('`', '')}")
            if standing.next_look is None and self._changes == seen:
                return standing
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(looked)
            await self._until_otherwise(seen, standing)

    @workflow.signal(name=PROVIDER_CHANGED)
    def changed(self) -> None:
        """Signal that the row has changed."""
        self._changes += 1

    async def _until_otherwise(self, seen: int, standing: QueueState) -> None:
        if standing.next_look is None:
            return
        timer = asyncio.create_task(workflow.sleep(standing.next_look, summary=standing.state))
        try:
            await workflow.wait_condition(lambda: timer.done() or self._changes != seen)
        finally:
            timer.cancel()
