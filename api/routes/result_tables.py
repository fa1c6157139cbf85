"""A run's query results as tables (those that its answer rests on, else all that were found), and its chart."""

import asyncio
from base64 import b64decode
from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Header, Path, Response

from elcano.api.http.errors import (
    NotAcceptable,
    ReportLost,
    ReportNotReady,
    RequestInvalid,
    ResultNotFound,
    RunNotFound,
    problem_docs,
)
from elcano.api.http.negotiation import choose_media_type
from elcano.api.http.result_schemas import ResultList, ResultSummary
from elcano.api.http.svg import SVG_HEADERS
from elcano.api.reports.result_csv import as_csv
from elcano.api.runs.query_results import KnownResult, found_keys, load_data_answer, load_found_results, stored_artifact
from elcano.api.runs.run_status import read_run
from elcano.api.services import Provided, Services
from elcano.graphs.report.data_answer import AnswerTable, Chart, DataAnswer
from elcano.graphs.report.tables import ResultTable

JSON = "application/json"
CSV = "text/csv"
SVG = "image/svg+xml"
PNG = "image/png"
SPEC = "application/vnd.vegalite.v5+json"
_TEXT = {"schema": {"type": "string"}}
_NO_RESULT = "the answer of the run {run_id!r} rests on no result of a database"
_MISSING = problem_docs(RunNotFound, ResultNotFound, ReportNotReady, ReportLost)

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["results"], responses=problem_docs(RequestInvalid))


@router.get("/results", responses=_MISSING)
async def list_results(run_id: str, services: Provided) -> ResultList:
    """List the results of queries that a run's answer rests on, by the numbers that it counts them by.

    As long as there is no such answer, and where none was written, those that were found.
    """
    run = await read_run(run_id, services.temporal, services.store)
    data = await load_data_answer(run, services.store)
    if data is not None and data.tables:
        return ResultList(run_id=run_id, results=tuple(map(_of_answer, data.tables)))
    there = await load_found_results(run, services.store)
    if not there and data is None and run.report is not None:
        raise ResultNotFound(_NO_RESULT.format(run_id=run_id))
    return ResultList(run_id=run_id, answer=data is not None and not there, results=tuple(map(_of_found, there)))


@router.get(
    "/results/{number}",
    response_class=Response,
    responses={
        200: {
            "description": "All rows that were read",
            "content": {JSON: {"schema": {"$ref": "#/components/schemas/ResultTable"}}, CSV: _TEXT},
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
    stored = await stored_artifact(keys[number], services.store)
    content = stored if form == JSON else await asyncio.to_thread(_render_result_csv, stored)
    said = f"{CSV}; charset=utf-8; header=present" if form == CSV else JSON
    return Response(content, media_type=said, headers={"Vary": "Accept", "X-Content-Type-Options": "nosniff"})


@router.get("/chart.svg", response_class=Response, responses={200: {"content": {SVG: _TEXT}}, **_MISSING})
async def get_chart(run_id: str, services: Provided) -> Response:
    """See the chart of an answer."""
    return Response(
        await stored_artifact((await _load_answer_chart(run_id, services)).svg, services.store),
        media_type=SVG,
        headers=SVG_HEADERS,
    )


@router.get("/chart.png", response_class=Response, responses={200: {"content": {PNG: _TEXT}}, **_MISSING})
async def get_chart_as_png(run_id: str, services: Provided) -> Response:
    """See the chart of an answer as a picture of points, on white."""
    stored = await stored_artifact((await _load_answer_chart(run_id, services)).png, services.store)
    return Response(b64decode(stored), media_type=PNG, headers=SVG_HEADERS)


@router.get("/chart.json", response_class=Response, responses={200: {"content": {SPEC: _TEXT}}, **_MISSING})
async def get_chart_as_specification(run_id: str, services: Provided) -> Response:
    """Read the Vega-Lite specification of the chart, with its values: to draw it anew, or to change it."""
    stored = await stored_artifact((await _load_answer_chart(run_id, services)).spec, services.store)
    return Response(stored, media_type=SPEC)


def _render_result_csv(stored: str) -> str:
    return as_csv(ResultTable.model_validate_json(stored))


async def _load_answer_chart(run_id: str, services: Services) -> Chart:
    data = await _load_answer_data(run_id, services)
    if data.chart is None:
        raise ResultNotFound(f"the answer of the run {run_id!r} has no chart. {data.no_chart}".rstrip())
    return data.chart


async def _load_answer_data(run_id: str, services: Services) -> DataAnswer:
    """What the report of a run has of results."""
    run = await read_run(run_id, services.temporal, services.store)
    if run.report is None:
        raise ReportNotReady(run_id, run.status)
    data = await load_data_answer(run, services.store)
    if data is None:
        raise ResultNotFound(_NO_RESULT.format(run_id=run_id))
    return data


def _of_answer(one: AnswerTable) -> ResultSummary:
    return ResultSummary(
        number=one.number,
        database=one.database,
        sql=one.sql,
        query_hash=_hash_sql(one.sql),
        columns=one.columns,
        rows=one.row_count,
        truncated=one.truncated,
        at=one.at,
        artifact=one.artifact,
    )


def _of_found(one: KnownResult) -> ResultSummary:
    return ResultSummary(
        number=one.number,
        database=one.table.database,
        sql=one.table.sql,
        query_hash=_hash_sql(one.table.sql),
        columns=one.table.columns,
        rows=len(one.table.rows),
        truncated=one.table.truncated,
        at=one.table.at,
        artifact=one.artifact,
    )


def _hash_sql(sql: str) -> str:
    return sha256(sql.encode()).hexdigest() if sql else ""
