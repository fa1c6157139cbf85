"""arXiv as a source: one request a search, in the order of the service; it allows one every three seconds.

So a query of many words cannot be asked twice, for all of them and then for any: it is asked for any at once, the best
first, and what shares few of them is left out.
"""

import asyncio
import time
from typing import Final

from elcano.activities.sources.base import Found
from elcano.activities.sources.http.fetching import Answer, Service
from elcano.activities.sources.literature.arxiv.feed import Feed, parse_feed
from elcano.activities.sources.literature.arxiv.query import build_arxiv_parameters
from elcano.activities.sources.literature.passage_selection import take_first_passages
from elcano.activities.sources.literature.refusals import require_answered
from elcano.activities.sources.literature.relevance import left_out, on_subject
from elcano.activities.sources.literature.work_records import build_stored_record
from elcano.graphs.catalogue.source_spec import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.shortening import shorten_text
from elcano.settings import Settings

BASE: Final = "https://export.arxiv.org/api/"
_REFUSED: Final = 400
_SAID_CHARACTERS: Final = 300


class ArxivSource:
    """Preprints with their abstracts.

    Args:
        spec: what is known of it.
        service: where it is asked.
    """

    def __init__(self, spec: SourceSpec, service: Service) -> None:
        self._spec = spec
        self._service = service

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> Found:
        """At most `limit` passages, in the order of the service.

        Raises:
            SourceUnavailable: nobody answered, something else than a feed came back, or a feed without the entries
                that it says there are, as happens now and then.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: it does not take the query; the text says why.
        """
        asked = build_arxiv_parameters(query)
        if not asked.sent:
            return Found(warnings=(f"{self._spec.name}: {query!r} has no word to search for",))
        params = {
            **asked.sent,
            "start": "0",
            "max_results": str(limit),
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        answer = await self._service.ask("query", params=params)
        if answer.status != _REFUSED:
            require_answered(self._spec.name, answer)
        return await asyncio.to_thread(self._found, answer, limit, query if asked.any_of else "")

    async def close(self) -> None:
        """Closes its connections."""
        await self._service.close()

    def _found(self, answer: Answer, limit: int, fitting: str) -> Found:
        """Return the results in an answer; if it was found by any word of `fitting`, only those that fit it."""
        name = self._spec.name
        feed = self._feed(answer)
        if feed.error:
            raise SourceRefused(f"{name}: it refuses the query: {shorten_text(feed.error, _SAID_CHARACTERS)}")
        if feed.total and not feed.records and not feed.unread:
            raise SourceUnavailable(f"{name}: it says that it found {feed.total} works and sent none")
        now = time.time()
        records, strange = on_subject(fitting, feed.records) if fitting else (feed.records, 0)
        kept = [build_stored_record(name, one, now) for one in records]
        return take_first_passages(
            kept, limit, left_out(name, unread=feed.unread, strange=strange, silent=kept.count(None))
        )

    def _feed(self, answer: Answer) -> Feed:
        """The feed of an answer; a refusal with another body than a feed is one by its status."""
        try:
            feed = parse_feed(self._spec.name, answer.content)
        except SourceUnavailable:
            require_answered(self._spec.name, answer)
            raise
        if not feed.error:
            require_answered(self._spec.name, answer)
        return feed


def open_source(spec: SourceSpec, settings: Settings) -> ArxivSource:
    """ArXiv, which knows no keys."""
    return ArxivSource(spec, Service(spec.name, BASE, settings))
