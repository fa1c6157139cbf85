"""Asks a search provider for pages: the first one configured, and the next one when it fails.

No answer is never the same as no results.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from elcano.activities.sources.http.fetching import Fetcher, Service
from elcano.graphs.errors import ActivityFault, SourceBusy, SourceRefused, SourceUnavailable
from elcano.plugins.web import brave, exa, searxng, serper, tavily
from elcano.plugins.web.hits import Hits, Provider
from elcano.settings.environment import read_key_variable
from elcano.settings.settings import Settings

PROVIDERS: Final[tuple[Provider, ...]] = (
    searxng.PROVIDER,
    brave.PROVIDER,
    tavily.PROVIDER,
    exa.PROVIDER,
    serper.PROVIDER,
)
"""The providers in the order of use: the operator's own first, then those that charge per search."""


class ConfiguredProvider(NamedTuple):
    """A provider that can be used here."""

    provider: Provider
    service: Service
    key: str


def list_configured_providers(settings: Settings, fetcher: Fetcher) -> tuple[ConfiguredProvider, ...]:
    """Return the providers that have what they need, in order."""
    found = ((one, read_key_variable(one.variable) if one.variable else "") for one in PROVIDERS)
    return tuple(
        ConfiguredProvider(one, Service(one.name, one.base, settings, fetcher), secret)
        for one, secret in found
        if secret or (not one.variable and settings.service_urls.get(one.name))
    )


async def search_with_fallback(source: str, query: str, providers: Sequence[ConfiguredProvider]) -> Hits:
    """Return the results of the first provider that answers; a warning names each one that failed before it.

    Raises:
        SourceBusy: none answered, and one of them may later.
        SourceUnavailable: none answered, for temporary reasons.
        SourceRefused: none will ever answer with this configuration, or none is configured.
    """
    failures: list[ActivityFault] = []
    for one in providers:
        try:
            found = await one.provider.search(one.service, one.key, query)
        except (SourceUnavailable, SourceRefused) as error:
            failures.append(error)
            continue
        said = [f"{source}: {error}" for error in failures]
        said += [f"{source}: {one.provider.name}: {warning}" for warning in found.warnings]
        if not found.hits:
            said.append(f"{source}: {one.provider.name} found no page for {query!r}")
        return Hits(found.hits, tuple(said))
    raise _none_answered(source, failures)


def _none_answered(source: str, failures: Sequence[ActivityFault]) -> ActivityFault:
    said = f"{source}: no search engine answered ({'; '.join(str(error) for error in failures) or 'there is none'})"
    busy = [error.retry_after for error in failures if isinstance(error, SourceBusy)]
    if busy:
        waits = [wait for wait in busy if wait is not None]
        return SourceBusy(said, min(waits) if len(waits) == len(busy) else None)
    if any(isinstance(error, SourceUnavailable) for error in failures):
        return SourceUnavailable(said)
    return SourceRefused(said)
