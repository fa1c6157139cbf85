"""Wikipedia as a source: one search, then the best articles one after another, as its etiquette asks.

`de: Wale` searches the German edition, a query without a prefix the English one. Only the editions listed here are
prefixes: a query may begin with any word and a colon, and an edition becomes part of the requested address.

Disambiguation pages say nothing themselves: they are dropped with a warning, as are pages that cannot be read.
MediaWiki answers in either of two formats, and an error may have status 200.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pydantic import Field

from elcano.activities.passages.document import Block
from elcano.activities.sources.http.fetching import Answer, Service
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.frozen import Json
from elcano.graphs.report.works import Identifiers, Work, canonicalize_page_url
from elcano.graphs.text import shorten_text
from elcano.subjects.literature import service_fields
from elcano.subjects.literature.literature_source import FoundWorks, LiteratureSource
from elcano.subjects.literature.search_queries import SentQuery, prepare_sentence
from elcano.subjects.literature.service_answers import ServiceData, parse_readable_items, validate_shape
from elcano.subjects.literature.work_records import Record

DEFAULT_EDITION: Final = "en"
_CODES: Final = """
    af ar arz az be bg bn bs ca ceb cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk ko la
    lt lv mk ml mr ms nl nn no pl pt ro ru simple sk sl sq sr sv sw ta te th tl tr uk ur uz vi war zh
"""
EDITIONS: Final = frozenset(_CODES.split())
"""The codes of the larger editions, as in their addresses."""
MOST_ARTICLES: Final = 4
"""Articles read per search; each takes a request."""
MOST_REQUESTS: Final = 6
"""Requests for articles per search, including disambiguation pages."""
MOST_CHARACTERS: Final = 1_000_000
"""Length of one article; the longest of the English edition have some 500,000."""
SAID_CHARACTERS: Final = 200
LICENCE: Final = "CC BY-SA 4.0"

_PREFIX: Final = re.compile(r"\s*([a-z]{2,6})\s*:\s*(?=\S)", re.IGNORECASE)
_PLACE: Final = "{language}"
_FORBIDDEN: Final = 403
_ARTICLE_PARAMETERS: Final = {
    "prop": "extracts|info|pageprops|revisions",
    "explaintext": "1",
    "exsectionformat": "wiki",
    "inprop": "url",
    "ppprop": "disambiguation",
    "rvprop": "ids|timestamp",
}
_BUSY: Final = ("ratelimited", "maxlag", "readonly", "internal_api_error", "cirrussearch-", "search-error", "timeout")
"""Prefixes of the codes of temporary errors."""
_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d{1,4})?/\S*")
_HEADING: Final = re.compile(r"(={2,6})\s*(.*?)\s*\1\s*")
_TEX: Final = re.compile(r"\s+\{\\(?:display|text)style (.*)\}\s*")
_INDENTED: Final = re.compile(r" {2,}|\s*$")
_LISTS: Final = """
    references | notes | notes and references | citations | sources | bibliography | further reading | external links |
    see also | einzelnachweise | weblinks | literatur | siehe auch | quellen | notes et références | références |
    liens externes | voir aussi | bibliographie | referencias | enlaces externos | véase también | bibliografía | note |
    collegamenti esterni | voci correlate | bibliografia | referências | ligações externas | примечания | ссылки |
    литература | 参考文献 | 外部链接 | 参见 | 外部リンク | 脚注 | 関連項目
"""
_UNREAD: Final = frozenset(name.strip() for name in _LISTS.split("|"))
"""Sections that only list other works and pages, as the larger editions call them."""


class EditionQuery(NamedTuple):
    """A query, split into edition and words."""

    edition: str
    words: str
    """The words, on one line."""


class _Error(ServiceData):
    code: str = "unknown"
    info: str = ""


class _Result(ServiceData):
    search: Json = None
    pages: Json = None


class _Hit(ServiceData):
    pageid: int = Field(0, strict=True, ge=0)


class _Revision(ServiceData):
    revid: int = Field(0, strict=True, ge=0)
    timestamp: str = ""


class Page(ServiceData):
    """An article in MediaWiki's response."""

    pageid: int = Field(strict=True, gt=0)
    title: str = ""
    extract: str = ""
    """Plain text with headings as `== Heading ==`."""
    canonicalurl: str = Field("", pattern=_ADDRESS.pattern)
    fullurl: str = Field("", pattern=_ADDRESS.pattern)
    revisions: list[_Revision] = []
    lastrevid: int = Field(0, strict=True, ge=0)
    pageprops: dict[str, Json] = {}
    missing: Json = None
    invalid: Json = None

    @property
    def is_there(self) -> bool:
        """Whether the article exists."""
        return not self.model_fields_set & {"missing", "invalid"}


