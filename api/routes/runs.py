"""Runs: ask for one, list them, see how one stands, follow it."""

from collections.abc import AsyncIterator
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Header, Query, Response
from pydantic import AwareDatetime
from starlette.exceptions import HTTPException

from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    DeleteRefused,
    KeyReused,
    LastEventIdInvalid,
    RequestInvalid,
    RunNotFound,
    TemporalRefused,
    TemporalUnavailable,
    TooManyRuns,
    problem_docs,
)
from elcano.api.http.requests import RunId, RunRequest
from elcano.api.http.schemas import RunList, RunView
from elcano.api.live.cursor import Cursor
from elcano.api.live.feed import Feed
from elcano.api.live.messages import MESSAGES, event_stream
from elcano.api.runs.deletion import delete_run as delete
from elcano.api.runs.run_status import read_run, refresh_listed_runs
from elcano.api.runs.submission import submit_run
from elcano.api.services import Provided
from elcano.graphs.contracts import RunStatus
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.records import RunFilter

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

router = APIRouter(prefix="/v1/runs", tags=["runs"], responses=problem_docs(RequestInvalid))


@router.post(
    "",
    status_code=201,
    responses={
        200: {
            "model": RunView,
            "description": "The run that the same key and request started before",
            "headers": LOCATION,
        },
        201: {"description": "The run", "headers": LOCATION},
        **problem_docs(
            BodyUnreadable,
            BodyTooLarge,
            RequestInvalid,
            GraphInvalid,
            KeyReused,
            TooManyRuns,
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
    submission = await submit_run(request, idempotency_key, tenant=services.tenant, starter=services.starter)
    run_id = submission.run.run_id
    response.headers["Location"] = f"/v1/runs/{run_id}"
    if submission.new:
        return services.linked(RunView.of(submission.run))
    response.status_code = 200
    return services.linked(await read_run(run_id, services.temporal, services.store))


@router.get("")
async def list_runs(
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=200, description="Runs a page.")] = 20,
    before: Annotated[
        RunId | None,
        Query(description="The `next` of the page before.", examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"]),
    ] = None,
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
) -> RunList:
    """List runs as stored, newest first; running ones with their current stage.

    Pages of a filtered list go on with the same filters. If Temporal says nothing of a run at once, it is shown as it
    was accepted, and marked `stale`.
    """
    wanted = RunFilter(
        id_part=run_id and run_id.lower(),
        mode=mode,
        question=question,
        created_after=None if created_after is None else created_after.timestamp(),
        created_before=None if created_before is None else created_before.timestamp(),
    )
    page = await services.store.runs.page(limit=limit, before=before, status=status, wanted=wanted)
    runs = await refresh_listed_runs(
        (RunView.of(one.run, evidence=one.evidence) for one in page.runs), services.temporal
    )
    return RunList(runs=tuple(services.linked(run) for run in runs), next=page.next)


@router.get("/{run_id}", responses=problem_docs(RunNotFound, TemporalRefused))
async def get_run(
    run_id: str,
    services: Provided,
    pending: Annotated[
        bool, Query(description="Whether to look up what Temporal is waiting for, in the run and in each section.")
    ] = True,
) -> RunView:
    """See how a run stands.

    A running run is asked; if no worker answers within two seconds the answer is marked `stale`. Who asks every few
    seconds does better with `pending=false`, which takes one request to Temporal instead of one a section.
    """
    return services.linked(await read_run(run_id, services.temporal, services.store, pending=pending))


@router.delete(
    "/{run_id}",
    status_code=204,
    responses=problem_docs(RunNotFound, DeleteRefused, TemporalRefused, TemporalUnavailable),
)
async def delete_run(run_id: str, services: Provided) -> None:
    """Delete a run that has ended, with everything that it left: report, evidence, events, and its sections.

    What other runs found too stays. Nothing of a deleted run can be brought back.
    """
    await delete(run_id, services.temporal, services.store)
    services.feeds.forget(run_id)


async def last_event_id(
    since: Annotated[
        str | None, Query(description="Go on after the event with this id.", examples=["12", "12+9:5+10:0"])
    ] = None,
    last_event_id: Annotated[
        str | None, Header(description="The same, as browsers send it when they reconnect; it goes before `since`.")
    ] = None,
) -> Cursor:
    """What the client has; nothing if it does not say."""
    text = last_event_id if last_event_id is not None else since
    return Cursor() if text is None else Cursor.parse(text)


async def open_feed(
    run_id: str, since: Annotated[Cursor, Depends(last_event_id)], services: Provided
) -> AsyncIterator[Feed]:
    """The run's feed, shared and open as long as the response is being sent."""
    async with services.feeds.open(run_id) as feed:
        if feed.exhausted(since):
            raise HTTPException(204)  # the one answer after which a browser's EventSource does not come again
        yield feed


@router.get(
    "/{run_id}/events",
    response_class=Response,
    responses={
        200: {"description": "The events, each as it comes", "content": {"text/event-stream": dict(MESSAGES)}},
        204: {"description": "The run has ended and you have its last event"},
        **problem_docs(LastEventIdInvalid, RunNotFound),
    },
)
async def follow_run(
    feed: Annotated[Feed, Depends(open_feed)], since: Annotated[Cursor, Depends(last_event_id)]
) -> Response:
    """Follow a run as server-sent events, from its first event to its last.

    Each message is one event: `event` is its type, `data` the event as JSON, `id` the place in the stream. The stream
    ends after the terminal one (`complete`, `failed` or `cancelled`). A client that reconnects with the last `id` as
    `Last-Event-ID` gets exactly what it missed, from any server.

    The event of the type `error` (a node failed, the run goes on) is sent as `event: node_error`, because browsers use
    `error` for a broken connection.

    Sections are researched side by side, and what they tell comes between the `branch_started` and the
    `branch_complete` of their run, with their `path` and `section`. Within one path the numbers (`seq`) rise.

    The `id` is the number of the run's last event, and for each open branch the number of the event that started it and
    of the last event of its own: `12`, `12+9:5+10:0`.

    Three messages have no `id`: `waiting` says that nobody answers at the moment, `unreadable` that a branch has ended
    whose events cannot be read any more, and `streaming` shows the text that an agent is writing: its end, as far as
    it has come, about twice a second. Each takes the place of the one before it of the same `path`; an empty `text`
    says that what was shown is void: it is finished, or its attempt failed. Nothing of it is kept. A client that comes
    gets the newest at once, and one that comes again drops what it had.
    """
    return event_stream(feed, since)
