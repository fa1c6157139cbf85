"""The web sources, and how they are opened, which sends no request.

The source `page` reads the page that a query names, and finds the passages that fit the query's other words.

The source `web`: a search engine names the pages, and the evidence comes from the pages themselves.

The source `crawl` reads a page and those it links to on its own host, and finds the best passages of them all. Links
whose addresses share words with the query are followed first. Pages are read one at a time, out of respect for the
site. All crawls of a worker together observe the delay that a site asks for between two pages; a site that asks for a
longer one than a crawl has time for is not crawled beyond the first page.
"""

import asyncio
import heapq
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from elcano.activities.passages.document import FileSkipped, normalize_text
from elcano.activities.passages.search import search_words
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Fetcher
from elcano.activities.sources.http.trust_guard import count_refusals, get_trust
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.report.works import canonicalize_page_url
from elcano.graphs.trust_rules import explain_page_refusal
from elcano.settings.settings import Settings
from elcano.subjects.web.addresses import build_no_url_result, different_hosts, extract_host, split_url_from_query
from elcano.subjects.web.page_reader import Reader, ReadPage, list_page_gaps, rank_page_passages
from elcano.subjects.web.search_providers import (
    ConfiguredProvider,
    Hit,
    list_configured_providers,
    search_with_fallback,
)
from elcano.text.stems import list_stems

CRAWLED_PAGES: Final = 20
"""Maximum number of pages read."""
TRIES: Final = 30
"""Maximum number of pages requested, including those that cannot be read."""
DEPTH: Final = 2
"""Maximum number of links from the named page."""
PAUSE_SECONDS: Final = 5.0
"""A site that asks for a longer delay between two pages is not crawled."""
CRAWL_SECONDS: Final = 200.0
"""Time after which no further page is started."""
_WARNED: Final = 10


class _Link(NamedTuple):
    """A page in the queue; the smallest one is read first."""

    unlike: float
    """Negative share of the query's words in its address, from -1 to 0."""
    depth: int
    number: int
    """The order in which links were found."""
    url: str


class _Crawl:
    """The state of one crawl."""

    def __init__(self, url: str, words: str) -> None:
        self._wanted = frozenset(list_stems(words))
        self.home = extract_host(url)
        self._seen = {canonicalize_page_url(url)}
        self.waiting = [_Link(-1.0, 0, 0, url)]
        self.read: list[ReadPage] = []
        self.failed: list[str] = []
        self.tried = 0

    def take(self) -> Iterator[_Link]:
        """Yield the pages to read, until there are enough or no more."""
        until = time.monotonic() + CRAWL_SECONDS
        while self.waiting and len(self.read) < CRAWLED_PAGES and self.tried < TRIES and time.monotonic() < until:
            self.tried += 1
            yield heapq.heappop(self.waiting)

    def follow(self, read: ReadPage, depth: int) -> None:
        """Queue the page's links to the same host."""
        self._seen.add(canonicalize_page_url(read.url))
        for url in read.page.links:
            if extract_host(url) == self.home and (named := canonicalize_page_url(url)) not in self._seen:
                self._seen.add(named)
                heapq.heappush(self.waiting, _Link(-self._likeness(url), depth + 1, len(self._seen), url))

    def _likeness(self, url: str) -> float:
        """Return the share of the query's words in the address."""
        parts = urlsplit(url)
        own = list_stems(unquote(f"{parts.path} {parts.query}").replace("_", " ").replace("-", " "))
        return len(self._wanted.intersection(own)) / len(self._wanted) if self._wanted else 0.0


class _ReadingSource:
    """A source that reads pages. It closes the fetcher that it was given.

    Args:
        spec: the source's specification.
        fetcher: the HTTP client.
        reader: reads the pages.
        trusted: whether an operator named the addresses; only tests read pages in a private network.
    """

    def __init__(
        self, spec: SourceSpec, fetcher: Fetcher, reader: Reader | None = None, *, trusted: bool = False
    ) -> None:
        self.spec = spec
        self._fetcher = fetcher
        self._trusted = trusted
        self._reader = reader or Reader(spec.name, fetcher, trusted=trusted)

    async def close(self) -> None:
        """Stop reading and close the connections."""
        await self._reader.close()
        await self._fetcher.close()


