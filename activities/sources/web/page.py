"""The source `page`: reads the page that a query names, and finds in it what the other words of the query are on."""

import asyncio

from elcano.activities.sources.base import Found
from elcano.activities.sources.documents.document import FileSkipped, normalize_text
from elcano.activities.sources.documents.query import search_words
from elcano.activities.sources.http.fetching import Fetcher
from elcano.activities.sources.web.addresses import build_no_url_result, split_url_from_query
from elcano.activities.sources.web.page_reader import Reader
from elcano.activities.sources.web.passages import rank_page_passages
from elcano.graphs.catalogue.source_spec import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable


class PageSource:
    """Reads one page a search. It closes the fetcher that it was given."""

    def __init__(self, spec: SourceSpec, fetcher: Fetcher, reader: Reader | None = None) -> None:
        self._spec = spec
        self._fetcher = fetcher
        self._reader = reader or Reader(spec.name, fetcher)

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> Found:
        """The best passages of the page; its first ones if the query is no more than its address.

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
        return Found(evidence=evidence, texts=tuple(texts), warnings=warnings)

    async def close(self) -> None:
        """Stop reading and close the connections."""
        await self._reader.close()
        await self._fetcher.close()
