"""Search engine results: addresses with titles. An engine's description of a page is not even stored."""

import html
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import httpx

from elcano.activities.sources.http.answers import require_answer
from elcano.activities.sources.http.fetching import Answer, Service
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.report.works import canonicalize_page_url
from elcano.plugins.web.addresses import normalize_page_url

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
