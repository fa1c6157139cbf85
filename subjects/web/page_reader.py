"""Reads one page, requested once, classified, and parsed in a separate process; and finds evidence in pages so read.

We choose what we read, so we are a robot even for a single page. A site without a robots.txt allows everything; one
whose file is temporarily unavailable allows nothing.

The best passages of pages for a query come with their whole texts. They are ranked like those of a collection, by an
index that lives as long as the search.
"""

import asyncio
import hashlib
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from protego import Protego

from elcano.activities.child_processes import ChildProcesses, Stop
from elcano.activities.passages import search
from elcano.activities.passages.document import FileSkipped, Passage
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.activities.passages.unread_warnings import list_gap_warnings
from elcano.activities.sources.http.fetching import Answer, Fetcher
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.report.works import Work
from elcano.storage.evidence import DATA_HASH, PAGE, Evidence, StoredText
from elcano.storage.threads import Threads
from elcano.subjects.documents.file_processes import FileAnswer, ask_process, limit_html_seconds
from elcano.subjects.documents.index_tables import create_tables
from elcano.subjects.documents.passage_index import Entry, add_document
from elcano.subjects.web.addresses import extract_host, identify_page
from elcano.subjects.web.content_kind import HTML, detect_content_kind
from elcano.subjects.web.extraction import PROCESSES, Page, PageRequest, Request

PAGE_BYTES: Final = 20_000_000
"""Maximum size of a page or a PDF; larger ones are dropped."""
PAGE_SECONDS: Final = 45.0
"""Time limit for one page with everything that belongs to it, so that one slow site does not take the others' time."""
EXTRACTION_SECONDS: Final = 20.0
"""Time limit for parsing one page: the largest recorded one takes half a second; the first one of a process also waits
for its start."""


@dataclass(frozen=True)
class ReadPage:
    """A page that was read."""

    asked: str
    """The requested address."""
    url: str
    """The address that answered."""
    page: Page
    at: float
    """Seconds since the epoch."""
    data_hash: str = ""
    """SHA-256 of its bytes, hexadecimal."""


class Reader:
    """Reads pages for one source. `close` it when done; the fetcher belongs to the caller.

    Args:
        source: the name of the source, for errors.
        fetcher: the HTTP client.
        trusted: whether an operator named the addresses; only tests read pages in a private network.
        processes: what parses pages; tests put broken ones here.
        page_seconds: time limit for one page.
    """

    def __init__(
        self,
        source: str,
        fetcher: Fetcher,
        *,
        trusted: bool = False,
        processes: ChildProcesses[PageRequest, FileAnswer[Page]] = PROCESSES,
        page_seconds: float = PAGE_SECONDS,
    ) -> None:
        self._source = source
        self._fetcher = fetcher
        self._trusted = trusted
        self._page_seconds = page_seconds
        self._processes = processes
        self._stop = Stop()
        self._thread = Threads(f"pages-{source}", 1)
        self.robots = Robots(fetcher)

    async def read(self, url: str, title: str = "") -> ReadPage:
        """Read the page at `url`.

        Args:
            url: http or https.
            title: its title if it does not have one itself.

        Raises:
            FileSkipped: it cannot be read or may not be quoted; the text is the reason.
            SourceUnavailable: it is unavailable now.
            SourceRefused: its address, its size or its redirects are not allowed.
        """
        try:
            async with asyncio.timeout(self._page_seconds):
                return await self._read(url, title)
        except TimeoutError as error:
            raise SourceUnavailable(f"it was not read within {self._page_seconds:g} s") from error

    async def close(self) -> None:
        """Stop reading, for good."""
        self._stop.now()
        self._thread.close()

    async def _read(self, url: str, title: str) -> ReadPage:
        await self.robots.require(url, trusted=self._trusted)
        answer = await self._fetcher.fetch(self._source, url, most_bytes=PAGE_BYTES, trusted=self._trusted)
        if extract_host(answer.url) != extract_host(url):
            await self.robots.require(answer.url, trusted=self._trusted)
        at = time.time()
        request = Request(detect_content_kind(answer, url), answer.url, _read_declared_charset(answer), title)
        page = await self._thread.run(self._ask, request, answer.content)
        if not page.document.passages:
            raise FileSkipped("there is no text in it")
        data_hash = hashlib.sha256(answer.content).hexdigest()
        return ReadPage(url, answer.url, page, at, data_hash)

    def _ask(self, request: Request, content: bytes) -> Page:
        processor_seconds = limit_html_seconds(len(content)) if request.kind == HTML else 0.0
        asked = PageRequest(
            seconds=EXTRACTION_SECONDS, processor_seconds=processor_seconds, page=request, content=content
        )
        return ask_process(self._processes, asked, self._stop)


