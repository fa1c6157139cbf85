"""PubMed as a source: the articles that NCBI ranks best for a query, each with its abstract.

A search is two requests, and a third if nothing matches all words of a plain query. Articles without an abstract come
last, by their title alone, and say so.

In its XML elements are looked up only where the DTD has them: the list of references below an article uses the same
names, for other works.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import AliasPath, Field

from elcano.activities.passages.document import Block
from elcano.graphs.errors import SourceBusy, SourceUnavailable
from elcano.graphs.frozen import Json
from elcano.graphs.report.work_standing import WorkStanding
from elcano.graphs.report.works import Identifiers, Work, parse_doi, parse_nct, parse_pmcid, parse_pmid
from elcano.graphs.text import shorten_text
from elcano.graphs.trust import WorkKind
from elcano.subjects.literature import service_fields
from elcano.subjects.literature.literature_source import FoundWorks, LiteratureSource
from elcano.subjects.literature.service_answers import ServiceData
from elcano.subjects.literature.work_records import Record, build_record_metadata, collect_issns
from elcano.subjects.literature.xml import flatten_element_text, parse_xml_root
from elcano.text.xml_tree import Element, get_local_name

SAID_CHARACTERS: Final = 200
_OWN_FAULT: Final = re.compile(r"backend|server|unavailable|time[d ]*out|overload|too many|rate limit", re.IGNORECASE)


class _Result(ServiceData):
    idlist: Json = None
    error: str = Field("", alias="ERROR")
    phrases_not_found: list[str] = Field([], validation_alias=AliasPath("errorlist", "phrasesnotfound"))
    fields_not_found: list[str] = Field([], validation_alias=AliasPath("errorlist", "fieldsnotfound"))
    phrases_ignored: list[str] = Field([], validation_alias=AliasPath("warninglist", "phrasesignored"))
    quotes_not_found: list[str] = Field([], validation_alias=AliasPath("warninglist", "quotedphrasesnotfound"))


class _Search(ServiceData):
    esearchresult: _Result


class PubMed(LiteratureSource):
    """NCBI's PubMed, queried through its E-utilities."""

    base = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
    parameters = {"tool": "elcano"}
    email_parameter = "email"
    key_parameter = "api_key"
    reads_titles = True

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the articles with the ids that a search finds, in NCBI's order."""
        ids, warnings = await self._find_ids(query, limit)
        if not ids:
            return FoundWorks(warnings=warnings)
        # At most 50 ids, far below the length of an address that NCBI takes.
        answer = await self.fetch("efetch.fcgi", {"db": "pubmed", "id": ",".join(ids), "retmode": "xml"})
        articles = await asyncio.to_thread(self._parse, answer.content)
        records = [articles[pmid] for pmid in ids if pmid in articles]
        readable = [record for record in records if record.has_text or record.work.title]
        return FoundWorks(readable, len(ids) - len(readable), warnings)

    async def _find_ids(self, query: str, limit: int) -> tuple[list[str], tuple[str, ...]]:
        params = {"db": "pubmed", "term": query, "retmode": "json", "retmax": str(limit), "sort": "relevance"}
        result = self.parse_json(await self.fetch("esearch.fcgi", params), _Search).esearchresult
        if result.error:
            raise self._build_error(result.error)
        if not isinstance(result.idlist, list):
            raise SourceUnavailable(f"{self.name}: the answer has another shape (no idlist)")
        ids = [one for one in dict.fromkeys(map(str, result.idlist)) if one.isascii() and one.isdigit()]
        return ids[:limit], self._warn_of_unknown(result)

    def _warn_of_unknown(self, result: _Result) -> tuple[str, ...]:
        unknown = [*result.phrases_not_found, *result.fields_not_found]
        unknown += [*result.phrases_ignored, *result.quotes_not_found]
        if not unknown:
            return ()
        said = shorten_text(", ".join(repr(one) for one in dict.fromkeys(unknown)), SAID_CHARACTERS)
        return (f"{self.name}: not known there, so left out of the query: {said}",)

    def _parse(self, content: bytes) -> dict[str, Record]:
        """Parse the records of a response, by their PMID."""
        root = parse_xml_root(self.name, content, {"PubmedArticleSet", "eFetchResult"})
        error = root.find("ERROR")
        if error is not None or get_local_name(root) == "eFetchResult":
            raise self._build_error(flatten_element_text(error))
        articles: dict[str, Record] = {}
        for pmid, record in parse_pubmed_records(root):
            articles.setdefault(pmid, record)
        return articles

    def _build_error(self, said: str) -> SourceUnavailable:
        """Build the error for an error message with status 200: if it is about NCBI's machines, NCBI is busy."""
        text = f"{self.name}: NCBI says: {shorten_text(' '.join(said.split()), SAID_CHARACTERS) or 'nothing'}"
        return SourceBusy(text) if _OWN_FAULT.search(said) else SourceUnavailable(text)


PAGE: Final = "https://pubmed.ncbi.nlm.nih.gov/"

