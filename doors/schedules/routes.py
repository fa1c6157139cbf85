"""Schedules over HTTP: questions that are asked again and again."""

import asyncio
from contextlib import suppress
from typing import Annotated, Final, Literal, TypeAlias

from fastapi import APIRouter, Path, Query, Response
from pydantic import AwareDatetime, Field
from temporalio.client import Client, Schedule, ScheduleDescription

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.doors.schedules.contracts import RunBudget, ScheduledQuestion
from elcano.doors.schedules.settings import read_schedule_settings
from elcano.doors.schedules.temporal_schedules import (
    LEAST_SECONDS,
    SHOWN_OVERLAPS,
    Overlap,
    ScheduleExists,
    ScheduleNotFound,
    TenantSchedules,
    build_spec,
    list_scheduled_runs,
    read_last_refusal,
    read_question,
)
from elcano.doors.schedules.times import describe_cron, find_time_faults
from elcano.graphs.contracts import SCHEDULE
from elcano.graphs.tenants import run_id as new_run_id
from elcano.service.errors import FieldFault, Refusal, RequestInvalid, TemporalUnavailable
from elcano.service.fields import CURSOR, Described, Moment, Request, RunId, Text, TextForm
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import RunRequest

MOST_CRON: Final = 20
NAME: Final = TextForm(
    r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?",
    "must be 1 to 64 small letters, digits and hyphens, no hyphen at either end",
)
MOST_SCHEDULES: Final = 100
"""Maximum schedules of one tenant."""
AT_ONCE: Final = 10
"""Schedules that are read at a time: each takes two requests to Temporal."""


class SchedulesOff(Refusal, kind="conflict", title="Runs cannot be scheduled here"):
    """The operator has not switched schedules on."""


class TooManySchedules(Refusal, kind="conflict", title="No more schedules can be kept"):
    """As many are kept as may be."""


class ScheduleBudget(Request):
    """Limits shared by the runs of a schedule."""

    tokens: int = Field(ge=1_000, le=10_000_000_000, examples=[1_000_000])
    """Tokens of all its runs; the run that passes them still ends, and the next one is not started."""
    days: float = Field(default=30.0, gt=0, le=366, allow_inf_nan=False, examples=[30.0])
    """In any so many days."""


class ScheduleReplacement(Request):
    """What a schedule asks, and when."""

    name: str | None = Field(default=None, examples=["monday-papers"])
    """Its name: the address has it, so it may be left out."""
    run: RunRequest
    """The question, and how it is researched: the body of `POST /v1/runs`."""
    cron: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        default=[], max_length=MOST_CRON, examples=[["0 7 * * MON"]]
    )
    """When: cron expressions of five fields, or `@daily` and its likes. At an hour that a clock change leaves out
    nothing is started."""
    every_seconds: float | None = Field(default=None, ge=LEAST_SECONDS, le=366 * 86_400, allow_inf_nan=False)
    """When: every so many seconds; in place of `cron`, or in addition to it."""
    time_zone: str = Field(default="UTC", max_length=100, examples=["Europe/Berlin"])
    """The time zone of `cron`, by its name in the IANA database."""
    start_at: AwareDatetime | None = Field(default=None, strict=False)
    """Nothing is started before."""
    end_at: AwareDatetime | None = Field(default=None, strict=False)
    """Nothing is started later."""
    overlap: Overlap = Field(default="skip", examples=["skip"])
    """Policy while the earlier run is still running: the new one is skipped, waits (`queue_one`: one of them,
    `queue_all`: each), or runs in parallel (`allow`)."""
    catch_up_seconds: float = Field(default=3_600.0, ge=10, le=366 * 86_400, allow_inf_nan=False, examples=[3_600.0])
    """Longest delay, in seconds, for which a run that Temporal missed while it was down is still started."""
    budget: ScheduleBudget | None = None
    """Budget shared by its runs; left out: each has its own budget alone."""
    living: bool = Field(default=False, examples=[True])
    """Whether each time the last report is brought up to date, as `POST /v1/runs/{run_id}/updates` does: what has
    changed since is written anew. While there is no report the question is asked."""
    paused: bool = Field(default=False, examples=[False])
    """Whether it starts nothing until it is unpaused."""
    note: Text = Field(default="", max_length=500, examples=["For the Monday meeting"])
    """Purpose of the schedule."""


class ScheduleRequest(ScheduleReplacement):
    """The schedule to make."""

    name: Annotated[str, NAME] = Field(examples=["monday-papers"])
    """Its name: small letters, digits and hyphens."""


