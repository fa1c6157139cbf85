"""Waiting in workflows: a deadline that can move, and a limit on concurrency.

Both take the same steps on every version of Python, which asyncio's `wait_for` and `Semaphore` do not: a run started by
one Python could not be continued by another. The timer is Temporal's own, in a task of its own.
"""

import asyncio
from collections import deque

from temporalio import workflow


class Gate:
    """A context manager, `async with gate:`, that at most `width` tasks hold at a time."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._inside = 0
        self._waiting: deque[object] = deque()

    async def __aenter__(self) -> None:
        """Waits until there is room and every earlier caller has been let in."""
        if self._waiting or self._inside >= self._width:
            place = object()
            self._waiting.append(place)
            try:
                await workflow.wait_condition(lambda: self._waiting[0] is place and self._inside < self._width)
            finally:  # one that is cancelled has no room, and stands in nobody's way
                self._waiting.remove(place)
        self._inside += 1

    async def __aexit__(self, *_: object) -> None:
        self._inside -= 1


class Deadline:
    """`at` is in seconds since the epoch, by the workflow's clock; None: never."""

    def __init__(self, at: float | None) -> None:
        self.at = at

    def move(self, at: float | None) -> None:
        """Move the deadline; a waiting task waits for the new one."""
        self.at = at

    async def wait(self) -> None:
        """Returns once the moment has come."""
        while self.at is None or self.at > workflow.time():
            if self.at is None:
                await self.wait_for_move()
            else:
                await self._moved_or_come(self.at)

    async def wait_for_move(self) -> None:
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
