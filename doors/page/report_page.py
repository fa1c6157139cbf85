"""The reading view of a report: its text with contents, and each statement with the quotes and passages it rests on.

The text is what the API serves as HTML, which the sanitiser of reports wrote: the one string that templates take as it
is. Everything else, quotes and passages too, is data and escaped. Two reports stand side by side as `GET
/v1/runs/{run_id}/diff/{other_id}` compares them.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api, ApiProblem
from elcano.doors.page.rendering import render_page
from elcano.graphs.plugin import list_plugins
from elcano.graphs.report.cells import CitedCell
from elcano.graphs.report.places import Cell
from elcano.graphs.report.report import SupportCounts
from elcano.graphs.report.works import Work, find_citation_mark
from elcano.service.reports.quoted_tables import ShownTable, build_quoted_table
from elcano.storage.evidence import PAGE_LABELS, PATH

PASSAGES: Final = 200
"""Passages that are fetched to show quotes in them; of a longer list the quotes of the others stand alone."""
AROUND: Final = 400
"""Characters of a passage that are shown before and after a quote."""
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
_MAIN: Final = re.compile(r"<main>\n(.*)</main>", re.DOTALL)
_TITLE: Final = re.compile(r"\A<h1>.*?</h1>\n?", re.DOTALL)
_HEADING: Final = re.compile(r"<h2>(.*?)</h2>", re.DOTALL)
_BEFORE_HEADING: Final = re.compile(r"(?=<h2>)")
_ITEMS: Final = 20
"""Items of a list that a browser lays out at once."""
_LIST: Final = re.compile(r'<(/?)(ul|ol|blockquote|details|table)\b(?:[^>]*?start="(\d+)")?[^>]*>|<li\b')
_OPENING: Final = re.compile(r"<(?:blockquote|details|li|td)[ >]")
_CLOSING: Final = re.compile(r"</(?:blockquote|details|li|td)>")
_TAG: Final = re.compile(r"<[^>]*>")

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@dataclass(frozen=True)
class PagePlace:
    """A page that a quote stands on."""

    name: str
    """Such as `page 12 (iv)`."""
    path: str
    """Path of its picture, with the quote marked; empty: there is none."""
    top: float
    """Top of the quote, as a share of the page's height."""


@dataclass(frozen=True)
class Quote:
    """A quote where it stands."""

    number: int | None
    verdict: str
    text: str
    before: str
    """The words of the passage before it; empty if the passage is not at hand."""
    after: str
    passage: Mapping[str, Any] | None
    """The passage, if it is at hand."""
    pages: Sequence[PagePlace] = ()
    table: ShownTable = ()
    """The table that it stands in, if the passage is at hand."""
    confidence: float | None = None
    """OCR's confidence; None: its characters are in the file."""


@dataclass(frozen=True)
class Claim:
    """A statement of the report that cites something, with its quotes."""

    text: str
    support: str
    reason: str
    quotes: Sequence[Quote]


@router.get("/runs/{run_id}/report")
async def show_report(request: Request, api: Api, run_id: str) -> Response:
    """The report of a run."""
    path = f"/v1/runs/{run_id}/report"
    run, report, page = await asyncio.gather(
        api.get(f"/v1/runs/{run_id}", pending=False), api.get(path), api.fetch(path, accept="text/html")
    )
    try:
        passages = (await api.get(f"/v1/runs/{run_id}/evidence", limit=PASSAGES))["evidence"]
    except ApiProblem:  # a reader of a report may lack the right to read what it was made of
        passages = []
    body, contents = split_report(page.text)
    loaded = {plugin.name for plugin in list_plugins()}
    claims = list(list_claims(report, {passage["id"]: passage for passage in passages}, run_id))
    support = SupportCounts.model_validate(report["support"])
    works = {one["number"]: Work.model_validate(one["work"]) for one in report["references"] if one["work"]}
    return await render_page(
        request,
        "report.html",
        run=run,
        report=report,
        body=body,
        contents=contents,
        claims=claims,
        words=SUPPORT_WORDS,
        marks={number: find_citation_mark(work) for number, work in works.items()},
        coverage=support.describe() if support.total > support.unchecked else "",
        language=report["language"] or "",
        exports=EXPORTS if "exports" in loaded else {},
        edits="edits" in loaded,
        certificates="certificates" in loaded,
    )


@router.get("/runs/{run_id}/certificate")
async def show_certificate(request: Request, api: Api, run_id: str) -> Response:
    """The certificate of a run, verified while the page is made: what each check shows, and what it found."""
    run, found = await asyncio.gather(
        api.get(f"/v1/runs/{run_id}", pending=False), api.get(f"/v1/runs/{run_id}/certificate/verification")
    )
    return await render_page(request, "certificate.html", run=run, found=found)


def split_report(page: str) -> tuple[Markup, list[str]]:
    """The text of a report's page, its parts numbered as `part-1`, and their headings; its title stands above it.

    A browser lays out one section at a time: a part, or so many items of a long list, such as of the references.
    """
    found = _MAIN.search(page)
    body = _TITLE.sub("", found[1] if found else "", count=1)
    headings = [_TAG.sub("", heading) for heading in _HEADING.findall(body)]
    numbers = iter(range(1, len(headings) + 1))
    parts = (
        _HEADING.sub(lambda heading: f'<h2 id="part-{next(numbers)}">{heading[1]}</h2>', part)
        for part in _list_parts(body)
        if part.strip()
    )
    body = "".join(f"<section>{_split_lists(part)}</section>" for part in parts)
    return Markup(body), [Markup(one).unescape() for one in headings]


