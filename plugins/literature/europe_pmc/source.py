"""Europe PMC as a source: abstracts of the best hits, and passages from the full text of the first open ones.

Requests are made one after the other, as the service likes it: a search, and up to three full texts. Where a full text
cannot be had its abstract stands for it, and a warning says so.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import httpx

from elcano.activities.passages.document import Block
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Answer, Fetcher, Service
from elcano.activities.sources.retry_after import require_answer
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.text import shorten_text
from elcano.plugins.literature import jats
from elcano.plugins.literature.europe_pmc.search_results import Page, Result, build_europe_pmc_record
from elcano.plugins.literature.passage_selection import select_fitting_passages
from elcano.plugins.literature.relevance import left_out, on_subject
from elcano.plugins.literature.service_answers import (
    json_of,
    parse_readable_items,
    request_answer,
    validate_shape,
)
from elcano.plugins.literature.service_queries import any_was_enough, prepare_query
from elcano.plugins.literature.work_records import Record, WorkRecord, build_stored_record, by_title
from elcano.plugins.literature.xml import flatten_element_text, parse_xml_root
from elcano.settings import Settings

BASE: Final = "https://www.ebi.ac.uk/europepmc/webservices/rest/"
FULL_TEXTS: Final = 3
"""Of one search; each is a request and some 100 passages."""
MOST_RESULTS: Final = 25
"""Works of one search; each may give several passages."""
SAID_CHARACTERS: Final = 200

_ASK_LATER: Final = {429, 503}


class EuropePMC:
    """EMBL-EBI's Europe PMC."""

    def __init__(self, spec: SourceSpec, settings: Settings, fetcher: Fetcher | None = None) -> None:
        self._spec = spec
        self._service = Service(spec.name, BASE, settings, fetcher)
        self._told = {"email": settings.email} if settings.email else {}

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` passages of the works that Europe PMC ranks best.

        Raises:
            SourceUnavailable: it did not answer, or not as it should.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: it refuses the query.
        """
        name = self._spec.name
        first = prepare_query(query)
        if not first.all_of:
            return SearchResults(warnings=(f"{name}: {query!r} has no word to search for",))
        results, warnings = await self._results(first.all_of, limit)
        widened = not results and not warnings and first.any_of != ""
        if widened:
            results, warnings = await self._results(first.any_of, limit)
            warnings = (any_was_enough(name), *warnings)
        told = [(result.full_text, build_europe_pmc_record(result)) for result in results]
        near, strange = on_subject(query if widened else "", (one for _, one in told))
        # Full texts are asked for of what is kept only.
        told = [(id, one) for id, one in told if any(one is other for other in near)]
        warnings += tuple(left_out(name, unread=0, strange=strange, silent=0))
        texts: dict[str, Answer] = {}
        for id in [*dict.fromkeys(id for id, _ in told if id)][:FULL_TEXTS]:
            texts[id] = await self._full_text(id)
        return await asyncio.to_thread(self._found, query, told, texts, limit, warnings)

    async def close(self) -> None:
        """Closes its connections."""
        await self._service.close()

    async def _results(self, query: str, limit: int) -> tuple[list[Result], tuple[str, ...]]:
        name = self._spec.name
        params = {"query": query, "format": "json", "resultType": "core", "cursorMark": "*", **self._told}
        got = await request_answer(self._service, "search", {**params, "pageSize": str(min(limit, MOST_RESULTS))})
        if got.content.lstrip()[:1] == b"<":
            # An error comes as XML whatever was asked for, and with status 200.
            said = flatten_element_text(parse_xml_root(name, got.content, {"errorBean"}).find("errMsg"))
            raise SourceUnavailable(f"{name}: it says: {shorten_text(said, SAID_CHARACTERS) or 'nothing'}")
        page = validate_shape(name, Page, json_of(name, got))
        return parse_readable_items(name, Result, page.results.result)

    async def _full_text(self, id: str) -> Answer:
        """Return the response whatever its status, unless the service asks to wait."""
        got = await self._service.ask(f"{id}/fullTextXML", params=self._told)
        if got.status in _ASK_LATER:
            require_answer(self._spec.name, httpx.Response(got.status, headers=got.headers))
        return got

    def _found(
        self,
        query: str,
        told: Sequence[tuple[str, Record]],
        texts: Mapping[str, Answer],
        limit: int,
        warnings: Sequence[str],
    ) -> SearchResults:
        name, now = self._spec.name, time.time()
        kept: list[WorkRecord | None] = []
        titles: list[WorkRecord | None] = []
        said: list[str] = []
        for id, one in told:
            whole = one
            if (got := texts.get(id)) is not None:
                whole, failed = self._with_text(one, id, got)
                said += failed
            if whole.blocks:
                kept.append(build_stored_record(name, whole, now))
            elif whole.work.title:
                titles.append(build_stored_record(name, by_title(whole), now))
        unread = len(told) - len(kept) - len(titles) + kept.count(None)
        return select_fitting_passages(
            query, kept, limit, (*warnings, *left_out(name, unread=unread, strange=0, silent=0), *said), last=titles
        )

    def _with_text(self, told: Record, id: str, got: Answer) -> tuple[Record, Sequence[str]]:
        """The record with its full text; or as it is, and why."""
        name = self._spec.name
        try:
            if not 200 <= got.status < 300:
                raise SourceUnavailable(f"HTTP {got.status}")
            article = parse_xml_root(name, got.content, {"article"})
        except (SourceUnavailable, SourceRefused) as error:
            reason = str(error).removeprefix(f"{name}: ")
            return told, (f"{name}: the full text of {id} cannot be read ({reason}); its abstract stands for it",)
        text = tuple(block for block in jats.parse_article_body(article) if block.text)
        if not text:
            return told, ()
        abstract = [replace(one, level=2) if one.kind == "heading" else one for one in told.blocks]
        above = (Block("Abstract", kind="heading", level=1), *abstract) if abstract else ()
        licence = told.work.licence or jats.find_article_licence(article)
        flags = tuple(flag for flag in told.work.flags if flag != "abstract_only")
        work = told.work.model_copy(update={"flags": flags, "licence": licence})
        return replace(told, work=work, blocks=(*above, *text), parted=True), ()


def open_source(spec: SourceSpec, settings: Settings) -> EuropePMC:
    """Europe PMC. Nothing is asked before the first search."""
    return EuropePMC(spec, settings)
