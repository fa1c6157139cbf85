"""Schedules in a worker, next to its runs: their runs are started as the API would start them."""

import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pydantic import ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from elcano.activities.background_work import BackgroundWork
from elcano.doors.edits.judgement import ChangeBody, EditRefused, judge_update
from elcano.doors.schedules.contracts import (
    CHECK,
    START,
    OwnRun,
    ScheduledQuestion,
    ScheduledStart,
    StartedRun,
    name_schedule,
)
from elcano.doors.schedules.settings import read_schedule_settings
from elcano.doors.schedules.temporal_schedules import iterate_scheduled_runs, list_scheduled_runs
from elcano.doors.schedules.workflows import ScheduledRunWorkflow
from elcano.graphs.contracts import SCHEDULE
from elcano.graphs.errors import ElcanoError
from elcano.graphs.plugin import Surroundings
from elcano.service.errors import ReportLost, explain_invalid, find_problem
from elcano.service.permissions import Principal
from elcano.service.process import Process, Services
from elcano.service.runs.judgement import JudgedRun
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import RunRequest
from elcano.service.runs.submission import build_request_key, submit_run
from elcano.storage.store import TenantStore

DAY: Final = 86_400.0

_log = logging.getLogger("schedules")


@dataclass(frozen=True)
class ScheduleActivities:
    """The activities of one worker."""

    process: Process

    @activity.defn(name=START)
    async def start(self, start: ScheduledStart) -> StartedRun:
        """Start the run of one time, or find the one that was started for it.

        Raises:
            ApplicationError: it could not be started now.
        """
        asked = start.question
        own_id = name_schedule(asked.tenant, asked.schedule)
        if start.scheduled_by not in ("", own_id):
            return _refuse_start(asked, f"{start.scheduled_by!r} asks under its name, and was changed in Temporal")
        principal = Principal(tenant=asked.tenant, user=asked.user, key_id=asked.api_key)
        services = self.process.of(principal)
        try:
            request = RunRequest.model_validate(asked.request)
            # Whoever replaces the question in Temporal need not know of this: the runs are its runs all the same.
            request = request.model_copy(update={"metadata": {**request.metadata, SCHEDULE: asked.schedule}})
            if (refusal := await _find_used_up_budget(asked, services)) is not None:
                return _refuse_start(asked, refusal)
            key = build_request_key(start.key, request, "schedule")
            judge = partial(_judge_scheduled, asked, request, services)
            submission = await submit_run(judge, key, services, notify=start.notify)
        except ValidationError as error:
            return _refuse_start(asked, f"its request is not understood: {explain_invalid(error)}")
        except ElcanoError as error:
            problem = find_problem(error)
            if problem is not None and not problem.is_fault and problem.kind != "exhausted":
                return _refuse_start(asked, str(error))
            raise ApplicationError(str(error), category=ApplicationErrorCategory.BENIGN) from None
        return StartedRun(run_id=submission.run.run_id)

    @activity.defn(name=CHECK)
    async def check(self, run: OwnRun) -> bool:
        """Return whether a run has ended, or was deleted."""
        kept = await self.process.store.of(run.tenant).runs.get(run.run_id)
        return kept is None or kept.status != "running"


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
async def open_background(around: Surroundings) -> AsyncIterator[Sequence[BackgroundWork]]:
    """Prepare the start of scheduled runs; there is none where schedules are off."""
    yield [build_schedule_work(Process.of_worker(around))] if read_schedule_settings().schedules else []


def build_schedule_work(process: Process) -> BackgroundWork:
    """The start of scheduled runs, as the API's `process` would start them."""
    activities = ScheduleActivities(process)
    return BackgroundWork([ScheduledRunWorkflow], [activities.start, activities.check])
