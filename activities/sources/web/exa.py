"""Exa. Its scores are unordered or missing and its dates sometimes invented: only its order is used."""

from typing import Final

from elcano.activities.sources.http.fetching import Service
from elcano.activities.sources.web.hits import HITS, Hits, Provider, hits_of, listed, require

VARIABLE: Final = "EXA_API_KEY"


async def search(service: Service, key: str, query: str) -> Hits:
    """Its results without contents, which it would sell beside."""
    body = {"query": query, "numResults": HITS}
    answer = await service.ask("search", method="POST", headers={"x-api-key": key}, body=body)
    require(answer, "exa", VARIABLE)
    return Hits(hits_of(listed("exa", answer.json("exa"), "results"))[:HITS])


PROVIDER: Final = Provider("exa", VARIABLE, "https://api.exa.ai", search)
