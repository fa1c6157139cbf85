"""Runs: ask for one, list them, see the status of one, follow it."""

from functools import partial
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Header, Query, Response
from pydantic import AwareDatetime

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.runs.request_faults import NAMES_ALL_FAULTS
from elcano.api.services import Provided, Services
from elcano.graphs.contracts import RunStatus
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.records import RunFilter, RunOrder
from elcano.service.control.actions import add_offered_actions
from elcano.service.errors import (
    DeleteRefused,
    KeyReused,
    MoneyUsedUp,
    QuotaUsedUp,
    RunNotFound,
    TemporalRefused,
    TemporalUnavailable,
    TooManyRuns,
)
from elcano.service.fields import CURSOR, EXAMPLE_RUN, RunId
from elcano.service.runs.deletion import delete_run as delete
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import RunRequest
from elcano.service.runs.run_status import read_run, refresh_listed_runs
from elcano.service.runs.run_view import RunList, RunView
from elcano.service.runs.submission import Submission, build_request_key, submit_run

LOCATION = {"Location": {"description": "The path of the run.", "schema": {"type": "string"}}}

IdempotencyKey: TypeAlias = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=255,
        description="A text of your own that makes it safe to send this request again: it starts one run.",
        examples=["3f0c6f5e-nightly-report"],
    ),
]


router = APIRouter(prefix="/v1/runs", tags=["runs"])


@router.post(
    "",
    dependencies=[requires("start_run"), NAMES_ALL_FAULTS],
    status_code=201,
    responses={
        200: {
            "model": RunView,
            "description": "The run that the same key and request started before",
            "headers": LOCATION,
        },
        201: {"description": "The run", "headers": LOCATION},
        **problem_docs(
            GraphInvalid,
            KeyReused,
            TooManyRuns,
            QuotaUsedUp,
            MoneyUsedUp,
            TemporalRefused,
            TemporalUnavailable,
        ),
    },
)
async def start_run(
    request: RunRequest,
    services: Provided,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> RunView:
    """Start a run: a question becomes a durable workflow.

    The answer comes at once; follow the run with `GET /v1/runs/{run_id}/events`. With an `Idempotency-Key` the same
    request can be sent again after a lost answer or a 503 and never starts a second run.
    """
    key = build_request_key(idempotency_key, request)
    submission = await submit_run(partial(judge_run_request, request, services), key, services)
    return await show_submission(submission, services, response)


async def show_submission(submission: Submission, services: Services, response: Response) -> RunView:
    """The run of an accepted request as it is answered: 201 if it is new, else 200 and its status."""
    run_id = submission.run.run_id
    response.headers["Location"] = f"/v1/runs/{run_id}"
    if submission.new:
        return RunView.of(submission.run).with_links(services.workflows_page)
    response.status_code = 200
    view = await read_run(run_id, services.temporal, services.store)
    return add_offered_actions(view).with_links(services.workflows_page)


@router.get("", dependencies=[requires("list_runs")])
async def list_runs(
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=200, description="Runs a page.")] = 20,
    cursor: Annotated[RunId | None, Query(description=CURSOR, examples=[EXAMPLE_RUN])] = None,
    status: Annotated[RunStatus | None, Query(description="Only runs that are known to be so.")] = None,
    run_id: Annotated[
        str | None, Query(min_length=1, max_length=100, description="Only runs whose id has this in it.")
    ] = None,
    mode: Annotated[
        str | None,
        Query(max_length=100, description="Only runs asked for in this mode, or ended ones that chose it."),
    ] = None,
    created_after: Annotated[AwareDatetime | None, Query(description="Only runs accepted later than that.")] = None,
    created_before: Annotated[AwareDatetime | None, Query(description="Only runs accepted earlier than that.")] = None,
    question: Annotated[
        str | None,
        Query(min_length=1, max_length=200, description="Only runs whose question has this in it, in capitals or not."),
    ] = None,
    api_key: Annotated[
        str | None,
        Query(max_length=100, description="Only runs asked for with the API key of this id; empty: without a key."),
    ] = None,
    order: Annotated[
        RunOrder,
        Query(
            description="Which come first, by the time of their acceptance, or by what they had cost when they ended."
        ),
    ] = "newest",
) -> RunList:
    """List runs as stored, newest first; running ones with their current stage.

    Pages of a filtered list continue with the same filters and the same order. If Temporal says nothing of a run at
    once, it is shown as it was accepted, and marked `stale`.
    """
    wanted = RunFilter(
        id_part=run_id and run_id.lower(),
        mode=mode,
        question=question,
        api_key=api_key,
        created_after=None if created_after is None else created_after.timestamp(),
        created_before=None if created_before is None else created_before.timestamp(),
    )
    page = await services.store.runs.page(limit=limit, before=cursor, status=status, wanted=wanted, order=order)
    runs = await refresh_listed_runs(
        (RunView.of(one.run, evidence=one.evidence) for one in page.runs), services.temporal, services.store
    )
    return RunList(runs=tuple(run.with_links(services.workflows_page) for run in runs), next=page.next)


@router.get("/{run_id}", dependencies=[requires("read_run")], responses=problem_docs(RunNotFound, TemporalRefused))
async def get_run(
    run_id: str,
    services: Provided,
    pending: Annotated[
        bool, Query(description="Whether to look up what Temporal is waiting for, in the run and in each section.")
    ] = True,
) -> RunView:
    """See the status of a run.

    A running run is asked; if no worker answers within two seconds the answer is marked `stale`. Who asks every few
    seconds does better with `pending=false`, which takes one request to Temporal instead of one a section.
    """
    view = await read_run(run_id, services.temporal, services.store, pending=pending)
    return add_offered_actions(view).with_links(services.workflows_page)


@router.delete(
    "/{run_id}",
    dependencies=[requires("delete_run")],
    status_code=204,
    responses=problem_docs(RunNotFound, DeleteRefused, TemporalRefused, TemporalUnavailable),
)
async def delete_run(run_id: str, services: Provided) -> None:
    """Delete a run that has ended, with everything that it left: report, evidence, events, and its sections.

    What other runs found too stays. Nothing of a deleted run can be brought back.
    """
    await delete(run_id, services.temporal, services.store)
    services.forget_run(run_id)
