"""SearXNG, an instance of your own: it asks other search engines, and needs no key but JSON in its `search.formats`.

With all its engines down it answers 200 and an empty list; only `unresponsive_engines` shows that this does not mean
"nothing found". It has commands in queries: two exclamation marks would redirect to another site.
"""

import re
from typing import Any, Final

from elcano.activities.sources.http.fetching import Service
from elcano.graphs.errors import SourceBusy, SourceRefused
from elcano.plugins.web.hits import HITS, Hits, Provider, get_result_list, hits_of, require_search_answer

_LEADS_AWAY: Final = re.compile(r"(?<!\S)!!+")


async def search_searxng(service: Service, key: str, query: str) -> Hits:
    """Return the first page of its general results."""
    params = {"q": _LEADS_AWAY.sub("", query), "format": "json"}
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


PROVIDER: Final = Provider("searxng", "", "", search_searxng)
