"""Evidence tables over HTTP: make one, read it page by page, decide on rows, edit cells, top it up, cancel, export."""

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
from elcano.doors.batches.batch_tables import DONE
from elcano.doors.batches.routes import BatchEnded, BatchNotFound, BatchTopUp, cancel_batch, top_up_batch
from elcano.doors.evidence_tables.added_questions import (
    ColumnsRequest,
    TableChanged,
    add_columns,
    fill_missing_cells,
)
from elcano.doors.evidence_tables.document_graph import list_columns
from elcano.doors.evidence_tables.row_views import RowView
from elcano.doors.evidence_tables.table_export import MEDIA_TYPES, write_csv, write_workbook
from elcano.doors.evidence_tables.table_request import TableRequest, build_table
from elcano.doors.evidence_tables.table_store import Change, Decision, EvidenceTable, get_tables
from elcano.doors.evidence_tables.table_views import (
    RowFilter,
    TablePage,
    TableRowPage,
    TableView,
    load_table,
)
from elcano.graphs.frozen import Json
from elcano.service.errors import FieldFault, KeyReused, Refusal, RequestInvalid, TemporalRefused, TemporalUnavailable
from elcano.service.fields import CURSOR, NUMBER_CURSOR, Request, Text
from elcano.service.runs.submission import build_request_key, require_same_request

LONGEST_REASON: Final = 1_000


class TableNotFound(Refusal, kind="missing", title="No such evidence table"):
    """The tenant has no evidence table of this id."""


class RowNotFound(Refusal, kind="missing", title="No such row or column"):
    """The table has no such row, or no such column."""


class TableOpen(Refusal, kind="conflict", title="The table is being filled"):
    """A table that is being filled cannot be deleted."""


class DecisionRequest(Request):
    """A decision on a row."""

    decision: Decision | None = Field(examples=["exclude"])
    """Decision; null withdraws the previous one."""
    reason: Text = Field(default="", max_length=LONGEST_REASON, examples=["no control group"])
    """Why; reasons to exclude are counted in the flow, so use the same words for the same reason."""


class EditRequest(Request):
    """New value of a cell."""

    value: Json = Field(default=None, examples=[128])
    """The value, in the type of the column; null: it is not known."""
    restore: bool = Field(default=False, examples=[False])
    """True: put back what was extracted, in place of a value."""
    reason: Text = Field(default="", max_length=LONGEST_REASON, examples=["Table 2 has the number after exclusions."])
    """Why."""


TableId: TypeAlias = Annotated[str, Path(max_length=40, description="The table's id.")]
RowNumber: TypeAlias = Annotated[int, Path(ge=0, le=100_000, description="The row, counted from 0.", examples=[0])]
ColumnNumber: TypeAlias = Annotated[int, Path(ge=0, le=1_000, description="The column, counted from 0.", examples=[0])]

router = APIRouter(prefix="/v1/evidence-tables", tags=["evidence tables"])


@router.post(
    "",
    status_code=201,
    dependencies=[requires("start_run")],
    responses={
        200: {"model": TableView, "description": "The table that the same key and request made before"},
        **problem_docs(KeyReused, TemporalUnavailable, TemporalRefused),
    },
)
async def make_table(
    request: TableRequest, services: Provided, response: Response, idempotency_key: IdempotencyKey = None
) -> TableView:
    """Make an evidence table: each document is a row, which one run fills in with one call of a model.

    Documents without a text, and a file that is there twice, cost nothing. Screening needs no column.
    """
    key = build_request_key(idempotency_key, request, "evidence table")
    made = str(ULID()).lower()
    claim = None if key is None else await services.store.admission.find_claim(key.key)
    if claim is None or key is None:
        table, batch, questions = await build_table(request, made, services)
        statement = get_tables(services.store).insert(table)
        found = await get_batches(services.store).create(batch, questions, key, [statement])
    else:
        require_same_request(claim, key)
        found = claim.run_id
    response.headers["Location"] = f"/v1/evidence-tables/{found}"
    response.status_code = 201 if found == made else 200
    return await TableView.of(await _find_table(found, services), services)


