"""The source `web`: from a query by way of an engine and pages to passages of stored texts."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256

import pytest

from elcano.activities.child_processes import ChildProcesses
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.fetching import Fetcher
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.subjects.documents.file_processes import FileAnswer
from elcano.subjects.web import opening as searching
from elcano.subjects.web.extraction import Page, PageRequest, answer_request
from elcano.subjects.web.opening import AT_ONCE, PAGES, WebSource
from elcano.subjects.web.page_reader import Reader
from elcano.subjects.web.search_providers import list_configured_providers
from tests.loopback import Asked, Loopback, Reply, loopback, recorded
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.documents.pdf_pages import Sheet, make_pdf
from tests.unit.subjects.web.site import FILLER, PDF, Here, html, page, serving, settings

KRILL = "Krill swim in swarms so dense that they colour the sea, and whales feed on them all summer long."
HITS = "/search"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in SOURCES["web"].any_of:
        monkeypatch.delenv(variable, raising=False)


@asynccontextmanager
async def opened(
    pages: Mapping[str, Reply],
    order: list[str] | None = None,
    *,
    engine: Reply | None = None,
    page_seconds: float = 45.0,
) -> AsyncIterator[tuple[WebSource, Loopback]]:
    """The source over an engine and a site on loopback; the engine finds the pages, or answers `engine`."""

    def answer(asked: Asked) -> Reply:
        if asked.path == HITS:
            found = [{"url": f"{site.url}{path}", "title": f"Title of {path}"} for path in order or list(pages)]
            return engine or Reply(json.dumps({"results": found}))
        return serving(pages)(asked)

    with loopback(answer) as site:
        chosen = settings(searxng=site.url)
        fetcher = Fetcher(chosen)
        reader = Here("web", fetcher, trusted=True, page_seconds=page_seconds)
        source = WebSource(SOURCES["web"], list_configured_providers(chosen, fetcher), fetcher, reader)
        try:
            yield source, site
        finally:
            await source.close()


def read_paths(site: Loopback) -> list[str]:
    return [asked.path for asked in site.asked if asked.path not in (HITS, "/robots.txt")]


async def until(true: Callable[[], bool]) -> None:
    """Returns once it is so."""
    async with asyncio.timeout(30):
        for _ in iter(true, True):
            await asyncio.sleep(0.01)


def require_quoted(found: SearchResults) -> None:
    """Every passage stands where it says, in a text that comes with it."""
    texts = {text.content_hash: text for text in found.texts}
    for passage in found.evidence:
        text = texts[passage.content_hash]
        assert text.text[passage.start : passage.end] == passage.text
        assert text.content_hash == sha256(text.text.encode()).hexdigest()
        assert passage.document == text.document
        assert passage.id == f"{passage.document}@{passage.content_hash[:8]}:{passage.start}-{passage.end}"


async def test_the_pages_are_quoted_and_not_the_engine() -> None:
    head = "<meta name=author content='Ana Díaz'><meta property='article:published_time' content='2021-03-04'>"
    engine_says = "Krill cure everything, says the engine."
    async with opened({"/krill": page(KRILL, title="On krill", head=head)}) as (source, site):
        found = Reply(json.dumps({"results": [{"url": f"{site.url}/krill", "title": "T", "content": engine_says}]}))
        async with opened({}, engine=found) as (other, _):
            answer = await other.search("whales and krill", 5)
        del source
    require_quoted(answer)
    (passage,) = [one for one in answer.evidence if KRILL in one.text]
    assert passage.title == "On krill"
    assert passage.locator == f"{site.url}/krill"
    assert passage.document == f"url:{site.url}/krill"
    assert passage.source == "web"
    assert engine_says not in str(answer)
    work = passage.work
    assert work is not None
    assert (work.kind, work.title, work.authors, work.year, work.published) == (
        "page",
        "On krill",
        ("Ana Díaz",),
        2021,
        "2021-03-04",
    )
    assert work.identifiers.url == work.url == f"{site.url}/krill"
    assert (work.language, work.source, work.venue) == ("en", "web", "127.0.0.1")
    assert work.retrieved_at == passage.retrieved_at > 1.7e9


async def test_the_best_passages_come_first_and_of_several_pages() -> None:
    pages = {f"/{n}": page(f"{KRILL} Page {n}.", title=f"Page {n}") for n in range(4)}
    pages["/other"] = page("The price of rope has gone up again, and nobody in the harbour knows why.", title="Rope")
    async with opened(pages) as (source, _):
        found = await source.search("krill swarms", 3)
    require_quoted(found)
    assert len(found.evidence) == 3
    assert len({passage.document for passage in found.evidence}) == 3
    assert all("Krill" in passage.text for passage in found.evidence)
    scores = [passage.score for passage in found.evidence]
    assert scores == sorted(scores, reverse=True)


async def test_a_pdf_is_cited_by_its_page() -> None:
    pages = {"/log.pdf": Reply(pdf([["The first page is on rope."], ["Krill swim in swarms."]]), headers=PDF)}
    async with opened(pages) as (source, site):
        (passage,) = (await source.search("krill", 5)).evidence
    assert passage.locator == f"{site.url}/log.pdf#page=2"
    assert passage.metadata["page"] == 2
    assert len(str(passage.metadata["data_hash"])) == 64
    assert passage.title == "Title of /log.pdf"


async def test_what_cannot_be_quoted_is_left_out_and_named() -> None:
    pages = {
        "/gone": Reply("", status=404),
        "/wall": Reply(html("Subscribe to continue reading.", FILLER), headers={"Content-Type": "text/html"}),
        "/paper.pdf": Reply(html(KRILL, FILLER), headers={"Content-Type": "text/html"}),
        "/broken.pdf": Reply(b"%PDF-1.7 broken", headers=PDF),
        "/picture": Reply(b"\x89PNG", headers={"Content-Type": "image/png"}),
        "/later": Reply("", status=503),
        "/private/a": page(KRILL),
        "/robots.txt": Reply("User-agent: *\nDisallow: /private/\n"),
        "/good": page(KRILL),
    }
    order = [path for path in pages if path != "/robots.txt"]
    async with opened(pages, order) as (source, site):
        found = await source.search("krill", 8)
    assert {passage.locator for passage in found.evidence} == {f"{site.url}/good"}
    left_out = {warning.split(" ")[1].removeprefix(site.url): warning.split(": ", 2)[2] for warning in found.warnings}
    assert {path: reason.split(" (")[0] for path, reason in left_out.items()} == {
        "/gone": "there is no such page",
        "/wall": "it is behind a paywall",
        "/paper.pdf": "a web page came in place of a PDF",
        "/broken.pdf": "it is not a readable PDF: it may be damaged or cut off",
        "/picture": "content of the kind 'image/png' is not read",
        "/later": "it cannot answer now",
        "/private/a": "its site does not let robots read it",
    }
    assert "/private/a" not in read_paths(site)


async def test_six_pages_are_read_and_others_only_for_those_that_fail() -> None:
    pages = {f"/{n}": page(f"{KRILL} {n}") for n in range(10)}
    async with opened(pages) as (source, site):
        await source.search("krill", 8)
        assert sorted(read_paths(site)) == [f"/{n}" for n in range(PAGES)]
    pages |= {f"/{n}": Reply("", status=404) for n in range(3)}
    async with opened(pages) as (source, site):
        found = await source.search("krill", 8)
        assert len(read_paths(site)) == PAGES + 3
        assert len(found.texts) == PAGES


async def test_no_more_than_four_are_open_at_once() -> None:
    class Counting(Here):
        now = most = 0

        async def _read(self, url: str, title: str) -> object:  # type: ignore[override]
            type(self).now += 1
            type(self).most = max(self.most, self.now)
            try:
                await asyncio.sleep(0.02)
                return await super()._read(url, title)
            finally:
                type(self).now -= 1

    async with opened({f"/{n}": page(f"{KRILL} {n}") for n in range(8)}) as (source, _):
        counting = Counting("web", source._fetcher, trusted=True)
        source._reader = counting
        await source.search("krill", 8)
    assert Counting.most == AT_ONCE


async def test_a_slow_page_keeps_none_of_the_others() -> None:
    pages = {"/slow": Reply(html(KRILL, FILLER), delay=6.0), "/good": page(KRILL)}
    async with opened(pages, page_seconds=3.0) as (source, site):
        found = await source.search("krill", 8)
    assert [passage.locator for passage in found.evidence] == [f"{site.url}/good"]
    assert any("/slow was left out: it was not read within 3 s" in warning for warning in found.warnings)


async def test_pages_are_taken_apart_in_a_process_of_their_own() -> None:
    processes: ChildProcesses[PageRequest, FileAnswer[Page]] = ChildProcesses(
        f"{answer_request.__module__}:{answer_request.__name__}", FileAnswer[Page]
    )
    async with opened({"/a": page(KRILL)}) as (source, _):
        source._reader = Reader("web", source._fetcher, trusted=True, processes=processes)
        found = await source.search("krill", 8)
    require_quoted(found)
    assert KRILL in found.evidence[0].text
    assert processes._running is not None
    processes.close()


async def test_pages_none_of_which_can_be_had_now_are_no_empty_answer() -> None:
    pages = {f"/{n}": Reply("", status=503) for n in range(2)}
    async with opened(pages) as (source, _):
        with pytest.raises(SourceUnavailable, match=r"/0 was left out: it cannot answer now \(HTTP 503\); web: "):
            await source.search("krill", 8)
    async with opened({**pages, "/gone": Reply("", status=404)}) as (source, _):
        found = await source.search("krill", 8)
    assert found.evidence == ()
    assert len(found.warnings) == 3


async def test_pages_without_a_word_of_the_query_are_no_evidence() -> None:
    async with opened({"/rope": page("The price of rope has gone up.")}) as (source, _):
        found = await source.search("krill", 8)
    assert found.evidence == ()
    assert found.warnings == ("web: none of the 1 pages that were read holds a word of 'krill'",)


@pytest.mark.parametrize("query", ["  ", "?!", "\n\t", "'\""])
async def test_a_query_without_a_word_asks_nobody(query: str) -> None:
    async with opened({}) as (source, site):
        found = await source.search(query, 8)
        assert site.asked == []
    assert found.evidence == ()
    assert "has no word to search for" in found.warnings[0]


async def test_characters_that_no_address_can_hold_are_no_part_of_a_query() -> None:
    async with opened({"/a": page(KRILL)}) as (source, site):
        found = await source.search("krill\ud800\x00\u200b\n swarms", 8)
        assert [asked.query["q"] for asked in site.asked if asked.path == HITS] == ["krill swarms"]
    assert len(found.evidence) == 1


async def test_an_engine_that_is_down_is_no_empty_answer() -> None:
    async with opened({}, engine=Reply("", status=503, headers={"Retry-After": "20"})) as (source, _):
        with pytest.raises(SourceBusy, match="no search engine answered") as caught:
            await source.search("krill", 8)
    assert caught.value.retry_after == 20
    async with opened({}, engine=recorded("searxng/json_format_off_403.html")) as (source, _):
        with pytest.raises(SourceRefused, match="add `json`"):
            await source.search("krill", 8)


async def test_one_page_under_two_addresses_is_quoted_once() -> None:
    canonical = "<link rel=canonical href='/krill'>"
    pages = {path: page(KRILL, head=canonical) for path in ("/krill", "/krill-2", "/print/krill")}
    async with opened(pages) as (source, site):
        found = await source.search("krill", 8)
    assert [passage.document for passage in found.evidence] == [f"url:{site.url}/krill"]


async def test_japanese_is_found_by_parts_of_its_words() -> None:
    text = "鯨は夏の間ずっとオキアミの群れを食べて過ごし、冬になると暖かい海へ移動する。" * 4
    async with opened({"/jp": page(text, title="鯨の話"), "/rope": page("The price of rope.")}) as (source, _):
        found = await source.search("オキアミの群れ", 8)
    require_quoted(found)
    assert [("オキアミ" in passage.text) for passage in found.evidence] == [True]


async def test_long_addresses_have_short_and_different_ids() -> None:
    paths = [f"/{letter}{'long-' * 100}" for letter in "ab"]
    async with opened({path: page(f"{KRILL} {path[1]}") for path in paths}) as (source, _):
        found = await source.search("krill", 8)
    assert len({passage.id for passage in found.evidence}) == 2
    assert all(len(passage.id) <= 300 for passage in found.evidence)
    assert {passage.locator.rpartition("/")[2] for passage in found.evidence} == {path[1:] for path in paths}


async def test_a_search_that_is_cancelled_leaves_the_source_at_work() -> None:
    pages = {"/slow": Reply(html(KRILL, FILLER), delay=1.0, headers={"Content-Type": "text/html"})}
    async with opened(pages) as (source, site):
        task = asyncio.create_task(source.search("krill", 8))
        await until(lambda: bool(read_paths(site)))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        one, two = await asyncio.gather(source.search("krill", 8), source.search("whales", 8))
    assert one.evidence[0].id == two.evidence[0].id


async def test_a_process_that_dies_costs_its_pages_alone() -> None:
    async with opened({"/a": page(KRILL)}) as (source, _):
        broken = Reader("web", source._fetcher, trusted=True, processes=ChildProcesses("os:abort", FileAnswer[Page]))
        source._reader = broken
        found = await source.search("krill", 8)
    assert found.evidence == ()
    assert "reading it took its parser down" in found.warnings[0]


async def test_reading_ends_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "READING_SECONDS", -1.0)
    async with opened({"/a": page(KRILL)}) as (source, site):
        found = await source.search("krill", 8)
        assert read_paths(site) == []
    assert found.evidence == ()


async def test_pages_of_a_file_that_were_not_read_are_named() -> None:
    sheets = [Sheet().write_lines(["Krill swim in swarms."], 60, 100), Sheet(damaged=True)]
    pages = {"/log.pdf": Reply(make_pdf(sheets), headers=PDF)}
    async with opened(pages) as (source, site):
        found = await source.search("krill", 5)
    assert [one for one in found.warnings if "was not read whole" in one] == [
        f"{source.spec.name}: {site.url}/log.pdf was not read whole: page 2 was damaged and left out"
    ]
