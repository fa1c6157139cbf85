"""Batches over HTTP: start one, see its status, get its results, top it up, cancel it."""

import time
from typing import Annotated, Final, Literal, TypeAlias

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field
from ulid import ULID

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.runs.routes import IdempotencyKey
from elcano.api.services import Asker, Provided, Services
from elcano.doors.batches.batch_store import get_batches
from elcano.doors.batches.batch_tables import DONE, Batch
from elcano.doors.batches.judgement import BatchRequest, judge_batch
from elcano.doors.batches.views import (
    BatchPage,
    BatchResultPage,
    BatchView,
    load_results,
    write_csv,
    write_json_lines,
)
from elcano.graphs.state.budget import TopUp, microusd_from_usd
from elcano.service.errors import FieldFault, KeyReused, Refusal, RequestInvalid, TemporalUnavailable
from elcano.service.fields import CURSOR, NUMBER_CURSOR, Request
from elcano.service.runs.submission import build_request_key, require_same_request

MEDIA_TYPES: Final = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


class BatchNotFound(Refusal, kind="missing", title="No such batch"):
    """The tenant has no batch of this id."""


class BatchEnded(Refusal, kind="conflict", title="The batch has ended"):
    """A batch that has ended cannot be changed."""


class BatchOpen(Refusal, kind="conflict", title="The batch has not ended"):
    """An open batch cannot be deleted."""


class BatchTopUp(Request):
    """Additions to the budget of a batch."""

    tokens: int = Field(default=0, ge=0, le=100_000_000, examples=[500_000])
    """Tokens to add."""
    cost_usd: float = Field(default=0.0, ge=0, le=10_000, allow_inf_nan=False, examples=[5.0])
    """US dollars to add."""
    seconds: float = Field(default=0.0, ge=0, le=30 * 86_400, allow_inf_nan=False, examples=[3_600])
    """Seconds to add; of a time that is over, from now."""


BatchId: TypeAlias = Annotated[str, Path(max_length=40, description="The batch's id.")]

router = APIRouter(prefix="/v1/batches", tags=["batches"])


@router.post(
    "",
    status_code=201,
    dependencies=[requires("start_run")],
    responses={
        200: {"model": BatchView, "description": "The batch that the same key and request started before"},
        **problem_docs(KeyReused, TemporalUnavailable),
    },
)
async def start_batch(
    request: BatchRequest, services: Provided, response: Response, idempotency_key: IdempotencyKey = None
) -> BatchView:
    """Start a batch: each question becomes a run, under one budget. Nothing starts if faults are reported."""
    key, now = build_request_key(idempotency_key, request, "batch"), time.time()
    store, made = get_batches(services.store), str(ULID()).lower()
    claim = None if key is None else await services.store.admission.find_claim(key.key)
    if claim is None or key is None:
        questions = await judge_batch(request, made, services)
        budget = request.budget
        batch = Batch(
            id=made,
            name=request.name,
            at_once=request.at_once,
            tokens=budget.tokens,
            cost_microusd=None if budget.cost_usd is None else microusd_from_usd(budget.cost_usd),
            deadline=None if budget.seconds is None else now + budget.seconds,
            created_at=now,
            created_by=services.principal.user,
            api_key=services.principal.key_id,
            since=now,
        )
        found = await store.create(batch, questions, key)
    else:
        require_same_request(claim, key)
        found = claim.run_id
    response.headers["Location"] = f"/v1/batches/{found}"
    response.status_code = 201 if found == made else 200
    return await BatchView.of(await _find_batch(found, services), services)


@router.get("", dependencies=[requires("list_runs")])
async def list_batches(
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=100, description="Batches at most.")] = 20,
    cursor: Annotated[str, Query(max_length=40, description=CURSOR)] = "",
) -> BatchPage:
    """List your batches, the newest first."""
    found = await get_batches(services.store).page(limit + 1, cursor or None)
    views = [await BatchView.of(one, services) for one in found[:limit]]
    return BatchPage(batches=tuple(views), next=views[-1].id if len(found) > limit else None)


