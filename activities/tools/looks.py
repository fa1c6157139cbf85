"""The activities of looks: what the API asks outside any run, and a search that checks a source for its users."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from pydantic import BaseModel
from temporalio import activity

from elcano.activities.calls.heartbeats import send_heartbeats
from elcano.activities.calls.retry_classification import classify_failure
from elcano.activities.services import Services
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import Passing, as_taken, pass_without_waiting, search_source
from elcano.graphs.catalogue.looks import LOOK, LOOKS, LookCall
from elcano.graphs.plugin import resolve_function
from elcano.graphs.providers import CHECK_SOURCE, FoundPassage, SourceCheck, SourceChecked
from elcano.graphs.text import shorten_text
from elcano.storage.store import Store


class LookActivities:
    """The activity `look`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @activity.defn(name=LOOK)
    async def look(self, call: LookCall) -> BaseModel:
        """Does one look.

        Raises:
            ApplicationError: there is no such look here, or what is looked at is away.
        """
        async with send_heartbeats():
            try:
                spec = LOOKS[call.look]
                run: Callable[[Services, Any], Awaitable[BaseModel]] = resolve_function(spec.run)
                return await run(self._services, spec.input.model_validate(call.asked))
            except Exception as error:
                raise classify_failure(error) from None


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
