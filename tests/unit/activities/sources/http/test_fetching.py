"""What goes along with a request and its redirects, and what comes back: no key to another host, nothing kept."""

import codecs
import json
from collections.abc import Iterator
from contextlib import contextmanager
from encodings.aliases import aliases
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.sources.http.answers import Answer, encoding_of
from elcano.activities.sources.http.fetching import Fetcher, Service
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from tests.loopback import Asked, Loopback, Reply, loopback
from tests.unit.activities.sources.http.reading import chosen, fetched, fetching

KEY = "key-of-nobody-0123456789"


@contextmanager
def leading(*to: str, status: int = 302) -> Iterator[Loopback]:
    """Redirects from `/0` to the first, from `/1` to the second; then says where it was asked."""

    def answering(asked: Asked) -> Reply:
        number = int(asked.path[1:] or 0)
        if number < len(to):
            return Reply("moved", status=status, headers={"Location": to[number], "Set-Cookie": "a=b"})
        return Reply(json.dumps({"host": asked.headers["host"], "method": asked.method}))

    with loopback(answering) as running:
        yield running


async def test_it_says_who_asks_and_keeps_no_cookies() -> None:
    with leading("/1") as running:
        async with fetching(running.url, contact="me@example.org") as fetcher:
            await fetcher.fetch("test", "http://example.com/0")
            await fetcher.fetch("test", "http://example.com/0")
    assert all("elcano/" in asked.headers["user-agent"] for asked in running.asked)
    assert all("(me@example.org)" in asked.headers["user-agent"] for asked in running.asked)
    assert not any("cookie" in asked.headers or "referer" in asked.headers for asked in running.asked)
    assert len(running.asked) == 4


async def test_nothing_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with leading() as running:
        assert (await fetched(running.url)).status == 200


async def test_params_are_added_to_a_query() -> None:
    with leading() as running:
        await fetched(running.url, address="http://example.com/9?a=1#top", params={"b": "ä &"})
        await fetched(running.url, address="http://example.com/9?q=a%2Bb%20c#top")
    assert [asked.query for asked in running.asked] == [{"a": "1", "b": "ä &"}, {"q": "a+b c"}]


async def test_a_body_is_sent_as_json() -> None:
    with leading() as running:
        await fetched(running.url, address="http://example.com/9", method="POST", body={"a": [1]})
    assert running.asked[0].json() == {"a": [1]}
    assert running.asked[0].headers["content-type"] == "application/json"


async def test_five_redirects_are_followed_and_told_in_the_answer() -> None:
    with leading(*(f"/{number}" for number in range(1, 6))) as running:
        answer = await fetched(running.url, address="http://example.com/0")
    assert answer.url == "http://example.com/5"
    with leading(*(f"/{number}" for number in range(1, 7))) as running:
        with pytest.raises(SourceRefused, match="more than 5 redirects"):
            await fetched(running.url, address="http://example.com/0")
        assert len(running.asked) == 6


@pytest.mark.parametrize("to", ["/0", "http://example.com/0", "http://EXAMPLE.com:80/0#again", "/1/../0", ""])
async def test_a_circle_is_named(to: str) -> None:
    with leading(to) as running:
        with pytest.raises(SourceRefused, match=r"'example\.com' redirects in a circle"):
            await fetched(running.url, address="http://example.com/0")
        assert len(running.asked) == 1


async def test_a_redirect_without_a_place_is_an_answer() -> None:
    with loopback(lambda asked: Reply("none", status=302)) as running:
        assert (await fetched(running.url)).status == 302


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_keys_stay_with_their_host(status: int) -> None:
    headers = {"Authorization": f"Bearer {KEY}", "X-Api-Key": KEY, "x-other": KEY, "Accept": "text/html", "Cookie": KEY}
    with leading("/1", "http://example.org/2", "http://example.com/3", status=status) as running:
        await fetched(running.url, address="http://example.com/0", headers=headers)
    own, same, other, back = running.asked
    for asked in (own, same):
        assert (asked.headers["authorization"], asked.headers["x-api-key"]) == (f"Bearer {KEY}", KEY)
    for asked in (other, back):
        assert KEY not in str(asked.headers)
        assert asked.headers["accept"] == "text/html"


@pytest.mark.parametrize("to", ["http://example.com:443/1", "http://www.example.com/1", "//example.com:443/1"])
async def test_another_port_or_name_is_another_host(to: str) -> None:
    with leading(to) as running:
        await fetched(running.url, address="http://example.com/0", headers={"X-Api-Key": KEY})
    assert KEY not in str(running.asked[1].headers)


