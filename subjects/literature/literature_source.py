"""The base of every literature source: query a service for works, keep those that fit, and return their passages.

Each service is a subclass in a file of its own, with only its specifics: its address, the parameters of every request,
its query syntax, and the parsing of its responses.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil
from typing import ClassVar, Final, NamedTuple

from elcano.activities.passages.search import PER_DOCUMENT, search_words
from elcano.activities.similarity.similar_passages import score_passages
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Answer, Fetcher, Service
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.settings.settings import Settings
from elcano.storage.evidence import Evidence
from elcano.subjects.literature.search_queries import SentQuery, prepare_query
from elcano.subjects.literature.service_answers import Shape, require_answered, validate_shape
from elcano.subjects.literature.work_records import Record, WorkRecord, build_stored_record, with_title_as_text
from elcano.text.stems import list_stems


class FoundWorks(NamedTuple):
    """The works that a service found, in its order."""

    records: Sequence[Record] = ()
    unread: int = 0
    """Number of works that were found and could not be read."""
    warnings: tuple[str, ...] = ()


class LiteratureSource(ABC):
    """One literature service. It is not contacted before the first search.

    Args:
        spec: the source's specification.
        settings: may name its key, a contact, and another address.
        fetcher: the HTTP client; without one it opens its own.
    """

    base: ClassVar[str]
    """The address that all paths are appended to."""
    parameters: ClassVar[Mapping[str, str]] = {}
    """Sent with every request."""
    email_parameter: ClassVar[str] = ""
    """The parameter for the contact, if that is an e-mail address; empty: none. The `User-Agent` has it too."""
    key_parameter: ClassVar[str] = ""
    key_header: ClassVar[str] = ""
    """The header for the service's key."""
    ranks_passages: ClassVar[bool] = False
    """Whether works have so many passages that they are compared with the query; otherwise the service's order stays.
    """
    reads_titles: ClassVar[bool] = False
    """Whether works without a text come last, by their title alone; otherwise they are dropped with a warning."""

    def __init__(self, spec: SourceSpec, settings: Settings, fetcher: Fetcher | None = None) -> None:
        self.spec = spec
        self.name = spec.name
        self.settings = settings
        self.service = Service(spec.name, self.base, settings, fetcher)
        self.key = settings.key(spec.key)
        credentials = {self.email_parameter: settings.email, self.key_parameter: self.key}
        self._told = {**self.parameters, **{name: value for name, value in credentials.items() if name and value}}
        self._headers = {self.key_header: self.key} if self.key_header and self.key else {}

    async def search(self, query: str, limit: int) -> SearchResults:
        """Return at most `limit` passages of the works that the service ranks best.

        Raises:
            SourceUnavailable: it did not answer, or not as it should.
            SourceBusy: it is down, overloaded, out of quota, or asks to wait.
            SourceRefused: it refuses the query or the key; its reason is in the message.
        """
        sent = self.prepare_query(query)
        if not sent.all_of:
            return SearchResults(warnings=(f"{self.name}: {query!r} has no word to search for",))
        found = await self.find_works(sent.all_of, limit)
        warnings: list[str] = []
        widened = not found.records and not found.unread and sent.any_of != ""
        if widened:
            found = await self.find_works(sent.any_of, limit)
            warnings.append(f"{self.name}: nothing has all words of the query, so any of them were searched for")
        warnings += found.warnings
        fitting, strange = keep_fitting_records(sent.words if widened or sent.loose else "", found.records)
        records, said = await self.complete_records(fitting)
        warnings += said
        return await asyncio.to_thread(self._select, sent.words, records, limit, warnings, found.unread, strange)

    async def close(self) -> None:
        """Close the connections."""
        await self.service.close()

    def prepare_query(self, query: str) -> SentQuery:
        """Return the service's form of `query`."""
        return prepare_query(query)

    @abstractmethod
    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the works that the service finds for a prepared query."""

    async def complete_records(self, records: Sequence[Record]) -> tuple[Sequence[Record], Sequence[str]]:
        """Return the kept works with further data requested for each, and warnings."""
        return records, ()

    async def fetch(
        self, path: str, params: Mapping[str, str], *, accepted: Collection[int] = (), service: Service | None = None
    ) -> Answer:
        """Return the response to a GET of `path`, if its status is a success or one of `accepted`."""
        answer = await (service or self.service).ask(path, params={**params, **self._told}, headers=self._headers)
        if answer.status not in accepted:
            self.require_answered(answer)
        return answer

    def require_answered(self, answer: Answer) -> None:
        """Return if the status is a success, or raise an error that explains it."""
        require_answered(self.name, answer)

    def parse_json(self, answer: Answer, shape: type[Shape]) -> Shape:
        """Parse the response's JSON as `shape`.

        Raises:
            SourceUnavailable: it is something else.
        """
        return validate_shape(self.name, shape, answer.json(self.name))

    def _select(
        self, words: str, records: Sequence[Record], limit: int, warnings: list[str], unread: int, strange: int
    ) -> SearchResults:
        now = time.time()
        silent = [one for one in records if not one.has_text]
        titles = [with_title_as_text(one) for one in silent if one.work.title] if self.reads_titles else []
        kept = [build_stored_record(self.name, one, now) for one in records if one.has_text]
        last = [build_stored_record(self.name, one, now) for one in titles]
        left_out = {
            "could not be read": unread + kept.count(None) + last.count(None),
            "share too few words with the query and are left out": strange,
            "have no abstract and are left out": len(silent) - len(titles),
        }
        warnings += [f"{self.name}: {count} of the works found {why}" for why, count in left_out.items() if count]
        if self.ranks_passages:
            return select_passages(words, kept, limit, warnings, last)
        return take_first_passages([*kept, *last], limit, warnings)


LEAST_SHARE: Final = 1 / 3
"""Minimum share of a query's telling words in a work, in any form: less is what one common word finds."""


