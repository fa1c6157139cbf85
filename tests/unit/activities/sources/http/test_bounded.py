"""However much a service sends, however slowly, and however it is packed: a bound is a bound."""

import asyncio
import gzip
import itertools
import tracemalloc
import zlib
from collections.abc import AsyncIterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.sources.http.answers import MOST_MEMBERS, PIECE, content_of
from elcano.activities.sources.http.fetching import API_BYTES
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from tests.loopback import Asked, Reply, loopback
from tests.unit.activities.sources.http.raw import speaking
from tests.unit.activities.sources.http.reading import fetched, fetching

GZIP = {"Content-Encoding": "gzip"}
OK = b"HTTP/1.1 200 OK\r\n"


async def iter_of(content: bytes, size: int = 7) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def test_an_answer_of_just_the_size_is_read() -> None:
    with loopback(lambda asked: Reply(b"x" * 1_000)) as running:
        assert (await fetched(running.url, most_bytes=1_000)).content == b"x" * 1_000
        with pytest.raises(SourceRefused, match=r"'example.com': the answer is larger than 999 bytes"):
            await fetched(running.url, most_bytes=999)


async def test_a_declared_size_is_refused_before_anything_is_read() -> None:
    async def speak(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"Content-Length: 100000000000\r\n\r\n")
        await writer.drain()
        await asyncio.Event().wait()

    async with speaking(speak) as url:
        with pytest.raises(SourceRefused, match="larger"):
            await fetched(url)