class ScheduleView(Described):
    """A schedule."""

    name: str = Field(examples=["monday-papers"])
    """Its name."""
    question: str = Field(examples=["What is new on retries?"])
    """Question of its runs."""
    cron: tuple[str, ...]
    """When: as it was asked for, or as Temporal has it if its times were changed there."""
    every_seconds: tuple[float, ...]
    """Or every so many seconds."""
    time_zone: str
    """The time zone."""
    overlap: Overlap | Literal["cancel_other", "terminate_other"]
    """Policy while the earlier run is still running. The last two can only be set in Temporal, and end the wait for
    that run, not the run."""
    budget: RunBudget | None
    """Budget shared by its runs."""
    living: bool
    """Whether each time the last report is brought up to date."""
    paused: bool
    """Whether it is paused."""
    note: str
    """Purpose, or the reason why it was paused."""
    next_times: tuple[Moment, ...]
    """The next ten times."""
    missed: int
    """Times that were missed because Temporal was down longer than may be made up for."""
    skipped: int
    """Times that were skipped because the earlier run went on."""
    created_at: Moment
    """When it was made."""
    fault: str = Field(default="", examples=[""])
    """Why it starts no runs, if it was changed in Temporal so that it cannot; empty otherwise."""
    last_refusal: str = Field(default="", examples=[""])
    """Why its last time started no run, such as a quota that is used up, also while that is tried again; empty if it
    started one, or has a `fault`."""

    @classmethod
    async def of(cls, name: str, described: ScheduleDescription, client: Client) -> "ScheduleView":
        """The view of what Temporal says; of one that was changed there, as far as it can be read."""
        schedule = described.schedule
        question, fault = await read_question(described, client.data_converter)
        return cls(
            name=name,
            question=str(question.request.get("question", "")),
            cron=describe_cron(schedule.spec, question.cron),
            fault=fault,
            last_refusal="" if fault else await read_last_refusal(described, client),
            every_seconds=tuple(one.every.total_seconds() for one in schedule.spec.intervals),
            time_zone=schedule.spec.time_zone_name or "UTC",
            overlap=SHOWN_OVERLAPS.get(schedule.policy.overlap, "skip"),
            budget=question.budget,
            living=question.living,
            paused=schedule.state.paused,
            note=schedule.state.note or "",
            next_times=tuple(described.info.next_action_times),
            missed=described.info.num_actions_missed_catchup_window,
            skipped=described.info.num_actions_skipped_overlap,
            created_at=described.info.created_at,
        )


class ScheduleRuns(Described):
    """Runs that a schedule started."""

    runs: tuple[str, ...]
    """Their ids, the newest first."""
    next: str | None
    """Pass it as `cursor` for the next page; null on the last one."""


class ScheduleNote(Request):
    """Why something is done."""

    note: Text = Field(default="", max_length=500, examples=["Over the holidays"])
    """Shown with the schedule."""


ScheduleName: TypeAlias = Annotated[str, Path(max_length=64, description="The schedule's name.")]
READ: Final = (requires("list_runs"),)
CHANGE: Final = (requires("start_run"),)
NAMED: Final = problem_docs(ScheduleNotFound, SchedulesOff, TemporalUnavailable)
"""Problems with a named schedule."""

router = APIRouter(prefix="/v1/schedules", tags=["schedules"])


@router.post(
    "",
    status_code=201,
    dependencies=CHANGE,
    responses=problem_docs(ScheduleExists, SchedulesOff, TooManySchedules, TemporalUnavailable),
)
async def create_schedule(request: ScheduleRequest, services: Provided, response: Response) -> ScheduleView:
    """Ask a question again and again. It is judged now as at each time: what cannot work is refused."""
    schedules, question = await _open_schedules(services), await _judge_request(request.name, request, services)
    if len([name async for name in schedules.list_names()]) >= MOST_SCHEDULES:
        raise TooManySchedules(f"there are {MOST_SCHEDULES} schedules already: delete one that is not needed")
    made = await schedules.create(request.name, _build_schedule(request.name, request, question, schedules))
    response.headers["Location"] = f"/v1/schedules/{request.name}"
    return await _view_schedule(request.name, made, services)


@router.put("/{name}", dependencies=CHANGE, responses=NAMED)
async def replace_schedule(name: ScheduleName, request: ScheduleReplacement, services: Provided) -> ScheduleView:
    """Replace a schedule by another one of the same name. Open runs are not touched; its runs stay its runs."""
    if request.name not in (None, name):
        raise RequestInvalid([FieldFault(field="name", message=f"must be {name!r}, as in the address")])
    schedules, question = await _open_schedules(services), await _judge_request(name, request, services)
    await schedules.replace(name, _build_schedule(name, request, question, schedules))
    return await _view_schedule(name, await schedules.describe(name), services)


