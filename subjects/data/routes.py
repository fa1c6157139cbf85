"""Databases: the ones that the operator configured, and what each contains; and a run's query results with their chart.

The address of a database is never shown. Results are JSON or CSV: those that a run's answer rests on, else all that
were found. A result is kept as a table and as evidence before it is reported, so it can be read while the run
goes on, and after one that wrote no answer. Results that a run took over from the one that it follows are not its own.

In CSV, a text that begins with `=`, `+`, `-`, `@` (in any width), a tab or a line break gets an apostrophe before it,
so that no spreadsheet takes it for a formula; JSON has none.
"""

import asyncio
import csv
import io
import re
from base64 import b64decode
from hashlib import sha256
from typing import Annotated, Final

from fastapi import APIRouter, Header, Path, Query, Response
from pydantic import Field

from elcano.api.http.errors import NotAcceptable, problem_docs
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.graphs.frozen import Frozen
from elcano.graphs.report.report import Report
from elcano.service.errors import (
    DatabaseNotFound,
    DatabaseUnavailable,
    ReportLost,
    ReportNotReady,
    ResultNotFound,
    RunNotFound,
    TemporalRefused,
    TemporalUnavailable,
)
from elcano.service.fields import Described
from elcano.service.reports.results import SVG_HEADERS, escape_formula, load_artifact
from elcano.service.runs.run_status import read_run
from elcano.service.runs.run_view import RunView
from elcano.service.temporal.looks import LookFailed
from elcano.storage.store import TenantStore
from elcano.subjects.data.data_answer import Chart, DataAnswer, read_data_answer
from elcano.subjects.data.query_models import DATABASE_LOOK, DatabaseLook, DatabaseLooked
from elcano.subjects.data.tables import (
    NUMBERS,
    RESULT_EVIDENCE,
    Cell,
    Dialect,
    Kind,
    ResultColumn,
    ResultTable,
    TableSchema,
    dialect_of,
)


class DatabaseView(Described):
    """A database that the operator named."""

    name: str = Field(examples=["sales"])
    """Pass it where a question names a database."""
    dialect: Dialect = Field(examples=["sqlite"])
    """SQL dialect; DuckDB reads files and folders."""


class DatabaseSchemaView(DatabaseView):
    """The contents of a database."""

    hash: str = Field(examples=["6f3c2a"])
    """SHA-256 over names, types and keys; it changes when these do."""
    seconds: float = Field(examples=[0.2])
    """For the reading alone."""
    tables: tuple[TableSchema, ...]
    """Tables and views that may be read."""


databases = APIRouter(prefix="/v1/databases", tags=["databases"], dependencies=[requires("read_catalogue")])


@databases.get("")
async def list_databases(services: Provided) -> list[DatabaseView]:
    """List the databases that questions may be put to."""
    named = services.settings.databases
    return [DatabaseView(name=name, dialect=dialect_of(address)) for name, address in named.items()]


@databases.get(
    "/{name}",
    responses=problem_docs(DatabaseNotFound, DatabaseUnavailable, TemporalRefused, TemporalUnavailable),
)
async def get_database(
    name: str,
    services: Provided,
    values: Annotated[
        bool, Query(description="Whether rows are counted and values sampled; without, the reading is a quick check.")
    ] = True,
) -> DatabaseSchemaView:
    """Read the schema of a database through a worker: tables, columns, keys, counts, and sample values if allowed."""
    named = services.settings.databases
    if name not in named:
        raise DatabaseNotFound(f"there is no database {name!r}; there are: {', '.join(named) or 'none'}")
    try:
        looked = await services.temporal.looks.look(
            DATABASE_LOOK, DatabaseLook(database=name, values=values), f"what does {name} hold?"
        )
    except LookFailed as error:
        raise DatabaseUnavailable(f"{name!r}: {error}" if not error.type else str(error)) from error
    assert isinstance(looked, DatabaseLooked)
    found = looked.found
    return DatabaseSchemaView(
        name=found.database, dialect=found.dialect, hash=found.hash, seconds=looked.seconds, tables=found.tables
    )


