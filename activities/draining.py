"""Runs the workers of a process side by side, and lets each finish its calls when the process is to end.

A call that is cut off is made again by another worker, and a model is paid twice for it.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence

from temporalio.worker import Worker

_log = logging.getLogger("worker")


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
