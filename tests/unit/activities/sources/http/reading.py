"""One request of a fetcher of its own, to a service on loopback as if it were in the internet."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from elcano.activities.sources.http.fetching import Answer, Fetcher
from elcano.settings import Settings
from tests.internet import Internet


def chosen(**values: Any) -> Settings:
    """Nothing is kept, unless a test says how much."""
    return Settings(_env_file=None, **{"page_cache_mb": 0, **values})


@asynccontextmanager
async def fetching(url: str, **values: Any) -> AsyncIterator[Fetcher]:
    """A fetcher to whom every name leads to the service at `url`."""
    fetcher = Fetcher(chosen(**values), Internet(url).network)
    try:
        yield fetcher
    finally:
        await fetcher.close()


async def fetched(url: str, *, address: str = "http://example.com/", **asked: Any) -> Answer:
    """What the service at `url` answers."""
    async with fetching(url) as fetcher:
        return await fetcher.fetch("test", address, **asked)
