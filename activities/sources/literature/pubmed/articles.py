"""Turns PubMed's XML into records: articles and chapters of books, with later notices on them.

Elements are looked for where the DTD has them and nowhere else: the list of references below an article holds the same
names, for other works.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from elcano.activities.sources.documents.document import Block
from elcano.activities.sources.literature import describing
from elcano.activities.sources.literature.notices import Standing
from elcano.activities.sources.literature.recording import Record, facts
from elcano.activities.sources.literature.xml import Element, flattened, local
from elcano.graphs.values import works
from elcano.graphs.values.works import Identifiers, Work, WorkKind

PAGE: Final = "https://pubmed.ncbi.nlm.nih.gov/"

_REVIEWS: Final = frozenset({"review", "systematic review", "scoping review", "meta-analysis", "network meta-analysis"})
_NO_DESIGN: Final = frozenset({"journal article", "english abstract", "preprint", "retracted publication"})
"""Publication types that say nothing on how a study was made; who paid is told by those in `Research Support`."""
_UNLABELLED: Final = frozenset({"unlabelled", "unassigned", "abstract"})


def records(root: Element) -> Iterator[tuple[str, Record]]:
    """Each article of a `PubmedArticleSet` with its PMID; what has none is left out."""
    for element in root:
        found = _article(element) if local(element) == "PubmedArticle" else None
        if local(element) == "PubmedBookArticle":
            found = _chapter(element)
        if found is not None:
            yield found.work.identifiers.pmid, found


def _article(element: Element) -> Record | None:
    citation = element.find("MedlineCitation")
    article = None if citation is None else citation.find("Article")
    if citation is None or article is None or not (pmid := works.pmid(flattened(citation.find("PMID")))):
        return None
    languages = [_text(one) for one in article.iterfind("Language")]
    types = [_text(one) for one in article.iterfind("PublicationTypeList/PublicationType")]
    original = _text(article.find("VernacularTitle"))
    title = describing.title(_text(article.find("ArticleTitle")), translated=languages != ["eng"])
    if not title or title.lower() == "not available":
        title = describing.title(original)
    standing = Standing()
    for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        standing.linked(link.get("RefType", ""), _reference(link))
    standing.marked(types, title)
    issue = article.find("Journal/JournalIssue")
    date = _date(None if issue is None else issue.find("PubDate")) or _date(article.find("ArticleDate"))
    work = Work(
        title=title,
        authors=tuple(_authors(article.find("AuthorList"))),
        year=describing.year_of(date),
        published=date,
        venue=_text(article.find("Journal/Title")) or _text(citation.find("MedlineJournalInfo/MedlineTA")),
        volume=_text(None if issue is None else issue.find("Volume")),
        issue=_text(None if issue is None else issue.find("Issue")),
        pages=_pages(article),
        kind=_kind(types),
        design=_design(types),
        identifiers=Identifiers(
            pmid=pmid,
            doi=_id(element, "doi") or _electronic(article),
            pmcid=works.pmcid(_id(element, "pmc")),
        ),
        url=f"{PAGE}{pmid}/",
        language=describing.language(languages[0]) if languages else "",
        flags=(*standing.flags, "abstract_only"),
        notices=tuple(standing.notices),
    )
    metadata = facts(
        mesh=_headings(citation.iterfind("MeshHeadingList/MeshHeading")),
        keywords=[_text(one) for one in citation.iterfind("KeywordList/Keyword")],
        trials=_trials(article),
        copyright=_text(article.find("Abstract/CopyrightInformation")),
        original_title=original if original != work.title else "",
        languages=[describing.language(one) for one in languages] if len(languages) > 1 else [],
    )
    blocks = (*_abstract(article.find("Abstract")), *_others(citation.iterfind("OtherAbstract")))
    return Record(work, blocks, metadata=metadata)


def _chapter(element: Element) -> Record | None:
    document = element.find("BookDocument")
    if document is None or not (pmid := works.pmid(flattened(document.find("PMID")))):
        return None
    book = document.find("Book")
    book_title = "" if book is None else describing.title(_text(book.find("BookTitle")))
    title = describing.title(_text(document.find("ArticleTitle"))) or book_title
    authors = [one for group in document.iterfind("AuthorList") for one in _authors(group)]
    if not authors and book is not None:
        authors = [one for group in book.iterfind("AuthorList") for one in _authors(group)]
    date = _date(document.find("ContributionDate")) or _date(None if book is None else book.find("PubDate"))
    types = [_text(one) for one in document.iterfind("PublicationType")]
    language = _text(document.find("Language"))
    doi = next((_text(one) for one in document.iterfind("ArticleIdList/ArticleId") if one.get("IdType") == "doi"), "")
    work = Work(
        title=title,
        authors=tuple(authors),
        year=describing.year_of(date),
        published=date,
        venue=book_title if book_title != title else "",
        publisher="" if book is None else _text(book.find("Publisher/PublisherName")),
        kind="book",
        design=_design(types),
        identifiers=Identifiers(pmid=pmid, doi=works.doi(doi)),
        url=f"{PAGE}{pmid}/",
        language=describing.language(language),
        flags=("abstract_only",),
    )
    return Record(work, tuple(_abstract(document.find("Abstract"))))


def _abstract(element: Element | None) -> Iterator[Block]:
    if element is None:
        return
    for part in element.iterfind("AbstractText"):
        text = _text(part)
        if not text:
            continue
        label = " ".join(part.get("Label", "").split())
        if label and label.lower() not in _UNLABELLED:
            yield Block(label, kind="heading", level=1)
        yield Block(text)


def _others(elements: Iterable[Element]) -> Iterator[Block]:
    """Abstracts beside the main one: in other words or in another language, below a heading that says which."""
    for element in elements:
        parts = list(_abstract(element))
        if parts:
            kind = element.get("Type", "").replace("-", " ").strip()
            language = describing.language(element.get("Language", ""))
            named = "Abstract" if kind.lower() in ("", "publisher") else kind[:1].upper() + kind[1:]
            yield Block(f"{named} ({language})" if language not in ("", "en") else named, kind="heading", level=1)
            yield from (part for part in parts if part.kind == "text")


def _authors(group: Element | None) -> Iterator[str]:
    for one in () if group is None else group.iterfind("Author"):
        told = {part.tag: _text(part) for part in one if len(part) == 0}
        given = told.get("ForeName", "") or told.get("Initials", "")
        personal = describing.author(told.get("LastName", ""), given, told.get("Suffix", ""))
        if name := _text(one.find("CollectiveName")) or personal:
            yield name


def _date(element: Element | None) -> str:
    if element is None:
        return ""
    year, month, day = (_text(element.find(part)) for part in ("Year", "Month", "Day"))
    return describing.published(year or _text(element.find("MedlineDate")), month, day)


def _pages(article: Element) -> str:
    pages = _text(article.find("Pagination/MedlinePgn"))
    start, end = _text(article.find("Pagination/StartPage")), _text(article.find("Pagination/EndPage"))
    return f"{start}-{end}" if start and end and start != end else start or pages


def _id(element: Element, kind: str) -> str:
    """An id of the article itself; those of its references are deeper."""
    found = (_text(one) for one in element.iterfind("PubmedData/ArticleIdList/ArticleId") if one.get("IdType") == kind)
    first = next(found, "")
    return works.doi(first) if kind == "doi" else first


def _electronic(article: Element) -> str:
    valid = (
        one for one in article.iterfind("ELocationID") if one.get("EIdType") == "doi" and one.get("ValidYN") != "N"
    )
    return next((doi for one in valid if (doi := works.doi(_text(one)))), "")


def _trials(article: Element) -> list[str]:
    """Numbers of trials that it reports: other works than the article, so they are no names of it."""
    banks = (one for one in article.iterfind("DataBankList/DataBank") if "clinicaltrials" in _text(one).lower())
    return [works.nct(_text(one)) for bank in banks for one in bank.iterfind("AccessionNumberList/AccessionNumber")]


def _kind(types: Iterable[str]) -> WorkKind:
    named = {kind.lower() for kind in types}
    if "preprint" in named:
        return "preprint"
    return "review" if named & _REVIEWS else "article"


def _design(types: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        kind for kind in types if kind and kind.lower() not in _NO_DESIGN and not kind.startswith("Research Support")
    )


def _headings(elements: Iterable[Element]) -> list[str]:
    """`Urinalysis/standards`, a star before what the article is mainly about."""
    found = []
    for element in elements:
        parts = [part for part in element if local(part) in ("DescriptorName", "QualifierName")]
        star = "*" if any(part.get("MajorTopicYN") == "Y" for part in parts) else ""
        found.append(star + "/".join(_text(part) for part in parts))
    return found


def _reference(link: Element) -> str:
    """Where a notice is published, with its PMID."""
    source, pmid = _text(link.find("RefSource")), _text(link.find("PMID"))
    return f"{source.rstrip('.')} (PMID {pmid})" if source and pmid else source or (pmid and f"PMID {pmid}")


def _text(element: Element | None) -> str:
    return flattened(element)
