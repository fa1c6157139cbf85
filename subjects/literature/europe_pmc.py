"""Europe PMC as a source: abstracts of the best hits, and passages from the full text of the first open ones.

Requests are made one after the other, as the service prefers: a search, and up to three full texts. If a full text is
unavailable, its abstract replaces it, and a warning says so.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pydantic import AliasPath, Field

from elcano.activities.passages.document import Block
from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.frozen import Json
from elcano.graphs.report.work_standing import WorkStanding
from elcano.graphs.report.works import Identifiers, Work, parse_doi, parse_pmcid, parse_pmid
from elcano.graphs.text import shorten_text
from elcano.graphs.trust import WorkKind
from elcano.subjects.literature import service_fields
from elcano.subjects.literature.literature_source import FoundWorks, LiteratureSource
from elcano.subjects.literature.service_answers import LARGEST_COUNT, ServiceData, parse_readable_items
from elcano.subjects.literature.work_records import Record, build_record_metadata, collect_issns
from elcano.subjects.literature.xml import (
    find_article_licence,
    flatten_element_text,
    parse_article_body,
    parse_xml_root,
)

FULL_TEXTS: Final = 3
"""Full texts per search; each is a request and some 100 passages."""
MOST_RESULTS: Final = 25
"""Works per search; each may give several passages."""
SAID_CHARACTERS: Final = 200
PAGE: Final = "https://europepmc.org/article/"
PREPRINTS: Final = "PPR"
"""The source of preprints."""

_NO_DESIGN: Final = frozenset({"Journal Article", "Preprint", "Retracted Publication", "Other", "English Abstract"})


class _Author(ServiceData):
    fullName: str = ""
    firstName: str = ""
    lastName: str = ""
    collectiveName: str = ""


class _Issue(ServiceData):
    issue: str = ""
    volume: str = ""
    yearOfPublication: int | None = None
    monthOfPublication: int | None = None
    journal: str = Field("", validation_alias=AliasPath("journal", "title"))
    issn: str = Field("", validation_alias=AliasPath("journal", "issn"))
    essn: str = Field("", validation_alias=AliasPath("journal", "essn"))


class _Heading(ServiceData):
    descriptorName: str = ""
    majorTopic_YN: str = "N"


class _Link(ServiceData):
    id: str = ""
    source: str = ""
    reference: str = ""
    type: str = ""


class Result(ServiceData):
    """One work in the service's core format; its flags are `Y` and `N`."""

    id: str
    source: str
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    title: str = ""
    authors: list[_Author] = Field([], validation_alias=AliasPath("authorList", "author"))
    author_string: str = Field("", alias="authorString")
    issue: _Issue = Field(_Issue(), alias="journalInfo")
    publisher: str = Field("", validation_alias=AliasPath("bookOrReportDetails", "publisher"))
    book: str = Field("", validation_alias=AliasPath("bookOrReportDetails", "comprisingTitle"))
    year: str = Field("", alias="pubYear")
    pages: str = Field("", alias="pageInfo")
    abstract: str = Field("", alias="abstractText")
    language: str = ""
    types: list[str] = Field([], validation_alias=AliasPath("pubTypeList", "pubType"))
    keywords: list[str] = Field([], validation_alias=AliasPath("keywordList", "keyword"))
    headings: list[_Heading] = Field([], validation_alias=AliasPath("meshHeadingList", "meshHeading"))
    links: list[_Link] = Field([], validation_alias=AliasPath("commentCorrectionList", "commentCorrection"))
    open_access: str = Field("N", alias="isOpenAccess")
    cited_by: int | None = Field(None, alias="citedByCount", ge=0, le=LARGEST_COUNT)
    licence: str = Field("", alias="license")
    first_published: str = Field("", alias="firstPublicationDate")

    @property
    def full_text(self) -> str:
        """The id by which the full text is requested; empty if it is not open access."""
        if self.open_access != "Y":
            return ""
        return parse_pmcid(self.pmcid) or (self.id if self.source == PREPRINTS and self.id.isalnum() else "")


class _Page(ServiceData):
    results: list[Json] = Field(validation_alias=AliasPath("resultList", "result"))


