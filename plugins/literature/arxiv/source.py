"""arXiv as a source: one request a search, in the order of the service; it allows one every three seconds.

So a query of many words cannot be asked twice, for all of them and then for any: it is asked for any at once, the best
first, and what shares few of them is left out.

A query as arXiv takes it: its own syntax passes as it is, plain words become terms.

All of a few words have to be there, of many any, since hardly an abstract has all; phrases always have to be.

What looks like its syntax but does not close its brackets or quotation marks is taken for words: the service answers
such queries with an error, or with something else than was asked.
"""

import asyncio
import re
import time
from typing import Final, NamedTuple

from elcano.activities.passages.query import search_words
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Answer, Service
from elcano.activities.text.stems import content_words
from elcano.activities.text.words import split_words
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.report.works import parse_arxiv_id
from elcano.graphs.text import shorten_text
from elcano.plugins.literature.arxiv.feed import Feed, parse_feed
from elcano.plugins.literature.passage_selection import take_first_passages
from elcano.plugins.literature.refusals import require_answered
from elcano.plugins.literature.relevance import left_out, on_subject
from elcano.plugins.literature.syntax import PHRASE, is_well_formed_query
from elcano.plugins.literature.work_records import build_stored_record
from elcano.settings import Settings

ALL_WORDS: Final = 4
"""Of more telling words any are asked for."""
MOST_TERMS: Final = 40
"""Words, and phrases, of one query."""

_FIELD: Final = re.compile(r"(?<![\w:])(?:ti|au|abs|co|jr|cat|rn|all|submittedDate|lastUpdatedDate):(?=[\w\"(\[])")
"""The prefixes of the API User's Manual."""
_OPERATOR: Final = re.compile(r"(?<!\S)(?:AND|OR|ANDNOT)(?!\S)")
_ONE_ID: Final = re.compile(r"(?i)(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z][a-z.-]{1,20}/\d{7})(v\d{1,3})?")


class Parameters(NamedTuple):
    """What arXiv is asked."""

    sent: dict[str, str]
    """`search_query` or `id_list`; empty if the query has no word."""
    any_of: bool
    """Whether a work needs to have only some of the words."""


def build_arxiv_parameters(query: str) -> Parameters:
    """An arXiv id alone asks for that paper, arXiv's own syntax is sent as it is, and words become terms."""
    asked = " ".join(query.split())
    if (found := _ONE_ID.fullmatch(asked)) and parse_arxiv_id(found[1]):
        return Parameters({"id_list": f"{found[1]}{(found[2] or '').lower()}"}, any_of=False)
    if (_FIELD.search(asked) or _OPERATOR.search(asked)) and is_well_formed_query(asked):
        return Parameters({"search_query": asked}, any_of=False)
    phrases, words = _extract_terms(asked)
    many = len(words) > ALL_WORDS
    either = " OR ".join(words)
    terms = [*phrases, *([f"({either})" if phrases else either] if many else words)]
    return Parameters({"search_query": " AND ".join(terms)} if terms else {}, any_of=many)


def _extract_terms(asked: str) -> tuple[list[str], list[str]]:
    """Each phrase in quotation marks, and each telling word outside of them, once; any words if none tells."""
    phrases = PHRASE.findall(asked) if asked.count('"') % 2 == 0 else []
    quoted = [plain for phrase in phrases if (plain := " ".join(split_words(phrase)))]
    rest = _OPERATOR.sub(" ", _FIELD.sub(" ", PHRASE.sub(" ", asked) if phrases else asked))
    telling = content_words(rest) or (() if quoted else search_words(rest))
    return (
        [f'all:"{phrase}"' for phrase in dict.fromkeys(quoted)][:MOST_TERMS],
        [f"all:{word}" for word in telling][:MOST_TERMS],
    )


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

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` passages, in the order of the service.

        Raises:
            SourceUnavailable: nobody answered, something else than a feed came back, or a feed without the entries
                that it says there are, as happens now and then.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: it does not take the query; the text says why.
        """
        asked = build_arxiv_parameters(query)
        if not asked.sent:
            return SearchResults(warnings=(f"{self._spec.name}: {query!r} has no word to search for",))
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

    def _found(self, answer: Answer, limit: int, fitting: str) -> SearchResults:
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
