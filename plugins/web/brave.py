"""Brave Search. Its rate limits come in headers, as two windows separated by a comma: a second and a month."""

from typing import Final

from elcano.activities.sources.http.fetching import Answer, Service
from elcano.graphs.errors import SourceRefused
from elcano.plugins.web.hits import (
    HITS,
    Hits,
    Provider,
    get_result_list,
    hits_of,
    out_of_quota,
    require_search_answer,
)

VARIABLE: Final = "BRAVE_API_KEY"
MOST_WORDS: Final = 50
"""Maximum number of words of a query; Brave refuses more."""
_DAY: Final = 86_400


async def search_brave(service: Service, key: str, query: str) -> Hits:
    """Return Brave's web results."""
    params = {"q": " ".join(query.split()[:MOST_WORDS]), "count": str(HITS), "result_filter": "web"}
    answer = await service.ask("res/v1/web/search", params=params, headers={"X-Subscription-Token": key})
    if answer.status == 429 and _used_up(answer):
        raise out_of_quota("brave", answer.status)
    if answer.status == 422:
        raise SourceRefused(f"brave: HTTP 422: it refuses the query, or the key in {VARIABLE}")
    require_search_answer(answer, "brave", VARIABLE)
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
    return any(left == "0" and reset.isdecimal() and int(reset) > _DAY for left, reset in windows)


PROVIDER: Final = Provider("brave", VARIABLE, "https://api.search.brave.com", search_brave)