@router.get("/{batch_id}", dependencies=[requires("read_run")], responses=problem_docs(BatchNotFound))
async def get_batch(
    batch_id: BatchId,
    services: Provided,
    limit: Annotated[int, Query(ge=0, le=100, description="Results at most.")] = 20,
    cursor: Annotated[str, Query(pattern=NUMBER_CURSOR, description=CURSOR)] = "",
) -> BatchResultPage:
    """See the status of a batch, with the results that there are, page by page."""
    view = await BatchView.of(await _find_batch(batch_id, services), services)
    found = await get_batches(services.store).questions(batch_id, after=int(cursor or 0) - 1, limit=limit + 1)
    page = await load_results(found[:limit], services)
    following = str(page[-1].number + 1) if page and len(found) > limit else None
    return BatchResultPage(**view.model_dump(), results=tuple(page), next=following)


@router.get(
    "/{batch_id}/results/{form}",
    dependencies=[requires("read_run")],
    response_class=Response,
    responses={
        200: {"content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in MEDIA_TYPES.values()}},
        **problem_docs(BatchNotFound),
    },
)
async def get_batch_results(batch_id: BatchId, form: Literal["csv", "jsonl"], services: Provided) -> Response:
    """Save all results as a table (`csv`) or as lines of JSON (`jsonl`), a line a question, also before it ends."""
    batch = await _find_batch(batch_id, services)
    lines = write_csv(batch, services) if form == "csv" else write_json_lines(batch, services)
    headers = {"Content-Disposition": f'attachment; filename="{batch.id}.{form}"'}
    return StreamingResponse(lines, media_type=MEDIA_TYPES[form], headers=headers)


@router.post(
    "/{batch_id}/top-up",
    status_code=202,
    dependencies=[requires("control_run")],
    responses=problem_docs(BatchNotFound, BatchEnded, KeyReused),
)
async def top_up_batch(
    batch_id: BatchId, request: BatchTopUp, services: Provided, idempotency_key: IdempotencyKey = None
) -> BatchView:
    """Raise the budget of a batch; one that is out of it continues."""
    batch = await _find_open(batch_id, services)
    limits = {"tokens": batch.tokens, "cost_usd": batch.cost_microusd, "seconds": batch.deadline}
    given = [name for name in limits if getattr(request, name)]
    if not given:
        raise RequestInvalid([FieldFault(field="body", message="nothing is added: name a limit and by how much")])
    faults = [FieldFault(field=name, message="is not limited for this batch") for name in given if limits[name] is None]
    if faults:
        raise RequestInvalid(faults)
    added = TopUp(tokens=request.tokens, cost_microusd=microusd_from_usd(request.cost_usd), seconds=request.seconds)
    key = build_request_key(idempotency_key, request, batch_id)
    await get_batches(services.store).top_up(batch_id, added, key)
    return await BatchView.of(await _find_batch(batch_id, services), services)


@router.post(
    "/{batch_id}/cancel",
    status_code=202,
    dependencies=[requires("control_run")],
    responses=problem_docs(BatchNotFound, BatchEnded),
)
async def cancel_batch(batch_id: BatchId, services: Provided, asker: Asker) -> BatchView:
    """Cancel a batch: its open runs are cancelled, and no others start. What is there stays."""
    batch = await _find_batch(batch_id, services)
    if batch.state == "ended":
        await _find_open(batch_id, services)
    await get_batches(services.store).cancel(batch_id, asker)
    return await BatchView.of(await _find_batch(batch_id, services), services)


@router.delete(
    "/{batch_id}",
    status_code=204,
    dependencies=[requires("delete_run")],
    responses=problem_docs(BatchNotFound, BatchOpen),
)
async def delete_batch(batch_id: BatchId, services: Provided) -> None:
    """Delete a batch that has ended. Its runs stay."""
    if (await _find_batch(batch_id, services)).state not in DONE:
        raise BatchOpen(f"the batch {batch_id!r} has not ended: cancel it, and delete it when it has")
    await get_batches(services.store).delete(batch_id)


async def _find_batch(batch_id: str, services: Services) -> Batch:
    if (found := await get_batches(services.store).find(batch_id)) is None:
        raise BatchNotFound(f"there is no batch {batch_id!r}; `GET /v1/batches` lists them")
    return found


async def _find_open(batch_id: str, services: Services) -> Batch:
    if (batch := await _find_batch(batch_id, services)).state in (*DONE, "cancelling"):
        raise BatchEnded(f"the batch {batch_id!r} has ended, or is being cancelled: it starts no more runs")
    return batch
