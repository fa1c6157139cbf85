"""Asks a search provider for pages: the first one configured, and the next one when it fails.

No answer is never the same as no results. Results are addresses with titles: an engine's description of a page is not
even stored.
"""

import html
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import httpx

from elcano.activities.sources.http.answers import require_answer
from elcano.activities.sources.http.fetching import Answer, Fetcher, Service
from elcano.activities.sources.http.trust_guard import get_trust
from elcano.graphs.errors import ActivityFault, SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.report.works import canonicalize_page_url
from elcano.settings.environment import read_key_variable
from elcano.settings.settings import Settings
from elcano.subjects.web.addresses import normalize_page_url

HITS: Final = 10
"""Number of pages requested: what every provider returns in one response."""
QUOTA_SECONDS: Final = 3_600.0
"""When a provider without quota is asked again: none renews a quota sooner, and one may be bought at any time."""
_TITLE_CHARACTERS: Final = 200
_TAG: Final = re.compile(r"<[^<>]{0,200}>")


class Hit(NamedTuple):
    """A page that may be worth reading."""

    url: str
    """http or https."""
    title: str
    """The title from the search engine, without markup; it may be empty."""


class Hits(NamedTuple):
    """The results of one provider."""

    hits: tuple[Hit, ...] = ()
    """The hits, best first, no address twice."""
    warnings: tuple[str, ...] = ()
    """Warnings about what the provider could not search, without its name."""


@dataclass(frozen=True)
class Provider:
    """One search engine."""

    name: str
    variable: str
    """The variable of its key; empty: it is used wherever the settings give it an address."""
    base: str
    """Its public address; empty: each installation has its own."""
    search: Callable[[Service, str, str], Awaitable[Hits]]
    """Query the service, with the key.

    Raises:
        SourceUnavailable: it does not answer, or the response cannot be parsed.
        SourceBusy: it is overloaded, out of quota or asks to wait.
        SourceRefused: it will never answer: a wrong key, a wrong set-up.
    """


def require_search_answer(answer: Answer, name: str, variable: str) -> None:
    """Return if `answer` is a success; for providers whose statuses have the usual meaning.

    Raises:
        SourceRefused: the key is refused.
        SourceBusy: there is no quota left, or it asks to wait.
    """
    if answer.status in (401, 403):
        refused = f"the key in {variable} is refused" if variable else "it refuses to be asked"
        raise SourceRefused(f"{name}: HTTP {answer.status}: {refused}")
    if answer.status == 402:
        raise out_of_quota(name, answer.status)
    require_answer(name, httpx.Response(answer.status, headers=answer.headers))


def out_of_quota(name: str, status: int) -> SourceBusy:
    """Return the error of a provider that requires payment."""
    return SourceBusy(f"{name}: HTTP {status}: no quota is left", QUOTA_SECONDS)


def get_result_list(name: str, found: Any, *path: str) -> list[Any]:
    """Return the list at `path` of a response.

    Raises:
        SourceUnavailable: there is none, so this is no answer to a search.
    """
    at = found
    for key in path:
        at = at.get(key) if isinstance(at, dict) else None
    if not isinstance(at, list):
        raise SourceUnavailable(f"{name}: the answer has no list {'.'.join(path)!r}")
    return at


def hits_of(rows: Iterable[Any], url: str = "url") -> tuple[Hit, ...]:
    """Return the rows that name a page: others are boxes, pictures and the like."""
    found: dict[str, Hit] = {}
    for hit in _parse_hit_rows(rows, url):
        found.setdefault(canonicalize_page_url(hit.url), hit)
    return tuple(found.values())


def _parse_hit_rows(rows: Iterable[Any], url: str) -> Iterator[Hit]:
    for row in rows:
        if isinstance(row, dict) and (found := normalize_page_url(row.get(url))):
            yield Hit(found, clean_hit_title(row.get("title")))


def clean_hit_title(value: object) -> str:
    """Remove tags, entities and line breaks from a title; empty if it is no text."""
    if not isinstance(value, str):
        return ""
    return " ".join(html.unescape(_TAG.sub("", value[: 4 * _TITLE_CHARACTERS])).split())[:_TITLE_CHARACTERS]


BRAVE_KEY: Final = "BRAVE_API_KEY"
BRAVE_WORDS: Final = 50
"""Maximum number of words of a query; Brave refuses more."""
_DAY_SECONDS: Final = 86_400
MOST_CHARACTERS: Final = 400
"""Maximum characters of a query; Brave refuses more."""
MOST_SITES: Final = 5
"""Allowed domains that an engine is sent; of more, each would take its share of a query."""


def list_sites() -> list[str]:
    """The domains that the run allows, for an engine to look there alone; empty if there are none, or too many."""
    sites = [entry.removeprefix("*.") for entry in get_trust().allowed_domains]
    return sites if len(sites) <= MOST_SITES and len("".join(sites)) <= MOST_CHARACTERS // 3 else []


def add_sites(query: str) -> str:
    """A query with the domains that the run allows, as search engines know them."""
    sites = " OR ".join(f"site:{site}" for site in list_sites())
    return f"{query[: MOST_CHARACTERS - len(sites) - 3]} ({sites})" if sites else query


