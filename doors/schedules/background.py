"""Schedules in a worker, next to its runs: their runs are started as the API would start them, and waited for."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pydantic import ValidationError
from temporalio import activity
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker

from elcano.activities.background_work import build_queue_worker
from elcano.doors.edits.judgement import ChangeBody, EditRefused, judge_update
from elcano.doors.schedules.settings import read_schedule_settings
from elcano.doors.schedules.temporal_schedules import iterate_scheduled_runs, list_scheduled_runs
from elcano.doors.schedules.workflows import (
    START,
    TASK_QUEUE,
    WAIT,
    ScheduledQuestion,
    ScheduledRunWorkflow,
    ScheduledStart,
    StartedRun,
)
from elcano.graphs.errors import ElcanoError
from elcano.graphs.plugin import Surroundings
from elcano.service.errors import ReportLost, find_problem
from elcano.service.permissions import Principal
from elcano.service.process import Process, Services
from elcano.service.runs.judgement import JudgedRun
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import RunRequest
from elcano.service.runs.submission import build_request_key, submit_run
from elcano.storage.store import TenantStore

BEAT_SECONDS: Final = 10.0
DAY: Final = 86_400.0

_log = logging.getLogger("schedules")


@dataclass(frozen=True)
class ScheduleActivities:
    """The activities of one worker."""

    process: Process
    client: Client

    @activity.defn(name=START)
    async def start(self, start: ScheduledStart) -> StartedRun:
        """Start the run of one time, or find the one that was started for it.

        Raises:
            ApplicationError: it could not be started now.
        """
        asked = start.question
        principal = Principal(tenant=asked.tenant, user=asked.user, key_id=asked.api_key)
        services = self.process.of(principal)
        try:
            request = RunRequest.model_validate(asked.request)
            if (refusal := await _find_used_up_budget(asked, services)) is not None:
                return _refuse_start(asked, refusal)
            key = build_request_key(start.key, request, "schedule")
            submission = await submit_run(partial(_judge_scheduled, asked, request, services), key, services)
        except ValidationError as error:
            return _refuse_start(asked, f"its request is no longer understood: {error.error_count()} faults")
        except ElcanoError as error:
            problem = find_problem(error)
            if problem is not None and not problem.is_fault and problem.kind != "exhausted":
                return _refuse_start(asked, str(error))
            raise ApplicationError(str(error), category=ApplicationErrorCategory.BENIGN) from None
        return StartedRun(run_id=submission.run.run_id)

    @activity.defn(name=WAIT)
    async def wait(self, run_id: str) -> None:
        """Wait until a run has ended, however it does."""
        handle = self.client.get_workflow_handle(run_id)
        ending = asyncio.create_task(handle.result())
        try:
            while not ending.done():
                activity.heartbeat()
                await asyncio.wait([ending], timeout=BEAT_SECONDS)
            with suppress(WorkflowFailureError):
                await ending
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:  # it was deleted
                raise
        finally:
            ending.cancel()


def _refuse_start(asked: ScheduledQuestion, why: str) -> StartedRun:
    _log.warning("the schedule %r of the tenant %r started no run: %s", asked.schedule, asked.tenant, why)
    return StartedRun(refusal=why)


async def _judge_scheduled(asked: ScheduledQuestion, request: RunRequest, services: Services, own: str) -> JudgedRun:
    """The run of one time: of a living report one that brings the last report up to date, if that can be."""
    if asked.living and (last := await _find_last_report(asked, services.store)):
        body = ChangeBody(priority=request.priority)
        with suppress(EditRefused, ReportLost):
            judged = await judge_update(last, body, own, services)
            return replace(judged, asked=judged.asked.model_copy(update={"metadata": request.metadata}))
    return await judge_run_request(request, services, own)


async def _find_last_report(asked: ScheduledQuestion, store: TenantStore) -> str:
    """The id of the last run of a schedule that has a report; empty if none has."""
    async for one in iterate_scheduled_runs(store, asked.schedule, question=str(asked.request["question"])):
        if one.run.report is not None and one.run.report.answered:
            return one.run_id
    return ""


async def _find_used_up_budget(asked: ScheduledQuestion, services: Services) -> str | None:
    """Say that the runs of the last days have used what they may together; None: they have not, or may use anything."""
    if asked.budget is None:
        return None
    since = time.time() - asked.budget.days * DAY
    used = 0
    for run_id in await list_scheduled_runs(services.store, asked.schedule, since, most=10_000):
        used += (await services.store.ledger.used(run_id)).tokens
    if used < asked.budget.tokens:
        return None
    return f"its runs of the last {asked.budget.days:g} days used {used:,} of {asked.budget.tokens:,} tokens"


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