@router.get("", dependencies=[requires("list_runs")])
async def list_tables(
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=100, description="Tables at most.")] = 20,
    cursor: Annotated[str, Query(max_length=40, description=CURSOR)] = "",
) -> TablePage:
    """List your evidence tables, the newest first."""
    return await TablePage.load(limit, cursor, services)


@router.get("/{table_id}", dependencies=[requires("read_run")], responses=problem_docs(TableNotFound))
async def get_table(
    table_id: TableId,
    services: Provided,
    limit: Annotated[int, Query(ge=0, le=100, description="Rows at most.")] = 20,
    cursor: Annotated[str, Query(pattern=NUMBER_CURSOR, description=CURSOR)] = "",
    decision: Annotated[
        RowFilter | None, Query(description="Only rows with this decision; `undecided`: without one.")
    ] = None,
) -> TableRowPage:
    """Read a table: how far it is, the flow of its records, and its rows page by page, also while it is filled."""
    table = await _find_table(table_id, services)
    return await TableRowPage.load(table, limit, int(cursor or 0), decision, services)


@router.get(
    "/{table_id}/rows/{row}", dependencies=[requires("read_run")], responses=problem_docs(TableNotFound, RowNotFound)
)
async def get_row(table_id: TableId, row: RowNumber, services: Provided) -> RowView:
    """Read one row with its quotes."""
    return await _load_row(await _find_table(table_id, services), row, services)


@router.patch(
    "/{table_id}/rows/{row}/screening",
    dependencies=[requires("control_run")],
    responses=problem_docs(TableNotFound, RowNotFound),
)
async def decide_on_row(
    table_id: TableId, row: RowNumber, request: DecisionRequest, services: Provided, asker: Asker
) -> RowView:
    """Decide on a row: include, exclude, or unsure.

    Every decision is kept with its person. The last one counts, so of two people who decide at once neither is refused
    and nothing is lost: the answer has both.
    """
    table = await _find_table(table_id, services)
    _require_row(table, row)
    made = Change(row=row, value=request.decision, reason=request.reason.strip(), by=asker)
    await get_tables(services.store).add_change(table.id, made)
    return await _load_row(table, row, services)


@router.patch(
    "/{table_id}/rows/{row}/cells/{column}",
    dependencies=[requires("control_run")],
    responses=problem_docs(TableNotFound, RowNotFound),
)
async def edit_cell(
    table_id: TableId, row: RowNumber, column: ColumnNumber, request: EditRequest, services: Provided, asker: Asker
) -> RowView:
    """Write into a cell. It says that a person wrote it; the extracted value and every earlier edit are kept."""
    table = await _find_table(table_id, services)
    _require_row(table, row)
    names = list(list_columns(table.output_schema))
    if column >= len(names):
        raise RowNotFound(f"the table {table_id!r} has no column {column}: it has {len(names)}, counted from 0")
    if request.restore and request.value is not None:
        raise RequestInvalid([FieldFault(field="value", message="is put back with `restore`: leave one of them out")])
    if request.value is not None and (why := _explain_misfit(table, names[column], request.value)):
        raise RequestInvalid([FieldFault(field="value", message=f"does not fit the column {names[column]!r}: {why}")])
    made = Change(
        row=row,
        column=names[column],
        value=request.value,
        restored=request.restore,
        reason=request.reason.strip(),
        by=asker,
    )
    await get_tables(services.store).add_change(table.id, made)
    return await _load_row(table, row, services)


@router.get(
    "/{table_id}/export",
    dependencies=[requires("read_run")],
    response_class=Response,
    responses={
        200: {
            "content": {
                kind.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
                for kind in MEDIA_TYPES.values()
            }
        },
        **problem_docs(TableNotFound),
    },
)
async def export_table(
    table_id: TableId,
    services: Provided,
    format: Annotated[Literal["csv", "xlsx"], Query(description="A table of text, or a workbook.")] = "csv",
) -> Response:
    """Save a table: a line a row, for each column its value, its quotes with their pages, and who edited it."""
    table = await _find_table(table_id, services)
    headers = {"Content-Disposition": f'attachment; filename="{table.id}.{format}"'}
    if format == "csv":
        return StreamingResponse(write_csv(table, services), media_type=MEDIA_TYPES[format], headers=headers)
    return Response(await write_workbook(table, services), media_type=MEDIA_TYPES[format], headers=headers)