class ResultSummary(Frozen):
    """One result, without its rows."""

    number: int = Field(ge=1, description="As the answer counts them.")
    database: str = Field(description="The name that the operator gave it.")
    sql: str = Field(description="As it was run; empty: code put it together from other results.")
    query_hash: str = Field(description="SHA-256 of the SQL in UTF-8, hexadecimal; empty without SQL.")
    columns: tuple[ResultColumn, ...] = Field(description="In their order.")
    rows: int = Field(ge=0, description="How many were read.")
    truncated: bool = Field(description="Whether there are more rows, or longer values, than were read.")
    at: str = Field(description="When it was read: UTC, ISO 8601.")
    artifact: str = Field(description="SHA-256 of the stored result.")


class ResultList(Frozen):
    """The results of queries that a run has."""

    run_id: str
    answer: bool = Field(
        default=True,
        description="Whether its answer rests on them; false: there is no such answer (yet), and these were found. The "
        "answer may count them otherwise.",
    )
    results: tuple[ResultSummary, ...] = ()


_NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def as_csv(table: ResultTable) -> str:
    """RFC 4180, with a line of names. NULL is empty; an empty text is empty as well."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\r\n")
    lines.writerow([escape_formula(column.name) for column in table.columns])
    kinds = [column.kind for column in table.columns]
    for row in table.rows:
        lines.writerow([_format_csv_cell(value, kind) for value, kind in zip(row, kinds, strict=True)])
    return written.getvalue()


def _format_csv_cell(value: Cell, kind: Kind) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return value if kind in NUMBERS and _NUMBER.fullmatch(value) else escape_formula(value)


MOST_RESULTS: Final = 999
"""Maximum number of results that are counted, the first ones."""


async def load_data_answer(run: RunView, store: TenantStore) -> DataAnswer | None:
    """Return the results of a run's report; None if there is no report, or it has none.

    Raises:
        ReportLost: the store does not have the report.
    """
    if run.report is None:
        return None
    stored = await load_artifact(run.report.artifact, store)
    if '"attachments":' not in stored:  # most reports have none, and a long one takes a while to read
        return None
    return read_data_answer((await asyncio.to_thread(Report.model_validate_json, stored)).attachments)


async def found_keys(run: RunView, store: TenantStore) -> dict[int, str]:
    """Artifact hashes of the results that a run and its branches have found, by the numbers that they are counted by.

    They are counted in the order in which the run has them; behind those what a branch found that handed nothing over.
    """
    kept = await store.runs.get(run.run_id)
    known = dict.fromkeys(kept.evidence if kept else ()) | dict.fromkeys(await store.evidence.ids_of_run(run.run_id))
    before = set(await store.evidence.ids_of_run(run.previous_run)) if run.previous_run else set()
    own = [one for one in known if one.startswith(RESULT_EVIDENCE) and one not in before][:MOST_RESULTS]
    return {number: one.removeprefix(RESULT_EVIDENCE) for number, one in enumerate(own, start=1)}


JSON = "application/json"
CSV = "text/csv"
SVG = "image/svg+xml"
PNG = "image/png"
SPEC = "application/vnd.vegalite.v5+json"
_TEXT = {"schema": {"type": "string"}}
_NO_RESULT = "the answer of the run {run_id!r} rests on no result of a database"
_MISSING = problem_docs(RunNotFound, ResultNotFound, ReportNotReady, ReportLost)

results = APIRouter(prefix="/v1/runs/{run_id}", tags=["results"])


@results.get("/results", dependencies=[requires("inspect_run")], responses=_MISSING)
async def list_results(run_id: str, services: Provided) -> ResultList:
    """List the results of queries that a run's answer rests on, by the numbers that it counts them by.

    As long as there is no such answer, and where none was written, those that were found.
    """
    run = await read_run(run_id, services.temporal, services.store)
    data = await load_data_answer(run, services.store)
    answered = {one.number: one.artifact for one in data.tables} if data else {}
    keys = answered or await found_keys(run, services.store)
    if not keys and data is None and run.report is not None:
        raise ResultNotFound(_NO_RESULT.format(run_id=run_id))
    found = [await _summarize_result(number, key, services.store) for number, key in keys.items()]
    return ResultList(run_id=run_id, answer=bool(answered) or (data is not None and not keys), results=tuple(found))


@results.get(
    "/results/{number}",
    dependencies=[requires("inspect_run")],
    response_class=Response,
    responses={
        200: {
            "description": "All rows that were read",
            "model": ResultTable,
            "content": {CSV: _TEXT},
        },
        **_MISSING,
        **problem_docs(NotAcceptable),
    },
)
async def get_result(
    run_id: str,
    services: Provided,
    number: Annotated[int, Path(ge=1, le=999, description="As `GET .../results` lists it.")],
    accept: Annotated[str | None, Header(description=f"`{JSON}` (default) or `{CSV}`.")] = None,
) -> Response:
    """Read one result whole: as JSON with its types, or as CSV, in which no text is taken for a formula."""
    form = choose_media_type(accept, (JSON, CSV))
    run = await read_run(run_id, services.temporal, services.store)
    data = await load_data_answer(run, services.store)
    keys = {one.number: one.artifact for one in data.tables} if data else {}
    keys = keys or await found_keys(run, services.store)
    if not keys and run.report is None:
        raise ReportNotReady(run_id, run.status, "result and no ")
    if number not in keys:
        raise ResultNotFound(f"the run {run_id!r} has no result {number}; it has: {sorted(keys) or 'none'}")
    stored = await load_artifact(keys[number], services.store)
    content = stored if form == JSON else await asyncio.to_thread(_render_result_csv, stored)
    said = f"{CSV}; charset=utf-8; header=present" if form == CSV else JSON
    return Response(content, media_type=said, headers={"Vary": "Accept", "X-Content-Type-Options": "nosniff"})


@results.get(
    "/chart.svg",
    dependencies=[requires("read_run")],
    response_class=Response,
    responses={200: {"content": {SVG: _TEXT}}, **_MISSING},
)
async def get_chart(run_id: str, services: Provided) -> Response:
    """See the chart of an answer."""
    return Response(
        await load_artifact((await _load_answer_chart(run_id, services)).svg, services.store),
        media_type=SVG,
        headers=SVG_HEADERS,
    )


@results.get(
    "/chart.png",
    dependencies=[requires("read_run")],
    response_class=Response,
    responses={200: {"content": {PNG: {"schema": {"type": "string", "format": "binary"}}}}, **_MISSING},
)
async def get_chart_as_png(run_id: str, services: Provided) -> Response:
    """See the chart of an answer as a picture of points, on white."""
    stored = await load_artifact((await _load_answer_chart(run_id, services)).png, services.store)
    return Response(b64decode(stored), media_type=PNG, headers=SVG_HEADERS)


@results.get(
    "/chart.json",
    dependencies=[requires("inspect_run")],
    response_class=Response,
    responses={200: {"content": {SPEC: {"schema": {"type": "object"}}}}, **_MISSING},
)
async def get_chart_as_specification(run_id: str, services: Provided) -> Response:
    """Read the Vega-Lite specification of the chart, with its values: to draw it anew, or to change it."""
    stored = await load_artifact((await _load_answer_chart(run_id, services)).spec, services.store)
    return Response(stored, media_type=SPEC)


def _render_result_csv(stored: str) -> str:
    return as_csv(ResultTable.model_validate_json(stored))


async def _load_answer_chart(run_id: str, services: Services) -> Chart:
    run = await read_run(run_id, services.temporal, services.store)
    if run.report is None:
        raise ReportNotReady(run_id, run.status)
    data = await load_data_answer(run, services.store)
    if data is None:
        raise ResultNotFound(_NO_RESULT.format(run_id=run_id))
    if data.chart is None:
        raise ResultNotFound(f"the answer of the run {run_id!r} has no chart. {data.no_chart}".rstrip())
    return data.chart


async def _summarize_result(number: int, artifact: str, store: TenantStore) -> ResultSummary:
    table = await asyncio.to_thread(ResultTable.model_validate_json, await load_artifact(artifact, store))
    return ResultSummary(
        number=number,
        database=table.database,
        sql=table.sql,
        query_hash=sha256(table.sql.encode()).hexdigest() if table.sql else "",
        columns=table.columns,
        rows=len(table.rows),
        truncated=table.truncated,
        at=table.at,
        artifact=artifact,
    )
