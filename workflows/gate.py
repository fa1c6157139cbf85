"""Room for only so many at once, in the order in which they came.

What `asyncio.Semaphore` would do, whose order of waking differs between versions of Python: it cannot be what the
order of a run's commands hangs on.
"""

from collections import deque

from temporalio import workflow


class Gate:
    """As a context, `async with gate:`, it is held by at most `width` at a time."""

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