class Wikipedia(LiteratureSource):
    """Articles of the editions of Wikipedia.

    The settings may name another address, in which `{language}` is the code of the edition.
    """

    base = f"https://{_PLACE}.wikipedia.org/w/"
    parameters = {"action": "query", "format": "json", "formatversion": "2"}
    ranks_passages = True

    def prepare_query(self, query: str) -> SentQuery:
        """Return the words of a query, each time after its edition."""
        edition, words = parse_edition_query(query)
        sent = prepare_sentence(words.rstrip("?\uff1f "))
        all_of, any_of = (f"{edition}:{one}" if one else "" for one in (sent.all_of, sent.any_of))
        return sent._replace(all_of=all_of, any_of=any_of)

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the first articles that a search finds and that are no disambiguation pages."""
        edition, words = parse_edition_query(query)
        service = self._open_edition(edition)
        asked = {"list": "search", "srsearch": words, "srlimit": str(MOST_REQUESTS)}
        records: list[Record] = []
        warnings: list[str] = []
        for id in self._list_hits(await self._query(service, asked))[:MOST_REQUESTS]:
            page = self._find_page(await self._query(service, {**_ARTICLE_PARAMETERS, "pageids": str(id)}))
            if page is None:
                warnings.append(f"{self.name}: article {id} was found and is not there any more")
                continue
            if "disambiguation" in page.pageprops:
                warnings.append(f"{self.name}: {page.title!r} only lists articles of that name and is left out")
                continue
            record = await asyncio.to_thread(build_wikipedia_record, page, edition)
            if record.has_text:
                records.append(record)
            else:
                warnings.append(f"{self.name}: {page.title!r} has no text and is left out")
            if len(records) == MOST_ARTICLES:
                break
        return FoundWorks(records, warnings=tuple(warnings))

    def require_answered(self, answer: Answer) -> None:
        """Report a missing contact if that may be the reason for a refusal."""
        if answer.status == _FORBIDDEN and not self.settings.contact:
            raise SourceRefused(
                f"{self.name}: HTTP 403: it answers only who says whom it may write to: set ELCANO_CONTACT"
            )
        super().require_answered(answer)

    def _open_edition(self, edition: str) -> Service:
        """Open the service of an edition.

        Raises:
            SourceRefused: the settings name one address, so there is one edition.
        """
        if _PLACE not in self.service.base and edition != DEFAULT_EDITION:
            raise SourceRefused(
                f"{self.name}: the edition {edition!r} cannot be asked: ELCANO_SERVICE_URLS names one "
                f"address for all; write {_PLACE} in it in the place of the edition"
            )
        service = Service(self.name, self.base, self.settings, self.service.fetcher)
        service.base = service.base.replace(_PLACE, edition)
        return service

    async def _query(self, service: Service, params: Mapping[str, str]) -> _Result:
        """Return the `query` of a response; empty if nothing was found.

        Raises:
            SourceBusy: it is an error that passes.
            SourceRefused: it is another error.
            SourceUnavailable: it is something else.
        """
        answer = await self.fetch("api.php", params, service=service)
        given = answer.json(self.name)
        if not isinstance(given, dict):
            raise SourceUnavailable(f"{self.name}: the answer is no object")
        if "error" in given:
            error = _Error.model_validate(given["error"] if isinstance(given["error"], dict) else {})
            reason = shorten_text(f"{error.code}: {error.info}", SAID_CHARACTERS)
            kind = SourceBusy if error.code.startswith(_BUSY) else SourceRefused
            raise kind(f"{self.name}: it answers with an error, {reason}")
        if "query" not in given and "batchcomplete" not in given:
            raise SourceUnavailable(f"{self.name}: the answer holds no result")
        return validate_shape(self.name, _Result, given.get("query", {}))

    def _list_hits(self, result: _Result) -> list[int]:
        """List the ids of the articles that a search found, best first, each once."""
        if not isinstance(result.search, list):
            raise SourceUnavailable(f"{self.name}: the answer is that of no search")
        hits, _ = parse_readable_items(_Hit, result.search)
        return list(dict.fromkeys(hit.pageid for hit in hits if hit.pageid))

    def _find_page(self, result: _Result) -> Page | None:
        """Return the one article of a response; None if it no longer exists."""
        listed = list(result.pages.values()) if isinstance(result.pages, dict) else result.pages
        pages, _ = parse_readable_items(Page, listed if isinstance(listed, list) else [])
        return next((page for page in pages if page.is_there), None)


def parse_edition_query(query: str) -> EditionQuery:
    """Split `query` into its edition and its words."""
    found = _PREFIX.match(query)
    if found is not None and found[1].lower() in EDITIONS:
        return EditionQuery(found[1].lower(), " ".join(query[found.end() :].split()))
    return EditionQuery(DEFAULT_EDITION, " ".join(query.split()))


def build_wikipedia_record(page: Page, edition: str) -> Record:
    """Build an article's record, with the permanent address of this revision: the newest one may change tomorrow."""
    latest = page.revisions[0] if page.revisions else _Revision()
    revision = latest.revid or page.lastrevid
    address = page.canonicalurl or page.fullurl or f"https://{edition}.wikipedia.org/?curid={page.pageid}"
    host = address.partition("://")[2].partition("/")[0]
    changed = service_fields.parse_iso_date(latest.timestamp)
    work = Work(
        title=page.title,
        authors=("Wikipedia contributors",),
        year=service_fields.parse_year(changed),
        published=changed,
        venue=f"Wikipedia ({edition})",
        publisher="Wikimedia Foundation",
        kind="encyclopedia",
        identifiers=Identifiers(url=canonicalize_page_url(address)),
        url=f"https://{host}/w/index.php?oldid={revision}" if revision else address,
        language="en" if edition == "simple" else edition,
        licence=LICENCE,
    )
    metadata: dict[str, Json] = {"page": page.pageid, "edition": edition}
    if revision:
        metadata["revision"] = revision
    return Record(work, tuple(parse_extract_blocks(page.extract)), f"{edition}:{page.pageid}", metadata, parted=True)


