"""The request for a table: its documents, its columns, and what filling it may cost; it comes to a batch.

Each document that can be read is a question of the batch, with the graph that reads it and the columns as its form. A
document that is refused, or is there twice, is a row without a run: nothing is paid for it.
"""

import json
import time
from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Field

from elcano.doors.batches.batch_tables import Batch, BatchQuestion
from elcano.doors.batches.contracts import METADATA
from elcano.doors.batches.judgement import MOST_CHARACTERS, BatchBudget, with_shared_money
from elcano.doors.evidence_tables.columns import (
    MOST_COLUMNS,
    ColumnRequest,
    build_schema,
    find_column_faults,
    find_schema_faults,
)
from elcano.doors.evidence_tables.document_graph import build_document_graph, list_columns
from elcano.doors.evidence_tables.document_lists import DocumentsRequest, list_documents
from elcano.doors.evidence_tables.review_flow import find_review_faults
from elcano.doors.evidence_tables.table_store import EvidenceTable, TableDocument
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import microusd_from_usd
from elcano.graphs.tenants import run_id as new_run_id
from elcano.graphs.text import shorten_text
from elcano.service.errors import FieldFault, RequestInvalid, list_request_faults
from elcano.service.fields import Request, RunId, Text
from elcano.service.process import Services
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import ModelRequest, RunRequest, default_model

ROW_TOKENS: Final = 60_000
"""Token budget of one row: a form and its passages are some 20,000 tokens, asked once more if its answer has faults."""
CHARACTERS_PER_TOKEN: Final = 2
"""Fewer than any text has."""
FORM_TOKENS: Final = 5_000
"""Tokens of a call besides the form and the passages: instructions, and room for the answer."""
PASSAGE_TOKENS: Final = 18_000
"""Maximum tokens of a document's passages. A row that is granted less than it may need is not started: it would end
without an answer, and a top-up would not begin it again."""
ROW_SECONDS: Final = 3_600.0
"""Time limit of one row; most of it is waiting, for a document that is being read or a provider that is away."""


def _drop_default(schema: dict[str, Any]) -> None:
    """Leaves out a default that is an object: programs that generate clients write it as a text and send that."""
    schema.pop("default", None)


RowModel: TypeAlias = Annotated[
    ModelRequest, BeforeValidator(default_model, json_schema_input_type=Annotated[str, Field()] | ModelRequest)
]
MODEL_FIELD: Final[Any] = Field(
    default=ModelRequest(), examples=["openai:gpt-5.1"], json_schema_extra=lambda schema: _drop_default(schema)
)


