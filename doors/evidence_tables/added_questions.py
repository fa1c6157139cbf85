"""Questions added to a table: new columns, and the cells of rows whose run brought no answer. Nothing else is paid for.

Rows that are excluded are left out. A row is read again for its new cells, by one call of a model.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from elcano.doors.batches.batch_store import get_batches
from elcano.doors.batches.batch_tables import ROUND, BatchQuestion
from elcano.doors.batches.judgement import BatchBudget
from elcano.doors.evidence_tables.columns import (
    MOST_COLUMNS,
    ColumnRequest,
    build_schema,
    find_added_column_faults,
    find_schema_faults,
    select_columns,
)
from elcano.doors.evidence_tables.document_graph import get_fields, list_columns
from elcano.doors.evidence_tables.row_views import RowView
from elcano.doors.evidence_tables.screening import find_decision, list_decisions
from elcano.doors.evidence_tables.table_request import MODEL_FIELD, RowModel, build_question, dump_model, judge_rows
from elcano.doors.evidence_tables.table_store import EvidenceTable, get_tables
from elcano.doors.evidence_tables.table_views import load_table
from elcano.graphs.frozen import JsonObject
from elcano.service.errors import Refusal, RequestInvalid
from elcano.service.fields import Request
from elcano.service.process import Services
from elcano.storage.idempotency_keys import RequestKey


class ColumnsRequest(Request):
    """Columns to add to a table."""

    columns: list[ColumnRequest] = Field(min_length=1, max_length=MOST_COLUMNS)
    """The new questions; the table may have 20 in all."""
    model: RowModel = MODEL_FIELD
    """Which model fills them in; left out: that of the table."""


class TableChanged(Refusal, kind="conflict", title="The table was changed meanwhile"):
    """Another caller added to the table, it is being cancelled, or its batch was deleted."""


async def add_columns(
    table: EvidenceTable, request: ColumnsRequest, key: RequestKey | None, services: Services
) -> None:
    """Add columns to a table, and ask their questions of each row that is not excluded.

    Raises:
        RequestInvalid: with all faults.
        KeyReused: the key came with another request before.
        TableChanged: nothing was added.
    """
    faults = list(find_added_column_faults(request.columns, list_columns(table.output_schema)))
    added = build_schema(request.columns)
    fields = {**get_fields(table.output_schema), **get_fields(added)}
    whole: JsonObject = {**added, **table.output_schema, "properties": fields}
    faults = faults or find_schema_faults(whole)
    asked = await _load_questions(table, services)
    model = dump_model(request.model) or _find_model(asked)
    excluded = await _list_excluded(table, services)
    rows = [n for n, one in enumerate(table.documents) if one.needs_run and n not in excluded]
    if not faults:
        documents = [table.documents[n] for n in rows]
        faults = await judge_rows(added, documents, model, table.id, services, BatchBudget())
    if faults:
        raise RequestInvalid(faults)
    questions = [build_question(added, n, table.documents[n], model, table.id) for n in rows]
    statement = get_tables(services.store).set_schema(table.id, whole)
    await _ask(table, asked, questions, key, services, together_with=[statement])


async def fill_missing_cells(table: EvidenceTable, key: RequestKey | None, services: Services) -> None:
    """Ask again for the cells whose run failed, was cancelled or was deleted, and for those that were not asked for.

    Raises:
        RequestInvalid: a row cannot be asked.
        KeyReused: the key came with another request before.
        TableChanged: nothing was asked.
    """
    asked = await _load_questions(table, services)
    rows = await load_table(table, range(len(table.documents)), services)
    missing = {one.number: _list_missing_columns(one) for one in rows}
    model = _find_model(asked)
    questions = [
        build_question(select_columns(table.output_schema, names), row, table.documents[row], model, table.id)
        for row, names in missing.items()
        if names
    ]
    readable = [table.documents[one.number] for one in questions]
    if faults := await judge_rows(table.output_schema, readable, model, table.id, services, BatchBudget()):
        raise RequestInvalid(faults)
    replaced = [one.number for one in asked if missing.get(one.number % ROUND, []) and _is_within(one, missing)]
    await _ask(table, asked, questions, key, services, replaced=replaced)


def _list_missing_columns(row: RowView) -> list[str]:
    """The columns of a row that nothing was extracted for although there is a text, unless the row is excluded."""
    if row.state in ("unreadable", "duplicate") or row.decision == "exclude":
        return []
    missing = {name: cell for name, cell in row.cells.items() if cell.run_id is None and cell.state != "pending"}
    return [] if all(cell.state == "edited" for cell in missing.values()) else [*missing]


def _is_within(question: BatchQuestion, missing: Mapping[int, Sequence[str]]) -> bool:
    """Whether all columns of a question are missing in its row."""
    columns = list_columns(question.request.get("output_schema"))
    return bool(columns) and columns.keys() <= set(missing[question.number % ROUND])


async def _ask(
    table: EvidenceTable,
    asked: Sequence[BatchQuestion],
    questions: Sequence[BatchQuestion],
    key: RequestKey | None,
    services: Services,
    **more: Any,
) -> None:
    last = max(one.number for one in asked)
    if not await get_batches(services.store).add_questions(table.id, questions, key, last=last, **more):
        raise TableChanged("another caller added to it, or it is being cancelled: look at it, and try again")


async def _load_questions(table: EvidenceTable, services: Services) -> list[BatchQuestion]:
    if asked := await get_batches(services.store).list_rounds(table.id, 0, ROUND):
        return asked
    raise TableChanged("the batch that filled it was deleted: nothing can be added")


async def _list_excluded(table: EvidenceTable, services: Services) -> set[int]:
    decisions = list_decisions(await get_tables(services.store).list_changes(table.id))
    return {row for row in decisions if find_decision(decisions, row) == "exclude"}


def _find_model(asked: Sequence[BatchQuestion]) -> JsonObject:
    """The model that the rows were asked with; empty: the server's."""
    found = next((one.request.get("model") for one in asked if "model" in one.request), None)
    return found if isinstance(found, dict) else {}
