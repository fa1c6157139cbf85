"""Checks a source with one search outside any run, for users who want to see whether it finds anything."""

import time
from typing import Final

from temporalio import activity

from elcano.activities.calls.failures import classify_failure
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.search import Passing, as_taken, pass_without_waiting, search_source
from elcano.graphs.providers import CHECK_SOURCE, FoundPassage, SourceCheck, SourceChecked
from elcano.graphs.text import shorten_text
from elcano.storage.store import Store

EXCERPT_CHARACTERS: Final = 300


class CheckActivities:
    """The activity `check_source`; it goes by the provider's rate and waits as every search does."""

    def __init__(self, store: Store, sources: Sources, *, passing: Passing = pass_without_waiting) -> None:
        self._store = store
        self._sources = sources
        self._passing = passing

    @activity.defn(name=CHECK_SOURCE)
    async def check_source(self, check: SourceCheck) -> SourceChecked:
        """Searches once and keeps nothing of it.

        Raises:
            ApplicationError: sorted as any search's failure.
        """
        try:
            source = self._sources.get(check.source)
            query, cut = as_taken(check.query, source.spec)
            async with self._passing(source.spec):
                began = time.monotonic()
                limit = min(check.limit, source.spec.limits.results)
                found = await search_source(source, self._store.of(check.tenant), "", query, limit)
                seconds = time.monotonic() - began
        except Exception as error:
            raise classify_failure(error) from None
        passages = tuple(
            FoundPassage(
                title=shorten_text(one.title, EXCERPT_CHARACTERS),
                locator=one.locator,
                excerpt=shorten_text(" ".join(one.text.split()), EXCERPT_CHARACTERS),
            )
            for one in found.evidence
        )
        return SourceChecked(query=query, passages=passages, warnings=(*cut, *found.warnings), seconds=seconds)
