"""Whatever a service answers that is no result is an error of its kind, never evidence and never "nothing found"."""

from collections.abc import Sequence
from pkgutil import resolve_name

import pytest

from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.errors import ActivityFault, SourceBusy, SourceRefused, SourceUnavailable
from elcano.settings import Settings
from tests.loopback import Reply
from tests.unit.subjects.literature.opened import as_json, opened

ALL = ("openalex", "crossref", "arxiv", "wikipedia")
JSON = ("openalex", "crossref", "wikipedia")
PAGE = Reply("<!doctype html><title>Just a moment...</title><p>whales", headers={"Content-Type": "text/html"})


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENALEX_API_KEY", raising=False)


async def failures(name: str, replies: Sequence[Reply]) -> list[ActivityFault]:
    """What each of the answers is to a search."""
    left = list(replies)
    failed: list[ActivityFault] = []
    async with opened(name, lambda _: left.pop(0)) as (source, _):
        for _ in replies:
            with pytest.raises(ActivityFault) as caught:
                await source.search("whales", 5)
            failed.append(caught.value)
    return failed


@pytest.mark.parametrize("name", ALL)
async def test_what_is_no_answer_is_unavailable(name: str) -> None:
    deep = Reply("[" * 100_000, headers={"Content-Type": "application/json"})
    cut_off = Reply(b'{"results": [')
    replies = [PAGE, Reply(b""), Reply(b"\xff\xfe\x00whales\x80"), cut_off, Reply("null"), Reply("[]"), deep]
    for error in await failures(name, replies):
        assert type(error) is SourceUnavailable
        assert str(error).startswith(f"{name}: the answer")


@pytest.mark.parametrize("name", JSON)
async def test_json_of_another_kind_is_unavailable(name: str) -> None:
    wrong: list[object] = [5, "whales", True, {}, {"message": 5}, {"message": {"items": {}}}, {"results": "whales"}]
    for error in await failures(name, [as_json(one) for one in (*wrong, {"query": {"search": 5}})]):
        assert type(error) is SourceUnavailable
        assert str(error).startswith(f"{name}: the answer")


@pytest.mark.parametrize("name", ALL)
async def test_who_is_busy_is_asked_again_when_it_says(name: str) -> None:
    waits = {429: 7.0, 503: 11.0, 500: None}
    replies = [
        Reply("Rate exceeded.", status=status, headers={"Retry-After": f"{wait:g}"} if wait else {})
        for status, wait in waits.items()
    ]
    for (status, wait), error in zip(waits.items(), await failures(name, replies), strict=True):
        assert isinstance(error, SourceBusy)
        assert str(error).startswith(f"{name}: HTTP {status}")
        assert error.retry_after == wait


@pytest.mark.parametrize("name", ALL)
async def test_a_refusal_is_for_good_and_says_why_without_addresses(name: str) -> None:
    said = "the parameter https://example.org/works?api_key=secret is unknown"
    (error,) = await failures(name, [as_json({"error": "Bad request", "message": said}, status=400)])
    assert isinstance(error, SourceRefused)
    assert str(error).startswith(f"{name}: HTTP 400")
    assert str(error).endswith("the parameter [address] is unknown")


@pytest.mark.parametrize("name", ALL)
async def test_a_query_without_a_word_asks_nobody(name: str) -> None:
    async with opened(name, PAGE) as (source, served):
        for query in ("", " \n", "?!", '"""', "()[]:*", "\u200b"):
            result = await source.search(query, 5)
            assert result.evidence == ()
            assert result.warnings == (f"{name}: {query!r} has no word to search for",)
        assert not served.asked


HOSTILE = (
    'whales" OR 1=1; --',
    "whales\r\nHost: evil.example\r\n\r\nGET /",
    "whales&api_key=mine&filter=x#fragment",
    "whales %00 %0d%0a ../../etc/passwd",
    "https://evil.example/?q=whales",
    "(whales AND",
    "鲸鱼 🐋 wha\u0301les",
    " ".join(["whales"] * 140),
)


@pytest.mark.parametrize("name", ALL)
async def test_a_query_stays_a_query(name: str) -> None:
    """It gets to the service as the value of one parameter, and nothing else of the request changes."""
    async with opened(name, PAGE) as (source, served):
        for query in ("plain", *HOSTILE):
            with pytest.raises(SourceUnavailable):
                await source.search(query, 5)
        assert len(served.asked) == 1 + len(HOSTILE)
        shapes = {(one.method, one.path, one.headers["host"], frozenset(one.query)) for one in served.asked}
        assert len(shapes) == 1


@pytest.mark.parametrize("name", ALL)
async def test_it_says_who_asks(name: str) -> None:
    async with opened(name, PAGE, contact="whales@example.org") as (source, served):
        with pytest.raises(SourceUnavailable):
            await source.search("whales", 5)
        assert "whales@example.org" in served.asked[0].headers["user-agent"]


@pytest.mark.parametrize("name", ALL)
def test_each_is_searched_only_where_it_is_named(name: str) -> None:
    spec = SOURCES[name]
    assert not spec.by_default
    assert spec.missing(Settings(_env_file=None).has) == ""
    assert spec.syntax
    assert spec.queue == f"elcano-source-{name}"


@pytest.mark.parametrize("name", ALL)
async def test_nobody_there_is_unavailable(name: str) -> None:
    async with opened(name, PAGE) as (_, served):
        pass
    chosen = Settings(_env_file=None, service_urls={name: served.url})
    source = resolve_name(SOURCES[name].opened_by)(SOURCES[name], chosen)
    with pytest.raises(SourceUnavailable, match=f"^{name}: "):
        await source.search("whales", 5)
    await source.close()
