"""Batches over HTTP: start one, see how it stands, get its results, top it up, cancel it.

A question of a request is an object, or a row of a table for the question that all share; what it leaves out it has
from `defaults`. It comes to a body of `POST /v1/runs`.
"""

import json
import re
import time
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from ulid import ULID

from elcano.api.http.errors import (
    FieldFault,
    KeyReused,
    Refusal,
    RequestInvalid,
    TemporalUnavailable,
    field_faults,
    list_request_faults,
    problem_docs,
)
from elcano.api.http.fields import Request, Text
from elcano.api.http.request_identity import requires
from elcano.api.runs.request_facts import judge_run_request
from elcano.api.runs.routes import IdempotencyKey
from elcano.api.runs.run_request import MAX_QUESTION, RunRequest
from elcano.api.runs.submission import build_request_key, require_same_request
from elcano.api.services import Asker, Provided, Services
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import TopUp, microusd_from_usd
from elcano.graphs.tenants import run_id as new_run_id
from elcano.plugins.batches.batch_store import get_batches
from elcano.plugins.batches.batch_tables import DONE, Batch, BatchQuestion
from elcano.plugins.batches.views import BatchResultPage, BatchView, load_results, write_csv, write_json_lines
from elcano.plugins.batches.workflows import METADATA

MOST_QUESTIONS: Final = 1_000
MOST_CHARACTERS: Final = 50_000_000
"""Of `defaults`, which each question is judged and stored with: a small request must not take gigabytes."""
JUDGED_SECONDS: Final = 20.0
"""How long a request is judged: gateways wait for a minute. What is left is judged again before it starts anyway."""
_Name: TypeAlias = Annotated[Text, Field(max_length=200)]
_Cell: TypeAlias = Annotated[Text, Field(max_length=10_000)]
_ROW: Final = TypeAdapter(Annotated[dict[_Name, _Cell], Field(max_length=50)], config=ConfigDict(strict=True))
_PLACE: Final = re.compile(r"\{([^{}]+)\}")
_OWN: Final = frozenset({"question", "background", "instructions", "metadata"})
"""The fields that are judged by themselves, whatever the others are."""


class BatchBudget(Request):
    """What all runs of a batch may use together."""

    tokens: int | None = Field(default=None, ge=1_000, le=100_000_000_000, examples=[2_000_000])
    """Input and output tokens; left out: not limited."""
    cost_usd: float | None = Field(default=None, gt=0, le=1_000_000, allow_inf_nan=False, examples=[20.0])
    """US dollars; left out: not limited."""
    seconds: float | None = Field(default=None, ge=60, le=366 * 86_400, allow_inf_nan=False, examples=[86_400.0])
    """Seconds from now to the end of the last run; left out: not limited."""


class BatchRequest(Request):
    """The batch to start."""

    questions: list[dict[str, Any]] = Field(
        min_length=1, max_length=MOST_QUESTIONS, examples=[[{"question": "What is new on retries?"}]]
    )
    """The questions, each with the fields of `POST /v1/runs`; what one leaves out it has from `defaults`. In place of a
    `question`, `row` has texts by the names of columns: they fill in the question of `defaults`, and come back with the
    results."""
    defaults: dict[str, Any] = Field(default={}, examples=[{"mode": "iterative"}])
    """Fields of `POST /v1/runs` for all questions that do not have them. In its `question`, `{company}` stands for the
    column `company` of a `row`."""
    budget: BatchBudget = BatchBudget()
    """What all runs may use together. Each has its own limits besides."""
    at_once: int = Field(default=8, ge=1, le=50, examples=[8])
    """How many runs may go on at the same time."""
    skip_invalid: bool = Field(default=False, examples=[True])
    """True: questions that cannot work are told in the results, and the others run. False: one of them refuses all."""
    name: Text = Field(default="", max_length=200, examples=["Competitors"])
    """What it is called in lists."""


async def judge_batch(request: BatchRequest, batch_id: str, services: Services) -> list[BatchQuestion]:
    """The questions of a batch, each as it is kept; those with faults are `skipped`.

    Raises:
        RequestInvalid: with all faults of all questions, if they may not be skipped, or all have some.
        TemporalUnavailable: it could be started if Temporal answered.
    """
    shared = len(json.dumps(request.defaults)) * len(request.questions)
    if shared > MOST_CHARACTERS:
        told = f"have {shared:,} characters as JSON for all questions together, and {MOST_CHARACTERS:,} are the most"
        message = f"{told}: send fewer questions at a time, or store the graph under a name and give that"
        raise RequestInvalid([FieldFault(field="defaults", message=message)])
    faults: list[FieldFault] = []
    kept: list[BatchQuestion] = []
    judged: dict[str, tuple[FieldFault, ...]] = {}
    until = time.monotonic() + JUDGED_SECONDS
    for number, given in enumerate(request.questions):
        body, cells, own = _merge_row(given, request.defaults, batch_id)
        own = own or await _find_faults(body, services, judged, until)
        question = body.get("question")
        if own:
            reason = "; ".join(f"{fault.field}: {fault.message}" for fault in own)
            body = {"question": question if isinstance(question, str) else ""}
            kept.append(BatchQuestion(number=number, request=body, cells=cells, state="skipped", reason=reason))
        else:
            kept.append(BatchQuestion(number=number, request=body, cells=cells))
        faults += [_place_fault(fault, number, given, request.defaults) for fault in own]
    if faults and (not request.skip_invalid or len({one.state for one in kept}) == 1):
        raise RequestInvalid(list(dict.fromkeys(faults)))
    return kept