class EuropePMC(LiteratureSource):
    """EMBL-EBI's Europe PMC."""

    base = "https://www.ebi.ac.uk/europepmc/webservices/rest/"
    email_parameter = "email"
    ranks_passages = True
    reads_titles = True

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the works of the first page, with their abstracts."""
        params = {"query": query, "format": "json", "resultType": "core", "cursorMark": "*"}
        answer = await self.fetch("search", {**params, "pageSize": str(min(limit, MOST_RESULTS))})
        return await asyncio.to_thread(self._parse, answer)

    async def complete_records(self, records: Sequence[Record]) -> tuple[Sequence[Record], Sequence[str]]:
        """Return the records, the first open ones with their full text."""
        answers: dict[str, Answer] = {}
        for id in [*dict.fromkeys(one.full_text for one in records if one.full_text)][:FULL_TEXTS]:
            answers[id] = await self.service.ask(f"{id}/fullTextXML", params=self._told)
            if answers[id].status in (429, 503):
                self.require_answered(answers[id])
        return await asyncio.to_thread(self._add_full_texts, records, answers)

    def _parse(self, answer: Answer) -> FoundWorks:
        if answer.content.lstrip()[:1] == b"<":
            # An error comes as XML whatever was asked for, and with status 200.
            said = flatten_element_text(parse_xml_root(self.name, answer.content, {"errorBean"}).find("errMsg"))
            raise SourceUnavailable(f"{self.name}: it says: {shorten_text(said, SAID_CHARACTERS) or 'nothing'}")
        page = self.parse_json(answer, _Page)
        results, unread = parse_readable_items(Result, page.results)
        return FoundWorks([build_europe_pmc_record(result) for result in results], unread)

    def _add_full_texts(
        self, records: Sequence[Record], answers: dict[str, Answer]
    ) -> tuple[Sequence[Record], Sequence[str]]:
        whole: list[Record] = []
        warnings: list[str] = []
        for record in records:
            try:
                answer = answers.get(record.full_text)
                whole.append(record if answer is None else self._add_full_text(record, answer))
            except (SourceUnavailable, SourceRefused) as error:
                reason = f"cannot be read ({str(error).removeprefix(f'{self.name}: ')})"
                warnings.append(
                    f"{self.name}: the full text of {record.full_text} {reason}; its abstract is used instead"
                )
                whole.append(record)
        return whole, warnings

    def _add_full_text(self, record: Record, answer: Answer) -> Record:
        """Return the record with its full text after its abstract.

        Raises:
            SourceUnavailable: the service does not have it, or something else came.
            SourceRefused: it declares entities.
        """
        if not 200 <= answer.status < 300:
            raise SourceUnavailable(f"HTTP {answer.status}")
        article = parse_xml_root(self.name, answer.content, {"article"})
        text = tuple(block for block in parse_article_body(article) if block.text)
        if not text:
            return record
        abstract = [replace(one, level=2) if one.kind == "heading" else one for one in record.blocks]
        above = (Block("Abstract", kind="heading", level=1), *abstract) if abstract else ()
        licence = record.work.licence or find_article_licence(article)
        flags = tuple(flag for flag in record.work.flags if flag != "abstract_only")
        work = record.work.model_copy(update={"flags": flags, "licence": licence})
        return replace(record, work=work, blocks=(*above, *text), parted=True)


def build_europe_pmc_record(result: Result) -> Record:
    """Build the record of a work with its abstract."""
    types = result.types
    title = service_fields.clean_title(
        service_fields.flatten_markup(result.title), translated=result.language not in ("", "eng", "en")
    )
    standing = WorkStanding()
    for link in result.links:
        where = format_article_name(link.source, link.id)
        standing.add_link(link.type, f"{link.reference.rstrip('. ')} ({where})" if link.reference and where else where)
    preprint = result.source == PREPRINTS
    standing.add_types([*types, *(["Preprint"] if preprint else [])])
    standing.add_title(title)
    date = _find_published_date(result, preprint)
    kind = _classify_work_kind(result, preprint)
    name = format_article_name(result.source, result.id)
    work = Work(
        title=title,
        authors=_list_authors(result),
        year=service_fields.parse_year(date),
        published=date,
        # A book is in nothing, a chapter in its book.
        venue=result.issue.journal or result.book or ("" if kind == "book" else result.publisher),
        issns=collect_issns((result.issue.issn, result.issue.essn)),
        volume=result.issue.volume,
        issue=result.issue.issue,
        pages=result.pages,
        publisher=result.publisher,
        kind=kind,
        design=tuple(kind for kind in types if _is_design(kind)),
        identifiers=Identifiers(
            doi=parse_doi(result.doi),
            pmid=parse_pmid(result.pmid),
            pmcid=parse_pmcid(result.pmcid),
        ),
        url=f"{PAGE}{result.source}/{result.id}" if name else "",
        language=service_fields.normalize_language_code(result.language),
        flags=(*standing.flags, "abstract_only"),
        notices=tuple(standing.notices),
        cited_by=result.cited_by,
        licence=result.licence,
    )
    metadata = build_record_metadata(
        mesh=[("*" if one.majorTopic_YN == "Y" else "") + one.descriptorName for one in result.headings],
        keywords=[service_fields.flatten_markup(one) for one in result.keywords],
    )
    return Record(work, service_fields.parse_markup_blocks(result.abstract), name, metadata, full_text=result.full_text)


def format_article_name(source: str, id: str) -> str:
    """Format a name as `MED/12345`, as in addresses of Europe PMC; empty if it cannot be part of one."""
    return f"{source}/{id}" if source.isalnum() and id and all(sign.isalnum() or sign in "-._" for sign in id) else ""


def _list_authors(result: Result) -> tuple[str, ...]:
    named = (
        one.collectiveName or service_fields.format_author_name(one.lastName, one.firstName) or one.fullName
        for one in result.authors
    )
    return tuple(name for name in named if name) or tuple(
        name for name in result.author_string.rstrip(". ").split(", ") if name
    )


def _find_published_date(result: Result, preprint: bool) -> str:
    first = service_fields.parse_iso_date(result.first_published)
    if preprint and first:
        return first
    issue = result.issue
    return (
        service_fields.format_date(issue.yearOfPublication or "", issue.monthOfPublication or "")
        or first
        or service_fields.format_date(result.year)
    )


def _classify_work_kind(result: Result, preprint: bool) -> WorkKind:
    named = {kind.lower() for kind in result.types}
    if preprint or "preprint" in named:
        return "preprint"
    if result.source == "PAT":
        return "other"
    if result.book or named & {"book", "book chapter", "books & documents"}:
        return "book"
    return "review" if any("review" in kind or kind == "meta-analysis" for kind in named) else "article"


def _is_design(kind: str) -> bool:
    """Whether a type describes the design: MEDLINE's do, Europe PMC's lower-case ones (`research-article`) do not."""
    return kind not in _NO_DESIGN and not kind.islower() and not kind.startswith("Research Support")
