"""Wikipedia as a source: one search, then the best articles one after another, as its etiquette asks.

Where no article has all words of a query, it is asked once more for any of them.
The sections of the articles are compared with the query by their words. Pages that only list articles of similar names
say nothing themselves: they are left out with a warning, as are those that cannot be read.

Which edition a query asks: `de: Wale` the German one, a query without a prefix the English one.

Only editions that are listed here are prefixes. A query may begin with any word and a colon, and what stands before it
becomes a part of the address that is asked.
"""

import asyncio
import re
import time
from collections.abc import Mapping
from typing import Final, NamedTuple

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Answer, Fetcher, Service
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused
from elcano.plugins.literature.passage_selection import select_fitting_passages
from elcano.plugins.literature.refusals import require_answered
from elcano.plugins.literature.service_queries import any_was_enough
from elcano.plugins.literature.widening import any_of
from elcano.plugins.literature.wikipedia import api_response, articles
from elcano.plugins.literature.wikipedia.api_response import Page
from elcano.plugins.literature.work_records import WorkRecord, build_stored_record
from elcano.settings import Settings

DEFAULT: Final = "en"
_CODES: Final = """
    af ar arz az be bg bn bs ca ceb cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk ko la
    lt lv mk ml mr ms nl nn no pl pt ro ru simple sk sl sq sr sv sw ta te th tl tr uk ur uz vi war zh
"""
EDITIONS: Final = frozenset(_CODES.split())
"""The codes of the larger editions, as in their addresses."""
_PREFIX: Final = re.compile(r"\s*([a-z]{2,6})\s*:\s*(?=\S)", re.IGNORECASE)


class EditionQuery(NamedTuple):
    """A query, parted."""

    edition: str
    words: str
    """On one line."""


def parse_edition_query(query: str) -> EditionQuery:
    """The edition and the words of `query`."""
    found = _PREFIX.match(query)
    if found is not None and found[1].lower() in EDITIONS:
        return EditionQuery(found[1].lower(), " ".join(query[found.end() :].split()))
    return EditionQuery(DEFAULT, " ".join(query.split()))


MOST_ARTICLES: Final = 4
"""Read for one search; each takes a request."""
MOST_REQUESTS: Final = 6
"""For articles of one search, those that turn out to list others included."""
_EVERY: Final = {"action": "query", "format": "json", "formatversion": "2"}
_FORBIDDEN: Final = 403
_PLACE: Final = "{language}"


class WikipediaSource:
    """Articles of the editions of Wikipedia.

    Args:
        spec: what is known of it.
        settings: may name another address, in which `{language}` stands for the code of the edition.
        fetcher: reads for all editions.
    """

    def __init__(self, spec: SourceSpec, settings: Settings, fetcher: Fetcher | None = None) -> None:
        self._spec = spec
        self._settings = settings
        self._fetcher = fetcher or Fetcher(settings)

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` passages of at most four articles, best first.

        Raises:
            SourceUnavailable: nobody answered, or something else than articles came back.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: it does not take the query, or does not answer who names no contact.
        """
        name = self._spec.name
        given = parse_edition_query(query)
        words = given.words.rstrip("?\uff1f ")
        if not any(character.isalnum() for character in words):
            return SearchResults(warnings=(f"{name}: {query!r} has no word to search for",))
        service = self._service(given)
        hits = await self._hits(service, words)
        wider = any_of(words) if not hits else ""
        if wider:
            hits = await self._hits(service, wider)
        pages, warnings = await self._read(service, hits)
        if wider and hits:
            warnings.insert(0, any_was_enough(name))
        kept = await asyncio.to_thread(self._recorded, pages, given.edition)
        silent = [page.title for page, one in zip(pages, kept, strict=True) if one is None]
        warnings += [f"{name}: {title!r} has no text and is left out" for title in silent]
        return await asyncio.to_thread(select_fitting_passages, words, kept, limit, warnings)

    async def close(self) -> None:
        """Closes its connections."""
        await self._fetcher.close()

    async def _hits(self, service: Service, words: str) -> list[int]:
        """The ids of the articles that fit best, at most as many as may be asked for."""
        found = await self._asked(service, {"list": "search", "srsearch": words, "srlimit": str(MOST_REQUESTS)})
        return api_response.list_hit_page_ids(self._spec.name, found)[:MOST_REQUESTS]

    async def _read(self, service: Service, ids: list[int]) -> tuple[list[Page], list[str]]:
        """Return the first of `ids` that are articles, and warnings about the others."""
        pages: list[Page] = []
        warnings: list[str] = []
        for id in ids:
            params = {
                "prop": "extracts|info|pageprops|revisions",
                "pageids": str(id),
                "explaintext": "1",
                "exsectionformat": "wiki",
                "inprop": "url",
                "ppprop": "disambiguation",
                "rvprop": "ids|timestamp",
            }
            page = api_response.find_article_page(self._spec.name, await self._asked(service, params))
            if page is None:
                warnings.append(f"{self._spec.name}: article {id} was found and is not there any more")
            elif page.disambiguation:
                warnings.append(f"{self._spec.name}: {page.title!r} only lists articles of that name and is left out")
            else:
                pages.append(page)
            if len(pages) == MOST_ARTICLES:
                break
        return pages, warnings

    def _recorded(self, pages: list[Page], edition: str) -> list[WorkRecord | None]:
        now = time.time()
        return [
            build_stored_record(self._spec.name, articles.build_wikipedia_record(page, edition), now) for page in pages
        ]

    async def _asked(self, service: Service, params: Mapping[str, str]) -> Answer:
        answer = await service.ask("api.php", params={**_EVERY, **params})
        if answer.status == _FORBIDDEN and not self._settings.contact:
            raise SourceRefused(
                f"{self._spec.name}: HTTP 403: it answers only who says whom it may write to: set ELCANO_CONTACT"
            )
        require_answered(self._spec.name, answer)
        return answer

    def _service(self, given: EditionQuery) -> Service:
        """The service of an edition.

        Raises:
            SourceRefused: the settings name one address, so there is one edition.
        """
        service = Service(
            self._spec.name, f"https://{given.edition}.wikipedia.org/w/", self._settings, fetcher=self._fetcher
        )
        if service.trusted and _PLACE not in service.base and given.edition != DEFAULT:
            raise SourceRefused(
                f"{self._spec.name}: the edition {given.edition!r} cannot be asked: ELCANO_SERVICE_URLS names one "
                f"address for all; write {_PLACE} in it where the edition stands"
            )
        service.base = service.base.replace(_PLACE, given.edition)
        return service


def open_source(spec: SourceSpec, settings: Settings) -> WikipediaSource:
    """Open Wikipedia, with a contact address if the settings name one."""
    return WikipediaSource(spec, settings)
