"""OpenAlex as a source: works of all fields that have an abstract, in the order of the service.

It requires all words of a query in each work. If nothing matches, it is queried once more for any of them.

Its key goes into the query of the address, the only place where the service accepts it; no message shows that address.
A search costs a thousandth of a day's credit, which is spent after a few without a key: then the error says so.

It returns abstracts as an index of their words, from which they are rebuilt here.
"""

import asyncio
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple

from pydantic import AliasPath, Field

from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceBusy, SourceRefused
from elcano.graphs.frozen import Json
from elcano.graphs.report.work_standing import WorkStanding
from elcano.graphs.report.works import Identifiers, Work, parse_arxiv_id, parse_doi, parse_pmcid, parse_pmid
from elcano.graphs.trust import WorkKind
from elcano.subjects.literature import service_fields
from elcano.subjects.literature.literature_source import FoundWorks, LiteratureSource
from elcano.subjects.literature.search_queries import SentQuery, is_well_formed_query, prepare_sentence
from elcano.subjects.literature.service_answers import LARGEST_COUNT, ServiceData, parse_readable_items
from elcano.subjects.literature.work_records import Record, build_record_metadata, collect_issns

FIELDS: Final = (
    *("id", "doi", "ids", "display_name", "publication_year", "publication_date", "language", "type"),
    *("primary_location", "best_oa_location", "open_access", "authorships", "biblio", "is_retracted"),
    *("cited_by_count", "abstract_inverted_index"),
)
"""The fields requested of each work; all of them would be ten times as much."""
MOST_WORDS: Final = 20_000
"""Words of one abstract; a position beyond is damage, and would otherwise determine the memory used."""
WORD_CHARACTERS: Final = 200
GAP: Final = "[\u2026]"
"""Marks a position without a word, so that two parts are never quoted as one."""

_SPENT: Final = re.compile(r"(?i)limit|credit|budget|quota|usage|exceeded|too many")
"""The service's messages for a spent daily credit; it sends 403 as well as 429 for that."""
_UNSAID: Final = re.compile(r"[?*~^/\\\\:{}\[\]|&!<>=]+|(?<!\S)[-+]+")
"""Characters that search engines take for wildcards, fields, patterns and ranges, none of which the service knows: a
question's last word would match others, or the query be refused."""
_OPERATORS: Final = re.compile(r"(?<!\S)(?:AND|OR|NOT)(?!\S)")
_KINDS: Final[Mapping[str, WorkKind]] = {
    **dict.fromkeys(("article", "letter", "editorial", "erratum", "retraction", "data-paper"), "article"),
    "review": "review",
    "preprint": "preprint",
    **dict.fromkeys(("book", "book-chapter", "book-section", "reference-entry"), "book"),
    **dict.fromkeys(("dissertation", "report", "standard"), "document"),
}
_NOTICES: Final = {"erratum": "This is an erratum of another work.", "retraction": "This is a notice of a retraction."}


class _Venue(ServiceData):
    display_name: str = ""
    host_organization_name: str = ""
    issn: list[str] = []


class _Location(ServiceData):
    landing_page_url: str = ""
    license: str = ""
    version: str = ""
    source: _Venue = _Venue()


class _Authorship(ServiceData):
    author: str = Field("", validation_alias=AliasPath("author", "display_name"))
    raw_author_name: str = ""


class OpenAlexWork(ServiceData):
    """One work as OpenAlex describes it."""

    id: str = ""
    doi: str = ""
    other_doi: str = Field("", validation_alias=AliasPath("ids", "doi"))
    pmid: str = Field("", validation_alias=AliasPath("ids", "pmid"))
    pmcid: str = Field("", validation_alias=AliasPath("ids", "pmcid"))
    display_name: str = ""
    publication_year: int | None = None
    publication_date: str = ""
    language: str = ""
    type: str = ""
    primary_location: _Location = _Location()
    best_oa_location: _Location = _Location()
    oa_status: str = Field("", validation_alias=AliasPath("open_access", "oa_status"))
    oa_url: str = Field("", validation_alias=AliasPath("open_access", "oa_url"))
    authorships: list[_Authorship] = []
    volume: str = Field("", validation_alias=AliasPath("biblio", "volume"))
    issue: str = Field("", validation_alias=AliasPath("biblio", "issue"))
    first_page: str = Field("", validation_alias=AliasPath("biblio", "first_page"))
    last_page: str = Field("", validation_alias=AliasPath("biblio", "last_page"))
    is_retracted: bool = Field(False, strict=True)
    cited_by_count: int | None = Field(None, ge=0, le=LARGEST_COUNT)
    abstract_inverted_index: dict[str, Json] = {}


class _Page(ServiceData):
    results: list[Json]