def _place_fault(fault: FieldFault, number: int, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> FieldFault:
    """A fault at its place in the request: what is wrong with `defaults` is not told for each question."""
    top = fault.field.partition(".")[0]
    shared = top not in given and top in defaults and not (top == "question" and "row" in given)
    where = "defaults" if shared else f"questions.{number}"
    return FieldFault(field=f"{where}.{fault.field}", message=fault.message)


def _merge_row(
    given: Mapping[str, Any], defaults: Mapping[str, Any], batch_id: str
) -> tuple[JsonObject, dict[str, str], tuple[FieldFault, ...]]:
    """The body of a question, the cells of its row, and what is wrong with these."""
    body = {"priority": "batch", **defaults, **{name: value for name, value in given.items() if name != "row"}}
    try:
        row = _ROW.validate_python(given.get("row", {}))
    except ValidationError as error:
        told = ((f"row.{one.field}".removesuffix(".body"), one.message) for one in field_faults(error.errors()))
        return body, {}, tuple(FieldFault(field=field, message=message) for field, message in told)
    template = defaults.get("question")
    if "question" not in given and "row" in given and isinstance(template, str):
        if faults := _find_row_faults(template, row):
            return body, row, faults
        if (length := _measure_filled(template, row)) > MAX_QUESTION:
            return {**body, "question": ""}, row, (FieldFault(field="question", message=_describe_length(length)),)
        body["question"] = _PLACE.sub(lambda place: row[place[1].strip()], template)
    metadata = body.get("metadata", {})
    if isinstance(metadata, dict):
        body["metadata"] = {**metadata, METADATA: batch_id}
    return body, row, ()


def _find_row_faults(template: str, row: Mapping[str, str]) -> tuple[FieldFault, ...]:
    names = list(dict.fromkeys(name.strip() for name in _PLACE.findall(template)))
    if not names:
        return (FieldFault(field="question", message="has no column in braces, as `{company}`, for `row` to fill in"),)
    there = ", ".join(repr(name) for name in row) or "none"
    missing = [f"there is no column {name!r} in `row`; there are: {there}" for name in names if name not in row]
    empty = [f"the cell of the column {name!r} is empty" for name in names if name in row and not row[name].strip()]
    return tuple(FieldFault(field="row", message=message) for message in (*missing, *empty))


def _measure_filled(template: str, row: Mapping[str, str]) -> int:
    """The length of a template with its columns filled in. A column may occur in it ten thousand times."""
    places = list(_PLACE.finditer(template))
    return len(template) + sum(len(row[place[1].strip()]) - len(place[0]) for place in places)


def _describe_length(length: int) -> str:
    return f"has {length:,} characters once `row` is filled in, and {MAX_QUESTION:,} are the most: shorten it"


async def _find_faults(
    body: JsonObject, services: Services, judged: dict[str, tuple[FieldFault, ...]], until: float
) -> tuple[FieldFault, ...]:
    """The faults of a body; what questions have in common is judged once, and after `until` only if nothing was yet."""
    try:
        request = RunRequest.model_validate(body)
    except ValidationError as error:
        return field_faults(error.errors())
    common = {name: value for name, value in body.items() if name not in _OWN or "previous_run" in body}
    known = json.dumps(common, sort_keys=True)
    if known not in judged and (not judged or time.monotonic() < until):
        judged[known] = ()
        try:
            await judge_run_request(request, services, new_run_id(services.tenant, "0"))
        except (RequestInvalid, GraphInvalid) as error:
            judged[known] = list_request_faults(error)
    return judged.get(known, ())


MEDIA_TYPES: Final = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


class BatchNotFound(Refusal, status=404, title="No such batch"):
    """The tenant has no batch of this id."""


class BatchEnded(Refusal, status=409, title="The batch has ended"):
    """A batch that has ended cannot be changed."""


class BatchOpen(Refusal, status=409, title="The batch has not ended"):
    """A batch that goes on cannot be deleted."""


class BatchTopUp(Request):
    """What to add to the budget of a batch."""

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
    """Start a batch: each question becomes a run, under one budget. Nothing starts if the faults of any are told."""
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
            changed_at=now,
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
    before: Annotated[str | None, Query(max_length=40, description="Only batches older than this one.")] = None,
) -> list[BatchView]:
    """List your batches, the newest first."""
    return [await BatchView.of(one, services) for one in await get_batches(services.store).page(limit, before)]


@router.get("/{batch_id}", dependencies=[requires("read_run")], responses=problem_docs(BatchNotFound))
async def get_batch(
    batch_id: BatchId,
    services: Provided,
    limit: Annotated[int, Query(ge=0, le=100, description="Results at most.")] = 20,
    after: Annotated[int, Query(ge=-1, le=1_000, description="The `next` of the page before.")] = -1,
) -> BatchResultPage:
    """See how a batch stands, with the results that there are, page by page."""
    view = await BatchView.of(await _find_batch(batch_id, services), services)
    found = await get_batches(services.store).questions(batch_id, after=after, limit=limit + 1)
    page = await load_results(found[:limit], services)
    following = page[-1].number if page and len(found) > limit else None
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
    """Save all results as a table (`csv`) or as lines of JSON (`jsonl`), a line a question, also while it goes on."""
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
    """Raise the budget of a batch; one that is out of it goes on."""
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
