"""What search engines answer, as recorded and as they may fail, by each provider alone."""

import json
from collections.abc import Awaitable, Callable

import pytest

from elcano.activities.sources.http.fetching import Fetcher, Service
from elcano.activities.sources.http.trust_guard import apply_trust
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.trust import Trust
from elcano.subjects.web.search_providers import (
    BRAVE,
    EXA,
    HITS,
    PROVIDERS,
    QUOTA_SECONDS,
    SEARXNG,
    SERPER,
    TAVILY,
    Hits,
    Provider,
)
from tests.loopback import Asked, Reply, loopback, recorded
from tests.unit.subjects.web.site import HTML, settings

Ask = Callable[..., Awaitable[tuple[Hits, list[Asked]]]]
SHAPES = {
    "searxng": {"results": [{"url": "https://a.example/x", "title": "<b>A</b> &amp; B"}]},
    "brave": {"type": "search", "web": {"results": [{"url": "https://a.example/x", "title": "<b>A</b> &amp; B"}]}},
    "tavily": {"results": [{"url": "https://a.example/x", "title": "<b>A</b> &amp; B"}]},
    "exa": {"results": [{"url": "https://a.example/x", "title": "<b>A</b> &amp; B"}]},
    "serper": {"organic": [{"link": "https://a.example/x", "title": "<b>A</b> &amp; B"}]},
}
EVERY = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: one.name)


async def ask(provider: Provider, reply: Reply, query: str = "whales") -> tuple[Hits, list[Asked]]:
    with loopback(lambda _: reply) as running:
        chosen = settings(**{provider.name: running.url})
        fetcher = Fetcher(chosen)
        try:
            service = Service(provider.name, provider.base, chosen, fetcher)
            return await provider.search(service, "the-key", query), running.asked
        finally:
            await fetcher.close()


@pytest.mark.parametrize(
    ("provider", "file", "count", "first", "title"),
    [
        (SEARXNG, "searxng/search_2024.json", 10, "https://www.python.org/", "Welcome to Python.org"),
        (SEARXNG, "searxng/search_2026.json", 4, "http://127.0.0.1:8999/a?utm_source=x", "Sildenafil for"),
        (BRAVE, "brave/web.json", 10, "https://en.wikipedia.org/wiki/%22Hello,_World!%22_program", '"Hello'),
        (TAVILY, "tavily/search_basic.json", 5, "https://medium.com/ai-agent", "Pydantic AI: Agent Framework"),
        (TAVILY, "tavily/search_older.json", None, "https://", ""),
        (EXA, "exa/search_with_text.json", 2, "https://github.com/mfakih/Pomegranate-PKM", "GitHub - mfakih"),
        (
            SERPER,
            "serper/search_answer_box.json",
            None,
            "https://en.wikipedia.org/wiki/2022_FIFA",
            "2022 FIFA",
        ),
    ],
)
async def test_recorded_answers(provider: Provider, file: str, count: int | None, first: str, title: str) -> None:
    found, _ = await ask(provider, recorded(file))
    assert found.hits[0].url.startswith(first)
    assert found.hits[0].title.startswith(title)
    assert len(found.hits) == count if count is not None else 0 < len(found.hits) <= HITS
    assert all(hit.url.startswith(("http://", "https://")) for hit in found.hits)
    assert not any(mark in hit.title for hit in found.hits for mark in ("<", "&quot;", "&#"))


async def test_no_answer_has_a_place_for_what_an_engine_says_of_a_page() -> None:
    found, _ = await ask(TAVILY, recorded("tavily/search_basic.json"))
    assert set(found.hits[0]._fields) == {"url", "title"}


@EVERY
async def test_what_is_asked(provider: Provider) -> None:
    found, (asked,) = await ask(provider, Reply(json.dumps(SHAPES[provider.name])))
    assert found.hits == (("https://a.example/x", "A & B"),)
    keys = {"x-subscription-token": "the-key", "authorization": "Bearer the-key", "x-api-key": "the-key"}
    sent = {name: value for name, value in asked.headers.items() if name in keys}
    assert (set(sent.values()) <= set(keys.values()) and sent) or not provider.variable
    assert "the-key" not in str(asked.query)
    assert "whales" in (str(asked.query) + asked.body.decode())
    assert asked.headers["user-agent"].startswith("elcano/")