class OpenAlex(LiteratureSource):
    """OpenAlex, the index of scholarly works."""

    base = "https://api.openalex.org/"
    key_parameter = "api_key"

    def prepare_query(self, query: str) -> SentQuery:
        """Return the query on one line, with operators, quotation marks and brackets only if they are complete."""
        return prepare_sentence(sanitize_openalex_query(query))

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the works of one response."""
        params = {
            "search": query,
            "filter": "has_abstract:true",
            "per_page": str(limit),
            "select": ",".join(FIELDS),
        }
        return await asyncio.to_thread(self._parse, await self.fetch("works", params))

    def _parse(self, answer: Answer) -> FoundWorks:
        works, unread = parse_readable_items(OpenAlexWork, self.parse_json(answer, _Page).results)
        return FoundWorks([build_openalex_record(work) for work in works], unread)

    def require_answered(self, answer: Answer) -> None:
        """Explain a spent daily credit, and what a key changes."""
        spent = answer.status == 429 or (answer.status == 403 and _SPENT.search(answer.text[:2_000]) is not None)
        remedy = "" if self.key else f"; without {self.spec.key} only a few searches a day are allowed: set it"
        if answer.status == 403 and spent:
            raise SourceBusy(f"{self.name}: HTTP 403: the credit of the day is spent{remedy}")
        try:
            super().require_answered(answer)
        except SourceBusy as error:
            raise SourceBusy(f"{error}{remedy if spent else ''}", error.retry_after) from None
        except SourceRefused as error:
            raise SourceRefused(f"{error}{remedy if answer.status in (401, 403) else ''}") from None


def sanitize_openalex_query(query: str) -> str:
    """Return a query on one line, with operators, quotation marks and brackets only if they are complete."""
    asked = " ".join(_UNSAID.sub(" ", query).split())
    if is_well_formed_query(asked):
        return asked
    return " ".join(_OPERATORS.sub(" ", re.sub(r"[\"()]", " ", asked)).split())


def build_openalex_record(given: OpenAlexWork) -> Record:
    """Build the record of one work."""
    location, journal = given.primary_location, given.primary_location.source
    name = given.id.rpartition("/")[2]
    title = service_fields.flatten_markup(given.display_name)
    abstract = rebuild_inverted_abstract(given.abstract_inverted_index)
    identifiers = _collect_identifiers(given)
    standing = _assess_standing(given, title)
    published = service_fields.parse_iso_date(given.publication_date) or service_fields.format_date(
        given.publication_year or ""
    )
    work = Work(
        title=title,
        # As OpenAlex writes names: given name first, since where the family name begins it does not tell.
        authors=tuple(filter(None, (one.author or one.raw_author_name for one in given.authorships))),
        year=service_fields.parse_year(published),
        published=published,
        venue="" if given.type == "book" else journal.display_name,  # that is where it is sold
        issns=collect_issns(journal.issn),
        volume=given.volume,
        issue=given.issue,
        pages=service_fields.format_page_range(given.first_page, given.last_page),
        publisher=journal.host_organization_name,
        kind=_KINDS.get(given.type, "other"),
        identifiers=identifiers,
        url=service_fields.format_doi_url(identifiers.doi) or _choose_page(location.landing_page_url, name),
        language=given.language,
        flags=(*standing.flags, "abstract_only"),
        notices=tuple(standing.notices),
        cited_by=given.cited_by_count,
        licence=service_fields.normalize_licence_name(location.license or given.best_oa_location.license),
    )
    metadata = build_record_metadata(
        openalex=name,
        type=given.type,
        version=location.version,
        open_access=given.oa_status,
        open_access_url=given.oa_url,
        abstract="" if abstract.whole else "incomplete",
    )
    return Record(work, service_fields.parse_markup_blocks(abstract.text), name, metadata)


class Abstract(NamedTuple):
    """The text of an inverted index."""

    text: str
    whole: bool
    """Whether every position had exactly one word."""


def rebuild_inverted_abstract(index: Mapping[str, Any]) -> Abstract:
    """Rebuild an abstract from an index of words to their positions, counted from 0.

    Of two words at one position the first in the index is used. Missing positions become a gap, and positions beyond
    the bounds are dropped; neither result is `whole`.
    """
    placed: dict[int, str] = {}
    whole = True
    for word, places in index.items():
        for at in places if isinstance(places, list) else ():
            fits = isinstance(at, int) and not isinstance(at, bool) and 0 <= at < MOST_WORDS
            if not fits or at in placed or len(word) > WORD_CHARACTERS:
                whole = False
                continue
            placed[at] = word
    order = sorted(placed)
    parts = [placed[at] for at in order[:1]]
    for before, at in pairwise(order):
        if at != before + 1:
            whole = False
            parts.append(GAP)
        parts.append(placed[at])
    return Abstract(" ".join(" ".join(parts).split()), whole and order[:1] in ([0], []))


def _collect_identifiers(given: OpenAlexWork) -> Identifiers:
    doi = parse_doi(given.doi or given.other_doi)
    page = given.primary_location.landing_page_url
    read_at = page if given.type == "preprint" and "arxiv.org/" in page else ""
    pmcid = given.pmcid.rstrip("/").rpartition("/")[2]
    return Identifiers(
        doi=doi,
        pmid=parse_pmid(given.pmid.rstrip("/").rpartition("/")[2]),
        pmcid=parse_pmcid(pmcid) if pmcid else "",
        arxiv=parse_arxiv_id(doi if doi.startswith("10.48550/") else read_at),
    )


def _assess_standing(given: OpenAlexWork, title: str) -> WorkStanding:
    standing = WorkStanding()
    standing.add_title(title)
    standing.add(None, _NOTICES.get(given.type, ""))
    if given.is_retracted and "retracted" not in standing.flags:
        standing.flags.insert(0, "retracted")
        standing.add(None, "OpenAlex lists it as retracted.")
    if given.type == "preprint":
        standing.add("preprint")
    return standing


def _choose_page(address: str, name: str) -> str:
    return address if address.startswith(("https://", "http://")) else f"https://openalex.org/{name}" if name else ""
