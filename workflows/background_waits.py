"""Background workflows: they belong to no run, share one queue, and are woken by one signal."""

import asyncio

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import WAKE_SIGNAL


class Wakeable:
    """A workflow that waits for its signal, which says only that there may be something to do."""

    def __init__(self) -> None:
        self.wakes = 0
        """Signals so far."""

    @workflow.signal(name=WAKE_SIGNAL)
    def wake(self) -> None:
        """Signal that something has changed."""
        self.wakes += 1

    async def wait_for_wake(self, seen: int, seconds: float) -> None:
        """Return once there were more signals than `seen`, or after so many seconds."""
        timer = asyncio.create_task(workflow.sleep(seconds))
        try:
            await workflow.wait_condition(lambda: timer.done() or self.wakes != seen)
        finally:
            timer.cancel()
