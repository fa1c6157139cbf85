"""Searches of one source at once, searches that are given up, and answers as large as they may be."""

import asyncio
import functools
from pathlib import Path

import pytest

from elcano.graphs.catalogue.sources import MOST_RESULTS, SOURCES
from elcano.storage.evidence import Evidence
from elcano.storage.store import open_store
from tests.loopback import Asked, Reply
from tests.unit.subjects.literature.opened import as_json, checked, found, opened
from tests.unit.subjects.literature.test_arxiv import entry, feed
from tests.unit.subjects.literature.test_crossref import made as deposited
from tests.unit.subjects.literature.test_openalex import index, made
from tests.unit.subjects.literature.test_openalex import results as listed
from tests.unit.subjects.literature.test_wikipedia import article, service

LONG = "Whales sing for many hours in winter. "


def answer(name: str, request: Asked, delay: float = 0.0) -> Reply:
    """A result of each service."""
    replies = {
        "openalex": lambda: listed(made()),
        "crossref": lambda: as_json({"status": "ok", "message": {"items": [deposited()]}}),
        "arxiv": lambda: feed(entry()),
        "wikipedia": lambda: service(article())(request),
    }
    reply: Reply = replies[name]()
    return Reply(reply.body, headers=reply.headers, delay=delay)


@pytest.mark.parametrize("name", ["openalex", "crossref", "arxiv", "wikipedia"])
async def test_searches_at_once_and_one_that_is_given_up(name: str) -> None:
    first = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(request: Asked) -> Reply:
        loop.call_soon_threadsafe(first.set)
        return answer(name, request, delay=0.2)

    async with opened(name, slow) as (source, _):
        given_up = asyncio.create_task(source.search("whales", 5))
        await first.wait()
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        several = await asyncio.gather(*(source.search("whales", 5) for _ in range(3)))
    assert len({tuple(passage.id for passage in checked(one).evidence) for one in several}) == 1
    assert several[0].evidence


async def test_large_answers_are_cut_to_the_limit() -> None:
    text = LONG * 300
    works = [made(at, abstract_inverted_index=index(f"{at} {text}")) for at in range(55)]
    for limit in (1, MOST_RESULTS):
        given = await found("openalex", listed(*works), limit=limit)
        assert len(given.evidence) == limit
    items = [deposited(at, abstract=f"<p>{at} {text}</p>") for at in range(55)]
    given = await found("crossref", as_json({"message": {"items": items}}), limit=3)
    assert len(given.evidence) == 3
    sections = "\n".join(f"== Section {at} ==\n{LONG * 9}" for at in range(500))
    given = await found("wikipedia", service(article(1, sections), article(2, "Whales sing.")), limit=5)
    assert len(given.evidence) == 5
    assert {one.title for one in given.evidence} == {"Whales 1", "Whales 2"}


async def test_what_is_found_can_be_kept(tmp_path: Path) -> None:
    everything: list[Evidence] = []
    async with open_store(tmp_path) as store:
        evidence = store.of("default").evidence
        for name in ("openalex", "crossref", "arxiv", "wikipedia"):
            given = await found(name, functools.partial(answer, name))
            for _ in range(2):
                await evidence.add("run", given.evidence, given.texts)
            everything += given.evidence
        assert await evidence.of_run("run") == everything


async def test_the_same_answer_gives_the_same_ids() -> None:
    ids = [[passage.id for passage in (await found("arxiv", feed(entry()))).evidence] for _ in range(2)]
    assert ids[0] == ids[1]
    assert SOURCES["arxiv"].limits.side_by_side == 1
