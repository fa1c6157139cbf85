"""Schedules: questions that are asked again and again, one by one with the runs that they started."""

import asyncio
from typing import Any, Final

import httpx
from fastapi import APIRouter, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api, ApiProblem
from elcano.doors.page.rendering import render_page

MOST_RUNS: Final = 20
"""Runs of a schedule that are shown, the newest."""
OVERLAPS: Final = {
    "skip": "leave the new run out",
    "queue_one": "start one run afterwards",
    "queue_all": "start every run afterwards",
    "allow": "run both",
}
"""Overlap policies for a run that starts while an earlier one is running, with their labels."""

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/schedules")
async def show_schedules(request: Request, api: Api) -> Response:
    """All schedules, and the form for a new one; where the operator has none, what would allow them."""
    try:
        schedules, modes = await asyncio.gather(api.get("/v1/schedules"), api.get("/v1/modes"))
    except ApiProblem as problem:
        if problem.status != httpx.codes.CONFLICT:
            raise
        return await render_page(request, "schedules.html", off=str(problem), schedules=[], modes=[], overlaps=OVERLAPS)
    return await render_page(request, "schedules.html", off="", schedules=schedules, modes=modes, overlaps=OVERLAPS)


@router.get("/schedules/{name}")
async def show_schedule(request: Request, api: Api, name: str) -> Response:
    """One schedule: when it runs next, its newest runs, and what may be done with it."""
    path = f"/v1/schedules/{name}"
    schedule, started = await asyncio.gather(api.get(path), api.get(f"{path}/runs", limit=MOST_RUNS))
    found = await asyncio.gather(*(api.find(f"/v1/runs/{run_id}") for run_id in started["runs"]))
    runs: list[dict[str, Any]] = [run for run in found if run is not None]  # one may be deleted meanwhile
    return await render_page(
        request, "schedule.html", name=name, schedule=schedule, runs=runs, most=MOST_RUNS, overlaps=OVERLAPS
    )
