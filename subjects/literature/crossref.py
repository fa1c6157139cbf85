"""Crossref as a source: works as their publishers describe them, corrections and retractions included.

A passage is a part of a text, so works without an abstract, which are most, are not requested. The service always
returns some works; unrelated ones are dropped and counted.

A work's record shows what happened after its publication: `updated-by` lists the notices about it; `update-to` is what
a notice itself corrects, and no fault of its own.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import quote

from pydantic import AliasPath, Field

from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceRefused
from elcano.graphs.frozen import Json
from elcano.graphs.report.work_standing import WorkStanding
from elcano.graphs.report.works import Flag, Identifiers, Work, parse_arxiv_id, parse_doi
from elcano.graphs.trust import WorkKind
from elcano.subjects.literature import service_fields
from elcano.subjects.literature.literature_source import FoundWorks, LiteratureSource
from elcano.subjects.literature.search_queries import SentQuery
from elcano.subjects.literature.service_answers import LARGEST_COUNT, ServiceData, parse_readable_items, validate_shape
from elcano.subjects.literature.work_records import Record, build_record_metadata, clean_work, collect_issns


class _Update(NamedTuple):
    words: str
    flag: Flag | None


_UPDATES: Final[Mapping[str, _Update]] = {
    "retraction": _Update("Retraction", "retracted"),
    "removal": _Update("Removal", "retracted"),
    # Parts of it no longer stand and the rest does: who reads it has to know, and which parts says the notice alone.
    "partial_retraction": _Update("Partial retraction", "concern"),
    "withdrawal": _Update("Withdrawal", "withdrawn"),
    "expression_of_concern": _Update("Expression of concern", "concern"),
    "correction": _Update("Correction", "corrected"),
    "corrigendum": _Update("Corrigendum", "corrected"),
    "erratum": _Update("Erratum", "corrected"),
    "addendum": _Update("Addendum", None),
    "clarification": _Update("Clarification", None),
    "new_version": _Update("New version", None),
    "new_edition": _Update("New edition", None),
}
"""The kinds of updates that Crossref lists, and the flag that each gives to the updated work."""
_GRAVEST_FIRST: Final[tuple[Flag, ...]] = ("retracted", "withdrawn", "concern", "corrected")
_KINDS: Final[Mapping[str, WorkKind]] = {
    **dict.fromkeys(("journal-article", "proceedings-article"), "article"),
    **dict.fromkeys(
        ("book", "monograph", "edited-book", "reference-book", "book-chapter", "book-section", "book-part"), "book"
    ),
    "reference-entry": "book",
    **dict.fromkeys(("report", "report-component", "dissertation", "standard"), "document"),
}
_WHOLE_BOOKS: Final = frozenset({"book", "monograph", "edited-book", "reference-book"})
_VERSIONS: Final = ("vor", "am", "unspecified")
"""The order of licences: of the version of record, of the accepted manuscript, of an unspecified version."""


class _Date(ServiceData):
    parts: list[list[Json]] = Field([], alias="date-parts")
    time: str = Field("", alias="date-time")

    @property
    def text(self) -> str:
        """The date, as exactly as it is known."""
        if self.parts:
            return service_fields.format_date(*self.parts[0][:3]) if self.parts[0] else ""
        return service_fields.parse_iso_date(self.time)


class _Author(ServiceData):
    given: str = ""
    family: str = ""
    suffix: str = ""
    name: str = ""


class _Notice(ServiceData):
    type: str = ""
    label: str = ""
    doi: str = Field("", alias="DOI")
    source: str = ""
    updated: _Date = _Date()


class _Licence(ServiceData):
    version: str = Field("", alias="content-version")
    address: str = Field("", alias="URL")


class _Name(ServiceData):
    name: str = ""


class _Related(ServiceData):
    id: str = ""


class CrossrefWork(ServiceData):
    """One work as Crossref describes it; titles are lists there."""

    doi: str = Field("", alias="DOI")
    type: str = ""
    issns: list[str] = Field([], alias="ISSN")
    subtype: str = ""
    title: list[str] = []
    original_title: list[str] = Field([], alias="original-title")
    subtitle: list[str] = []
    container_title: list[str] = Field([], alias="container-title")
    author: list[_Author] = []
    editor: list[_Author] = []
    institution: list[_Name] = []
    event: _Name = _Name()
    publisher: str = ""
    volume: str = ""
    issue: str = ""
    page: str = ""
    article_number: str = Field("", alias="article-number")
    published: _Date = _Date()
    issued: _Date = _Date()
    online: _Date = Field(_Date(), alias="published-online")
    print: _Date = Field(_Date(), alias="published-print")
    posted: _Date = _Date()
    language: str = ""
    cited_by: int | None = Field(None, alias="is-referenced-by-count", ge=0, le=LARGEST_COUNT)
    licences: list[_Licence] = Field([], alias="license")
    abstract: str = ""
    updated_by: list[_Notice] = Field([], alias="updated-by")
    update_to: list[_Notice] = Field([], alias="update-to")
    preprint_of: list[_Related] = Field([], validation_alias=AliasPath("relation", "is-preprint-of"))


class _Message(ServiceData):
    items: list[Json]


class _Page(ServiceData):
    status: str = ""
    reason: str = Field("", alias="message-type")
    message: Json = None


class Crossref(LiteratureSource):
    """Crossref; an e-mail address leads to its polite pool."""

    base = "https://api.crossref.org/"
    email_parameter = "mailto"

    def prepare_query(self, query: str) -> SentQuery:
        """Return the query on one line; Crossref knows no operators."""
        line = " ".join(query.split())
        words = any(character.isalnum() for character in line)
        return SentQuery(line if words else "", words=line, loose=True)

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the works of one response that have an abstract."""
        params = {"query.bibliographic": query, "filter": "has-abstract:true", "rows": str(limit)}
        return await asyncio.to_thread(self._parse, await self.fetch("works", params))

    async def find_record(self, doi: str) -> Work | None:
        """See `FindsRecords`; DOIs of other agencies, such as DataCite, have no record."""
        answer = await self.fetch(f"works/{quote(doi, safe='')}", {}, accepted=(404,))
        if answer.status == 404:
            return None
        page = self.parse_json(answer, _Page)
        work = build_crossref_record(validate_shape(self.name, CrossrefWork, page.message)).work
        return clean_work(self.name, work, time.time()) if work.identifiers.doi == doi else None

    def _parse(self, answer: Answer) -> FoundWorks:
        page = self.parse_json(answer, _Page)
        if page.status == "failed":
            raise SourceRefused(f"{self.name}: it refuses the request ({page.reason})")
        works, unread = parse_readable_items(CrossrefWork, validate_shape(self.name, _Message, page.message).items)
        return FoundWorks([build_crossref_record(work) for work in works], unread)


