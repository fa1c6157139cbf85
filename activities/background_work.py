"""The workers of a process: how they end, and what they do for plugins besides their runs.

They run side by side, and each finishes its calls when the process is to end: a call that is cut off is made again by
another worker, and a model is paid twice for it.

For a plugin they work on a queue of its own, and look now and again for work. What is looked for is noted in the store,
so that code that notes it needs no Temporal; any number of workers may look.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from temporalio.client import Client
from temporalio.worker import Worker

from elcano import __version__
from elcano.workflows.sandbox import workflow_runner

_log = logging.getLogger("worker")


def build_queue_worker(
    client: Client,
    queue: str,
    workflows: Sequence[type],
    activities: Sequence[Callable[..., Any]],
    *,
    activities_at_once: int = 100,
) -> Worker:
    """Build the worker of a queue, not yet started. Activities that are cut off when it ends are done again."""
    return Worker(
        client,
        task_queue=queue,
        workflows=workflows,
        activities=activities,
        workflow_runner=workflow_runner(),
        build_id=__version__,  # else the SDK hashes every module of the process, which takes seconds
        max_concurrent_activities=activities_at_once,
        graceful_shutdown_timeout=timedelta(seconds=1),
    )


@asynccontextmanager
async def looking_for(what: str, look: Callable[[], Awaitable[object]], *, every: float) -> AsyncIterator[None]:
    """Look for `what` every so many seconds while the block runs."""
    task = asyncio.create_task(look_repeatedly(what, look, every=every), name=f"look for {what}")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def look_repeatedly(what: str, look: Callable[[], Awaitable[object]], *, every: float) -> None:
    """Look for `what` every so many seconds until this is cancelled.

    A look that fails is logged, and is not the last.
    """
    while True:
        try:
            await look()
        except Exception:  # a database or a server that fails now may work at the next look
            _log.exception("%s cannot be looked for now", what)
        await asyncio.sleep(every)


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
