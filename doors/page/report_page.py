"""The reading view of a report: its text with contents, and each statement with the quotes and passages it rests on.

The text is what the API serves as HTML, which the sanitiser of reports wrote: the one string that templates take as it
is. Everything else, quotes and passages too, is data and escaped. Two reports stand side by side as `GET
/v1/runs/{run_id}/diff/{other_id}` compares them.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api, ApiProblem, PublicApi, list_single_runs
from elcano.doors.page.quoted_claims import QuotePlaces, list_claims, list_sources
from elcano.doors.page.rendering import load_template, render_page
from elcano.doors.page.report_text import list_limitations, split_report
from elcano.graphs.plugin import list_plugins
from elcano.graphs.report.report import SupportCounts

PASSAGES_AT_ONCE: Final = 200
MOST_PASSAGES: Final = 1_000
"""Passages that are fetched to show quotes in them; of a longer list the quotes of the others stand alone."""
SUPPORT_WORDS: Final[Mapping[str, str]] = {
    "supported": "Supported by its quotes",
    "in_passage": "Supported by its passages",
    "partly": "Supported in part",
    "unchecked": "Quotes hold, not reviewed",
    "not_supported": "Not supported",
}
EXPORTS: Final[Mapping[str, str]] = {
    "html": "The report as one page, with its quotes on their pages",
    "pdf": "The report as PDF",
    "docx": "The report for Word",
    "latex": "The report for LaTeX, with BibTeX and figures",
    "csv": "The evidence as a table",
    "zip": "Everything, with its certificate",
}
"""The files of the plugin `exports`, by form."""
router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


def prepare_report_page() -> None:
    """Import and compile what the first report takes, a tenth of its time, while its run is watched."""
    import elcano.service.reports.html_report  # noqa: F401

    load_template("report.html")


@router.get("/runs/{run_id}/report")
async def show_report(request: Request, api: Api, run_id: str) -> Response:
    """The report of a run, next to its sources."""
    path, evidence = f"/v1/runs/{run_id}/report", f"/v1/runs/{run_id}/evidence"
    run, report, page, found = await asyncio.gather(
        api.get(f"/v1/runs/{run_id}", pending=False),
        api.get(path),
        api.fetch(path, accept="text/html"),
        api.fetch(evidence, limit=PASSAGES_AT_ONCE),
    )
    passages, unreadable = list[Mapping[str, Any]](), ""
    if found.is_success:
        passages = await _read_passages(api, evidence, found.json(), {one["evidence"] for one in report["citations"]})
    else:  # whoever may read a report may lack the right to read what it was made of
        unreadable = str(found.json().get("detail", found.reason_phrase))
    claims = list(list_claims(report, QuotePlaces(passages, run_id)))
    doubts = {one.number: f"{SUPPORT_WORDS[one.support]}: {one.reason}".removesuffix(": ") for one in claims}
    body, contents = split_report(page.text, doubts)
    loaded = {plugin.name for plugin in list_plugins()}
    sources = list(list_sources(report, claims))
    support = SupportCounts.model_validate(report["support"])
    return await render_page(
        request,
        "report.html",
        run=run,
        report=report,
        body=body,
        contents=contents,
        claims=claims,
        sources=sources,
        titles={one.number: one.title for one in sources},
        missing=[*list_limitations(page.text, report["language"] or ""), *report["warnings"]],
        unreadable=unreadable,
        words=SUPPORT_WORDS,
        coverage=support.describe() if support.total > support.unchecked else "",
        language=report["language"] or "",
        exports=EXPORTS if "exports" in loaded else {},
        edits="edits" in loaded,
        certificates="certificates" in loaded,
    )


async def _read_passages(
    api: PublicApi, path: str, first: Mapping[str, Any], cited: Iterable[str]
) -> list[Mapping[str, Any]]:
    """The passages of a run, as far as those are among them that are cited."""
    page, passages = first, list[Mapping[str, Any]](first["evidence"])
    missing = {*cited} - {one["id"] for one in passages}
    while missing and page["next"] and len(passages) < MOST_PASSAGES:
        page = await api.get(path, limit=PASSAGES_AT_ONCE, cursor=page["next"])
        passages += page["evidence"]
        missing -= {one["id"] for one in page["evidence"]}
    return passages


@router.get("/runs/{run_id}/certificate")
async def show_certificate(request: Request, api: Api, run_id: str) -> Response:
    """The certificate of a run, verified while the page is made: what each check shows, and what it found."""
    run, found = await asyncio.gather(
        api.get(f"/v1/runs/{run_id}", pending=False), api.get(f"/v1/runs/{run_id}/certificate/verification")
    )
    return await render_page(request, "certificate.html", run=run, found=found)


COMPARED: Final = 50
"""Runs to compare with, and passages or references of a list, that are shown; the API has all."""


@router.get("/compare")
async def show_comparison(
    request: Request,
    api: Api,
    run: Annotated[list[str], Query(max_length=200)] = [],  # noqa: B006  # FastAPI copies it
) -> Response:
    """The differences of two runs, the one asked for first being the older one of what was gained and lost.

    Of one run, what it can be compared with.

    Raises:
        ApiProblem: more than two were chosen or none, or the API refused.
    """
    if len(run) == 1:
        one, (latest, _) = await asyncio.gather(
            api.get(f"/v1/runs/{run[0]}", pending=False), list_single_runs(api, COMPARED)
        )
        others = [other for other in latest if other["run_id"] != run[0]]
        same = sorted(others, key=lambda other: bool(other["question"] != one["question"]))
        return await render_page(request, "compare_with.html", run=one, others=same)
    if len(run) != 2:
        chosen = f"{len(run)} runs were" if run else "no run was"
        detail = f"two runs are compared, and {chosen} chosen: go back to the list of runs and choose two"
        raise ApiProblem({"status": 422, "title": "Choose two runs", "detail": detail})
    first, second = sorted(run)
    found = await api.get(f"/v1/runs/{first}/diff/{second}")
    wishes, parts = list[Any](), list[Any]()
    for one in found["asked"]:
        (parts if one["field"].startswith("graph.") else wishes).append(one)
    return await render_page(
        request,
        "comparison.html",
        found=found,
        wishes=wishes,
        parts=parts,
        passages=[
            [f"{one['title'] or one['id']} ({one['source']})" for one in found["evidence"][side]]
            for side in ("only_a", "only_b")
        ],
        words=SUPPORT_WORDS,
        shown=COMPARED,
    )