class CrawlSource(_ReadingSource):
    """A source that reads some pages of a site per search."""

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return the best passages of the site's pages.

        Raises:
            SourceUnavailable: the page that was named cannot be had now.
            SourceRefused: the query has an address and no words, or that page cannot be read.
        """
        name = self.spec.name
        url, words = split_url_from_query(normalize_text(query))
        if not url:
            return build_no_url_result(name)
        if not search_words(words):
            raise SourceRefused(
                f"{name}: {query!r} has to hold an address and what to look for, such as "
                "https://example.org/docs retention periods"
            )
        crawl = _Crawl(url, words)
        for link in crawl.take():
            await self._visit(crawl, link)
        evidence, texts = await asyncio.to_thread(rank_page_passages, name, words, crawl.read, limit)
        warnings = crawl.failed[:_WARNED]
        if len(crawl.failed) > _WARNED:
            warnings.append(f"{name}: {len(crawl.failed) - _WARNED} more pages were left out")
        if not evidence:
            warnings.append(
                f"{name}: {len(crawl.read)} pages of {extract_host(url)} were read and hold no word of {words!r}"
            )
        warnings += list_page_gaps(name, crawl.read)
        return SearchResults(evidence=evidence, texts=tuple(texts), warnings=tuple(warnings))

    async def _visit(self, crawl: _Crawl, link: _Link) -> None:
        name = self.spec.name
        robots = self._reader.robots
        try:
            pause = await robots.delay(link.url, trusted=self._trusted)
            if pause:
                await robots.take_turn(link.url, min(pause, PAUSE_SECONDS))
            read = await self._reader.read(link.url)
        except (FileSkipped, SourceUnavailable, SourceRefused) as error:
            if link.depth == 0:  # without the page that was named there is no crawl
                kind = SourceUnavailable if isinstance(error, SourceUnavailable) else SourceRefused
                raise kind(f"{name}: {link.url} was not read: {error}") from error
            crawl.failed.append(f"{name}: {link.url} was left out: {error}")
            return
        if link.depth and extract_host(read.url) != crawl.home:
            crawl.failed.append(f"{name}: {link.url} was left out: it leads to {extract_host(read.url)}")
            return
        crawl.home = extract_host(read.url)
        crawl.read.append(read)
        if pause > PAUSE_SECONDS:
            crawl.failed.append(f"{name}: only {link.url} was read: its site wants {pause:g} s between pages")
        elif link.depth < DEPTH:
            crawl.follow(read, link.depth)


PAGES: Final = 6
"""Pages read per search: each contributes at most three passages as long as others have some, and a search asks for
eight."""
AT_ONCE: Final = 4
"""Pages read in parallel."""
READING_SECONDS: Final = 60.0
"""Time after which no further page is started."""


class WebSource(_ReadingSource):
    """A source that searches for pages and reads them."""

    def __init__(
        self,
        spec: SourceSpec,
        providers: tuple[ConfiguredProvider, ...],
        fetcher: Fetcher,
        reader: Reader | None = None,
    ) -> None:
        super().__init__(spec, fetcher, reader)
        self._providers = providers

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return the best passages of the best pages.

        Raises:
            SourceUnavailable: no provider answers now, or none of the pages that were found could be had.
            SourceBusy: every provider is overloaded, out of quota or asks to wait.
            SourceRefused: no provider will ever answer as it is set up.
        """
        name = self.spec.name
        wanted = " ".join(normalize_text(query).split())
        if not search_words(wanted):
            return SearchResults(warnings=(f"{name}: {query!r} has no word to search for",))
        answered = await search_with_fallback(name, wanted, self._providers)
        hits, refused = _split_refused_hits(answered.hits)
        read, warnings = await self._pages(hits)
        evidence, texts = await asyncio.to_thread(rank_page_passages, name, wanted, read, limit)
        if read and not evidence:
            warnings.append(f"{name}: none of the {len(read)} pages that were read holds a word of {query!r}")
        if refused:
            warnings.append(count_refusals(name, "page", refused))
        return SearchResults(
            evidence=evidence,
            texts=tuple(texts),
            warnings=(*answered.warnings, *warnings, *list_page_gaps(name, read)),
            refused=refused.total(),
        )

    async def _pages(self, found: tuple[Hit, ...]) -> tuple[list[ReadPage], list[str]]:
        """Return pages of as many hosts as possible, and why others were dropped.

        Raises:
            SourceUnavailable: there are pages, and not one of them could be had now.
        """
        waiting = deque(different_hosts(found))
        room = asyncio.Semaphore(AT_ONCE)
        read: list[ReadPage] = []
        failed: list[tuple[Hit, Exception]] = []
        until = time.monotonic() + READING_SECONDS
        while waiting and len(read) < PAGES and time.monotonic() < until:
            wave = [waiting.popleft() for _ in range(min(len(waiting), PAGES - len(read)))]
            outcomes = await asyncio.gather(*(self._page(hit, room) for hit in wave))
            for hit, outcome in zip(wave, outcomes, strict=True):
                if isinstance(outcome, ReadPage):
                    read.append(outcome)
                else:
                    failed.append((hit, outcome))
        warnings = [f"{self.spec.name}: {hit.url} was left out: {error}" for hit, error in failed]
        if failed and not read and all(isinstance(error, SourceUnavailable) for _, error in failed):
            raise SourceUnavailable("; ".join(warnings))
        return read, warnings

    async def _page(self, hit: Hit, room: asyncio.Semaphore) -> ReadPage | Exception:
        async with room:
            try:
                return await self._reader.read(hit.url, hit.title)
            except (FileSkipped, SourceUnavailable, SourceRefused) as error:
                return error