async def search_brave(service: Service, key: str, query: str) -> Hits:
    """Return Brave's web results."""
    words = query.split()[: BRAVE_WORDS - 2 * len(list_sites())]
    params = {"q": add_sites(" ".join(words)), "count": str(HITS), "result_filter": "web"}
    answer = await service.ask("res/v1/web/search", params=params, headers={"X-Subscription-Token": key})
    if answer.status == 429 and _used_up(answer):
        raise out_of_quota("brave", answer.status)
    if answer.status == 422:
        raise SourceRefused(f"brave: HTTP 422: it refuses the query, or the key in {BRAVE_KEY}")
    require_search_answer(answer, "brave", BRAVE_KEY)
    found = answer.json("brave")
    if isinstance(found, dict) and found.get("type") == "search" and "web" not in found:
        return Hits()  # so it says that it found no page
    return Hits(hits_of(get_result_list("brave", found, "web", "results"))[:HITS])


def _used_up(answer: Answer) -> bool:
    """Whether nothing is left of a window that is longer than a day."""
    remaining, resets = (
        [part.strip() for part in str(answer.headers.get(f"x-ratelimit-{name}", "")).split(",")]
        for name in ("remaining", "reset")
    )
    windows = zip(remaining, resets, strict=False)
    return any(left == "0" and reset.isdecimal() and int(reset) > _DAY_SECONDS for left, reset in windows)


BRAVE: Final = Provider("brave", BRAVE_KEY, "https://api.search.brave.com", search_brave)


EXA_KEY: Final = "EXA_API_KEY"


async def search_exa(service: Service, key: str, query: str) -> Hits:
    """Return Exa's results without contents, which it sells separately."""
    body: dict[str, Any] = {"query": query, "numResults": HITS}
    if sites := list_sites():
        body["includeDomains"] = sites
    answer = await service.ask("search", method="POST", headers={"x-api-key": key}, body=body)
    require_search_answer(answer, "exa", EXA_KEY)
    return Hits(hits_of(get_result_list("exa", answer.json("exa"), "results"))[:HITS])


EXA: Final = Provider("exa", EXA_KEY, "https://api.exa.ai", search_exa)


_LEADS_AWAY: Final = re.compile(r"(?<!\S)!!+")


async def search_searxng(service: Service, key: str, query: str) -> Hits:
    """Return the first page of its general results.

    An instance of your own: it asks other search engines, and needs no key but JSON in its `search.formats`. With all
    its engines down it answers 200 and an empty list; only `unresponsive_engines` shows that. It has commands in
    queries: two exclamation marks would redirect to another site.
    """
    params = {"q": add_sites(_LEADS_AWAY.sub("", query)), "format": "json"}
    answer = await service.ask("search", params=params)
    if answer.status == 403:
        raise SourceRefused("searxng: HTTP 403: add `json` to `search.formats` in its settings.yml")
    require_search_answer(answer, "searxng", "")
    found = answer.json("searxng")
    hits = hits_of(get_result_list("searxng", found, "results"))[:HITS]
    silent = _format_silent_engines(found.get("unresponsive_engines"))
    if silent and not hits:
        raise SourceBusy(f"searxng: none of its engines answered ({'; '.join(silent)})")
    return Hits(hits, tuple(f"its engine {one}" for one in silent))


def _format_silent_engines(engines: Any) -> list[str]:
    """List `engine: reason` of each engine that did not answer; older versions list only names."""
    rows = engines if isinstance(engines, list) else []
    return [": ".join(str(part) for part in row) if isinstance(row, list) else str(row) for row in rows[:HITS]]


SEARXNG: Final = Provider("searxng", "", "", search_searxng)


SERPER_KEY: Final = "SERPER_API_KEY"


async def search_serper(service: Service, key: str, query: str) -> Hits:
    """Return Serper's organic results."""
    body = {"q": add_sites(query), "num": HITS}
    answer = await service.ask("search", method="POST", headers={"X-API-KEY": key}, body=body)
    require_search_answer(answer, "serper", SERPER_KEY)
    found = answer.json("serper")
    if isinstance(found, dict) and "searchParameters" in found and "organic" not in found:
        return Hits()  # so it says that it found no page
    return Hits(hits_of(get_result_list("serper", found, "organic"), url="link")[:HITS])


SERPER: Final = Provider("serper", SERPER_KEY, "https://google.serper.dev", search_serper)


TAVILY_KEY: Final = "TAVILY_API_KEY"


async def search_tavily(service: Service, key: str, query: str) -> Hits:
    """Return Tavily's results; neither its answers nor its extracts are requested.

    Its own statuses 432 and 433 mean that a plan or a custom limit is used up.
    """
    body: dict[str, Any] = {"query": query, "max_results": HITS, "search_depth": "basic"}
    if sites := list_sites():
        body["include_domains"] = sites
    headers = {"Authorization": f"Bearer {key}"}
    answer = await service.ask("search", method="POST", headers=headers, body=body)
    if answer.status in (432, 433):
        raise out_of_quota("tavily", answer.status)
    require_search_answer(answer, "tavily", TAVILY_KEY)
    return Hits(hits_of(get_result_list("tavily", answer.json("tavily"), "results"))[:HITS])


TAVILY: Final = Provider("tavily", TAVILY_KEY, "https://api.tavily.com", search_tavily)


PROVIDERS: Final[tuple[Provider, ...]] = (
    SEARXNG,
    BRAVE,
    TAVILY,
    EXA,
    SERPER,
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