@EVERY
async def test_engines_are_told_the_domains_that_a_run_allows(provider: Provider) -> None:
    long = "whales " * 57
    with apply_trust(Trust(allowed_domains=("who.int", "*.gov")), ()):
        _, (asked,) = await ask(provider, Reply(json.dumps(SHAPES[provider.name])), long)
    body = json.loads(asked.body or "{}")
    lists = body.get("include_domains") or body.get("includeDomains")
    query = asked.query.get("q") or body.get("q", "")
    assert lists == ["who.int", "gov"] or (query.endswith(" (site:who.int OR site:gov)") and len(query) <= 400)
    if provider is BRAVE:
        assert len(query.split()) <= 50


@EVERY
async def test_nothing_found_is_an_answer(provider: Provider) -> None:
    empty = {"results": [], "organic": [], "type": "search", "web": {"results": []}}
    found, _ = await ask(provider, Reply(json.dumps(empty)))
    assert found == Hits()


@pytest.mark.parametrize(
    ("provider", "said"), [(BRAVE, {"type": "search"}), (SERPER, {"searchParameters": {"q": "x"}})]
)
async def test_a_block_that_is_absent_is_nothing_found(provider: Provider, said: dict[str, object]) -> None:
    assert (await ask(provider, Reply(json.dumps(said))))[0] == Hits()


@EVERY
@pytest.mark.parametrize(
    "body",
    [
        "<html>maintenance</html>",
        "",
        "null",
        "[]",
        '"text"',
        "{}",
        '{"results": null, "organic": 3, "web": []}',
        '{"error": "something"}',
        b"\xff\xfe\x00",
    ],
)
async def test_no_answer_to_a_search_is_never_nothing_found(provider: Provider, body: str | bytes) -> None:
    with pytest.raises(SourceUnavailable, match=f"^{provider.name}: "):
        await ask(provider, Reply(body))


@EVERY
async def test_rows_that_name_no_page_are_no_hits(provider: Provider) -> None:
    urls: list[object] = [
        None,
        7,
        "",
        "javascript:alert(1)",
        "ftp://a.example/",
        "http://",
        "https://[::1",
        "https://a.example:99999/",
    ]
    urls += ["https://a.example/line\nbreak", "https://a.example/" + "x" * 3_000, ["https://a.example/"]]
    urls += [
        "https://a..example/",
        "https://xn--/",
        f"https://{'a' * 64}.example/",
        "https://\u2603.example/",
        "http://*",
    ]
    urls += [f"https://{'a.' * 130}example/", "https://a.example/\ud800", "https://a b.example/", "http://%zz/"]
    rows: list[object] = [{"url": url, "link": url, "title": 7} for url in urls]
    rows += ["text", None, [], {}]
    rows += [
        {"url": f"https://good.example/{n}", "link": f"https://good.example/{n}", "title": None} for n in range(30)
    ]
    said = {"results": rows, "organic": rows, "web": {"results": rows}}
    found, _ = await ask(provider, Reply(json.dumps(said)))
    assert [hit.url for hit in found.hits] == [f"https://good.example/{n}" for n in range(HITS)]
    assert {hit.title for hit in found.hits} == {""}


@EVERY
async def test_one_page_under_two_addresses_is_one_hit(provider: Provider) -> None:
    urls = [
        "https://a.example/x",
        "https://A.example:443/x#part",
        "https://a.example/x?utm_source=y",
        "https://b.example/",
    ]
    rows = [{"url": url, "link": url, "title": url} for url in urls]
    found, _ = await ask(provider, Reply(json.dumps({"results": rows, "organic": rows, "web": {"results": rows}})))
    assert [hit.url for hit in found.hits] == [urls[0], urls[3]]


