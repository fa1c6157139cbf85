"""A moment that can be moved while somebody waits for it: one durable timer, set anew only when it moves."""

from temporalio import workflow


class Deadline:
    """`at` is in seconds since the epoch, by the workflow's clock."""

    def __init__(self, at: float) -> None:
        self.at = at

    def move(self, at: float) -> None:
        """Moves the moment; who waits goes on waiting for the new one."""
        self.at = at

    async def reached(self) -> None:
        """Returns once the moment has come."""
        while (left := self.at - workflow.time()) > 0:
            waited_for = self.at
            try:
                await workflow.wait_condition(
                    lambda: self.at != waited_for,  # noqa: B023 - read only while this turn of the loop waits
                    timeout=left,
                    timeout_summary="time budget",
                )
            except TimeoutError:
                continue