class TableRequest(Request):
    """The table to make."""

    documents: list[DocumentsRequest] = Field(min_length=1, max_length=100, examples=[[{"source": "uploads:trials"}]])
    """The documents, each a row, at most 1,000."""
    columns: list[ColumnRequest] = Field(default=[], max_length=MOST_COLUMNS)
    """The questions, at most 20. Without columns and `output_schema` nothing is asked, and nothing is paid: rows are
    only screened."""
    output_schema: dict[str, Any] | None = Field(
        default=None,
        examples=[{"type": "object", "properties": {"year": {"type": "integer", "description": "Year of release"}}}],
    )
    """In place of `columns`: a JSON Schema as runs take it, each of whose properties is a column."""
    budget: BatchBudget = BatchBudget()
    """Budget shared by all rows. A row whose turn comes when it is used up waits for a top-up."""
    model: RowModel = MODEL_FIELD
    """Which model fills in the rows; left out: as the server is set up."""
    at_once: int = Field(default=8, ge=1, le=50, examples=[8])
    """Maximum rows that are filled in parallel."""
    name: Text = Field(default="", max_length=200, examples=["Trials of fish oil"])
    """Name in lists."""
    review_run: RunId | None = Field(default=None, examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """A run of the mode `literature_review` whose search found these documents: its counts are the first ones of
    `flow`."""


async def build_table(
    request: TableRequest, table_id: str, services: Services
) -> tuple[EvidenceTable, Batch, list[BatchQuestion]]:
    """Build a table and the batch that fills it, which has the same id.

    Raises:
        RequestInvalid: with all faults.
        TemporalUnavailable: a folder is to be listed, or a row judged, and Temporal does not answer.
    """
    schema, faults = _read_columns(request)
    if request.review_run is not None:
        faults += await find_review_faults(request.review_run, services)
    documents, wrong = await list_documents(request.documents, services)
    faults += wrong
    if (size := len(json.dumps(schema)) * len(documents)) > MOST_CHARACTERS:
        excess = f"have {size:,} characters as JSON for all rows together, and {MOST_CHARACTERS:,} are the most"
        faults.append(FieldFault(field="output_schema", message=f"{excess}: ask less, or make several tables"))
    model = dump_model(request.model)
    if not faults and schema:
        faults = await judge_rows(schema, documents, model, table_id, services, request.budget)
    if faults:
        raise RequestInvalid([_place_fault(fault, request) for fault in faults])
    now, by = time.time(), services.principal.user
    questions = [build_question(schema, number, one, model, table_id) for number, one in enumerate(documents)]
    waiting = any(one.state == "waiting" for one in questions)
    budget = request.budget
    batch = Batch(
        id=table_id,
        name=request.name,
        at_once=request.at_once,
        tokens=budget.tokens,
        cost_microusd=None if budget.cost_usd is None else microusd_from_usd(budget.cost_usd),
        deadline=None if budget.seconds is None else now + budget.seconds,
        created_at=now,
        created_by=by,
        api_key=services.principal.key_id,
        state="running" if waiting else "ended",
        since=now,
    )
    table = EvidenceTable(
        id=table_id,
        name=request.name,
        output_schema=schema,
        documents=tuple(documents),
        review_run=request.review_run or "",
        created_at=now,
        created_by=by,
    )
    return table, batch, questions


def dump_model(model: ModelRequest) -> JsonObject:
    """Return a model as requests for runs have it; empty: the server's."""
    return model.model_dump(mode="json", exclude_defaults=True)


def _read_columns(request: TableRequest) -> tuple[JsonObject, list[FieldFault]]:
    """The form of the rows, empty if nothing is asked, and what is wrong with it."""
    if request.output_schema is None:
        faults = list(find_column_faults(request.columns))
        if faults or not request.columns:
            return {}, faults
        schema = build_schema(request.columns)
        return schema, find_schema_faults(schema)
    if request.columns:
        return {}, [FieldFault(field="columns", message="are given by `output_schema` already: leave one of them out")]
    return request.output_schema, find_schema_faults(request.output_schema)


async def judge_rows(
    schema: JsonObject,
    documents: Sequence[TableDocument],
    model: JsonObject,
    table_id: str,
    services: Services,
    budget: BatchBudget,
) -> list[FieldFault]:
    """Judge the first row of each source; the others differ by their document alone."""
    readable = [one for one in documents if one.needs_run]
    firsts = {one.source: one for one in reversed(readable)}
    faults: list[FieldFault] = []
    for one in firsts.values():
        body = with_shared_money(_build_body(schema, one, model, table_id), budget)
        try:
            judged = RunRequest.model_validate(body)
            await judge_run_request(judged, services, new_run_id(services.tenant, "0"))
        except (RequestInvalid, GraphInvalid) as error:
            faults += list_request_faults(error)
    return list(dict.fromkeys(faults))


def _place_fault(fault: FieldFault, request: TableRequest) -> FieldFault:
    """A fault of the form at the field that the request has for it."""
    if request.output_schema is not None or not fault.field.startswith("output_schema"):
        return fault
    named = (
        n
        for n, one in enumerate(request.columns)
        if f"{fault.field}.".startswith(f"output_schema.properties.{one.name}.")
    )
    place = next(named, None)
    return FieldFault(field="columns" if place is None else f"columns.{place}", message=fault.message)


def build_question(
    schema: JsonObject, number: int, document: TableDocument, model: JsonObject, table_id: str
) -> BatchQuestion:
    """Build the question of a row; without columns or a text nothing is asked."""
    cells = {"source": document.source, "document": document.path}
    if schema and document.needs_run:
        body, size = _build_body(schema, document, model, table_id), document.most_characters
        passages = PASSAGE_TOKENS if size is None else min(PASSAGE_TOKENS, size // CHARACTERS_PER_TOKEN)
        least = FORM_TOKENS + passages + len(json.dumps(schema)) // CHARACTERS_PER_TOKEN
        return BatchQuestion(number=number, request=body, cells=cells, least_tokens=least)
    reason = document.reason or ("" if document.duplicate_of is None else "its file is in another row as well")
    return BatchQuestion(number=number, request={"question": ""}, cells=cells, state="skipped", reason=reason)


def _build_body(schema: JsonObject, document: TableDocument, model: JsonObject, table_id: str) -> JsonObject:
    """The request for the run of a row."""
    title = document.title or document.path
    asked = "; ".join(list_columns(schema).values())
    return {
        "question": shorten_text(f"What does the document “{shorten_text(title, 200)}” say? {asked}", 2_000),
        "graph": build_document_graph(document.source, document.path, title),
        "sources": [document.source],
        "output_schema": schema,
        "review": False,
        "priority": "batch",
        "budget": {"tokens": ROW_TOKENS, "seconds": ROW_SECONDS},
        "metadata": {METADATA: table_id},
        **({"model": model} if model else {}),
    }
