"""PubMed as a source: the articles that NCBI ranks best for a query, each with its abstract.

A search is two requests, and a third if nothing matches all words of a plain query. Articles without an abstract come
last, by their title alone, and say so.
"""

import asyncio
import re
from typing import Final

from pydantic import Field

from elcano.graphs.errors import SourceBusy, SourceUnavailable
from elcano.graphs.frozen import Json
from elcano.graphs.text import shorten_text
from elcano.plugins.literature.literature_source import FoundWorks, LiteratureSource
from elcano.plugins.literature.pubmed_articles import parse_pubmed_records
from elcano.plugins.literature.service_answers import ServiceData
from elcano.plugins.literature.work_records import Record
from elcano.plugins.literature.xml import flatten_element_text, get_local_name, parse_xml_root

SAID_CHARACTERS: Final = 200
_OWN_FAULT: Final = re.compile(r"backend|server|unavailable|time[d ]*out|overload|too many|rate limit", re.IGNORECASE)


class _Unknown(ServiceData):
    phrasesnotfound: list[str] = []
    fieldsnotfound: list[str] = []


class _Warnings(ServiceData):
    phrasesignored: list[str] = []
    quotedphrasesnotfound: list[str] = []


class _Result(ServiceData):
    idlist: Json = None
    error: str = Field("", alias="ERROR")
    errorlist: _Unknown = _Unknown()
    warninglist: _Warnings = _Warnings()


class _Search(ServiceData):
    esearchresult: _Result


class PubMed(LiteratureSource):
    """NCBI's PubMed, queried through its E-utilities."""

    base = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
    parameters = {"tool": "elcano"}
    email_parameter = "email"
    key_parameter = "api_key"
    reads_titles = True

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the articles with the ids that a search finds, in NCBI's order."""
        ids, warnings = await self._find_ids(query, limit)
        if not ids:
            return FoundWorks(warnings=warnings)
        # At most 50 ids, far below the length of an address that NCBI takes.
        answer = await self.fetch("efetch.fcgi", {"db": "pubmed", "id": ",".join(ids), "retmode": "xml"})
        articles = await asyncio.to_thread(self._parse, answer.content)
        records = [articles[pmid] for pmid in ids if pmid in articles]
        readable = [record for record in records if record.has_text or record.work.title]
        return FoundWorks(readable, len(ids) - len(readable), warnings)

    async def _find_ids(self, query: str, limit: int) -> tuple[list[str], tuple[str, ...]]:
        params = {"db": "pubmed", "term": query, "retmode": "json", "retmax": str(limit), "sort": "relevance"}
        result = self.parse_json(await self.fetch("esearch.fcgi", params), _Search).esearchresult
        if result.error:
            raise self._build_error(result.error)
        if not isinstance(result.idlist, list):
            raise SourceUnavailable(f"{self.name}: the answer has another shape (no idlist)")
        ids = [one for one in dict.fromkeys(map(str, result.idlist)) if one.isascii() and one.isdigit()]
        return ids[:limit], self._warn_of_unknown(result)

    def _warn_of_unknown(self, result: _Result) -> tuple[str, ...]:
        unknown = [*result.errorlist.phrasesnotfound, *result.errorlist.fieldsnotfound]
        unknown += [*result.warninglist.phrasesignored, *result.warninglist.quotedphrasesnotfound]
        if not unknown:
            return ()
        said = shorten_text(", ".join(repr(one) for one in dict.fromkeys(unknown)), SAID_CHARACTERS)
        return (f"{self.name}: not known there, so left out of the query: {said}",)

    def _parse(self, content: bytes) -> dict[str, Record]:
        """Parse the records of a response, by their PMID."""
        root = parse_xml_root(self.name, content, {"PubmedArticleSet", "eFetchResult"})
        error = root.find("ERROR")
        if error is not None or get_local_name(root) == "eFetchResult":
            raise self._build_error(flatten_element_text(error))
        articles: dict[str, Record] = {}
        for pmid, record in parse_pubmed_records(root):
            articles.setdefault(pmid, record)
        return articles

    def _build_error(self, said: str) -> SourceUnavailable:
        """Build the error for an error message with status 200: if it is about NCBI's machines, NCBI is busy."""
        text = f"{self.name}: NCBI says: {shorten_text(' '.join(said.split()), SAID_CHARACTERS) or 'nothing'}"
        return SourceBusy(text) if _OWN_FAULT.search(said) else SourceUnavailable(text)
