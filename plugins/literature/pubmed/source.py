"""PubMed as a source: the articles that NCBI ranks best for a query, each with its abstract.

A search is two requests, and a third where nothing has all words of a plain query. Articles without an abstract come
after those with one, by their title alone, and say so.
"""

import asyncio
import re
import time
from collections.abc import Sequence
from typing import Final

from pydantic import Field

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Answer, Fetcher, Service
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceBusy, SourceUnavailable
from elcano.graphs.text import shorten_text
from elcano.plugins.literature.passage_selection import take_first_passages
from elcano.plugins.literature.pubmed.articles import parse_pubmed_records
from elcano.plugins.literature.relevance import left_out, on_subject
from elcano.plugins.literature.service_answers import ServiceData, json_of, request_answer, validate_shape
from elcano.plugins.literature.service_queries import any_was_enough, prepare_query
from elcano.plugins.literature.work_records import Record, build_stored_record, by_title
from elcano.plugins.literature.xml import flatten_element_text, get_local_name, parse_xml_root
from elcano.settings import Settings

BASE: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
TOOL: Final = "elcano"
SAID_CHARACTERS: Final = 200

_OWN_FAULT: Final = re.compile(r"backend|server|unavailable|time[d ]*out|overload|too many|rate limit", re.IGNORECASE)


class _Unknown(ServiceData):
    phrasesnotfound: list[str] = []
    fieldsnotfound: list[str] = []


class _Warnings(ServiceData):
    phrasesignored: list[str] = []
    quotedphrasesnotfound: list[str] = []


class _Result(ServiceData):
    idlist: list[str] | None = None
    error: str = Field(default="", alias="ERROR")
    errorlist: _Unknown = _Unknown()
    warninglist: _Warnings = _Warnings()


class _Search(ServiceData):
    esearchresult: _Result


class PubMed:
    """NCBI's PubMed."""

    def __init__(self, spec: SourceSpec, settings: Settings, fetcher: Fetcher | None = None) -> None:
        self._spec = spec
        self._service = Service(spec.name, BASE, settings, fetcher)
        told = {"tool": TOOL, "email": settings.email, "api_key": settings.key(spec.key)}
        self._told = {name: value for name, value in told.items() if value}

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` articles, those with an abstract first, in NCBI's order.

        Raises:
            SourceUnavailable: NCBI did not answer, or not as it should.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: it refuses the query or the key.
        """
        name = self._spec.name
        first = prepare_query(query)
        if not first.all_of:
            return SearchResults(warnings=(f"{name}: {query!r} has no word to search for",))
        ids, warnings = await self._ids(first.all_of, limit)
        widened = not ids and first.any_of != ""
        if widened:
            ids, warnings = await self._ids(first.any_of, limit)
            warnings = (any_was_enough(name), *warnings)
        if not ids:
            return SearchResults(warnings=warnings)
        content = await self._fetched(ids)
        return await asyncio.to_thread(self._found, content, ids, limit, warnings, query if widened else "")

    async def close(self) -> None:
        """Closes its connections."""
        await self._service.close()

    async def _ids(self, term: str, limit: int) -> tuple[list[str], tuple[str, ...]]:
        params = {"db": "pubmed", "term": term, "retmode": "json", "retmax": str(limit), "sort": "relevance"}
        got = await self._answer("esearch.fcgi", params)
        result = validate_shape(self._spec.name, _Search, json_of(self._spec.name, got)).esearchresult
        if result.error:
            raise _build_ncbi_error(self._spec.name, result.error)
        if result.idlist is None:
            raise SourceUnavailable(f"{self._spec.name}: the answer has another shape (no idlist)")
        ids = [one for one in dict.fromkeys(result.idlist) if one.isascii() and one.isdigit()]
        return ids[:limit], self._warnings(result)

    def _warnings(self, result: _Result) -> tuple[str, ...]:
        unknown = [*result.errorlist.phrasesnotfound, *result.errorlist.fieldsnotfound]
        unknown += [*result.warninglist.phrasesignored, *result.warninglist.quotedphrasesnotfound]
        if not unknown:
            return ()
        said = shorten_text(", ".join(repr(one) for one in dict.fromkeys(unknown)), SAID_CHARACTERS)
        return (f"{self._spec.name}: not known there, so left out of the query: {said}",)

    async def _fetched(self, ids: Sequence[str]) -> bytes:
        """The articles as XML; at most 50 ids, far below the length of an address that NCBI takes."""
        got = await self._answer("efetch.fcgi", {"db": "pubmed", "id": ",".join(ids), "retmode": "xml"})
        return got.content

    async def _answer(self, path: str, params: dict[str, str]) -> Answer:
        return await request_answer(self._service, path, {**params, **self._told})

    def _found(
        self, content: bytes, ids: Sequence[str], limit: int, warnings: Sequence[str], widened: str
    ) -> SearchResults:
        """Return the results in the answer; for a `widened` query only those that share enough words with it."""
        name = self._spec.name
        root = parse_xml_root(name, content, {"PubmedArticleSet", "eFetchResult"})
        error = root.find("ERROR")
        if error is not None or get_local_name(root) == "eFetchResult":
            raise _build_ncbi_error(name, flatten_element_text(error))
        articles: dict[str, Record] = {}
        for pmid, record in parse_pubmed_records(root):
            articles.setdefault(pmid, record)
        found, strange = on_subject(widened, (articles[pmid] for pmid in ids if pmid in articles))
        with_text = [record for record in found if record.blocks]
        titles = [by_title(record) for record in found if not record.blocks and record.work.title]
        now = time.time()
        kept = (build_stored_record(name, record, now) for record in (*with_text, *titles))
        missing = len(ids) - strange - len(with_text) - len(titles)
        left = left_out(name, unread=missing, strange=strange, silent=0)
        return take_first_passages(kept, limit, (*warnings, *left))


def _build_ncbi_error(name: str, said: str) -> SourceUnavailable:
    """What an error is that comes with status 200: NCBI is busy if it speaks of its own machines."""
    text = f"{name}: NCBI says: {shorten_text(' '.join(said.split()), SAID_CHARACTERS) or 'nothing'}"
    return SourceBusy(text) if _OWN_FAULT.search(said) else SourceUnavailable(text)


def open_source(spec: SourceSpec, settings: Settings) -> PubMed:
    """PubMed, with NCBI's key if its variable is set. Nothing is asked before the first search."""
    return PubMed(spec, settings)
