"""A deadline that can move while it is waited for: one durable timer, set anew only when the deadline moves.

The timer is Temporal's own, in a task of its own. `wait_condition(timeout=...)` would be shorter, but it is asyncio's
`wait_for`, whose order of steps differs between versions of Python: a run that one Python began, another could not
take up.
"""

import asyncio

from temporalio import workflow


class Deadline:
    """`at` is in seconds since the epoch, by the workflow's clock; None: never."""

    def __init__(self, at: float | None) -> None:
        self.at = at

    def move(self, at: float | None) -> None:
        """Moves the moment; who waits goes on waiting for the new one."""
        self.at = at

    async def reached(self) -> None:
        """Returns once the moment has come."""
        while self.at is None or self.at > workflow.time():
            if self.at is None:
                await self.moved()
            else:
                await self._moved_or_come(self.at)

    async def moved(self) -> None:
        """Returns once the moment was moved."""
        waited_for = self.at
        await workflow.wait_condition(lambda: self.at != waited_for)

    async def _moved_or_come(self, moment: float) -> None:
        """Returns once `moment`, at which the deadline is now, has come or is no longer the deadline."""
        timer = asyncio.create_task(workflow.sleep(moment - workflow.time(), summary="time budget"))
        try:
            await workflow.wait_condition(lambda: timer.done() or self.at != moment)
        finally:
            timer.cancel()
