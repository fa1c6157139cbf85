"""ClinicalTrials.gov as a source: studies of the registry, by passages of what they ask, plan and found.

A search is one request, and a second one where nothing has all words of a plain query. A query that is the number of a
study is answered by that study; an old number leads to the one that it has now.
"""

import asyncio
import re
import time
from collections.abc import Sequence
from typing import Final

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Fetcher, Service
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.plugins.literature.clinical_trials.shapes import Page, Study
from elcano.plugins.literature.clinical_trials.studies import build_trial_record
from elcano.plugins.literature.passage_selection import select_fitting_passages
from elcano.plugins.literature.relevance import left_out, on_subject
from elcano.plugins.literature.service_answers import (
    json_of,
    parse_readable_items,
    request_answer,
    validate_shape,
)
from elcano.plugins.literature.service_queries import any_was_enough, prepare_query
from elcano.plugins.literature.work_records import build_stored_record
from elcano.settings import Settings

BASE: Final = "https://clinicaltrials.gov/api/v2/"
MOST_STUDIES: Final = 10
"""Of one search: each is cut into many passages, and one with results may have a megabyte."""

_NUMBER: Final = re.compile(r"\s*(NCT\d{8})\s*", re.IGNORECASE)


class ClinicalTrials:
    """The registry of the National Library of Medicine."""

    def __init__(self, spec: SourceSpec, settings: Settings, fetcher: Fetcher | None = None) -> None:
        self._spec = spec
        self._service = Service(spec.name, BASE, settings, fetcher)

    @property
    def spec(self) -> SourceSpec:
        """The source's specification."""
        return self._spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """At most `limit` passages of the studies that the registry ranks best.

        Raises:
            SourceUnavailable: it did not answer, or not as it should.
            SourceBusy: it is down, overloaded or asks to wait.
            SourceRefused: it refuses the query; what it says of that is told.
        """
        name = self._spec.name
        if (number := _NUMBER.fullmatch(query)) is not None:
            return await self._one(number[1].upper(), limit)
        first = prepare_query(query)
        if not first.all_of:
            return SearchResults(warnings=(f"{name}: {query!r} has no word to search for",))
        studies, warnings = await self._studies(first.all_of, limit)
        widened = not studies and not warnings and first.any_of != ""
        if widened:
            studies, warnings = await self._studies(first.any_of, limit)
            warnings = (any_was_enough(name), *warnings)
        return await asyncio.to_thread(self._found, query, studies, limit, warnings, query if widened else "")

    async def close(self) -> None:
        """Closes its connections."""
        await self._service.close()

    async def _studies(self, term: str, limit: int) -> tuple[list[Study], tuple[str, ...]]:
        params = {"query.term": term, "pageSize": str(min(limit, MOST_STUDIES)), "format": "json"}
        got = await request_answer(self._service, "studies", params)
        page = validate_shape(self._spec.name, Page, json_of(self._spec.name, got))
        return parse_readable_items(self._spec.name, Study, page.studies)

    async def _one(self, number: str, limit: int) -> SearchResults:
        name = self._spec.name
        got = await request_answer(self._service, f"studies/{number}", {"format": "json"}, absent=(404,))
        if got.status == 404:
            return SearchResults(warnings=(f"{name}: there is no study {number}",))
        study = validate_shape(name, Study, json_of(name, got))
        now = study.protocol.identification.nctId
        moved = (f"{name}: {number} is now {now}",) if now.upper() != number else ()
        return await asyncio.to_thread(self._found, "", [study], limit, moved)

    def _found(
        self, query: str, studies: Sequence[Study], limit: int, warnings: Sequence[str], widened: str = ""
    ) -> SearchResults:
        """Return passages of the studies; for a `widened` query only of those that share enough words with it."""
        name, now = self._spec.name, time.time()
        records, strange = on_subject(widened, (build_trial_record(study) for study in studies))
        kept = [build_stored_record(name, one, now) for one in records]
        left = left_out(name, unread=kept.count(None), strange=strange, silent=0)
        return select_fitting_passages(query, kept, limit, (*warnings, *left))


def open_source(spec: SourceSpec, settings: Settings) -> ClinicalTrials:
    """ClinicalTrials.gov. Nothing is asked before the first search."""
    return ClinicalTrials(spec, settings)
