"""Semantic Scholar as a source: papers of all fields with their abstracts, in the order of its relevance.

Abstracts alone are evidence. Its summaries (`tldr`) are written by a machine and its snippets come without the text
that they are cut from, so neither is asked for; a paper without an abstract is left out.
"""

import time
from typing import Final

from elcano.activities.passages.document import Block
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Fetcher, Service
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.frozen import Json
from elcano.graphs.report.works import (
    Flag,
    Identifiers,
    Work,
    WorkKind,
    parse_arxiv_id,
    parse_doi,
    parse_pmcid,
    parse_pmid,
)
from elcano.plugins.literature import bibliographic_format
from elcano.plugins.literature.passage_selection import take_first_passages
from elcano.plugins.literature.service_answers import (
    ServiceData,
    json_of,
    parse_readable_items,
    request_answer,
    validate_shape,
)
from elcano.plugins.literature.service_queries import plain_words
from elcano.plugins.literature.work_records import Record, build_record_metadata, build_stored_record
from elcano.settings import Settings

BASE: Final = "https://api.semanticscholar.org/graph/v1/"
FIELDS: Final = (
    "title,abstract,authors.name,externalIds,venue,journal,publicationVenue,year,publicationDate,publicationTypes,"
    "citationCount,openAccessPdf,url"
)
SPARE: Final = 3
"""Times more papers are asked for than are wanted: about half of them have no abstract that may be shown."""
MOST_PAPERS: Final = 100
"""Of one answer; the service allows no more."""

_KINDS: Final[dict[str, WorkKind]] = {
    "Review": "review",
    "MetaAnalysis": "review",
    "Book": "book",
    "BookSection": "book",
}
_NO_DESIGN: Final = frozenset({"JournalArticle", "Conference", "Book", "BookSection", "Dataset", "News"})
_PREPRINTS: Final = ("arxiv", "biorxiv", "medrxiv", "chemrxiv", "research square", "ssrn", "preprints.org", "psyarxiv")


class _Name(ServiceData):
    name: str = ""


class _Ids(ServiceData):
    DOI: str = ""
    ArXiv: str = ""
    PubMed: str = ""
    PubMedCentral: str = ""


class _Journal(ServiceData):
    name: str = ""
    volume: str = ""
    pages: str = ""


class _Venue(ServiceData):
    name: str = ""


class _Pdf(ServiceData):
    url: str = ""
    license: str = ""


class _Paper(ServiceData):
    paperId: str = ""
    externalIds: _Ids = _Ids()
    title: str = ""
    abstract: str = ""
    authors: list[_Name] = []
    venue: str = ""
    journal: _Journal = _Journal()
    publicationVenue: _Venue = _Venue()
    year: int | None = None
    publicationDate: str = ""
    publicationTypes: list[str] = []
    citationCount: int | None = None
    openAccessPdf: _Pdf = _Pdf()
    url: str = ""


class _Page(ServiceData):
    total: int | None = None
    data: list[Json] | None = None


class SemanticScholar:
    """The Allen Institute's Semantic Scholar."""

    def __init__(self, spec: SourceSpec, settings: Settings, fetcher: Fetcher | None = None) -> None:
        self._spec = spec
        self._service = Service(spec.name, BASE, settings, fetcher)
        key = settings.key(spec.key)
        self._headers = {"x-api-key": key} if key else {}

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` papers that have an abstract, in the service's order.

        Raises:
            SourceUnavailable: it did not answer, or not as it should.
            SourceBusy: it is down, or the pool that all without a key share is used up.
            SourceRefused: it refuses the query or the key.
        """
        name = self._spec.name
        # It knows no operators, and finds nothing for words with hyphens: they are two words there.
        words = " ".join(plain_words(query.replace("-", " ")))
        if not words:
            return SearchResults(warnings=(f"{name}: {query!r} has no word to search for",))
        params = {"query": words, "limit": str(min(limit * SPARE, MOST_PAPERS)), "fields": FIELDS}
        got = await request_answer(self._service, "paper/search", params, self._headers)
        page = validate_shape(name, _Page, json_of(name, got))
        if page.data is None and page.total != 0:  # an empty search has a total and no data
            raise SourceUnavailable(f"{name}: the answer has another shape (no data)")
        papers, unreadable = parse_readable_items(name, _Paper, page.data or [])
        without = sum(not paper.abstract.strip() for paper in papers)
        left_out = (f"{name}: {without} of {len(papers)} papers found have no abstract there",) if without else ()
        now = time.time()
        kept = (
            build_stored_record(name, _build_paper_record(paper), now) for paper in papers if paper.abstract.strip()
        )
        return take_first_passages(kept, limit, (*unreadable, *left_out))

    async def close(self) -> None:
        """Closes its connections."""
        await self._service.close()


def open_source(spec: SourceSpec, settings: Settings) -> SemanticScholar:
    """Semantic Scholar, with a key if its variable is set. Nothing is asked before the first search."""
    return SemanticScholar(spec, settings)


def _build_paper_record(paper: _Paper) -> Record:
    ids = paper.externalIds
    venue = paper.journal.name or paper.publicationVenue.name or paper.venue
    preprint = not paper.journal.volume and any(name in venue.lower() for name in _PREPRINTS)
    date = bibliographic_format.normalize_iso_date(
        paper.publicationDate
    ) or bibliographic_format.format_publication_date(str(paper.year or ""))
    flags: tuple[Flag, ...] = ("preprint", "abstract_only") if preprint else ("abstract_only",)
    work = Work(
        title=bibliographic_format.clean_title(paper.title),
        authors=tuple(one.name for one in paper.authors if one.name),
        year=bibliographic_format.year_of(date),
        published=date,
        venue=venue,
        volume=paper.journal.volume,
        pages=paper.journal.pages,
        kind="preprint"
        if preprint
        else next((_KINDS[one] for one in paper.publicationTypes if one in _KINDS), "article"),
        design=tuple(one for one in paper.publicationTypes if one not in _NO_DESIGN),
        identifiers=Identifiers(
            doi=parse_doi(ids.DOI),
            pmid=parse_pmid(ids.PubMed),
            pmcid=parse_pmcid(ids.PubMedCentral),
            arxiv=parse_arxiv_id(ids.ArXiv),
        ),
        url=f"https://www.semanticscholar.org/paper/{paper.paperId}" if paper.paperId.isalnum() else "",
        flags=flags,
        notices=("It is a preprint: it was not reviewed by peers.",) if preprint else (),
        cited_by=paper.citationCount if paper.citationCount is not None and paper.citationCount >= 0 else None,
        licence=paper.openAccessPdf.license,
    )
    return Record(
        work,
        (Block(paper.abstract),),
        name=paper.paperId,
        metadata=build_record_metadata(open_access=paper.openAccessPdf.url),
    )
