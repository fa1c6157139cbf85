"""Wikipedia as a source: one search, then the best articles one after another, as its etiquette asks.

Where no article has all words of a query, it is asked once more for any of them.
The sections of the articles are compared with the query by their words. Pages that only list articles of similar names
say nothing themselves: they are left out with a warning, as are those that cannot be read.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Final

from elcano.activities.sources.base import Found
from elcano.activities.sources.http.fetching import Answer, Fetcher, Service
from elcano.activities.sources.literature.passage_selection import select_fitting_passages
from elcano.activities.sources.literature.refusals import require_answered
from elcano.activities.sources.literature.service_queries import any_was_enough
from elcano.activities.sources.literature.widening import any_of
from elcano.activities.sources.literature.wikipedia import api_response, articles
from elcano.activities.sources.literature.wikipedia.api_response import Page
from elcano.activities.sources.literature.wikipedia.editions import DEFAULT, Asked, parse_edition_query
from elcano.activities.sources.literature.work_records import Recorded, build_stored_record
from elcano.graphs.catalogue.source_spec import SourceSpec
from elcano.graphs.errors import SourceRefused
from elcano.settings import Settings

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

    async def search(self, query: str, limit: int) -> Found:
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
            return Found(warnings=(f"{name}: {query!r} has no word to search for",))
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

    def _recorded(self, pages: list[Page], edition: str) -> list[Recorded | None]:
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

    def _service(self, given: Asked) -> Service:
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