def _read_declared_charset(answer: Answer) -> str:
    """Return the charset that the header declares; empty if it declares none, which does not mean UTF-8."""
    return answer.encoding if "charset" in answer.headers.get("content-type", "").lower() else ""


NAME: Final = "elcano"
"""The product token by which a robots.txt names us; the `User-Agent` begins with it."""
KEPT_SECONDS: Final = 3_600.0
"""Seconds for which a robots.txt is cached; RFC 9309 asks for no more than a day."""
MOST_SITES: Final = 1_000
ROBOTS_BYTES: Final = 500 * 1024
"""The size that RFC 9309 requires to be read at least; a larger file is refused."""


class _Known(NamedTuple):
    rules: Protego
    at: float


class Robots:
    """The rules of recently used sites.

    Args:
        fetcher: the HTTP client.
        clock: monotonic seconds.
        sleep: waits for a number of seconds.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._sleep = sleep
        self._turns: dict[str, float] = {}
        """The time of the last turn, past or scheduled, at each site with a delay."""
        self._known: dict[str, _Known] = {}

    async def require(self, url: str, *, trusted: bool = False) -> None:
        """Return if the page may be read.

        Raises:
            FileSkipped: its site forbids it.
            SourceUnavailable: its site does not answer now.
            SourceRefused: its address is not allowed.
        """
        rules = await self._rules(url, trusted)
        if not rules.can_fetch(url, NAME):
            raise FileSkipped("its site does not let robots read it (robots.txt)")

    async def delay(self, url: str, *, trusted: bool = False) -> float:
        """Return the seconds that a site asks for between two pages; 0 if it does not say.

        Raises:
            SourceUnavailable: its site does not answer now.
            SourceRefused: its address is not allowed.
        """
        rules = await self._rules(url, trusted)
        rate = rules.request_rate(NAME)
        return max(rules.crawl_delay(NAME) or 0.0, rate.seconds / rate.requests if rate and rate.requests else 0.0)

    async def take_turn(self, url: str, pause: float) -> None:
        """Wait until `pause` seconds have passed since the last turn at the site; turns are taken in order."""
        now = self._clock()
        for site in [site for site, turn in self._turns.items() if now - turn > KEPT_SECONDS]:
            del self._turns[site]
        site = urlsplit(url).netloc
        turn = max(now, self._turns[site] + pause) if site in self._turns else now
        self._turns[site] = turn
        if turn > now:
            await self._sleep(turn - now)

    async def _rules(self, url: str, trusted: bool) -> Protego:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        known = self._known.get(site)
        if known is None or self._clock() - known.at > KEPT_SECONDS:
            known = _Known(await self._read(site, trusted), self._clock())
            self._known.pop(site, None)
            self._known[site] = known
            if len(self._known) > MOST_SITES:
                del self._known[next(iter(self._known))]
        return known.rules

    async def _read(self, site: str, trusted: bool) -> Protego:
        address = f"{site}/robots.txt"
        answer = await self._fetcher.fetch(
            "robots.txt", address, most_bytes=ROBOTS_BYTES, trusted=trusted, cached=not trusted
        )
        if answer.status == 429 or answer.status >= 500:
            raise SourceUnavailable(f"its site's robots.txt cannot be had now (HTTP {answer.status})")
        # Sites without one often answer a page; as rules that is nothing.
        said = answer.text if answer.status == 200 and "html" not in answer.media_type else ""
        return Protego.parse(said.lstrip("\ufeff").replace("\0", ""))


DOCUMENT_CHARACTERS: Final = 200
"""A longer address is shortened in ids, which may have 300 characters in all; its hash keeps it unique."""
_FIRST_YEAR: Final = 1990
"""The web is no older; an earlier date of a page is a mistake."""


class StoredPage:
    """One page as it is stored."""

    def __init__(self, source: str, read: ReadPage) -> None:
        self.page = page = read.page
        self._read = read
        self._source = source
        names = identify_page(read.url, page.canonical, read.asked)
        self._places = StoredPlaces(page.document.places)
        self.document = names.document
        self.locator = names.url or read.url
        self.text = StoredText(
            content_hash=hashlib.sha256(page.document.text.encode()).hexdigest(),
            document=self.document,
            title=page.document.title,
            media_type=page.document.media_type,
            text=page.document.text,
        )
        published = page.published if page.published[:4].isdecimal() and int(page.published[:4]) >= _FIRST_YEAR else ""
        self.work = Work(
            title=page.document.title,
            authors=page.authors or page.document.authors,
            year=int(published[:4]) if published else page.document.year or None,
            published=published,
            venue=page.site or extract_host(read.url),
            kind="page",
            identifiers=names.model_copy(update={"doi": page.document.doi}) if page.document.doi else names,
            url=self.locator,
            language=page.language,
            licence=page.licence,
            source=source,
            retrieved_at=read.at,
        )

    def evidence(self, passage: Passage, score: float) -> Evidence:
        """Return a passage of the page."""
        document = self.page.document
        last = passage.heading.rpartition(" > ")[2]
        named = f"{_shorten_document_id(self.document)}@{self.text.content_hash[:8]}"
        return Evidence(
            id=f"{named}:{passage.start}-{passage.end}",
            source=self._source,
            document=self.document,
            content_hash=self.text.content_hash,
            title=document.title if last in ("", document.title) else f"{document.title} > {last}",
            locator=f"{self.locator}#page={passage.page}" if passage.page else self.locator,
            heading=passage.heading,
            text=document.text[passage.start : passage.end],
            start=passage.start,
            end=passage.end,
            score=score,
            retrieved_at=self._read.at,
            metadata={
                **({DATA_HASH: self._read.data_hash} if self._read.data_hash else {}),
                **self._places.describe(passage.start, passage.end, passage.page),
                **({PAGE: passage.page} if passage.page else {}),
            },
            work=self.work,
            places=self._places.cut(passage.start, passage.end),
        )


def list_page_gaps(source: str, pages: Sequence[ReadPage]) -> tuple[str, ...]:
    """Return warnings about what was not read of files, such as pages of a PDF that are pictures."""
    return list_gap_warnings(source, {read.url: read.page.document.gaps for read in pages}, {})


def rank_page_passages(
    source: str, query: str, pages: Sequence[ReadPage], limit: int
) -> tuple[tuple[Evidence, ...], list[StoredText]]:
    """Return the best `limit` passages of the pages for `query`, and the texts of the pages.

    A page that was read at two addresses counts once. Without a query these are the first passages of the pages, in
    their order.
    """
    readings: dict[str, StoredPage] = {}
    for reading in (StoredPage(source, read) for read in pages):
        readings.setdefault(reading.document, reading)
    kept = list(readings.values())
    texts = [reading.text for reading in kept]
    if not query:
        every = (reading.evidence(passage, 0.0) for reading in kept for passage in reading.page.document.passages)
        return tuple(islice(every, limit)), texts
    with closing(sqlite3.connect(":memory:")) as database:
        create_tables(database)
        for reading in kept:
            add_document(database, Entry(reading.document, "", document=reading.page.document))
        hits = search.best_passages(database, query, limit)
    return tuple(kept[hit.document - 1].evidence(hit.passage, hit.score) for hit in hits), texts


def _shorten_document_id(document: str) -> str:
    if len(document) <= DOCUMENT_CHARACTERS:
        return document
    digest = hashlib.sha256(document.encode()).hexdigest()[:16]
    return f"{document[: DOCUMENT_CHARACTERS - len(digest) - 3]}...{digest}"