@EVERY
@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_names_its_variable(provider: Provider, status: int) -> None:
    with pytest.raises(SourceRefused) as caught:
        await ask(provider, Reply("{}", status=status))
    assert f"HTTP {status}" in str(caught.value)
    assert provider.variable in str(caught.value)
    assert "the-key" not in str(caught.value)


@EVERY
async def test_who_asks_to_wait_is_waited_for(provider: Provider) -> None:
    with pytest.raises(SourceBusy, match=f"{provider.name}: HTTP 429") as caught:
        await ask(provider, Reply("{}", status=429, headers={"Retry-After": "7"}))
    assert caught.value.retry_after == 7
    with pytest.raises(SourceBusy, match="HTTP 503"):
        await ask(provider, Reply("{}", status=503))


@pytest.mark.parametrize(
    ("provider", "reply"),
    [
        (EXA, Reply("{}", status=402)),
        (TAVILY, Reply('{"detail": {"error": "plan"}}', status=432)),
        (TAVILY, Reply("{}", status=433)),
        (
            BRAVE,
            Reply("{}", status=429, headers={"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"}),
        ),
    ],
)
async def test_who_has_no_quota_left_is_asked_again_after_an_hour(provider: Provider, reply: Reply) -> None:
    with pytest.raises(SourceBusy, match="no quota is left") as caught:
        await ask(provider, reply)
    assert caught.value.retry_after == QUOTA_SECONDS


@pytest.mark.parametrize(
    "headers",
    [
        {"X-RateLimit-Remaining": "0, 1999", "X-RateLimit-Reset": "1, 1419704"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"},
        {"X-RateLimit-Remaining": "none, 0", "X-RateLimit-Reset": ", soon"},
        {"X-RateLimit-Remaining": "0, 0"},
    ],
)
async def test_who_is_only_asked_too_fast_has_quota_left(headers: dict[str, str]) -> None:
    with pytest.raises(SourceBusy, match="HTTP 429") as caught:
        await ask(BRAVE, Reply("{}", status=429, headers=headers))
    assert caught.value.retry_after is None


async def test_brave_takes_fifty_words_and_says_when_it_refuses() -> None:
    _, (asked,) = await ask(BRAVE, Reply(json.dumps(SHAPES["brave"])), " ".join(["word"] * 80))
    assert len(asked.query["q"].split()) == 50
    with pytest.raises(SourceRefused, match="the query, or the key in BRAVE_API_KEY"):
        await ask(BRAVE, Reply("{}", status=422))


async def test_searxng_without_json_says_what_to_set() -> None:
    with pytest.raises(SourceRefused, match=r"add `json` to `search\.formats`"):
        await ask(SEARXNG, recorded("searxng/json_format_off_403.html"))
    with pytest.raises(SourceRefused, match=r"add `json` to `search\.formats`"):
        await ask(SEARXNG, Reply("<h1>Forbidden</h1>", status=403, headers=HTML))


async def test_engines_of_searxng_that_are_silent_are_named() -> None:
    found, _ = await ask(SEARXNG, recorded("searxng/search_some_engines_down.json"))
    assert len(found.hits) == 3
    assert "its engine busy engine: too many requests" in found.warnings


@pytest.mark.parametrize("silent", [[["bing", "Suspended: CAPTCHA"]], ["bing"], [["bing", None]]])
async def test_with_all_engines_silent_searxng_has_not_searched(silent: list[object]) -> None:
    said = {"results": [], "unresponsive_engines": silent}
    with pytest.raises(SourceBusy, match=r"none of its engines answered \(bing"):
        await ask(SEARXNG, Reply(json.dumps(said)))


async def test_a_query_does_not_lead_searxng_to_another_site() -> None:
    _, (asked,) = await ask(SEARXNG, Reply(json.dumps(SHAPES["searxng"])), "!!g whales! !!!x css !important")
    assert asked.query == {"q": "g whales! x css !important", "format": "json"}