@router.post(
    "/{table_id}/top-up",
    status_code=202,
    dependencies=[requires("control_run")],
    responses=problem_docs(TableNotFound, BatchNotFound, BatchEnded, KeyReused),
)
async def top_up_table(
    table_id: TableId, request: BatchTopUp, services: Provided, idempotency_key: IdempotencyKey = None
) -> TableView:
    """Raise the budget of a table; rows that wait for it are filled in."""
    table = await _find_table(table_id, services)
    await top_up_batch(table.id, request, services, idempotency_key)
    return await TableView.of(table, services)


@router.post(
    "/{table_id}/columns",
    status_code=202,
    dependencies=[requires("control_run")],
    responses=problem_docs(TableNotFound, TableChanged, KeyReused, TemporalUnavailable, TemporalRefused),
)
async def add_columns_to_table(
    table_id: TableId, request: ColumnsRequest, services: Provided, idempotency_key: IdempotencyKey = None
) -> TableView:
    """Add columns to a table. Each row that is not excluded is read again for the new cells; the others stay."""
    table = await _find_table(table_id, services)
    await add_columns(table, request, build_request_key(idempotency_key, request, f"columns {table.id}"), services)
    return await TableView.of(await _find_table(table_id, services), services)


@router.post(
    "/{table_id}/fill",
    status_code=202,
    dependencies=[requires("control_run")],
    responses=problem_docs(TableNotFound, TableChanged, KeyReused, TemporalUnavailable, TemporalRefused),
)
async def fill_table(table_id: TableId, services: Provided, idempotency_key: IdempotencyKey = None) -> TableView:
    """Ask again for cells whose run failed, was cancelled or deleted. Cells that were read are not paid for again."""
    table = await _find_table(table_id, services)
    key = build_request_key(idempotency_key, Request(), f"fill {table.id}")
    await fill_missing_cells(table, key, services)
    return await TableView.of(table, services)


@router.post(
    "/{table_id}/cancel",
    status_code=202,
    dependencies=[requires("control_run")],
    responses=problem_docs(TableNotFound, BatchNotFound, BatchEnded),
)
async def cancel_table(table_id: TableId, services: Provided, asker: Asker) -> TableView:
    """Stop filling a table: its open runs are cancelled, and no others start. What is there stays."""
    table = await _find_table(table_id, services)
    await cancel_batch(table.id, services, asker)
    return await TableView.of(table, services)


@router.delete(
    "/{table_id}",
    status_code=204,
    dependencies=[requires("delete_run")],
    responses=problem_docs(TableNotFound, TableOpen),
)
async def delete_table(table_id: TableId, services: Provided) -> None:
    """Delete a table that is not being filled, with its decisions and edits. Its runs and documents stay."""
    table = await _find_table(table_id, services)
    batch = await get_batches(services.store).find(table.id)
    if batch is not None and batch.state not in DONE:
        raise TableOpen(f"the table {table_id!r} is being filled: cancel it, and delete it when it has stopped")
    await get_tables(services.store).delete(table.id)
    await get_batches(services.store).delete(table.id)


async def _find_table(table_id: str, services: Services) -> EvidenceTable:
    if (found := await get_tables(services.store).find(table_id)) is None:
        raise TableNotFound(f"there is no evidence table {table_id!r}; `GET /v1/evidence-tables` lists them")
    return found


def _require_row(table: EvidenceTable, row: int) -> None:
    if row >= len(table.documents):
        raise RowNotFound(f"the table {table.id!r} has no row {row}: it has {len(table.documents)}, counted from 0")


async def _load_row(table: EvidenceTable, row: int, services: Services) -> RowView:
    _require_row(table, row)
    return (await load_table(table, [row], services))[0]


def _explain_misfit(table: EvidenceTable, name: str, value: Json) -> str:
    from elcano.doors.structured_answers.form_validation import FormValidation  # takes a while to import

    found = FormValidation(table.output_schema).find_misfit({name: value})
    return found[1] if found else ""
