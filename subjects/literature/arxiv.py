"""arXiv as a source: preprints with their abstracts, one request a search, since it allows one every three seconds.

So a query of many words cannot be sent twice, for all of them and then for any: it is sent for any at once, best first,
and works that share few of the words are dropped. arXiv's own syntax passes unchanged; text that looks like it but does
not close its brackets or quotation marks is taken for words, because arXiv would answer with an error, or with
something else.

A response is an Atom feed. It changed in late 2025 (addresses, quotation marks, order of namespaces), so names are read
without namespaces.
"""

import asyncio
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from elcano.activities.passages.document import Block, normalize_text
from elcano.activities.passages.search import search_words
from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.report.work_standing import WorkStanding
from elcano.graphs.report.works import Identifiers, Work, parse_arxiv_id, parse_doi
from elcano.graphs.text import shorten_text
from elcano.subjects.literature import service_fields
from elcano.subjects.literature.literature_source import FoundWorks, LiteratureSource
from elcano.subjects.literature.search_queries import PHRASE, SentQuery, is_well_formed_query
from elcano.subjects.literature.work_records import Record, build_record_metadata
from elcano.subjects.literature.xml import flatten_element_text, parse_xml_root
from elcano.text.stems import content_words
from elcano.text.words import split_words
from elcano.text.xml_tree import Element, get_local_name

ALL_WORDS: Final = 4
"""Queries with more telling words search for any of them."""
MOST_TERMS: Final = 40
"""Maximum number of words and phrases of one query."""
NOTICE_CHARACTERS: Final = 300

_REFUSED: Final = 400
"""A refusal with this status is a feed as well, which gives the reason."""
_FIELD: Final = re.compile(r"(?<![\w:])(?:ti|au|abs|co|jr|cat|rn|all|submittedDate|lastUpdatedDate):(?=[\w\"(\[])")
"""The prefixes of the API User's Manual."""
_OPERATOR: Final = re.compile(r"(?<!\S)(?:AND|OR|ANDNOT)(?!\S)")
_ONE_ID: Final = re.compile(r"(?i)(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z][a-z.-]{1,20}/\d{7})(v\d{1,3})?")
_VERSION: Final = re.compile(r"v(\d{1,3})$")
_OWN_DOI: Final = "10.48550/"
"""The prefix of the DOIs that arXiv gives to its own preprints: they do not count as published."""
_PAPER: Final = r"(?:paper|article|submission|manuscript|work|preprint|version|note|letter|draft|document|report)"
_WITHDRAWN: Final = r"(?:withdrawn|retracted|removed\s+by\s+arxiv)\b(?!\s+from\s+(?!(?:the\s+)?arxiv))"
_OTHER: Final = (
    r"which\b|that\b|who(?:se)?\b|replac|supersed|previous|earlier|former|companion|another|other\b|not\b|never\b"
    r"|arxiv:\s?\S*\d|[a-z-]+/\d{7}|\[\d|\b[\w.]+\.\d{4,5}\b"
)
"""Words after which the withdrawn paper is another one, and ids of other papers."""
_WITHDRAWAL: Final = re.compile(
    rf"(?:^|[.;:(]\s*)\W*(?:{_PAPER}\s+)?(?:(?:is|was|has\s+been|now|temporarily)\s+){{0,2}}{_WITHDRAWN}"
    rf"|(?:^|[.;:]\s)\W*withdraw(?:al|ing)\b"
    rf"|(?<!of )\b(?:this|our|present)\s+(?:(?!{_OTHER})\w+\s+){{0,2}}{_PAPER}\b"
    rf"(?:(?!{_OTHER}|[.;]\s).){{0,80}}?\b{_WITHDRAWN}"
    rf"|\bthe\s+{_PAPER}\s+(?:(?!{_OTHER})\w+\s+){{0,2}}(?:is|was|has|have|been|being|be|needs?|must)\s+"
    rf"(?:(?!{_OTHER})\w+\s+){{0,3}}{_WITHDRAWN}"
    rf"|\b(?:withdraw(?:n|ing|s)?|retract(?:ed|ing|s)?)\s+(?:this|our|the\s+(?:present|current))\s+{_PAPER}\b"
    rf"|\b(?:authors?|i|we)\s+(?:(?!{_OTHER})\w+\s+){{0,4}}(?:withdraw(?:n|ing|s)?|retract(?:ed)?)\s+(?:the|it)\b"
    rf"(?!\s+(?:\w+\s+)?(?:claim|theorem|statement|result|conclusion|assertion))",
    re.IGNORECASE,
)
"""Matches that this paper was withdrawn: not another one, not one of its claims, not only from a conference."""
_SUMMARY_START: Final = 240
"""Characters of a summary that are searched: later on it may speak of a drug that was withdrawn."""


