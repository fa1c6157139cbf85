"""A source of literature that asks a service on loopback."""

from collections.abc import Callable, Sequence
from pkgutil import resolve_name

from elcano.activities.sources.base import SearchResults, Source
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.report.works import Work
from elcano.settings import Settings
from tests.loopback import Answering, Asked, Loopback, Reply, loopback

HTML = Reply("<!DOCTYPE html><html><body>Bad gateway</body></html>", headers={"Content-Type": "text/html"})


async def searched(
    name: str, answering: Answering, query: str = "whale song", limit: int = 8, contact: str = ""
) -> tuple[SearchResults, Sequence[Asked]]:
    """What the source `name` finds, and what it asked."""
    with loopback(answering) as service:
        source = opened(name, service, contact)
        try:
            found = await source.search(query, limit)
        finally:
            await source.close()
    checked(found)
    return found, service.asked


def opened(name: str, service: Loopback, contact: str = "") -> Source:
    settings = Settings(_env_file=None, service_urls={name: service.url}, contact=contact)
    source: Source = resolve_name(SOURCES[name].opened_by)(SOURCES[name], settings)
    return source


def checked(found: SearchResults) -> None:
    """Every passage is the part of its text that it says it is."""
    texts = {text.content_hash: text.text for text in found.texts}
    for passage in found.evidence:
        assert texts[passage.content_hash][passage.start : passage.end] == passage.text
        assert passage.work is not None
    assert {passage.content_hash for passage in found.evidence} == texts.keys()
    assert len({passage.id for passage in found.evidence}) == len(found.evidence)


def works(found: SearchResults) -> list[Work]:
    return [passage.work for passage in found.evidence if passage.work is not None]


def replying(*replies: Reply) -> Callable[[Asked], Reply]:
    """Each in turn, the last one again and again."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]
