"""The figures of a run that analyzed numbers, as JSON and as rows, and its forest plots."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Final

from fastapi import APIRouter, Header, Path, Response

from elcano.api.http.errors import NotAcceptable, problem_docs
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.graphs.report.report import Report
from elcano.service.errors import AnalysisNotFound, ReportLost, ReportNotReady, RunNotFound
from elcano.service.reports.results import SVG_HEADERS, load_pictures, load_stored_report, render_csv
from elcano.subjects.analysis.analysis import ATTACHED, Analysis, Pool, plot_path

JSON = "application/json"
CSV = "text/csv"
SVG = "image/svg+xml"
"""A plot loads nothing and runs nothing in any viewer."""
_TEXT = {"schema": {"type": "string"}}

COLUMNS: Final = (
    *("pool", "row", "outcome", "first", "second", "measure", "unit", "study", "reference", "evidence"),
    *("estimate", "low", "high", "p", "weight_percent", "effect", "standard_error"),
    *("q", "q_p", "i2_percent", "tau2", "quote", "notes"),
)

router = APIRouter(prefix="/v1/runs/{run_id}/analysis", tags=["results"])


@router.get(
    "",
    dependencies=[requires("inspect_run")],
    response_class=Response,
    responses={
        200: {
            "description": "Verdicts, pools and studies, or the figures as rows",
            "model": Analysis,
            "content": {CSV: _TEXT},
        },
        **problem_docs(RunNotFound, AnalysisNotFound, NotAcceptable, ReportNotReady, ReportLost),
    },
)
async def get_analysis(
    run_id: str,
    services: Provided,
    accept: Annotated[str | None, Header(description=f"`{JSON}` (default) or `{CSV}`.")] = None,
) -> Response:
    """Read the statistical analysis of a run's numbers: verdicts, estimates, and what was left out and why."""
    form = choose_media_type(accept, (JSON, CSV))
    report = await asyncio.to_thread(Report.model_validate_json, await load_stored_report(run_id, services))
    if (found := report.attachments.get(ATTACHED)) is None:
        raise AnalysisNotFound(f"the run {run_id!r} analyzed no numbers; start one with the mode `analysis`")
    analysis = Analysis.model_validate(found)
    content = as_csv(analysis) if form == CSV else analysis.model_dump_json()
    said = f"{CSV}; charset=utf-8; header=present" if form == CSV else JSON
    return Response(content, media_type=said, headers={"Vary": "Accept"})


@router.get(
    "/plots/{number}.svg",
    dependencies=[requires("read_run")],
    response_class=Response,
    responses={
        200: {"description": "The forest plot of a pool", "content": {SVG: _TEXT}},
        **problem_docs(RunNotFound, AnalysisNotFound, ReportNotReady, ReportLost),
    },
)
async def get_plot(
    run_id: str, services: Provided, number: Annotated[int, Path(ge=1, le=999, description="The number of the pool.")]
) -> Response:
    """See the forest plot of one pool of studies."""
    pictures = await load_pictures(await load_stored_report(run_id, services), services.store)
    plot = pictures.get(plot_path(number))
    if plot is None:
        there = ", ".join(sorted(path for path, drawn in pictures.items() if drawn is not None))
        raise AnalysisNotFound(f"the run {run_id!r} has no plot {number}; it has: {there or 'none'}")
    return Response(plot, media_type=SVG, headers=SVG_HEADERS)


def as_csv(analysis: Analysis) -> str:
    """The rows of all pools, with a line of names."""
    rows = (row for pool in analysis.pools for row in _list_pool_rows(pool))
    return render_csv([COLUMNS, *([row.get(name) for name in COLUMNS] for row in rows)])


def _list_pool_rows(pool: Pool) -> Iterator[dict[str, object]]:
    of = {
        "pool": pool.number,
        "outcome": pool.outcome,
        "first": pool.first,
        "second": pool.second,
        "measure": pool.measure,
        "unit": pool.unit,
    }
    for one in pool.studies:
        yield {
            **of,
            "row": "study",
            "study": one.study,
            "reference": one.number,
            "evidence": one.evidence,
            "estimate": one.estimate,
            "low": one.low,
            "high": one.high,
            "p": one.p,
            "weight_percent": one.weight,
            "effect": one.effect,
            "standard_error": one.error,
            "quote": one.quote,
            "notes": "; ".join(one.notes),
        }
    differences = {"q": pool.q, "q_p": pool.q_p, "i2_percent": pool.i2, "tau2": pool.tau2}
    for name, pooled in (("fixed", pool.fixed), ("random", pool.random), ("adjusted", pool.adjusted)):
        if pooled is not None:
            yield {**of, "row": name, **pooled.model_dump(), **differences}
