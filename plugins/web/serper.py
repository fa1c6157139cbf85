"""Serper, Google's results. Any block of an answer may be absent, `organic` too; its answer boxes are not read."""

from typing import Final

from elcano.activities.sources.http.fetching import Service
from elcano.plugins.web.hits import HITS, Hits, Provider, get_result_list, hits_of, require_search_answer

VARIABLE: Final = "SERPER_API_KEY"


async def search_serper(service: Service, key: str, query: str) -> Hits:
    """Return Serper's organic results."""
    body = {"q": query, "num": HITS}
    answer = await service.ask("search", method="POST", headers={"X-API-KEY": key}, body=body)
    require_search_answer(answer, "serper", VARIABLE)
    found = answer.json("serper")
    if isinstance(found, dict) and "searchParameters" in found and "organic" not in found:
        return Hits()  # so it says that it found no page
    return Hits(hits_of(get_result_list("serper", found, "organic"), url="link")[:HITS])


PROVIDER: Final = Provider("serper", VARIABLE, "https://google.serper.dev", search_serper)
