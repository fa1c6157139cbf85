"""A run with branches that does what a test signals, and what its stream is compared by."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError

from elcano.graphs.state.events import AgentEvent
from tests.api.sse import Message, following

Handle = WorkflowHandle[object, object]
ONE, TWO = "0004.loop-1", "0004.loop-2"


def told(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(message.data["path"], message.event) for message in messages]


async def signal(handle: Handle, name: str, argument: object) -> None:
    """Signals a workflow that may be about to start."""
    while True:
        try:
            await handle.signal(name, argument)
            return
        except RPCError:
            await asyncio.sleep(0.02)


class Told:
    """A run with branches, and who to signal."""

    def __init__(self, client: Client, run_id: str) -> None:
        self.run_id = run_id
        self._client = client

    def of(self, *branch: str) -> Handle:
        return self._client.get_workflow_handle(".".join((self.run_id, *branch)))

    async def emit(self, *branch: str, count: int = 1) -> None:
        """Has a workflow tell something, and waits until it has."""
        await signal(self.of(*branch), "emit", count)
        await self.events(*branch)

    async def events(self, *branch: str) -> list[AgentEvent]:
        events: list[AgentEvent] = await self.of(*branch).query("all_events", result_type=list[AgentEvent])
        return events

    async def begin(self, *branch: str) -> None:
        await signal(self.of(*branch[:-1]), "branch", branch[-1])

    async def finish(self, *branch: str) -> None:
        """Ends a workflow, and waits until its parent has told of it."""
        await signal(self.of(*branch), "order", "complete")
        await self.of(*branch).result()
        while branch and not await self._complete(*branch):  # noqa: ASYNC110 - the server tells the parent by itself
            await asyncio.sleep(0.02)

    async def _complete(self, *branch: str) -> bool:
        return any(
            event.type == "branch_complete" and event.section == branch[-1] for event in await self.events(*branch[:-1])
        )


@asynccontextmanager
async def followed(url: str, run_id: str, last_id: str | None = None) -> AsyncIterator[AsyncIterator[Message]]:
    headers = {} if last_id is None else {"Last-Event-ID": last_id}
    async with following(f"{url}/v1/runs/{run_id}/events", headers=headers) as messages:
        yield messages
