"""Schedules in a worker, beside its runs: it works on their queue."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio.client import Client
from temporalio.worker import Worker

from elcano.activities.background_work import build_queue_worker
from elcano.api.process import Process
from elcano.graphs.plugin import Surroundings
from elcano.plugins.schedules.activities import ScheduleActivities
from elcano.plugins.schedules.settings import read_schedule_settings
from elcano.plugins.schedules.workflows import TASK_QUEUE, ScheduledRunWorkflow


@asynccontextmanager
async def work_on_schedules(around: Surroundings) -> AsyncIterator[None]:
    """Start scheduled runs while a worker works; nothing is done where schedules are off."""
    if not read_schedule_settings().schedules:
        yield
        return
    async with build_schedule_worker(await around.connect(), Process.of_worker(around)):
        yield


def build_schedule_worker(client: Client, process: Process) -> Worker:
    """The worker of schedules, not yet started; it starts runs as the API's `process` would."""
    activities = ScheduleActivities(process, client)
    return build_queue_worker(
        client,
        TASK_QUEUE,
        [ScheduledRunWorkflow],
        [activities.start, activities.wait],
        activities_at_once=500,  # one for each scheduled run that goes on
    )
