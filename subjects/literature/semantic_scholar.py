"""Semantic Scholar as a source: papers of all fields with their abstracts, in the order of its relevance.

Only abstracts are evidence. Its summaries (`tldr`) are written by a machine and its snippets come without the text that
they are cut from, so neither is requested; a paper without an abstract is dropped.
"""

from typing import Final

from pydantic import AliasPath, Field

from elcano.activities.passages.document import Block
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.frozen import Json
from elcano.graphs.report.work_standing import NOT_REVIEWED
from elcano.graphs.report.works import Flag, Identifiers, Work, parse_arxiv_id, parse_doi, parse_pmcid, parse_pmid
from elcano.graphs.trust import WorkKind
from elcano.subjects.literature import service_fields
from elcano.subjects.literature.literature_source import FoundWorks, LiteratureSource
from elcano.subjects.literature.search_queries import SentQuery, plain_words
from elcano.subjects.literature.service_answers import LARGEST_COUNT, ServiceData, parse_readable_items
from elcano.subjects.literature.work_records import Record, build_record_metadata

FIELDS: Final = (
    "title,abstract,authors.name,externalIds,venue,journal,publicationVenue,year,publicationDate,publicationTypes,"
    "citationCount,openAccessPdf,url"
)
SPARE: Final = 3
"""Factor by which more papers are requested than wanted: about half of them have no abstract that may be shown."""
MOST_PAPERS: Final = 100
"""Papers per response; the service allows no more."""

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


class _Journal(ServiceData):
    name: str = ""
    volume: str = ""
    pages: str = ""


class _Paper(ServiceData):
    paperId: str = ""
    doi: str = Field("", validation_alias=AliasPath("externalIds", "DOI"))
    arxiv: str = Field("", validation_alias=AliasPath("externalIds", "ArXiv"))
    pmid: str = Field("", validation_alias=AliasPath("externalIds", "PubMed"))
    pmcid: str = Field("", validation_alias=AliasPath("externalIds", "PubMedCentral"))
    title: str = ""
    abstract: str = ""
    authors: list[_Name] = []
    venue: str = ""
    journal: _Journal = _Journal()
    publicationVenue: _Name = _Name()
    year: int | None = None
    publicationDate: str = ""
    publicationTypes: list[str] = []
    citationCount: int | None = Field(None, ge=0, le=LARGEST_COUNT)
    pdf: str = Field("", validation_alias=AliasPath("openAccessPdf", "url"))
    licence: str = Field("", validation_alias=AliasPath("openAccessPdf", "license"))


class _Page(ServiceData):
    total: int | None = None
    data: list[Json] | None = None


class SemanticScholar(LiteratureSource):
    """The Allen Institute's Semantic Scholar. Clients without a key share one pool, which may be used up."""

    base = "https://api.semanticscholar.org/graph/v1/"
    key_header = "x-api-key"

    def prepare_query(self, query: str) -> SentQuery:
        """Return words alone: the service knows no operators, and splits words with hyphens."""
        return SentQuery(" ".join(plain_words(query.replace("-", " "))), words=query)

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the papers of one response, three times as many as wanted."""
        params = {"query": query, "limit": str(min(limit * SPARE, MOST_PAPERS)), "fields": FIELDS}
        page = self.parse_json(await self.fetch("paper/search", params), _Page)
        if page.data is None and page.total != 0:  # an empty search has a total and no data
            raise SourceUnavailable(f"{self.name}: the answer has another shape (no data)")
        papers, unread = parse_readable_items(_Paper, page.data or [])
        return FoundWorks([_build_paper_record(paper) for paper in papers], unread)


def _build_paper_record(paper: _Paper) -> Record:
    venue = paper.journal.name or paper.publicationVenue.name or paper.venue
    preprint = not paper.journal.volume and any(name in venue.lower() for name in _PREPRINTS)
    kind: WorkKind = next((_KINDS[one] for one in paper.publicationTypes if one in _KINDS), "article")
    date = service_fields.parse_iso_date(paper.publicationDate) or service_fields.format_date(paper.year or "")
    flags: tuple[Flag, ...] = ("preprint", "abstract_only") if preprint else ("abstract_only",)
    work = Work(
        title=service_fields.clean_title(paper.title),
        authors=tuple(one.name for one in paper.authors if one.name),
        year=service_fields.parse_year(date),
        published=date,
        venue=venue,
        volume=paper.journal.volume,
        pages=paper.journal.pages,
        kind="preprint" if preprint else kind,
        design=tuple(one for one in paper.publicationTypes if one not in _NO_DESIGN),
        identifiers=Identifiers(
            doi=parse_doi(paper.doi),
            pmid=parse_pmid(paper.pmid),
            pmcid=parse_pmcid(paper.pmcid),
            arxiv=parse_arxiv_id(paper.arxiv),
        ),
        url=f"https://www.semanticscholar.org/paper/{paper.paperId}" if paper.paperId.isalnum() else "",
        flags=flags,
        notices=(NOT_REVIEWED,) if preprint else (),
        cited_by=paper.citationCount,
        licence=paper.licence,
    )
    metadata = build_record_metadata(open_access=paper.pdf)
    return Record(work, (Block(paper.abstract),) if paper.abstract.strip() else (), paper.paperId, metadata)
