"""Europe PMC's search results become records: journal articles, preprints, books, by what its core format tells."""

from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Json
from elcano.graphs.report.works import Flag, Identifiers, Work, WorkKind, parse_doi, parse_pmcid, parse_pmid
from elcano.plugins.literature import bibliographic_format, markup
from elcano.plugins.literature.notices import WorkStanding
from elcano.plugins.literature.service_answers import ServiceData
from elcano.plugins.literature.work_records import Record, build_record_metadata

PAGE: Final = "https://europepmc.org/article/"
PREPRINTS: Final = "PPR"
"""The source of preprints."""

_NO_DESIGN: Final = frozenset({"Journal Article", "Preprint", "Retracted Publication", "Other", "English Abstract"})


class _Author(ServiceData):
    fullName: str = ""
    firstName: str = ""
    lastName: str = ""
    collectiveName: str = ""


class _Authors(ServiceData):
    author: list[_Author] = []


class _Journal(ServiceData):
    title: str = ""


class _Issue(ServiceData):
    issue: str = ""
    volume: str = ""
    yearOfPublication: int | None = None
    monthOfPublication: int | None = None
    journal: _Journal = _Journal()


class _Book(ServiceData):
    publisher: str = ""
    comprisingTitle: str = ""


class _Types(ServiceData):
    pubType: list[str] = []


class _Keywords(ServiceData):
    keyword: list[str] = []


class _Heading(ServiceData):
    descriptorName: str = ""
    majorTopic_YN: str = "N"


class _Headings(ServiceData):
    meshHeading: list[_Heading] = []


class _Link(ServiceData):
    id: str = ""
    source: str = ""
    reference: str = ""
    type: str = ""


class _Links(ServiceData):
    commentCorrection: list[_Link] = []


class Result(ServiceData):
    """One work as the core format tells of it; its flags are `Y` and `N`."""

    id: str
    source: str
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    title: str = ""
    authors: _Authors = Field(_Authors(), alias="authorList")
    author_string: str = Field("", alias="authorString")
    issue: _Issue = Field(_Issue(), alias="journalInfo")
    book: _Book = Field(_Book(), alias="bookOrReportDetails")
    year: str = Field("", alias="pubYear")
    pages: str = Field("", alias="pageInfo")
    abstract: str = Field("", alias="abstractText")
    language: str = ""
    types: _Types = Field(_Types(), alias="pubTypeList")
    keywords: _Keywords = Field(_Keywords(), alias="keywordList")
    headings: _Headings = Field(_Headings(), alias="meshHeadingList")
    links: _Links = Field(_Links(), alias="commentCorrectionList")
    open_access: str = Field("N", alias="isOpenAccess")
    cited_by: int | None = Field(None, alias="citedByCount")
    licence: str = Field("", alias="license")
    first_published: str = Field("", alias="firstPublicationDate")

    @property
    def full_text(self) -> str:
        """The id by which the full text is requested; empty if it is not open access."""
        if self.open_access != "Y":
            return ""
        return parse_pmcid(self.pmcid) or (self.id if self.source == PREPRINTS and self.id.isalnum() else "")


class Results(ServiceData):
    """All results of a page."""

    result: list[Json]


class Page(ServiceData):
    """An answer to a search."""

    results: Results = Field(alias="resultList")


def build_europe_pmc_record(result: Result) -> Record:
    """The work with its abstract."""
    types = result.types.pubType
    title = bibliographic_format.clean_title(
        markup.flatten_markup(result.title), translated=result.language not in ("", "eng", "en")
    )
    standing = WorkStanding()
    for link in result.links.commentCorrection:
        where = result_name(link.source, link.id)
        standing.linked(link.type, f"{link.reference.rstrip('. ')} ({where})" if link.reference and where else where)
    preprint = result.source == PREPRINTS
    standing.marked([*types, *(["Preprint"] if preprint else [])], title)
    date = _find_published_date(result, preprint)
    flags: tuple[Flag, ...] = (*standing.flags, "abstract_only")
    name = result_name(result.source, result.id)
    work = Work(
        title=title,
        authors=_list_authors(result),
        year=bibliographic_format.year_of(date),
        published=date,
        venue=result.issue.journal.title or result.book.comprisingTitle or result.book.publisher,
        volume=result.issue.volume,
        issue=result.issue.issue,
        pages=result.pages,
        publisher=result.book.publisher,
        kind=_classify_work_kind(result, preprint),
        design=tuple(kind for kind in types if _is_design(kind)),
        identifiers=Identifiers(
            doi=parse_doi(result.doi),
            pmid=parse_pmid(result.pmid),
            pmcid=parse_pmcid(result.pmcid),
        ),
        url=f"{PAGE}{result.source}/{result.id}" if name else "",
        language=bibliographic_format.normalize_language_code(result.language),
        flags=flags,
        notices=tuple(standing.notices),
        cited_by=result.cited_by if result.cited_by is not None and result.cited_by >= 0 else None,
        licence=result.licence,
    )
    metadata = build_record_metadata(
        mesh=[("*" if one.majorTopic_YN == "Y" else "") + one.descriptorName for one in result.headings.meshHeading],
        keywords=[markup.flatten_markup(one) for one in result.keywords.keyword],
    )
    return Record(work, markup.parse_markup_blocks(result.abstract), name=name, metadata=metadata)


def result_name(source: str, id: str) -> str:
    """`MED/12345`, as addresses of Europe PMC have it; empty for what cannot be a part of one."""
    return f"{source}/{id}" if source.isalnum() and id and all(sign.isalnum() or sign in "-._" for sign in id) else ""


def _list_authors(result: Result) -> tuple[str, ...]:
    named = (
        one.collectiveName or bibliographic_format.format_author_name(one.lastName, one.firstName) or one.fullName
        for one in result.authors.author
    )
    return tuple(name for name in named if name) or tuple(
        name for name in result.author_string.rstrip(". ").split(", ") if name
    )


def _find_published_date(result: Result, preprint: bool) -> str:
    first = bibliographic_format.normalize_iso_date(result.first_published)
    if preprint and first:
        return first
    issue = result.issue
    return (
        bibliographic_format.format_publication_date(
            str(issue.yearOfPublication or ""), str(issue.monthOfPublication or "")
        )
        or first
        or bibliographic_format.format_publication_date(result.year)
    )


def _classify_work_kind(result: Result, preprint: bool) -> WorkKind:
    named = {kind.lower() for kind in result.types.pubType}
    if preprint or "preprint" in named:
        return "preprint"
    if result.source == "PAT":
        return "other"
    if result.book.comprisingTitle or named & {"book", "book chapter", "books & documents"}:
        return "book"
    return "review" if any("review" in kind or kind == "meta-analysis" for kind in named) else "article"


def _is_design(kind: str) -> bool:
    """Its own types are in lower case, as `research-article`; those of MEDLINE, which say more, are not."""
    return kind not in _NO_DESIGN and not kind.islower() and not kind.startswith("Research Support")
