"""The source `web`: a search engine names the pages, and the evidence comes from the pages themselves."""

import asyncio
import time
from collections import deque
from typing import Final

from elcano.activities.sources.base import Found
from elcano.activities.sources.documents.document import FileSkipped, normalize_text
from elcano.activities.sources.documents.query import search_words
from elcano.activities.sources.http.fetching import Fetcher
from elcano.activities.sources.web.addresses import different_hosts
from elcano.activities.sources.web.hits import Hit
from elcano.activities.sources.web.page_reader import Read, Reader
from elcano.activities.sources.web.passages import rank_page_passages
from elcano.activities.sources.web.search_providers import Configured, search_with_fallback
from elcano.graphs.catalogue.source_spec import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable

PAGES: Final = 6
"""Pages that are read for one search: of each come three passages at most as long as others have some, and a search
asks for eight."""
AT_ONCE: Final = 4
"""Pages that are read side by side."""
READING_SECONDS: Final = 60.0
"""After so long no other page is begun."""


class WebSource:
    """Asks for pages and reads them. It closes the fetcher that it was given."""

    def __init__(
        self, spec: SourceSpec, providers: tuple[Configured, ...], fetcher: Fetcher, reader: Reader | None = None
    ) -> None:
        self._spec = spec
        self._providers = providers
        self._fetcher = fetcher
        self._reader = reader or Reader(spec.name, fetcher)

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> Found:
        """The best passages of the best pages.

        Raises:
            SourceUnavailable: no provider answers now, or none of the pages that were found could be had.
            SourceBusy: every provider is overloaded, out of quota or asks to wait.
            SourceRefused: no provider will ever answer as it is set up.
        """
        name = self._spec.name
        wanted = " ".join(normalize_text(query).split())
        if not search_words(wanted):
            return Found(warnings=(f"{name}: {query!r} has no word to search for",))
        answered = await search_with_fallback(name, wanted, self._providers)
        read, warnings = await self._pages(answered.hits)
        evidence, texts = await asyncio.to_thread(rank_page_passages, name, wanted, read, limit)
        if read and not evidence:
            warnings.append(f"{name}: none of the {len(read)} pages that were read holds a word of {query!r}")
        return Found(evidence=evidence, texts=tuple(texts), warnings=(*answered.warnings, *warnings))

    async def close(self) -> None:
        """Stop reading and close the connections."""
        await self._reader.close()
        await self._fetcher.close()

    async def _pages(self, found: tuple[Hit, ...]) -> tuple[list[Read], list[str]]:
        """Pages of as many hosts as there are, and why others were left out.

        Raises:
            SourceUnavailable: there are pages, and not one of them could be had now.
        """
        waiting = deque(different_hosts(found))
        room = asyncio.Semaphore(AT_ONCE)
        read: list[Read] = []
        failed: list[tuple[Hit, Exception]] = []
        until = time.monotonic() + READING_SECONDS
        while waiting and len(read) < PAGES and time.monotonic() < until:
            wave = [waiting.popleft() for _ in range(min(len(waiting), PAGES - len(read)))]
            outcomes = await asyncio.gather(*(self._page(hit, room) for hit in wave))
            for hit, outcome in zip(wave, outcomes, strict=True):
                if isinstance(outcome, Read):
                    read.append(outcome)
                else:
                    failed.append((hit, outcome))
        warnings = [f"{self._spec.name}: {hit.url} was left out: {error}" for hit, error in failed]
        if failed and not read and all(isinstance(error, SourceUnavailable) for _, error in failed):
            raise SourceUnavailable("; ".join(warnings))
        return read, warnings

    async def _page(self, hit: Hit, room: asyncio.Semaphore) -> Read | Exception:
        async with room:
            try:
                return await self._reader.read(hit.url, hit.title)
            except (FileSkipped, SourceUnavailable, SourceRefused) as error:
                return error
