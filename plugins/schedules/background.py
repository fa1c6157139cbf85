"""What a worker does for schedules beside its runs: it works on their queue."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio.client import Client
from temporalio.worker import Worker

from elcano import __version__
from elcano.api.process import Process
from elcano.graphs.plugin import Surroundings
from elcano.plugins.schedules.activities import ScheduleActivities
from elcano.plugins.schedules.contracts import TASK_QUEUE
from elcano.plugins.schedules.settings import read_schedule_settings
from elcano.plugins.schedules.workflows import ScheduledRunWorkflow
from elcano.workflows.sandbox import workflow_runner


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
    return Worker(
        client,
        task_queue=TASK_QUEUE,
        workflows=[ScheduledRunWorkflow],
        activities=[activities.start, activities.wait],
        workflow_runner=workflow_runner(),
        build_id=__version__,  # else the SDK hashes every module of the process, which takes seconds
        max_concurrent_activities=500,  # one for each scheduled run that goes on
        graceful_shutdown_timeout=timedelta(seconds=1),  # what is cut off is done again
    )
