"""The source `crawl`: some pages of one site, politely."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest

from elcano.activities.sources.http.fetching import Fetcher
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.subjects.web.opening import CRAWLED_PAGES, DEPTH, TRIES, CrawlSource
from elcano.subjects.web.page_reader import Robots
from tests.loopback import Loopback, Reply, loopback
from tests.unit.subjects.web.site import FILLER, HTML, ROBOTS, Here, html, serving, settings

KRILL = "Krill swim in swarms so dense that they colour the sea."


def linking(*links: str, text: str = FILLER) -> Reply:
    anchors = "".join(f"<a href='{link}'>more</a> " for link in links)
    return Reply(html(text, FILLER, body=f"<footer>{anchors}</footer>"), headers=HTML)


@asynccontextmanager
async def opened(pages: Mapping[str, Reply]) -> AsyncIterator[tuple[CrawlSource, Loopback]]:
    with loopback(serving(pages)) as site:
        fetcher = Fetcher(settings())
        source = CrawlSource(SOURCES["crawl"], fetcher, Here("crawl", fetcher, trusted=True), trusted=True)
        try:
            yield source, site
        finally:
            await source.close()


def visited(site: Loopback) -> list[str]:
    return [asked.path for asked in site.asked if asked.path not in (ROBOTS, "/menu")]


async def test_pages_are_followed_as_deep_as_allowed() -> None:
    pages = {f"/{n}": linking(f"/{n + 1}", text=f"{KRILL} Page {n}.") for n in range(DEPTH + 3)}
    async with opened(pages) as (source, site):
        found = await source.search(f"{site.url}/0 krill swarms", 10)
    assert visited(site) == [f"/{n}" for n in range(DEPTH + 1)]
    assert {passage.locator for passage in found.evidence} == {f"{site.url}/{n}" for n in range(DEPTH + 1)}
    texts = {text.content_hash: text.text for text in found.texts}
    assert all(texts[one.content_hash][one.start : one.end] == one.text for one in found.evidence)


async def test_no_more_pages_are_read_than_the_bound() -> None:
    pages = {"/": linking(*(f"/{n}" for n in range(60)))} | {f"/{n}": linking("/", text=KRILL) for n in range(60)}
    async with opened(pages) as (source, site):
        found = await source.search(f"{site.url}/ krill", 50)
    assert len(visited(site)) == CRAWLED_PAGES - 1 + 1
    assert len(found.texts) == CRAWLED_PAGES


async def test_pages_that_cannot_be_read_are_bounded_too() -> None:
    async with opened({"/": linking(*(f"/dead-{n}" for n in range(60)), text=KRILL)}) as (source, site):
        found = await source.search(f"{site.url}/ krill", 5)
    assert len(visited(site)) <= TRIES
    assert len(found.evidence) == 1
    assert "more pages were left out" in found.warnings[-1]


async def test_other_hosts_are_not_crawled() -> None:
    with loopback(serving({})) as other:
        links = (f"{other.url.replace('127.0.0.1', 'localhost')}/x", "mailto:a@b.example", "//localhost:1/y")
        async with opened({"/a": linking(*links, text=KRILL)}) as (source, site):
            found = await source.search(f"{site.url}/a krill", 5)
        assert visited(site) == ["/a"]
        assert other.asked == []
    assert len(found.evidence) == 1


async def test_links_with_words_of_the_query_come_first() -> None:
    pages = {"/": linking("/rope/", "/sails", "/on-krill-and-whales", "/krill")}
    async with opened(pages) as (source, site):
        await source.search(f"{site.url}/ krill whales", 5)
    assert visited(site)[:3] == ["/", "/on-krill-and-whales", "/krill"]


async def test_a_circle_of_links_is_walked_once() -> None:
    pages = {"/a": linking("/b", "/a#top", "/a?utm_source=x"), "/b": linking("/a", "/b")}
    async with opened(pages) as (source, site):
        await source.search(f"{site.url}/a log", 5)
    assert visited(site) == ["/a", "/b"]


async def test_what_robots_may_not_read_is_not_read() -> None:
    pages = {
        ROBOTS: Reply("User-agent: elcano\nDisallow: /private\n"),
        "/a": linking("/private/b", "/c", text=KRILL),
        "/c": linking(text=KRILL),
        "/private/b": linking(text=KRILL),
    }
    async with opened(pages) as (source, site):
        found = await source.search(f"{site.url}/a krill", 5)
        assert "/private/b" not in visited(site)
        assert any("/private/b was left out" in warning and "robots.txt" in warning for warning in found.warnings)
        with pytest.raises(SourceRefused, match=r"robots\.txt"):
            await source.search(f"{site.url}/private/b krill", 5)


async def test_a_site_that_wants_long_pauses_is_not_crawled() -> None:
    pages = {ROBOTS: Reply("User-agent: *\nCrawl-delay: 10\n"), "/a": linking("/b", text=KRILL), "/b": linking()}
    async with opened(pages) as (source, site):
        found = await source.search(f"{site.url}/a krill", 5)
    assert visited(site) == ["/a"]
    assert found.warnings == (f"crawl: only {site.url}/a was read: its site wants 10 s between pages",)
    assert len(found.evidence) == 1


async def test_the_pause_that_a_site_wants_is_kept_between_its_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[tuple[str, float, int]] = []
    pages = {ROBOTS: Reply("User-agent: *\nCrawl-delay: 1\n"), "/a": linking("/b", "/c", text=KRILL)}
    pages |= {"/b": linking(text=KRILL), "/c": linking(text=KRILL)}
    async with opened(pages) as (source, site):

        async def take_turn(_: Robots, url: str, pause: float) -> None:
            turns.append((url.removeprefix(site.url), pause, len(visited(site))))

        monkeypatch.setattr(Robots, "take_turn", take_turn)
        await source.search(f"{site.url}/a krill", 5)
    assert [turn for turn in turns if turn[0] != "/menu"] == [("/a", 1.0, 0), ("/b", 1.0, 1), ("/c", 1.0, 2)]


async def test_two_crawls_of_a_site_share_its_pauses() -> None:
    now, waited = [100.0], list[float]()

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    robots = Robots(Fetcher(settings()), lambda: now[0], sleep)
    for url in ("https://a.example/1", "https://a.example/2", "https://b.example/1", "https://a.example/3"):
        await robots.take_turn(url, 2.0)
    now[0] += 30.0
    await robots.take_turn("https://a.example/4", 2.0)
    assert waited == [2.0, 4.0]


async def test_the_page_that_was_named_has_to_be_read() -> None:
    async with opened({"/later": Reply("", status=503)}) as (source, site):
        with pytest.raises(SourceRefused, match="no such page"):
            await source.search(f"{site.url}/gone krill", 5)
        with pytest.raises(SourceUnavailable, match="HTTP 503"):
            await source.search(f"{site.url}/later krill", 5)


@pytest.mark.parametrize("query", ["https://a.example/", "https://a.example/ ?!"])
async def test_an_address_needs_words(query: str) -> None:
    async with opened({}) as (source, _):
        with pytest.raises(SourceRefused, match="an address and what to look for"):
            await source.search(query, 5)


@pytest.mark.parametrize("query", ["krill", ""])
async def test_a_query_without_an_address_finds_nothing_and_that_is_no_failure(query: str) -> None:
    async with opened({}) as (source, site):
        found = await source.search(query, 5)
        assert site.asked == []
    assert found.evidence == ()
    assert found.warnings == ("crawl: read nothing for queries without an address, such as https://example.org/a",)


async def test_a_link_that_leads_away_is_left_out() -> None:
    with loopback(serving({"/x": linking(text=KRILL)})) as other:
        away = other.url.replace("127.0.0.1", "localhost")
        pages = {"/a": linking("/away", text=KRILL), "/away": Reply("", status=302, headers={"Location": f"{away}/x"})}
        async with opened(pages) as (source, site):
            found = await source.search(f"{site.url}/a krill", 5)
    assert {passage.locator for passage in found.evidence} == {f"{site.url}/a"}
    assert any("localhost" in warning for warning in found.warnings)


async def test_nothing_found_on_a_site_is_said() -> None:
    async with opened({"/a": linking("/b"), "/b": linking()}) as (source, site):
        found = await source.search(f"{site.url}/a zeppelins", 5)
    assert found.evidence == ()
    assert found.warnings[-1] == "crawl: 2 pages of 127.0.0.1 were read and hold no word of 'zeppelins'"