_REVIEWS: Final = frozenset({"review", "systematic review", "scoping review", "meta-analysis", "network meta-analysis"})
_NO_DESIGN: Final = frozenset({"journal article", "english abstract", "preprint", "retracted publication"})
"""Publication types that say nothing about a study's design; those in `Research Support` name who paid."""
_UNLABELLED: Final = frozenset({"unlabelled", "unassigned", "abstract"})


def parse_pubmed_records(root: Element) -> Iterator[tuple[str, Record]]:
    """Yield each article of a `PubmedArticleSet` with its PMID; articles without one are dropped."""
    for element in root:
        found = _build_article_record(element) if get_local_name(element) == "PubmedArticle" else None
        if get_local_name(element) == "PubmedBookArticle":
            found = _build_chapter_record(element)
        if found is not None:
            yield found.work.identifiers.pmid, found


def _build_article_record(element: Element) -> Record | None:
    citation = element.find("MedlineCitation")
    article = None if citation is None else citation.find("Article")
    if citation is None or article is None or not (pmid := parse_pmid(flatten_element_text(citation.find("PMID")))):
        return None
    languages = [flatten_element_text(one) for one in article.iterfind("Language")]
    types = [flatten_element_text(one) for one in article.iterfind("PublicationTypeList/PublicationType")]
    original = flatten_element_text(article.find("VernacularTitle"))
    title = service_fields.clean_title(
        flatten_element_text(article.find("ArticleTitle")), translated=languages != ["eng"]
    )
    if not title or title.lower() == "not available":
        title = service_fields.clean_title(original)
    standing = WorkStanding()
    for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        standing.add_link(link.get("RefType", ""), _format_notice_reference(link))
    standing.add_types(types)
    standing.add_title(title)
    issue = article.find("Journal/JournalIssue")
    date = _parse_date_element(None if issue is None else issue.find("PubDate")) or _parse_date_element(
        article.find("ArticleDate")
    )
    work = Work(
        title=title,
        authors=tuple(_list_authors(article.find("AuthorList"))),
        year=service_fields.parse_year(date),
        published=date,
        venue=flatten_element_text(article.find("Journal/Title"))
        or flatten_element_text(citation.find("MedlineJournalInfo/MedlineTA")),
        issns=collect_issns(map(flatten_element_text, article.iterfind("Journal/ISSN"))),
        volume=flatten_element_text(None if issue is None else issue.find("Volume")),
        issue=flatten_element_text(None if issue is None else issue.find("Issue")),
        pages=_format_page_range(article),
        kind=_classify_work_kind(types),
        design=_list_study_designs(types),
        identifiers=Identifiers(
            pmid=pmid,
            doi=_find_article_id(element, "doi") or _find_electronic_doi(article),
            pmcid=parse_pmcid(_find_article_id(element, "pmc")),
        ),
        url=f"{PAGE}{pmid}/",
        language=service_fields.normalize_language_code(languages[0]) if languages else "",
        flags=(*standing.flags, "abstract_only"),
        notices=tuple(standing.notices),
    )
    metadata = build_record_metadata(
        mesh=_format_mesh_headings(citation.iterfind("MeshHeadingList/MeshHeading")),
        keywords=[flatten_element_text(one) for one in citation.iterfind("KeywordList/Keyword")],
        trials=_list_trial_numbers(article),
        copyright=flatten_element_text(article.find("Abstract/CopyrightInformation")),
        original_title=original if original != work.title else "",
        languages=[service_fields.normalize_language_code(one) for one in languages] if len(languages) > 1 else [],
    )
    blocks = (
        *_parse_abstract_blocks(article.find("Abstract")),
        *_parse_other_abstracts(citation.iterfind("OtherAbstract")),
    )
    return Record(work, blocks, metadata=metadata)


def _build_chapter_record(element: Element) -> Record | None:
    document = element.find("BookDocument")
    if document is None or not (pmid := parse_pmid(flatten_element_text(document.find("PMID")))):
        return None
    book = document.find("Book")
    book_title = "" if book is None else service_fields.clean_title(flatten_element_text(book.find("BookTitle")))
    title = service_fields.clean_title(flatten_element_text(document.find("ArticleTitle"))) or book_title
    authors = [one for group in document.iterfind("AuthorList") for one in _list_authors(group)]
    if not authors and book is not None:
        authors = [one for group in book.iterfind("AuthorList") for one in _list_authors(group)]
    date = _parse_date_element(document.find("ContributionDate")) or _parse_date_element(
        None if book is None else book.find("PubDate")
    )
    types = [flatten_element_text(one) for one in document.iterfind("PublicationType")]
    language = flatten_element_text(document.find("Language"))
    doi = next(
        (
            flatten_element_text(one)
            for one in document.iterfind("ArticleIdList/ArticleId")
            if one.get("IdType") == "doi"
        ),
        "",
    )
    work = Work(
        title=title,
        authors=tuple(authors),
        year=service_fields.parse_year(date),
        published=date,
        venue=book_title if book_title != title else "",
        publisher="" if book is None else flatten_element_text(book.find("Publisher/PublisherName")),
        kind="book",
        design=_list_study_designs(types),
        identifiers=Identifiers(pmid=pmid, doi=parse_doi(doi)),
        url=f"{PAGE}{pmid}/",
        language=service_fields.normalize_language_code(language),
        flags=("abstract_only",),
    )
    return Record(work, tuple(_parse_abstract_blocks(document.find("Abstract"))))


