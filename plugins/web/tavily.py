"""Tavily. Its own statuses 432 and 433 mean that a plan or a custom limit is used up."""

from typing import Final

from elcano.activities.sources.http.fetching import Service
from elcano.plugins.web.hits import (
    HITS,
    Hits,
    Provider,
    get_result_list,
    hits_of,
    out_of_quota,
    require_search_answer,
)

VARIABLE: Final = "TAVILY_API_KEY"


async def search_tavily(service: Service, key: str, query: str) -> Hits:
    """Return Tavily's results; neither its answers nor its extracts are requested."""
    body = {"query": query, "max_results": HITS, "search_depth": "basic"}
    headers = {"Authorization": f"Bearer {key}"}
    answer = await service.ask("search", method="POST", headers=headers, body=body)
    if answer.status in (432, 433):
        raise out_of_quota("tavily", answer.status)
    require_search_answer(answer, "tavily", VARIABLE)
    return Hits(hits_of(get_result_list("tavily", answer.json("tavily"), "results"))[:HITS])


PROVIDER: Final = Provider("tavily", VARIABLE, "https://api.tavily.com", search_tavily)