@pytest.mark.parametrize("status", [307, 308])
async def test_what_was_sent_is_not_sent_on(status: int) -> None:
    with leading("http://example.org/1", status=status) as running:
        with pytest.raises(SourceRefused, match=r"not sent on to another host: 'example\.org'"):
            await fetched(running.url, address="http://example.com/0", method="POST", body={"key": KEY})
        assert len(running.asked) == 1
    with leading("/1", status=status) as running:
        await fetched(running.url, address="http://example.com/0", method="POST", body={"key": KEY})
        assert [(asked.method, asked.json()) for asked in running.asked] == [("POST", {"key": KEY})] * 2


@pytest.mark.parametrize("status", [301, 302, 303])
async def test_other_redirects_of_a_post_are_read(status: int) -> None:
    with leading("http://example.org/1", status=status) as running:
        await fetched(running.url, address="http://example.com/0", method="POST", body={"key": KEY})
    assert (running.asked[1].method, running.asked[1].body) == ("GET", b"")


async def test_a_trusted_address_leads_no_further_than_to_itself() -> None:
    with leading("/1") as running:
        async with fetching(running.url) as fetcher:
            assert (await fetcher.fetch("test", f"{running.url}/0", trusted=True)).status == 200
    for to in ("http://127.0.0.1:9/", "http://localhost/", "http://10.0.0.1/"):
        with leading(to) as running, pytest.raises(SourceRefused):
            await fetched(running.url, address=f"{running.url}/0", trusted=True)


async def test_a_trusted_name_is_resolved_by_the_machine() -> None:
    with leading() as running:
        fetcher = Fetcher(chosen())
        answer = await fetcher.fetch("test", running.url.replace("127.0.0.1", "localhost") + "/9", trusted=True)
        assert answer.json("test")["host"].startswith("localhost:")
        with pytest.raises(SourceUnavailable, match="cannot be found"):
            await fetcher.fetch("test", "http://no-such-host.invalid/", trusted=True)
        await fetcher.close()


async def test_trust_is_lost_on_the_way_out() -> None:
    with leading("http://example.com/1", "http://10.0.0.1:8080/2") as running:
        with pytest.raises(SourceRefused, match="port 8080"):
            await fetched(running.url, address="http://10.0.0.1:8080/0", trusted=True)
        assert len(running.asked) == 2


async def test_the_operators_own_hosts_may_be_read_but_not_led_to() -> None:
    own = {"private_hosts": ("10.0.0.1:8080", "Wiki", "[fd00::1]", "[fd00::1]:81")}
    with leading("http://10.0.0.1:8080/1") as running:
        async with fetching(running.url, **own) as fetcher:
            assert (await fetcher.fetch("test", "http://wiki/0")).url == "http://10.0.0.1:8080/1"
            for allowed in (
                "http://WIKI./9",
                "http://[fd00:0::1]/9",
                "http://[fd00::1]:81/9",
                "http://10.0.0.1:8080/9",
            ):
                assert (await fetcher.fetch("test", allowed)).status == 200
            for refused in (
                "http://[fd00::1]:82/",
                "http://wiki:8080/1",
                "http://10.0.0.1/1",
                "http://10.0.0.2:8080/1",
                "http://example.com/0",
            ):
                with pytest.raises(SourceRefused):
                    await fetcher.fetch("test", refused)


async def test_only_the_wanted_kinds_are_read() -> None:
    def answering(asked: Asked) -> Reply:
        return Reply(b"x" * 100, status=int(asked.query["status"]), headers={"Content-Type": asked.query["type"]})

    with loopback(answering) as running:
        async with fetching(running.url) as fetcher:

            async def read(kind: str, status: int = 200) -> Answer:
                params = {"type": kind, "status": str(status)}
                wanted = ["application/pdf", "text/html"]
                return await fetcher.fetch("test", "http://example.com/", params=params, kinds=wanted, most_bytes=1_000)

            assert (await read("Text/HTML ; charset=utf-8")).media_type == "text/html"
            assert (await read("application/json", status=503)).status == 503
            for kind in ("video/mp4", "text/plain", "", "text", "text/html2", "x" * 1_000):
                with pytest.raises(SourceRefused, match="none of: application/pdf, text/html") as refused:
                    await read(kind)
                assert len(str(refused.value)) < 300