async def test_what_never_ends_is_cut_off() -> None:
    sent = 0

    async def speak(head: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(OK + b"\r\n")
        while True:
            writer.write(b"x" * 65_536)
            sent += 65_536
            await writer.drain()

    async with speaking(speak) as url:
        with pytest.raises(SourceRefused, match="larger"):
            await fetched(url, most_bytes=1_000_000)
    assert sent < 20_000_000


def bomb(megabytes: int) -> bytes:
    """Zeros, as gzip packs them: a thousandth of what they are."""
    packing = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join([*(packing.compress(bytes(1_000_000)) for _ in range(megabytes)), packing.flush()])


async def test_a_bomb_costs_little_more_memory_than_the_answer_may_have() -> None:
    packed = bomb(300)
    with loopback(lambda asked: Reply(packed, headers=GZIP)) as running:
        tracemalloc.start()
        try:
            with pytest.raises(SourceRefused, match="larger"):
                await fetched(running.url)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < API_BYTES + 10_000_000


@pytest.mark.parametrize(
    "named", ["br", "zstd", "deflate", "compress", "gzip, gzip", "gzip,br", "identity,br", "x" * 900]
)
async def test_what_nobody_asked_for_is_not_unpacked(named: str) -> None:
    packed = gzip.compress(gzip.compress(bytes(1_000)))
    with loopback(lambda asked: Reply(packed, headers={"Content-Encoding": named})) as running:
        with pytest.raises(SourceRefused, match="an encoding that was not requested"):
            await fetched(running.url)
        assert running.asked[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("named", ["gzip", "GZIP", "x-gzip", "identity, gzip", " gzip ,"])
async def test_gzip_is_unpacked(named: str) -> None:
    with loopback(lambda asked: Reply(gzip.compress(b"read"), headers={"Content-Encoding": named})) as running:
        assert (await fetched(running.url)).content == b"read"


@given(
    st.lists(st.binary(max_size=3_000), min_size=1, max_size=5),
    st.integers(1, 4_000),
    st.sampled_from([b"", bytes(9), b"no gzip"]),
)
async def test_every_part_of_a_packed_answer_is_read(parts: list[bytes], size: int, padding: bytes) -> None:
    packed = b"".join(map(gzip.compress, parts)) + padding
    response = httpx.Response(200, headers=GZIP, content=iter_of(packed, size))
    assert await content_of("test", response, 100_000) == b"".join(parts)


@pytest.mark.parametrize("pieces", [1, 2])
async def test_nothing_is_lost_where_a_piece_ends(pieces: int) -> None:
    for size in range(pieces * PIECE - 300, pieces * PIECE + 300, 5):
        response = httpx.Response(200, headers=GZIP, content=iter_of(gzip.compress(bytes(size), 6), size % 1_100 + 1))
        assert len(await content_of("test", response, size)) == size


@given(st.binary(min_size=1, max_size=2_000), st.integers(0, 10_000))
async def test_a_packed_answer_that_breaks_off_is_none(content: bytes, place: int) -> None:
    packed = gzip.compress(content)
    cut = 1 + place % (len(packed) - 1)
    response = httpx.Response(200, headers=GZIP, content=iter_of(packed[:cut]))
    with pytest.raises(SourceUnavailable):
        await content_of("test", response, 100_000)


@pytest.mark.parametrize("cut", [1, 5, 12, 21])
async def test_a_second_part_that_breaks_off_is_missed(cut: int) -> None:
    packed = gzip.compress(b"first") + gzip.compress(b"second")[:-cut]
    response = httpx.Response(200, headers=GZIP, content=iter_of(packed))
    with pytest.raises(SourceUnavailable, match="breaks off"):
        await content_of("test", response, 100_000)


@given(st.binary(min_size=1, max_size=200))
async def test_bytes_that_are_not_packed_are_no_answer(content: bytes) -> None:
    response = httpx.Response(200, headers=GZIP, content=iter_of(b"<" + content))
    with pytest.raises(SourceUnavailable, match=r"damaged|breaks off"):
        await content_of("test", response, 100_000)


async def test_an_empty_answer_may_say_that_it_is_packed() -> None:
    with loopback(lambda asked: Reply(b"", headers=GZIP)) as running:
        assert (await fetched(running.url)).content == b""


async def test_an_answer_of_a_million_packed_parts_is_refused() -> None:
    response = httpx.Response(200, headers=GZIP, content=iter_of(gzip.compress(b"") * (MOST_MEMBERS + 1), 65_536))
    with pytest.raises(SourceRefused, match="more than 1000 parts"):
        await content_of("test", response, 100_000)
    response = httpx.Response(200, headers=GZIP, content=iter_of(gzip.compress(b"") * MOST_MEMBERS, 65_536))
    assert await content_of("test", response, 100_000) == b""


async def test_the_size_holds_for_what_comes_as_well() -> None:
    packed = gzip.compress(b"") * 100
    response = httpx.Response(200, headers=GZIP, content=iter_of(packed))
    with pytest.raises(SourceRefused, match="larger"):
        await content_of("test", response, 1_000)


async def test_a_slow_answer_ends_in_time() -> None:
    async def speak(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"Content-Length: 1000000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with speaking(speak) as url:
        with pytest.raises(SourceUnavailable, match=r"'example.com' did not answer within 0.3 s"):
            await fetched(url, seconds=0.3)


async def test_slow_headers_end_in_time() -> None:
    async def speak(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(OK)
        for number in itertools.count():
            writer.write(f"X-{number}: x\r\n".encode())
            await writer.drain()
            await asyncio.sleep(0.01)

    async with speaking(speak) as url:
        with pytest.raises(SourceUnavailable, match="did not answer within"):
            await fetched(url, seconds=0.3)


async def test_slow_redirects_end_in_time() -> None:
    def answering(asked: Asked) -> Reply:
        return Reply(status=302, headers={"Location": f"{asked.path}x"}, delay=0.2)

    with loopback(answering) as running, pytest.raises(SourceUnavailable, match="did not answer within"):
        await fetched(running.url, seconds=0.3)


@pytest.mark.parametrize(
    "head",
    [
        b"".join(b"X-%d: %s\r\n" % (number, b"x" * 1_000) for number in range(1_000)),
        b"X: " + b"x" * 10_000_000,
        b"Transfer-Encoding: chunked\r\n\r\n4;" + b"x" * 10_000_000,
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: x\r\n" * 1_000_000,
        b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 99999999999999999999\r\n\r\nshort",
        b"no header at all\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
    ],
    ids=["many", "long", "extension", "trailers", "two lengths", "negative", "absurd", "garbage", "no chunk"],
)
async def test_a_flood_or_garbage_is_no_answer(head: bytes) -> None:
    async def speak(asked: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + head)
        writer.close()

    async with speaking(speak) as url:
        with pytest.raises((SourceUnavailable, SourceRefused)):
            await fetched(url)


async def test_what_is_no_http_is_no_answer() -> None:
    async def speak(asked: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\x00\xff" * 10)
        writer.close()

    async with speaking(speak) as url:
        with pytest.raises(SourceUnavailable, match=r"test: 'example.com': RemoteProtocolError"):
            await fetched(url)


async def test_endless_provisional_answers_end_in_time() -> None:
    async def speak(asked: bytes, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
            await writer.drain()
            await asyncio.sleep(0.001)

    async with speaking(speak) as url:
        with pytest.raises(SourceUnavailable, match="did not answer within"):
            await fetched(url, seconds=0.3)


async def test_a_fetch_can_be_cancelled_and_the_client_goes_on() -> None:
    async def speak(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"Content-Length: 4\r\n\r\n")
        await writer.drain()
        if b"/slow" in head:
            await asyncio.Event().wait()
        writer.write(b"read")

    async with speaking(speak) as url, fetching(url) as fetcher:
        for pause in (0.0, 0.0, 0.0, 0.1):  # more than there are connections: some are still waited for
            slow = [asyncio.create_task(fetcher.fetch("test", "http://example.com/slow")) for _ in range(150)]
            await asyncio.sleep(pause)
            for task in slow:
                task.cancel()
            assert {type(ended) for ended in await asyncio.gather(*slow, return_exceptions=True)} == {
                asyncio.CancelledError
            }
        assert (await fetcher.fetch("test", "http://example.com/quick")).text == "read"
