"""A writer that writes what a test says, word by word, for the runs of `scripted`."""

import asyncio
from collections import defaultdict

from temporalio import activity

from elcano.graphs.contracts import Words


class Desk:
    """A writer that writes what a test says."""

    def __init__(self) -> None:
        self._says: defaultdict[str, asyncio.Queue[object]] = defaultdict(asyncio.Queue)
        self.begun = asyncio.Event()

    def say(self, *beats: object, branch: str = "") -> None:
        """One beat after the other: a text, other details as they are, an exception, or None, which is the end."""
        for beat in beats:
            self._says[branch].put_nowait(beat)

    @property
    def activity(self) -> object:
        @activity.defn(name="writer")
        async def write(step: int) -> None:
            info = activity.info()
            says = self._says[(info.workflow_id or "").partition(".")[2]]
            details: tuple[object, ...] = tuple(info.heartbeat_details[:1])
            self.begun.set()
            while True:
                activity.heartbeat(*details)
                try:
                    async with asyncio.timeout(0.2):
                        said = await says.get()
                except TimeoutError:
                    continue
                if said is None:
                    return
                if isinstance(said, Exception):
                    raise said
                details = said if isinstance(said, tuple) else (None, beat(said, step, info.attempt))

        return write


def beat(said: object, step: int, attempt: int) -> object:
    text = str(said)
    return Words(step=step, node="writer", attempt=attempt, text=text[-2_000:], characters=len(text)).model_dump()