async def test_what_is_not_wanted_is_not_read() -> None:
    kind = {"Content-Type": "video/mp4", "Content-Length": "1000000000"}
    with loopback(lambda asked: Reply(b"", headers=kind)) as running, pytest.raises(SourceRefused, match="'video/mp4'"):
        await fetched(running.url, kinds={"text/html"})


async def test_no_error_holds_a_key() -> None:
    errors = list[BaseException]()
    headers = {"Authorization": f"{KEY}\nX: y"}
    address = f"http://example.com/{KEY}?key={KEY}"
    with loopback(lambda asked: Reply(b"x" * 1_000, headers={"Content-Encoding": "br"})) as running:
        asked: list[dict[str, Any]] = [
            {"most_bytes": 10},
            {},
            {"headers": headers},
            {"headers": {"Authorization": "ключ" + KEY}},
            {"kinds": {"text/html"}},
            {"seconds": 1e-9},
            {"address": f"http://{KEY}@example.com/"},
            {"address": f"http://127.0.0.1/?{KEY}"},
            {"address": f"http://[::1/?{KEY}"},
            {"address": f"{KEY}://example.com/?{KEY}"[len("key-of-nobody-") :]},
        ]
        for one in asked:
            with pytest.raises((SourceRefused, SourceUnavailable)) as failed:
                await fetched(running.url, **{"address": address, **one})
            errors.append(failed.value)
    assert not [str(error) for error in errors if KEY in str(error)]


async def test_nobody_there_is_no_answer() -> None:
    with loopback(lambda asked: Reply()) as running:
        pass
    with pytest.raises(SourceUnavailable, match=r"test: 'example\.com': ConnectError"):
        await fetched(running.url)


@pytest.mark.parametrize(
    ("content", "declared", "expected"),
    [
        (b"caf\xe9", "latin-1", "café"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("日本".encode(), '"UTF-8"', "日本"),
        (codecs.BOM_UTF8 + b"x", "latin-1", "x"),
        ("ä".encode("utf-16"), "utf-8", "ä"),
        (b"caf\xe9", None, "caf\ufffd"),
        (b"caf\xe9", "no-such", "caf\ufffd"),
        (b"YQ==", "base64", "YQ=="),
        (b"a\\nb", "unicode_escape", "a\\nb"),
        (b"x", "\x00", "x"),
        (b"x", "../../etc", "x"),
        (b"", "idna", ""),
    ],
)
def test_text_is_read_as_its_mark_or_its_declaration_says(content: bytes, declared: str | None, expected: str) -> None:
    assert Answer("", 200, httpx.Headers(), content, encoding_of(content, declared)).text == expected


@given(st.binary(max_size=50), st.sampled_from(sorted({*aliases, *aliases.values()})))
def test_any_bytes_are_text_in_any_encoding(content: bytes, declared: str) -> None:
    assert isinstance(Answer("", 200, httpx.Headers(), content, encoding_of(content, declared)).text, str)


@given(st.binary(max_size=50), st.text(max_size=20))
def test_any_bytes_are_text_whatever_is_declared(content: bytes, declared: str) -> None:
    assert isinstance(Answer("", 200, httpx.Headers(), content, encoding_of(content, declared)).text, str)


@pytest.mark.parametrize("content", [b"", b"<html>", b"\xff\xfe\xff", b"[" * 1_000_000, b"1" * 10_000, b'{"a":'])
def test_what_is_no_json_is_no_answer(content: bytes) -> None:
    with pytest.raises(SourceUnavailable, match="test: the answer is"):
        Answer("", 200, httpx.Headers(), content).json("test")


async def test_a_service_is_asked_where_the_settings_say() -> None:
    with leading() as running:
        service = Service("own", "https://api.example.com/v1", chosen(service_urls={"own": f"{running.url}/"}))
        assert (await service.get("9")).json("own")["method"] == "GET"
        await service.close()
        assert not Service("other", "https://api.example.com/v1", chosen()).trusted


async def test_a_services_status_is_what_it_says() -> None:
    with loopback(lambda asked: Reply(status=int(asked.path[1:]), headers={"Retry-After": "7"})) as running:
        service = Service("own", "https://api.example.com", chosen(service_urls={"own": running.url}))
        with pytest.raises(SourceBusy) as busy:
            await service.get("503")
        assert busy.value.retry_after == 7
        with pytest.raises(SourceRefused):
            await service.get("404")
        assert (await service.ask("404")).status == 404
        await service.close()