def keep_fitting_records(query: str, records: Iterable[Record]) -> tuple[list[Record], int]:
    """Return the records that have a third of a query's words, in their order, and the number of the others.

    A service that is queried for any of the words always returns some works. Words of a title, a text, authors and a
    venue count. A query without words keeps all.
    """
    asked = set(list_stems(" ".join(search_words(query))))
    given = list(records)
    needed = ceil(len(asked) * LEAST_SHARE)
    kept = [record for record in given if len(asked.intersection(_collect_record_stems(record))) >= needed]
    return kept, len(given) - len(kept)


def take_first_passages(works: Iterable[WorkRecord | None], limit: int, warnings: Sequence[str] = ()) -> SearchResults:
    """Return the first `limit` passages in the order of the works; scores fall with the rank."""
    kept = _drop_repeated_works(works)
    return _build_results([passage for work in kept for passage in work.passages][:limit], kept, warnings)


def select_passages(
    query: str,
    works: Iterable[WorkRecord | None],
    limit: int,
    warnings: Sequence[str] = (),
    last: Iterable[WorkRecord | None] = (),
) -> SearchResults:
    """Return the `limit` passages that fit `query` best; more than three from one work only if others run out.

    Those of `last` come after all others.
    """
    kept, titles = _drop_repeated_works(works), _drop_repeated_works(last)
    pool = [passage for work in kept for passage in work.passages]
    fits = score_passages(query, pool)
    order = [*fits, *(at for at in range(len(pool)) if at not in fits)]
    taken: Counter[str] = Counter()
    front: list[Evidence] = []
    back: list[Evidence] = []
    for passage in (pool[at] for at in order):
        taken[passage.document] += 1
        (front if taken[passage.document] <= PER_DOCUMENT else back).append(passage)
    chosen = [*front, *back, *(passage for work in titles for passage in work.passages)]
    return _build_results(chosen[:limit], [*kept, *titles], warnings)


def _collect_record_stems(record: Record) -> set[str]:
    work = record.work
    said = (work.title, *work.authors, work.venue, work.publisher, work.published)
    return set(list_stems(" ".join((*said, *(block.text for block in record.blocks)))))


def _drop_repeated_works(works: Iterable[WorkRecord | None]) -> list[WorkRecord]:
    """Drop works that a service named twice."""
    kept: dict[str, WorkRecord] = {}
    for work in works:
        if work is not None:
            kept.setdefault(work.passages[0].id, work)
    return list(kept.values())


def _build_results(passages: Sequence[Evidence], works: Sequence[WorkRecord], warnings: Sequence[str]) -> SearchResults:
    hashes = {passage.content_hash for passage in passages}
    texts = {work.text.content_hash: work.text for work in works if work.text.content_hash in hashes}
    scored = (passage.model_copy(update={"score": 1 / rank}) for rank, passage in enumerate(passages, 1))
    return SearchResults(evidence=tuple(scored), texts=tuple(texts.values()), warnings=tuple(warnings))
