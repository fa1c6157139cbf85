"""The results of a run: its report and its evidence."""

import asyncio
import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Query, Response

from elcano.api.http.errors import NotAcceptable, problem_docs
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.graphs.report.report import Report
from elcano.service.errors import ReportLost, ReportNotReady, RunNotFound
from elcano.service.fields import CURSOR, NUMBER_CURSOR, with_moments
from elcano.service.reports.bibliography import BIBTEX, CSL, FORMS, RIS
from elcano.service.reports.results import EvidencePage, load_pictures, load_stored_report
from elcano.service.runs.run_status import find_existing_run

MARKDOWN = "text/markdown"
JSON = "application/json"
HTML = "text/html"
_TEXT = {"schema": {"type": "string"}}
REPORT_CONTENT: Final[Mapping[str, Any]] = {
    MARKDOWN: _TEXT,
    JSON: {"schema": {"$ref": "#/components/schemas/Report"}},
    HTML: _TEXT,
    BIBTEX: _TEXT,
    RIS: _TEXT,
    CSL: {"schema": {"type": "array", "items": {"type": "object"}}},
}
"""OpenAPI description of a report, by media type of `Accept`."""


router = APIRouter(prefix="/v1/runs/{run_id}", tags=["results"])


@router.get(
    "/report",
    dependencies=[requires("read_run")],
    response_class=Response,
    responses={
        200: {
            "description": "The report, in the form that `Accept` asks for",
            "content": dict(REPORT_CONTENT),
        },
        **problem_docs(RunNotFound, NotAcceptable, ReportNotReady, ReportLost),
    },
)
async def get_report(
    run_id: str,
    services: Provided,
    accept: Annotated[
        str | None,
        Header(
            description=f"`{MARKDOWN}` (default), `{HTML}`, `{JSON}`; of references alone `{BIBTEX}`, `{RIS}`, `{CSL}`."
        ),
    ] = None,
) -> Response:
    """Read a run's report, as Markdown, as one page of HTML or with every statement as JSON; or its references."""
    form = choose_media_type(accept, (MARKDOWN, JSON, HTML, *FORMS))
    stored = await load_stored_report(run_id, services)
    if form == HTML:
        return await _answer_page(stored, services)
    content = await asyncio.to_thread(_render_stored_report, stored, form)
    # What is text by its name says itself which characters it is of; JSON is UTF-8 anyway.
    said = f"{form}; charset=utf-8" if form in (BIBTEX, RIS) else form
    return Response(content, media_type=said, headers={"Vary": "Accept"})


async def _answer_page(stored: str, services: Services) -> Response:
    """A report as one page of HTML; what that takes is imported when one is read."""
    from elcano.service.reports.html_report import HEADERS, render_report_page

    pictures = await load_pictures(stored, services.store)
    page = await asyncio.to_thread(lambda: render_report_page(Report.model_validate_json(stored), pictures))
    return Response(page, media_type=HTML, headers={"Vary": "Accept", **HEADERS})


def _render_stored_report(stored: str, form: str) -> str:
    """A report in `form`, from its JSON, as which it is kept; of a long one that takes a while."""
    if form == JSON:
        return json.dumps(with_moments(json.loads(stored)), ensure_ascii=False, separators=(",", ":"))
    report = Report.model_validate_json(stored)
    return report.markdown if form == MARKDOWN else FORMS[form](report.references)


@router.get("/evidence", dependencies=[requires("inspect_run")], responses=problem_docs(RunNotFound))
async def list_evidence(
    run_id: str,
    services: Provided,
    cursor: Annotated[str, Query(pattern=NUMBER_CURSOR, description=CURSOR)] = "",
    limit: Annotated[int, Query(ge=1, le=200, description="Passages a page.")] = 50,
) -> EvidencePage:
    """Read the passages that a run and its sections found, whole and in the order of finding; also while it runs."""
    if await services.store.runs.get(run_id) is None:  # then it may be a section that continues
        await find_existing_run(run_id, services.temporal, services.store)
    kept = services.store.evidence
    total = await kept.count_of_run(run_id)
    begin = int(cursor or 0)
    end = begin + limit
    return EvidencePage(
        run_id=run_id,
        total=total,
        next=str(end) if end < total else None,
        evidence=tuple(await kept.of_run(run_id, limit=limit, offset=begin)),
    )