def parse_extract_blocks(text: str) -> Iterator[Block]:
    """Return the paragraphs of an extract under their headings, without sections that only list other works."""
    unread = 0
    """The level of the section that is skipped; 0: none."""
    for line in _split_extract_paragraphs(text[:MOST_CHARACTERS]):
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            level = len(heading[1]) - 1
            if unread and level > unread:
                continue
            unread = level if heading[2].casefold() in _UNREAD else 0
            if not unread and heading[2]:
                yield Block(heading[2], "heading", level=level)
        elif not unread:
            yield Block(line)


def _split_extract_paragraphs(text: str) -> Iterator[str]:
    """Return the non-empty lines of an extract, with formulas joined to their sentences again.

    An extract breaks the line at each sign of a formula, and then repeats the whole of it as TeX.
    """
    line = ""
    signs: list[str] = []
    within = False
    """Whether the next line continues the sentence of a formula."""
    for given in text.splitlines():
        if (formula := _TEX.fullmatch(given)) is not None:
            line, within = f"{line} {formula[1]}".strip(), True
            signs.clear()
        elif _INDENTED.match(given) and (line or signs):
            signs.append(given.strip())
        elif given.strip():
            if within and not any(signs) and not given.startswith("="):
                line = f"{line} {given.strip()}"
            else:
                yield from (one for one in (line, *signs) if one)
                line = given.strip()
            signs.clear()
            within = False
    yield from (one for one in (line, *signs) if one)