def _split_refused_hits(hits: Iterable[Hit]) -> tuple[tuple[Hit, ...], Counter[str]]:
    """The hits whose pages the run may fetch, and the reasons why it may not fetch the others."""
    trust, kept, refused = get_trust(), list[Hit](), Counter[str]()
    for hit in hits:
        why = trust.explain_kind_refusal("page") or explain_page_refusal(trust, urlsplit(hit.url).hostname or "")
        if why:
            refused[why] += 1
        else:
            kept.append(hit)
    return tuple(kept), refused


MOST_ADDRESSES: Final = 5
"""Addresses of one query that are read."""


class PageSource(_ReadingSource):
    """A source that reads the pages that a query names."""

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return the best passages of the pages; their first ones if the query is only their addresses.

        Raises:
            SourceUnavailable: a page cannot be had now, and no other was read.
            SourceRefused: no page can be read or may be quoted.
        """
        name = self.spec.name
        urls, words = _split_urls_from_query(normalize_text(query))
        if not urls:
            return build_no_url_result(name)
        outcomes = await asyncio.gather(*map(self._read_page, urls))
        read = [one for one in outcomes if isinstance(one, ReadPage)]
        failed = [one for one in outcomes if not isinstance(one, ReadPage)]
        if not read:
            raise next((one for one in failed if isinstance(one, SourceUnavailable)), failed[0])
        words = words if search_words(words) else ""
        evidence, texts = await asyncio.to_thread(rank_page_passages, name, words, read, limit)
        warnings = [] if evidence else [f"{name}: no word of {words!r} is in {', '.join(one.url for one in read)}"]
        warnings += [*map(str, failed), *list_page_gaps(name, read)]
        return SearchResults(evidence=evidence, texts=tuple(texts), warnings=tuple(warnings))

    async def _read_page(self, url: str) -> ReadPage | SourceUnavailable | SourceRefused:
        try:
            return await self._reader.read(url)
        except (FileSkipped, SourceUnavailable, SourceRefused) as error:
            kind = SourceUnavailable if isinstance(error, SourceUnavailable) else SourceRefused
            return kind(f"{self.spec.name}: {url} was not read: {error}")


def _split_urls_from_query(query: str) -> tuple[list[str], str]:
    """Split a query into its first addresses, each once, and the words around them."""
    urls = dict[str, None]()
    while len(urls) < MOST_ADDRESSES:
        url, query = split_url_from_query(query)
        if not url:
            break
        urls[url] = None
    return list(urls), query


def open_web(spec: SourceSpec, settings: Settings) -> WebSource:
    """Open the source of web pages, with the search engines that are configured."""
    fetcher = Fetcher(settings)
    return WebSource(spec, list_configured_providers(settings, fetcher), fetcher)


def open_page(spec: SourceSpec, settings: Settings) -> PageSource:
    """Open the source of single pages."""
    return PageSource(spec, Fetcher(settings))


def open_crawl(spec: SourceSpec, settings: Settings) -> CrawlSource:
    """Open the source of sites."""
    return CrawlSource(spec, Fetcher(settings))
