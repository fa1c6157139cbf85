"""Exa. Its scores are unordered or missing and its dates sometimes invented: only its order is used."""

from typing import Final

from elcano.activities.sources.http.fetching import Service
from elcano.plugins.web.hits import HITS, Hits, Provider, get_result_list, hits_of, require_search_answer

VARIABLE: Final = "EXA_API_KEY"


async def search_exa(service: Service, key: str, query: str) -> Hits:
    """Return Exa's results without contents, which it sells separately."""
    body = {"query": query, "numResults": HITS}
    answer = await service.ask("search", method="POST", headers={"x-api-key": key}, body=body)
    require_search_answer(answer, "exa", VARIABLE)
    return Hits(hits_of(get_result_list("exa", answer.json("exa"), "results"))[:HITS])


PROVIDER: Final = Provider("exa", VARIABLE, "https://api.exa.ai", search_exa)