def _list_parts(body: str) -> list[str]:
    """The text under each heading that stands in nothing else, with it."""
    parts = [""]
    within = 0
    for piece in _BEFORE_HEADING.split(body):
        if piece.startswith("<h2>") and not within:
            parts.append(piece)
        else:
            parts[-1] += piece
        within += len(_OPENING.findall(piece)) - len(_CLOSING.findall(piece))
    return parts


def _split_lists(part: str) -> str:
    """A part whose long lists, if they stand in nothing else, go on in sections of their own."""
    split, within = [""], list[str]()
    taken = items = first = 0
    for found in _LIST.finditer(part):
        closes, tag, start = found.groups()
        if closes:
            within.pop()
        elif tag:
            within.append(tag)
            if len(within) == 1:
                items, first = 0, int(start or 1)
        elif len(within) == 1:
            (kind,) = within
            if items and not items % _ITEMS:
                counted = f' start="{first + items}"' if kind == "ol" else ""
                split += [part[taken : found.start()], f"</{kind}></section><section><{kind}{counted}>"]
                taken = found.start()
            items += 1
    return "".join([*split, part[taken:]])


def list_claims(
    report: Mapping[str, Any], passages: Mapping[str, Mapping[str, Any]], run_id: str = ""
) -> Iterator[Claim]:
    """Every statement that cites something, in the order of the report; with `run_id` pages lead to their pictures."""
    for part in report["parts"]:
        for block in part["blocks"]:
            for statement in block["statements"]:
                if statement["citations"]:
                    quotes = [build_quote(one, passages.get(one["evidence"]), run_id) for one in statement["citations"]]
                    yield Claim(statement["text"], statement["support"], statement["reason"], quotes)


def build_quote(citation: Mapping[str, Any], passage: Mapping[str, Any] | None, run_id: str = "") -> Quote:
    """A quote with the words around it, if the passage is at hand and has it at its place."""
    before = after = ""
    table: ShownTable = ()
    if passage is not None and citation["start"] is not None:
        text = passage["text"]
        start, end = citation["start"] - passage["start"], citation["end"] - passage["start"]
        if 0 <= start < end <= len(text):
            before, after = _cut_before(text[:start]), _cut_after(text[end:])
            table = _find_table(citation, passage)
    return Quote(
        number=citation["number"],
        verdict=citation["verdict"],
        text=citation["quote"],
        before=before,
        after=after,
        passage=passage,
        pages=list(_list_pages(citation, passage, run_id)),
        table=table,
        confidence=citation.get("confidence"),
    )


def _cut_before(text: str) -> str:
    """The last words of what stands before a quote."""
    if len(text) <= AROUND:
        return text
    return f"\u2026 {text[-AROUND:].partition(' ')[2]}"


def _cut_after(text: str) -> str:
    """The first words of what stands behind a quote."""
    if len(text) <= AROUND:
        return text
    return f"{text[:AROUND].rpartition(' ')[0]} \u2026"


def _find_table(citation: Mapping[str, Any], passage: Mapping[str, Any]) -> ShownTable:
    cells = [Cell(*cell) for cell in passage.get("places", {}).get("cells", ())]
    cited = [CitedCell.model_validate(cell) for cell in citation.get("cells", ())]
    return build_quoted_table(passage["text"], passage["start"], cells, citation["start"], citation["end"], cited)


def _list_pages(citation: Mapping[str, Any], passage: Mapping[str, Any] | None, run_id: str) -> Iterator[PagePlace]:
    """The pages that a quote stands on; those of a kept file lead to their pictures."""
    metadata = passage["metadata"] if passage is not None and "metadata" in passage else {}
    labels = metadata.get(PAGE_LABELS, {})
    shown = bool(run_id and metadata.get(PATH) and citation.get("marks"))
    tops: dict[int, float] = {}
    for page, (_, top, _, _) in citation.get("marks", ()):
        tops[page] = min(top, tops.get(page, top))
    for page, top in (tops or dict.fromkeys(filter(None, [citation.get("page", 0)]), 0.0)).items():
        label = labels.get(str(page), "") or (citation.get("page_label", "") if page == citation.get("page") else "")
        query = urlencode({"evidence": citation["evidence"], "start": citation["start"], "end": citation["end"]})
        path = f"/v1/runs/{run_id}/pages/{page}?{query}" if shown else ""
        yield PagePlace(f"page {page} ({label})" if label else f"page {page}", path, top)


COMPARED: Final = 50
"""Passages or references of a list that are shown; the API has all."""


@router.get("/compare")
async def show_comparison(
    request: Request,
    api: Api,
    run: Annotated[list[str], Query(max_length=200)] = [],  # noqa: B006  # FastAPI copies it
) -> Response:
    """The differences of two runs, the one asked for first being the older one of what was gained and lost.

    Raises:
        ApiProblem: not two were chosen, or the API refused.
    """
    if len(run) != 2:
        chosen = "one run was" if len(run) == 1 else f"{len(run)} runs were" if run else "no run was"
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
