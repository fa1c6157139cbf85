"""Crossref as a source: one request a search, for works whose publisher gave their abstract.

A passage is a part of a text, so works without an abstract, which most are, are not asked for; what is known of one of
them tells `work`, by its DOI. The service always names some works; those that have little to do with the query are left
out, and how many is said.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Answer, Service
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.report.works import Work, parse_doi
from elcano.plugins.literature import fields
from elcano.plugins.literature.crossref.work_parser import build_crossref_record, build_crossref_work
from elcano.plugins.literature.passage_selection import take_first_passages
from elcano.plugins.literature.refusals import require_answered
from elcano.plugins.literature.relevance import left_out, on_subject
from elcano.plugins.literature.service_answers import json_of
from elcano.plugins.literature.work_records import build_stored_record
from elcano.settings import Settings

BASE: Final = "https://api.crossref.org/"
_MISSING: Final = 404


class CrossrefSource:
    """Works that have a DOI of Crossref.

    Args:
        spec: what is known of it.
        service: where it is asked.
        email: leads to the pool of those who say who they are; empty: to the one of all.
    """

    def __init__(self, spec: SourceSpec, service: Service, email: str) -> None:
        self._spec = spec
        self._service = service
        self._who = {"mailto": email} if email else {}

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` passages of abstracts, in the order of the service.

        Raises:
            SourceUnavailable: nobody answered, or something else than works came back.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: it does not take the query.
        """
        asked = " ".join(query.split())
        if not any(character.isalnum() for character in asked):
            return SearchResults(warnings=(f"{self._spec.name}: {query!r} has no word to search for",))
        params = {"query.bibliographic": asked, "filter": "has-abstract:true", "rows": str(limit), **self._who}
        answer = await self._service.ask("works", params=params)
        require_answered(self._spec.name, answer)
        return await asyncio.to_thread(self._found, answer, asked, limit)

    async def work(self, doi: str) -> Work | None:
        """What Crossref knows of one work; None if it knows none of that DOI, such as one of DataCite.

        A merged or renamed DOI is answered under the one that it has now.

        Raises:
            SourceUnavailable: nobody answered, or something else than a work came back.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: `doi` is none.
        """
        name = parse_doi(doi)
        if not name:
            raise SourceRefused(f"{self._spec.name}: {doi[:100]!r} is no DOI")
        answer = await self._service.ask(f"works/{quote(name, safe='')}", params=self._who)
        # An outage of a gateway may be a 404 as well, with a page; the service itself says so in one line.
        if answer.status == _MISSING and answer.media_type != "text/html":
            return None
        require_answered(self._spec.name, answer)
        message = self._message(answer)
        if not isinstance(message.get("DOI"), str):
            raise SourceUnavailable(f"{self._spec.name}: the answer holds no work")
        return build_crossref_work(message).model_copy(update={"source": self._spec.name, "retrieved_at": time.time()})

    async def close(self) -> None:
        """Closes its connections."""
        await self._service.close()

    def _found(self, answer: Answer, query: str, limit: int) -> SearchResults:
        items = self._message(answer).get("items")
        if not isinstance(items, list):
            raise SourceUnavailable(f"{self._spec.name}: the answer holds no works")
        given = [one for one in items if isinstance(one, dict)]
        kept, strange = on_subject(query, map(build_crossref_record, given))
        now = time.time()
        made = [build_stored_record(self._spec.name, one, now) for one in kept]
        unread, silent = len(items) - len(given), made.count(None)
        return take_first_passages(
            made, limit, left_out(self._spec.name, unread=unread, strange=strange, silent=silent)
        )

    def _message(self, answer: Answer) -> Mapping[str, Any]:
        given = fields.coerce_mapping(json_of(self._spec.name, answer))
        if given.get("status") == "failed":
            raise SourceRefused(
                f"{self._spec.name}: it refuses the request ({fields.coerce_text(given.get('message-type'))})"
            )
        return fields.coerce_mapping(given.get("message"))


def open_source(spec: SourceSpec, settings: Settings) -> CrossrefSource:
    """Open Crossref, with a contact address if the settings name an e-mail address."""
    return CrossrefSource(spec, Service(spec.name, BASE, settings), settings.email)