def _parse_abstract_blocks(element: Element | None) -> Iterator[Block]:
    if element is None:
        return
    for part in element.iterfind("AbstractText"):
        text = flatten_element_text(part)
        if not text:
            continue
        label = " ".join(part.get("Label", "").split())
        if label and label.lower() not in _UNLABELLED:
            yield Block(label, kind="heading", level=1)
        yield Block(text)


def _parse_other_abstracts(elements: Iterable[Element]) -> Iterator[Block]:
    """Return abstracts other than the main one, in other words or another language, below a heading that names it."""
    for element in elements:
        parts = list(_parse_abstract_blocks(element))
        if parts:
            kind = element.get("Type", "").replace("-", " ").strip()
            language = service_fields.normalize_language_code(element.get("Language", ""))
            named = "Abstract" if kind.lower() in ("", "publisher") else kind[:1].upper() + kind[1:]
            yield Block(f"{named} ({language})" if language not in ("", "en") else named, kind="heading", level=1)
            yield from (part for part in parts if part.kind == "text")


def _list_authors(group: Element | None) -> Iterator[str]:
    for one in () if group is None else group.iterfind("Author"):
        if one.get("ValidYN") == "N":
            continue  # a misspelt name, kept next to the corrected one
        parts = {part.tag: flatten_element_text(part) for part in one if len(part) == 0}
        given = parts.get("ForeName", "") or parts.get("Initials", "")
        personal = service_fields.format_author_name(parts.get("LastName", ""), given, parts.get("Suffix", ""))
        if name := flatten_element_text(one.find("CollectiveName")) or personal:
            yield name


def _parse_date_element(element: Element | None) -> str:
    if element is None:
        return ""
    year, month, day = (flatten_element_text(element.find(part)) for part in ("Year", "Month", "Day"))
    return service_fields.format_date(year or flatten_element_text(element.find("MedlineDate")), month, day)


def _format_page_range(article: Element) -> str:
    pages = flatten_element_text(article.find("Pagination/MedlinePgn"))
    start, end = (
        flatten_element_text(article.find("Pagination/StartPage")),
        flatten_element_text(article.find("Pagination/EndPage")),
    )
    return service_fields.format_page_range(start, end) or pages


def _find_article_id(element: Element, kind: str) -> str:
    """Return an id of the article itself; those of its references are deeper."""
    found = (
        flatten_element_text(one)
        for one in element.iterfind("PubmedData/ArticleIdList/ArticleId")
        if one.get("IdType") == kind
    )
    first = next(found, "")
    return parse_doi(first) if kind == "doi" else first


def _find_electronic_doi(article: Element) -> str:
    valid = (
        one for one in article.iterfind("ELocationID") if one.get("EIdType") == "doi" and one.get("ValidYN") != "N"
    )
    return next((doi for one in valid if (doi := parse_doi(flatten_element_text(one)))), "")


def _list_trial_numbers(article: Element) -> list[str]:
    """List the numbers of trials that it reports: these are other works, so they do not identify the article."""
    banks = (
        one
        for one in article.iterfind("DataBankList/DataBank")
        if "clinicaltrials" in flatten_element_text(one).lower()
    )
    return [
        parse_nct(flatten_element_text(one))
        for bank in banks
        for one in bank.iterfind("AccessionNumberList/AccessionNumber")
    ]


def _classify_work_kind(types: Iterable[str]) -> WorkKind:
    named = {kind.lower() for kind in types}
    if "preprint" in named:
        return "preprint"
    return "review" if named & _REVIEWS else "article"


def _list_study_designs(types: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        kind for kind in types if kind and kind.lower() not in _NO_DESIGN and not kind.startswith("Research Support")
    )


def _format_mesh_headings(elements: Iterable[Element]) -> list[str]:
    """Format headings as `Urinalysis/standards`, with a star before the article's main topics."""
    found = []
    for element in elements:
        parts = [part for part in element if get_local_name(part) in ("DescriptorName", "QualifierName")]
        star = "*" if any(part.get("MajorTopicYN") == "Y" for part in parts) else ""
        found.append(star + "/".join(flatten_element_text(part) for part in parts))
    return found


def _format_notice_reference(link: Element) -> str:
    """Format where a notice is published, with its PMID."""
    source, pmid = flatten_element_text(link.find("RefSource")), flatten_element_text(link.find("PMID"))
    return f"{source.rstrip('.')} (PMID {pmid})" if source and pmid else source or (pmid and f"PMID {pmid}")