def build_crossref_record(given: CrossrefWork) -> Record:
    """Build the record of one work."""
    title = _format_title(given)
    doi = parse_doi(given.doi)
    preprint = given.type == "posted-content" and given.subtype in ("preprint", "")
    # In the order of preference; `published` is the earliest of all.
    dates = (given.published, given.issued, given.online, given.print, given.posted)
    published = next(filter(None, (date.text for date in dates)), "")
    blocks = service_fields.parse_markup_blocks(given.abstract)
    standing = assess_work_standing(given, title)
    work = Work(
        title=title,
        authors=tuple(_list_authors(given)),
        year=service_fields.parse_year(published),
        published=published,
        venue=_find_venue(given),
        issns=collect_issns(given.issns),
        volume=given.volume,
        issue=given.issue,
        pages=given.page or given.article_number,
        publisher=given.publisher,
        kind="preprint" if preprint else _KINDS.get(given.type, "other"),
        identifiers=Identifiers(doi=doi, arxiv=parse_arxiv_id(doi) if doi.startswith("10.48550/") else ""),
        url=service_fields.format_doi_url(doi),
        language=given.language,
        flags=(*standing.flags, *(("preprint",) if preprint else ()), *(("abstract_only",) if blocks else ())),
        notices=tuple(standing.notices),
        cited_by=given.cited_by,
        licence=_find_licence(given),
    )
    published_as = next(_list_published_dois(given), "")
    metadata = build_record_metadata(type=given.type, subtype=given.subtype, published_as=published_as)
    return Record(work, blocks, metadata=metadata)


def assess_work_standing(given: CrossrefWork, title: str) -> WorkStanding:
    """Return the flags of a record, the gravest first, with their notices."""
    standing = WorkStanding()
    standing.add_title(title)
    for notice in given.updated_by:
        update, date, doi = _classify_update(notice), notice.updated.text, parse_doi(notice.doi)
        origin = " (reported by Retraction Watch)" if notice.source == "retraction-watch" else ""
        standing.add(
            update.flag, f"{update.words}{f' of {date}' if date else ''}{f': doi:{doi}' if doi else ''}{origin}."
        )
    for notice in given.update_to:
        words, doi = _classify_update(notice).words.lower(), parse_doi(notice.doi)
        standing.add(None, f"This is a notice, {words}, on another work{f': doi:{doi}' if doi else ''}.")
    for doi in _list_published_dois(given):
        standing.add(None, f"This preprint was published as doi:{doi}.")
    standing.flags.sort(key=_GRAVEST_FIRST.index)
    return standing


def _classify_update(given: _Notice) -> _Update:
    kind = given.type.lower().replace("-", "_").replace(" ", "_")
    return _UPDATES.get(kind, _Update((given.label or "Update")[:100], None))


def _list_published_dois(given: CrossrefWork) -> Iterator[str]:
    """List the DOIs of the articles that a preprint became."""
    return filter(None, (parse_doi(one.id) for one in given.preprint_of))


def _format_title(given: CrossrefWork) -> str:
    title = _find_first_text(given.title) or _find_first_text(given.original_title)
    subtitle = _find_first_text(given.subtitle)
    return f"{title}: {subtitle}" if title and subtitle and subtitle.lower() not in title.lower() else title or subtitle


def _find_first_text(listed: list[str]) -> str:
    return next(filter(None, map(service_fields.flatten_markup, listed)), "")


def _list_authors(given: CrossrefWork) -> Iterator[str]:
    """List the authors, or the editors of a work without authors."""
    for one in given.author or given.editor:
        if one.family or one.given:
            yield ", ".join(filter(None, (one.family, one.given, one.suffix)))
        elif one.name:
            yield one.name


def _find_venue(given: CrossrefWork) -> str:
    """Return the journal or book; for a preprint its server; for a whole book nothing: what it is in is a series."""
    if given.type in _WHOLE_BOOKS:
        return ""
    named = (_find_first_text(given.container_title), *(one.name for one in given.institution), given.event.name)
    return next(filter(None, named), "")


def _find_licence(given: CrossrefWork) -> str:
    named = [one for version in _VERSIONS for one in given.licences if one.version == version and one.address]
    return service_fields.normalize_licence_name(named[0].address) if named else ""