@router.get("", dependencies=READ, responses=problem_docs(SchedulesOff, TemporalUnavailable))
async def list_schedules(services: Provided) -> list[ScheduleView]:
    """List your schedules by name. A new one may take a second to be there."""
    schedules = await _open_schedules(services)
    room = asyncio.Semaphore(AT_ONCE)

    async def view(name: str) -> ScheduleView | None:
        async with room:
            with suppress(ScheduleNotFound):  # it was deleted since
                return await _view_schedule(name, await schedules.describe(name), services)
        return None

    views = await asyncio.gather(*map(view, sorted([name async for name in schedules.list_names()])))
    return [one for one in views if one is not None]


@router.get("/{name}", dependencies=READ, responses=NAMED)
async def get_schedule(name: ScheduleName, services: Provided) -> ScheduleView:
    """Read one schedule, with its next times."""
    return await _view_schedule(name, await (await _open_schedules(services)).describe(name), services)


@router.get("/{name}/runs", dependencies=READ, responses=NAMED)
async def list_schedule_runs(
    name: ScheduleName,
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=200, description="Runs a page.")] = 50,
    cursor: Annotated[RunId | None, Query(description=CURSOR)] = None,
) -> ScheduleRuns:
    """List the runs that a schedule started."""
    described = await (await _open_schedules(services)).describe(name)
    since = described.info.created_at.timestamp()
    found = await list_scheduled_runs(services.store, name, since, limit + 1, before=cursor)
    return ScheduleRuns(runs=tuple(found[:limit]), next=found[limit - 1] if len(found) > limit else None)


@router.post("/{name}/pause", dependencies=CHANGE, responses=NAMED)
async def pause_schedule(name: ScheduleName, services: Provided, body: ScheduleNote | None = None) -> ScheduleView:
    """Start nothing until the schedule is unpaused."""
    schedules = await _open_schedules(services)
    await schedules.pause(name, (body or ScheduleNote()).note)
    return await _view_schedule(name, await schedules.describe(name), services)


@router.post("/{name}/unpause", dependencies=CHANGE, responses=NAMED)
async def unpause_schedule(name: ScheduleName, services: Provided, body: ScheduleNote | None = None) -> ScheduleView:
    """Start runs again. What was due meanwhile is not made up for."""
    schedules = await _open_schedules(services)
    await schedules.unpause(name, (body or ScheduleNote()).note)
    return await _view_schedule(name, await schedules.describe(name), services)


@router.post("/{name}/trigger", status_code=202, dependencies=CHANGE, responses=NAMED)
async def trigger_schedule(name: ScheduleName, services: Provided) -> ScheduleView:
    """Start a run now, as at a time of the schedule."""
    schedules = await _open_schedules(services)
    await schedules.trigger(name)
    return await _view_schedule(name, await schedules.describe(name), services)


@router.delete("/{name}", status_code=204, dependencies=CHANGE, responses=NAMED)
async def delete_schedule(name: ScheduleName, services: Provided) -> None:
    """Delete a schedule. The runs that it started stay."""
    await (await _open_schedules(services)).delete(name)


async def _open_schedules(services: Services) -> TenantSchedules:
    if not read_schedule_settings().schedules:
        raise SchedulesOff("the operator has to set ELCANO_SCHEDULES=true for the API and all workers")
    return TenantSchedules(await services.temporal.client(), services.tenant)


async def _view_schedule(name: str, described: ScheduleDescription, services: Services) -> ScheduleView:
    return await ScheduleView.of(name, described, await services.temporal.client())


async def _judge_request(name: str, request: ScheduleReplacement, services: Services) -> ScheduledQuestion:
    """The question of each time.

    Raises:
        RequestInvalid: it cannot work, or would never start anything.
    """
    when = (request.cron, request.every_seconds, request.time_zone, request.start_at, request.end_at)
    if faults := find_time_faults(*when):
        raise RequestInvalid(faults)
    await judge_run_request(request.run, services, new_run_id(services.tenant, "0" * 26))
    body = request.run.model_dump(mode="json", exclude_defaults=True)
    body["metadata"] = {**request.run.metadata, SCHEDULE: name}
    return ScheduledQuestion(
        tenant=services.tenant,
        schedule=name,
        request=body,
        user=services.principal.user,
        api_key=services.principal.key_id,
        budget=None if request.budget is None else RunBudget(**request.budget.model_dump()),
        living=request.living,
        cron=tuple(request.cron),
    )


def _build_schedule(
    name: str, request: ScheduleReplacement, question: ScheduledQuestion, schedules: TenantSchedules
) -> Schedule:
    return schedules.build(
        name,
        question,
        build_spec(request.cron, request.every_seconds, request.time_zone, request.start_at, request.end_at),
        overlap=request.overlap,
        catch_up_seconds=request.catch_up_seconds,
        paused=request.paused,
        note=request.note,
    )
