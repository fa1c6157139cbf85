"""The workers of a process: how they end, and what they do for plugins besides their runs.

They run side by side, and each finishes its calls when the process is to end: a call that is cut off is made again by
another worker, and a model is paid twice for it.

For plugins they work on one background queue. What is to be done there is noted in the store's outbox, so that code
that notes it needs no Temporal; any number of workers may look.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeAlias

from temporalio.client import Client
from temporalio.worker import Worker

from elcano import __version__
from elcano.graphs.contracts import BACKGROUND_QUEUE
from elcano.workflows.sandbox import workflow_runner

_log = logging.getLogger("worker")


Look: TypeAlias = tuple[str, Callable[[], Awaitable[object]], float]
"""A search for work: its object, its function, and the interval in seconds."""


@dataclass(frozen=True)
class BackgroundWork:
    """The work of a plugin besides runs (`Plugin.background`)."""

    workflows: Sequence[type] = ()
    activities: Sequence[Callable[..., Any]] = ()
    looks: Sequence[Look] = ()
    queue: str = BACKGROUND_QUEUE
    at_once: int = 0
    """Maximum activities of a queue of its own at a time in one worker."""


AT_ONCE: Final = 1_000
"""Maximum activities on the shared queue at a time in one worker: each watched run has one that only waits."""


@asynccontextmanager
async def working_in_background(client: Client, parts: Sequence[BackgroundWork]) -> AsyncIterator[None]:
    """Work on the queues of all parts, a worker for each queue, and look for their work while the block runs."""
    async with AsyncExitStack() as stack:
        for queue in dict.fromkeys(part.queue for part in parts if part.workflows):
            await stack.enter_async_context(_build_worker(client, queue, [one for one in parts if one.queue == queue]))
        for part in parts:
            for what, look, every in part.looks:
                await stack.enter_async_context(looking_for(what, look, every=every))
        yield


def _build_worker(client: Client, queue: str, parts: Sequence[BackgroundWork]) -> Worker:
    """Build the worker of a queue, not yet started. Activities that are cut off when it ends are done again."""
    return Worker(
        client,
        task_queue=queue,
        workflows=[one for part in parts for one in part.workflows],
        activities=[one for part in parts for one in part.activities],
        workflow_runner=workflow_runner(),
        build_id=__version__,  # else the SDK hashes every module of the process, which takes seconds
        max_concurrent_activities=sum(part.at_once for part in parts) or AT_ONCE,
        graceful_shutdown_timeout=timedelta(seconds=1),
    )


@asynccontextmanager
async def looking_for(what: str, look: Callable[[], Awaitable[object]], *, every: float) -> AsyncIterator[None]:
    """Look for `what` every so many seconds while the block runs; a look that fails is logged, and is not the last."""

    async def look_repeatedly() -> None:
        while True:
            try:
                await look()
            except Exception:  # a database or a server that fails now may work at the next look
                _log.exception("%s cannot be looked for now", what)
            await asyncio.sleep(every)

    task = asyncio.create_task(look_repeatedly(), name=f"look for {what}")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def run_workers(workers: Iterable[Worker]) -> None:
    """Run all workers until this is cancelled, or one of them breaks; then all drain in parallel.

    A second cancellation ends the draining at once.
    """
    working = [asyncio.create_task(_run_worker(worker)) for worker in workers]
    try:
        broken, _ = await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.gather(*broken)
    finally:
        await _cancel_workers(working)


async def _cancel_workers(working: Sequence[asyncio.Task[None]]) -> None:
    """Cancel each once: a worker that is cancelled while it drains gives up, however long the others still take."""
    for task in working:
        task.cancel()
    try:
        await asyncio.wait(working)
    except asyncio.CancelledError:
        for task in working:
            task.cancel()
        await asyncio.wait(working)
        raise


async def _run_worker(worker: Worker) -> None:
    async with worker:
        try:
            await asyncio.Event().wait()
        finally:
            seconds = worker.config()["graceful_shutdown_timeout"].total_seconds()
            _log.info("stopping: running activities have %g s to finish on task queue %r", seconds, worker.task_queue)
