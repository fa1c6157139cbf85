"""The results of a run: its report, the versions of a living report, and its evidence.

The versions are an Atom feed of what each states anew, otherwise and no more, since the one before. They are the report
of a run and those of the later runs that bring it up to date: each follows one of the versions and has the same
question, or was started by the same schedule.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final, NamedTuple
from xml.etree import ElementTree

from fastapi import APIRouter, Header, Query, Response

from elcano.api.http.errors import NotAcceptable, problem_docs
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.graphs.contracts import SCHEDULE
from elcano.graphs.records import ArchivedRun, RunFilter
from elcano.graphs.report.report import Report
from elcano.graphs.text import format_count
from elcano.service.comparison.claims import compare_claims
from elcano.service.comparison.differences import ClaimBrief
from elcano.service.errors import ReportLost, ReportNotReady, RunNotFound
from elcano.service.fields import CURSOR, NUMBER_CURSOR, with_moments
from elcano.service.reports.bibliography import BIBTEX, CSL, FORMS, RIS
from elcano.service.reports.reference_entries import clean_line
from elcano.service.reports.results import EvidencePage, load_artifact, load_pictures, load_stored_report
from elcano.service.runs.run_status import find_existing_run
from elcano.storage.store import TenantStore

ATOM: Final = "application/atom+xml"
MOST_VERSIONS: Final = 20
"""The newest ones are listed."""
PAGE: Final = 200
MOST_RUNS: Final = 2_000
"""Runs of the same question that are looked at."""
_NAMESPACE: Final = "http://www.w3.org/2005/Atom"


class Version(NamedTuple):
    """One version of a report."""

    run_id: str
    title: str
    finished_at: float
    """Seconds since the epoch."""
    claims: tuple[ClaimBrief, ...]
    """Statements without their citations: the same words may be quoted from a newer text."""


async def load_versions(run: ArchivedRun, store: TenantStore) -> list[Version]:
    """The versions of a report, the oldest first: of the last 20 those that can be read."""
    versions: list[Version] = []
    for one in (await _list_version_runs(run, store))[-MOST_VERSIONS - 1 :]:
        if one.report is not None and one.report.answered:
            try:
                stored = await load_artifact(one.report.artifact, store)
            except ReportLost:
                continue
            versions.append(await asyncio.to_thread(_read_version, one, stored))
    return versions


async def _list_version_runs(run: ArchivedRun, store: TenantStore) -> list[ArchivedRun]:
    later: list[ArchivedRun] = []
    wanted, before = RunFilter(question=run.question, created_after=run.started_at - 1.0), None
    while len(later) < MOST_RUNS:
        page = await store.runs.page(limit=PAGE, before=before, wanted=wanted)
        later += (one.run for one in page.runs if one.run.question == run.question)
        if page.next is None:
            break
        before = page.next
    versions, known, schedule = [run], {run.run_id}, run.metadata.get(SCHEDULE)
    for one in sorted(later, key=lambda later_run: later_run.started_at):
        scheduled = schedule is not None and one.metadata.get(SCHEDULE) == schedule
        if one.run_id not in known and (scheduled or one.previous_run in known):
            known.add(one.run_id)
            versions.append(one)
    return versions


def _read_version(run: ArchivedRun, stored: str) -> Version:
    report = Report.model_validate_json(stored)
    claims = tuple(
        ClaimBrief(section=part.heading, text=statement.text, evidence=())
        for part in report.parts
        for block in part.blocks
        for statement in block.statements
        if statement.kind != "connecting"
    )
    return Version(run.run_id, report.title, run.finished_at or run.started_at, claims)


def render_atom(question: str, feed: str, versions: Sequence[Version], pages: str = "") -> bytes:
    """The feed, the newest version first.

    Args:
        question: what is asked.
        feed: the id of the feed: the run that it begins with.
        versions: the oldest first.
        pages: the address below which each run has its page; empty: entries lead nowhere.
    """
    root = ElementTree.Element("feed", xmlns=_NAMESPACE)
    last = versions[-1].finished_at if versions else 0.0
    _add_texts(root, id=f"urn:elcano:versions:{feed}", title=question, updated=_format_time(last), generator="Elcano")
    ElementTree.SubElement(ElementTree.SubElement(root, "author"), "name").text = "Elcano"
    for before, version in reversed(list(zip((None, *versions), versions, strict=False))[-MOST_VERSIONS:]):
        entry = ElementTree.SubElement(root, "entry")
        when = _format_time(version.finished_at)
        changes = list(_list_changes(before, version))
        told = ", ".join(f"{len(claims):,} {how}" for how, claims in changes) or "nothing has changed"
        title = f"{when[:10]}: {told}" if before else f"{when[:10]}: {version.title}"
        _add_texts(entry, id=f"urn:elcano:run:{version.run_id}", title=title, updated=when, published=when)
        if pages:
            ElementTree.SubElement(entry, "link", rel="alternate", href=f"{pages}/{version.run_id}")
        html = _render_changes(version, changes)
        ElementTree.SubElement(entry, "content", type="html").text = html
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _list_changes(before: Version | None, version: Version) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The changes by kind; of each statement its words now, and before."""
    pairs, same = compare_claims(before.claims if before else (), version.claims)
    for how, told in (("added", "new"), ("changed", "changed"), ("removed", "withdrawn")):
        found = [tuple(side.text for side in (one.b, one.a) if side is not None) for one in pairs if one.how == how]
        if found:
            yield told, found
    if same and (before is None or pairs):
        yield "as before", [()] * same


def _render_changes(version: Version, changes: Sequence[tuple[str, list[tuple[str, ...]]]]) -> str:
    body = ElementTree.Element("div")
    ElementTree.SubElement(body, "p").text = clean_line(version.title)
    for how, claims in changes:
        heading = ElementTree.SubElement(body, "h3")
        heading.text = f"{how.capitalize()}: {format_count(len(claims), 'statement')}"
        for now, *former in filter(None, claims):
            line = ElementTree.SubElement(body, "p")
            line.text = clean_line(now)
            if former:
                line.text += " — before: "
                ElementTree.SubElement(line, "del").text = clean_line(former[0])
    return ElementTree.tostring(body, encoding="unicode", method="html")


def _add_texts(element: ElementTree.Element, **texts: str) -> None:
    for name, text in texts.items():
        ElementTree.SubElement(element, name).text = clean_line(text)


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


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

VERSIONS_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The feed, the newest version first", "content": {ATOM: _TEXT}}
}


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


@router.get(
    "/versions",
    dependencies=[requires("read_run")],
    response_class=Response,
    responses={**VERSIONS_RESPONSES, **problem_docs(RunNotFound)},
)
async def get_report_versions(run_id: str, services: Provided) -> Response:
    """Read the versions of a living report as an Atom feed: what each states anew, otherwise and no more.

    They are the report of the run and those of later runs that bring it up to date.
    """
    return await render_versions(run_id, services, pages=f"{services.settings.base_url.rstrip('/')}/runs")


async def render_versions(run_id: str, services: Services, pages: str = "") -> Response:
    """The feed of the versions of a report; see `render_atom`."""
    run = await find_existing_run(run_id, services.temporal, services.store)
    versions = await load_versions(run, services.store)
    return Response(await asyncio.to_thread(render_atom, run.question, run_id, versions, pages), media_type=ATOM)


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
    if await services.store.runs.get(run_id) is None:  # then it may be a section that goes on
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
