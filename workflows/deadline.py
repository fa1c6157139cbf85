"""A moment that can be moved while somebody waits for it: one durable timer, set anew only when it moves."""

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
            left = None if self.at is None else self.at - workflow.time()
            try:
                await self.moved(within=left)
            except TimeoutError:
                continue

    async def moved(self, *, within: float | None = None) -> None:
        """Returns once the moment was moved.

        Raises:
            asyncio.TimeoutError: it was not, within so many seconds.
        """
        waited_for = self.at
        await workflow.wait_condition(lambda: self.at != waited_for, timeout=within, timeout_summary="time budget")
