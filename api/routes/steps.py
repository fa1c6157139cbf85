"""A run's steps: the places of a run that a person can point at, each with what went in and what came out."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from elcano.api.http.errors import (
    ReportLost,
    RequestInvalid,
    RunForgotten,
    RunNotFound,
    RunUnreadable,
    StepNotFound,
    TemporalRefused,
    TemporalUnavailable,
    WorkerUnavailable,
    problem_docs,
)
from elcano.api.http.step_views import StepDetail, StepList
from elcano.api.runs.run_comparison import load_run_comparison
from elcano.api.runs.step_rows import list_steps, look_into
from elcano.api.services import Provided
from elcano.graphs.comparison.differences import RunComparison

router = APIRouter(
    prefix="/v1/runs/{run_id}",
    tags=["steps"],
    responses=problem_docs(
        RequestInvalid,
        RunNotFound,
        RunForgotten,
        RunUnreadable,
        TemporalRefused,
        TemporalUnavailable,
        WorkerUnavailable,
    ),
)


@router.get("/steps")
async def get_steps(
    run_id: str,
    services: Provided,
    after: Annotated[int, Query(ge=0, le=1_000_000, description="The `next` of the page before.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500, description="Steps a page.")] = 100,
) -> StepList:
    """List the steps of a run or a section: what each did, when, its usage, its attempts and how it ended.

    Between them, without a number, is what somebody asked of the run and what took it out of its research. The last row
    of a running run is the step that is under way. Each section of a fan-out is a run with steps of its own, under the
    `run_id` that `branches` tells.

    What has ended is read from the store; of what goes on a worker is asked.
    """
    return await list_steps(run_id, services.temporal, services.store, after=after, limit=limit)


@router.get("/steps/{step}", responses=problem_docs(RunNotFound, RunForgotten, StepNotFound))
async def get_step(
    run_id: str,
    step: Annotated[int, Path(description="Its number, from 1.")],
    services: Provided,
    whole: Annotated[bool, Query(description="Leave nothing out, however large the answer gets.")] = False,
) -> StepDetail:
    """Look into a step: what went in, what came out, what the run knew before and after it, and what that cost.

    What went in is built again from the run as it stood: the same code, the same input. A part of the answer with more
    than a megabyte loses its largest members, which `left_out` names.
    """
    return await look_into(run_id, step, services.temporal, services.store, whole=whole)


@router.get("/diff/{other_id}", responses=problem_docs(ReportLost))
async def compare_runs(
    run_id: str,
    other_id: Annotated[str, Path(description="The run that it is compared with.")],
    services: Provided,
) -> RunComparison:
    """Compare two runs: their inputs, the steps they took, what they found, what they cost and what they concluded.

    Runs that have not ended are compared as they stand, and `notes` says so.
    """
    return await load_run_comparison(run_id, other_id, services.temporal, services.store)
