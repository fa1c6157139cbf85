"""The web sources, and how they are opened, which sends no request.

The source `page` reads the page that a query names, and finds the passages that fit the query's other words.

The source `web`: a search engine names the pages, and the evidence comes from the pages themselves.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from elcano.activities.passages.document import FileSkipped, normalize_text
from elcano.activities.passages.search import search_words
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Fetcher
from elcano.activities.sources.http.trust_guard import count_refusals, get_trust
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.trust_rules import explain_page_refusal
from elcano.plugins.web.addresses import build_no_url_result, different_hosts, split_url_from_query
from elcano.plugins.web.crawl import CrawlSource
from elcano.plugins.web.hits import Hit
from elcano.plugins.web.page_reader import Reader, ReadPage
from elcano.plugins.web.passages import rank_page_passages
from elcano.plugins.web.search_providers import ConfiguredProvider, list_configured_providers, search_with_fallback
from elcano.settings.settings import Settings

PAGES: Final = 6
"""Pages read per search: each contributes at most three passages as long as others have some, and a search asks for
eight."""
AT_ONCE: Final = 4
"""Pages read in parallel."""
READING_SECONDS: Final = 60.0
"""Time after which no further page is started."""


class WebSource:
    """A source that searches for pages and reads them. It closes the fetcher that it was given."""

    def __init__(
        self,
        spec: SourceSpec,
        providers: tuple[ConfiguredProvider, ...],
        fetcher: Fetcher,
        reader: Reader | None = None,
    ) -> None:
        self._spec = spec
        self._providers = providers
        self._fetcher = fetcher
        self._reader = reader or Reader(spec.name, fetcher)

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses of the configured search engines."""
        return tuple(one.service.base for one in self._providers)

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return the best passages of the best pages.

        Raises:
            SourceUnavailable: no provider answers now, or none of the pages that were found could be had.
            SourceBusy: every provider is overloaded, out of quota or asks to wait.
            SourceRefused: no provider will ever answer as it is set up.
        """
        name = self._spec.name
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
            warnings=(*answered.warnings, *warnings),
            refused=refused.total(),
        )

    async def close(self) -> None:
        """Stop reading and close the connections."""
        await self._reader.close()
        await self._fetcher.close()

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
        warnings = [f"{self._spec.name}: {hit.url} was left out: {error}" for hit, error in failed]
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


class PageSource:
    """A source that reads one page per search. It closes the fetcher that it was given."""

    def __init__(self, spec: SourceSpec, fetcher: Fetcher, reader: Reader | None = None) -> None:
        self._spec = spec
        self._fetcher = fetcher
        self._reader = reader or Reader(spec.name, fetcher)

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return the best passages of the page; its first ones if the query is only its address.

        Raises:
            SourceUnavailable: the page cannot be had now.
            SourceRefused: the page cannot be read or may not be quoted.
        """
        name = self._spec.name
        url, words = split_url_from_query(normalize_text(query))
        if not url:
            return build_no_url_result(name)
        try:
            read = await self._reader.read(url)
        except SourceUnavailable as error:
            raise SourceUnavailable(f"{name}: {url} was not read: {error}") from error
        except (FileSkipped, SourceRefused) as error:
            raise SourceRefused(f"{name}: {url} was not read: {error}") from error
        words = words if search_words(words) else ""
        evidence, texts = await asyncio.to_thread(rank_page_passages, name, words, [read], limit)
        warnings = () if evidence else (f"{name}: {url} was read and holds no word of {words!r}",)
        return SearchResults(evidence=evidence, texts=tuple(texts), warnings=warnings)

    async def close(self) -> None:
        """Stop reading and close the connections."""
        await self._reader.close()
        await self._fetcher.close()


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
