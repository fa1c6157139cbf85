"""The source `page`: one page whose address is known."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.sources.http.fetching import Fetcher
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.catalogue.tools import SearchOutput
from elcano.graphs.contracts import ToolCall
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.graphs.frozen import JsonObject
from elcano.storage.store import open_store
from elcano.subjects.web.opening import PageSource
from tests.loopback import Loopback, Reply, loopback
from tests.unit.subjects.web.site import FILLER, HTML, Here, html, serving, settings

SECTIONS = [f"Watch {number}: {FILLER} {'The krill came. ' if number == 7 else ''}" * 3 for number in range(10)]


@asynccontextmanager
async def opened(pages: Mapping[str, Reply]) -> AsyncIterator[tuple[PageSource, Loopback]]:
    with loopback(serving(pages)) as site:
        fetcher = Fetcher(settings())
        source = PageSource(SOURCES["page"], fetcher, Here("page", fetcher, trusted=True))
        try:
            yield source, site
        finally:
            await source.close()


async def test_an_address_alone_gives_the_beginning() -> None:
    async with opened({"/log": Reply(html(*SECTIONS, title="The log"), headers=HTML)}) as (source, site):
        found = await source.search(f"{site.url}/log", 3)
    assert len(found.evidence) == 3
    assert found.evidence[0].text.startswith("Watch 0")
    starts = [passage.start for passage in found.evidence]
    assert starts == sorted(starts)
    assert found.texts[0].text[starts[0] :].startswith("Watch 0")
    assert found.evidence[0].work is not None
    assert found.evidence[0].work.title == "The log"


async def test_words_choose_the_passages() -> None:
    async with opened({"/log": Reply(html(*SECTIONS), headers=HTML)}) as (source, site):
        found = await source.search(f"when did the krill come according to {site.url}/log?", 3)
        none = await source.search(f"{site.url}/log zeppelins", 3)
    assert "krill" in found.evidence[0].text
    assert none.evidence == ()
    assert none.warnings == (f"page: no word of 'zeppelins' is in {site.url}/log",)


async def test_all_addresses_of_a_query_are_read_and_those_that_cannot_be_are_named() -> None:
    log, ice = (Reply(html(text, FILLER), headers=HTML) for text in ("The krill came in May.", "The krill froze."))
    async with opened({"/log": log, "/ice": ice}) as (source, site):
        found = await source.search(f"krill in {site.url}/log, {site.url}/ice and {site.url}/gone", 5)
    assert {passage.locator for passage in found.evidence} == {f"{site.url}/log", f"{site.url}/ice"}
    (warning,) = found.warnings
    assert warning.startswith(f"page: {site.url}/gone was not read: ")


@pytest.mark.parametrize("query", ["krill", "", "someone@example.org", "javascript:alert(1)", "file:///etc/passwd"])
async def test_a_query_without_an_address_finds_nothing_and_that_is_no_failure(query: str) -> None:
    async with opened({}) as (source, site):
        found = await source.search(query, 3)
        assert site.asked == []
    assert found.evidence == ()
    assert found.warnings == ("page: read nothing for queries without an address, such as https://example.org/a",)


async def test_a_page_that_cannot_be_quoted_is_refused_with_the_reason() -> None:
    pages = {"/gone": Reply("", status=404), "/wall": Reply(html("For subscribers only.", FILLER), headers=HTML)}
    async with opened(pages) as (source, site):
        with pytest.raises(SourceRefused, match=r"/gone was not read: there is no such page \(HTTP 404\)"):
            await source.search(f"{site.url}/gone", 3)
        with pytest.raises(SourceRefused, match="/wall was not read: it is behind a paywall"):
            await source.search(f"{site.url}/wall", 3)


async def test_a_page_that_cannot_be_had_now_is_worth_another_try() -> None:
    async with opened({"/later": Reply("", status=429)}) as (source, site):
        with pytest.raises(SourceUnavailable, match=r"/later was not read: it cannot answer now \(HTTP 429\)"):
            await source.search(f"{site.url}/later", 3)
    async with opened({}) as (source, _):
        with pytest.raises(SourceUnavailable, match="was not read"):
            await source.search(f"{site.url}/nobody-listens-any-more", 3)


async def test_a_redirect_is_followed_and_what_answered_is_cited() -> None:
    pages = {
        "/old/log": Reply("", status=302, headers={"Location": "/new/log"}),
        "/new/log": Reply(html(*SECTIONS), headers=HTML),
    }
    async with opened(pages) as (source, site):
        found = await source.search(f"{site.url}/old/log", 1)
    assert found.evidence[0].locator == f"{site.url}/new/log"


async def test_a_page_in_shift_jis_is_read() -> None:
    body = html("鯨は夏の間ずっとオキアミの群れを食べて過ごす。" * 8, title="鯨の話").encode("cp932")
    for headers in ({"Content-Type": "text/html; charset=Shift_JIS"}, {"Content-Type": "text/html"}):
        declared = body.replace(b"<head>", b"<head><meta charset=Shift_JIS>")
        async with opened({"/jp": Reply(declared, headers=headers)}) as (source, site):
            found = await source.search(f"{site.url}/jp オキアミ", 1)
        assert "オキアミの群れ" in found.evidence[0].text


async def test_what_is_found_is_kept_and_found_again_under_the_same_ids(tmp_path: Path) -> None:
    pages = {"/log": Reply(html(*SECTIONS), headers=HTML)}
    async with opened(pages) as (source, site), open_store(tmp_path / "store") as store:
        tools = ToolActivities(store, Sources({"page": source}))
        given: JsonObject = {"source": "page", "query": f"{site.url}/log krill", "limit": 3}
        call = ToolCall(run_id="run", step=3, node="searching", item=0, tool="search", input=given)
        first, second = [await ActivityEnvironment().run(tools.run_tool, call) for _ in range(2)]
        kept = await store.of("default").evidence.of_run("run")
    ids = [one.id for one in SearchOutput.model_validate(first.output).evidence]
    assert ids == [one.id for one in SearchOutput.model_validate(second.output).evidence]
    assert sorted(ids) == sorted(passage.id for passage in kept)
    assert {passage.work.url for passage in kept if passage.work} == {f"{site.url}/log"}