class Arxiv(LiteratureSource):
    """The arXiv API, which needs no key."""

    base = "https://export.arxiv.org/api/"

    def prepare_query(self, query: str) -> SentQuery:
        """See `prepare_arxiv_query`."""
        return prepare_arxiv_query(query)

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the works of one feed; sometimes the entries that it announces are missing."""
        params = {
            "id_list" if _ONE_ID.fullmatch(query) else "search_query": query,
            "start": "0",
            "max_results": str(limit),
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        feed = await asyncio.to_thread(self._parse, await self.fetch("query", params, accepted=(_REFUSED,)))
        if feed.error:
            raise SourceRefused(f"{self.name}: it refuses the query: {shorten_text(feed.error, NOTICE_CHARACTERS)}")
        if feed.total and not feed.records and not feed.unread:
            raise SourceUnavailable(f"{self.name}: it says that it found {feed.total} works and sent none")
        return FoundWorks(feed.records, feed.unread)

    def _parse(self, answer: Answer) -> "Feed":
        """Parse the feed of a response; a refusal whose body is no feed is classified by its status."""
        try:
            feed = parse_feed(self.name, answer.content)
        except SourceUnavailable:
            self.require_answered(answer)
            raise
        if not feed.error:
            self.require_answered(answer)
        return feed


def prepare_arxiv_query(query: str) -> SentQuery:
    """Turn a query into arXiv's: an id alone selects that paper, arXiv's own syntax is unchanged, words become terms.

    A few words must all match, of many any, since hardly any abstract has all; phrases always have to match.
    """
    asked = " ".join(query.split())
    if (found := _ONE_ID.fullmatch(asked)) and parse_arxiv_id(found[1]):
        return SentQuery(f"{found[1]}{(found[2] or '').lower()}")
    if (_FIELD.search(asked) or _OPERATOR.search(asked)) and is_well_formed_query(asked):
        return SentQuery(asked)
    phrases, words = _extract_terms(asked)
    many = len(words) > ALL_WORDS
    either = " OR ".join(words)
    terms = [*phrases, *([f"({either})" if phrases else either] if many else words)]
    return SentQuery(" AND ".join(terms), words=query, loose=many)


def _extract_terms(asked: str) -> tuple[list[str], list[str]]:
    """Return each phrase in quotation marks, and each telling word outside of them, once; if none tells, any words."""
    phrases = PHRASE.findall(asked) if asked.count('"') % 2 == 0 else []
    quoted = [plain for phrase in phrases if (plain := " ".join(split_words(phrase)))]
    rest = _OPERATOR.sub(" ", _FIELD.sub(" ", PHRASE.sub(" ", asked) if phrases else asked))
    telling = content_words(rest) or (() if quoted else search_words(rest))
    return (
        [f'all:"{phrase}"' for phrase in dict.fromkeys(quoted)][:MOST_TERMS],
        [f"all:{word}" for word in telling][:MOST_TERMS],
    )


class Feed(NamedTuple):
    """The contents of a feed."""

    records: tuple[Record, ...]
    unread: int
    """Entries without an arXiv id."""
    total: int
    """The number of works according to the service."""
    error: str
    """The reason of a refusal; empty for an answer."""


def parse_feed(source: str, content: bytes) -> Feed:
    """Parse a feed.

    Raises:
        SourceUnavailable: it is no feed, or cut off.
        SourceRefused: it declares entities.
    """
    root = parse_xml_root(source, content, {"feed"})
    entries = list(_find_children(root, "entry"))
    error = next((_extract_error_reason(entry) for entry in entries if _is_error(entry)), "")
    records = [_build_entry_record(entry) for entry in entries if not _is_error(entry)]
    total = _read_child_text(root, "totalResults")
    kept = tuple(record for record in records if record is not None)
    return Feed(kept, len(records) - len(kept), int(total) if total.isdecimal() and len(total) < 10 else 0, error)


def _is_error(entry: Element) -> bool:
    address = _read_child_text(entry, "id")
    return "/api/errors" in address or (_read_child_text(entry, "title") == "Error" and not parse_arxiv_id(address))


def _extract_error_reason(entry: Element) -> str:
    return _read_child_text(entry, "summary") or _read_child_text(entry, "title") or "it says no reason"


def _build_entry_record(entry: Element) -> Record | None:
    address = _read_child_text(entry, "id")
    identifier = parse_arxiv_id(_VERSION.sub("", address))
    if not identifier:
        return None
    version = f"v{found[1]}" if (found := _VERSION.search(address)) else ""
    doi = parse_doi(_read_child_text(entry, "doi"))
    published_doi = "" if doi.startswith(_OWN_DOI) else doi
    journal = _read_child_text(entry, "journal_ref")
    standing = _assess_standing(entry, published_doi, journal)
    published = service_fields.parse_iso_date(_read_child_text(entry, "published"))
    authors = (_read_child_text(author, "name") for author in _find_children(entry, "author"))
    work = Work(
        title=_read_child_text(entry, "title"),
        authors=tuple(filter(None, authors)),  # given name first: where the family name begins arXiv does not tell
        year=service_fields.parse_year(published),
        published=published,
        venue=journal or "arXiv",
        kind="article" if published_doi or journal else "preprint",
        identifiers=Identifiers(arxiv=identifier, doi=published_doi),
        url=f"https://arxiv.org/abs/{identifier}{version}",
        flags=(*standing.flags, "abstract_only"),
        notices=tuple(standing.notices),
    )
    metadata = build_record_metadata(
        version=version,
        updated=service_fields.parse_iso_date(_read_child_text(entry, "updated")),
        category=next(_list_terms(entry, "primary_category"), ""),
        categories=list(_list_terms(entry, "category")),
        comment=shorten_text(_read_child_text(entry, "comment"), NOTICE_CHARACTERS),
        pdf=next(
            (one.get("href", "") for one in _find_children(entry, "link") if one.get("type") == "application/pdf"), ""
        ),
    )
    summary = _read_child_text(entry, "summary")
    return Record(work, (Block(summary),) if summary else (), metadata=metadata)


def _assess_standing(entry: Element, published_doi: str, journal: str) -> WorkStanding:
    standing = WorkStanding()
    comment, summary = _read_child_text(entry, "comment"), _read_child_text(entry, "summary")
    if withdrawn := next((one for one in (comment, summary[:_SUMMARY_START]) if _WITHDRAWAL.search(one)), ""):
        standing.add("withdrawn", shorten_text(f"Withdrawn from arXiv: {withdrawn}", NOTICE_CHARACTERS))
    if published_doi:
        standing.add(None, f"What was read is the preprint; it was published as doi:{published_doi}.")
    elif journal:
        published = f"What was read is the preprint; it was published in {journal}."
        standing.add(None, shorten_text(published, NOTICE_CHARACTERS))
    else:
        standing.add("preprint")
    return standing


def _list_terms(entry: Element, name: str) -> Iterator[str]:
    return filter(None, (child.get("term", "") for child in _find_children(entry, name)))


def _find_children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if get_local_name(child) == name)


def _read_child_text(element: Element, name: str) -> str:
    """Return the text of the first child of that name that has one, on one line; else empty."""
    texts = (" ".join(normalize_text(flatten_element_text(one)).split()) for one in _find_children(element, name))
    return next(filter(None, texts), "")
