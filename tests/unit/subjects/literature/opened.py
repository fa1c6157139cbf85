"""Sources of literature that ask a service on loopback, and what has to hold of all that they find."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pkgutil import resolve_name
from typing import Any

from hypothesis import strategies as st

from elcano.activities.sources.base import SearchResults, Source
from elcano.graphs.catalogue.sources import SOURCES
from elcano.settings import Settings
from tests.loopback import Answering, Loopback, Reply, loopback

_TEXTS = st.text("ab 1<&\x00\ud800é\n:/", max_size=8)
ANYTHING = st.recursive(
    st.sampled_from([None, True, -1, 0, 3, 10**30, 1.5]) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=5,
)
"""What a field may hold that should hold something else."""


@asynccontextmanager
async def opened(name: str, answering: Answering | Reply, **settings: Any) -> AsyncIterator[tuple[Source, Loopback]]:
    """The listed source `name`, which asks `answering`."""
    answer = (lambda _: answering) if isinstance(answering, Reply) else answering
    with loopback(answer) as served:
        chosen = Settings(_env_file=None, service_urls={name: served.url}, **settings)
        source: Source = resolve_name(SOURCES[name].opened_by)(SOURCES[name], chosen)
        try:
            yield source, served
        finally:
            await source.close()


async def found(
    name: str, answering: Answering | Reply, query: str = "whales", limit: int = 10, **more: Any
) -> SearchResults:
    """What a search finds; every passage is checked to be the part of its text that it says it is."""
    async with opened(name, answering, **more) as (source, _):
        return checked(await source.search(query, limit))


def checked(given: SearchResults) -> SearchResults:
    texts = {text.content_hash: text for text in given.texts}
    assert len(texts) == len(given.texts)
    assert len({passage.id for passage in given.evidence}) == len(given.evidence)
    for passage in given.evidence:
        text = texts[passage.content_hash]
        assert text.text[passage.start : passage.end] == passage.text
        assert sha256(text.text.encode()).hexdigest() == passage.content_hash
        assert passage.work is not None
        assert passage.document == (passage.work.identifiers.document or passage.document)
        assert passage.work.source == passage.source
    return given


def as_json(content: object, status: int = 200, **headers: str) -> Reply:
    return Reply(json.dumps(content), status=status, headers={"Content-Type": "application/json", **headers})
