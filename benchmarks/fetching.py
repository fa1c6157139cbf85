"""What reading safely refuses, and costs: the memory that a bomb of 10 GB takes, the time of guard and cache.

The service is a process of its own on loopback. Targets: a bomb takes under 50 MB; a guarded request costs at most half
as much again as one of plain httpx; a kept page comes faster than it is fetched.
"""

import asyncio
import multiprocessing
import time
import zlib
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from statistics import median

import httpx
import psutil

from benchmarks.bench import Bench
from elcano.activities.sources.http.fetching import API_BYTES, Fetcher
from elcano.graphs.errors import SourceRefused
from elcano.settings import Settings
from tests.internet import Internet
from tests.unit.activities.sources.http import hostile

PAGE = b"<p>" + b"word " * 20_000


def serve(tell: Connection, bomb: int) -> None:
    """A bomb of so many bytes at `/bomb`, a page elsewhere; says its port first."""
    asyncio.run(_serve(tell, bomb))


async def _serve(tell: Connection, bomb: int) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await _answer(await reader.readuntil(b"\r\n\r\n"), writer, bomb)
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    tell.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


async def _answer(head: bytes, writer: asyncio.StreamWriter, bomb: int) -> None:
    if not head.startswith(b"GET /bomb"):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE)
        return await writer.drain()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
    packing = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    for _ in range(bomb // 1_000_000):
        writer.write(packing.compress(bytes(1_000_000)))
        await writer.drain()
    writer.write(packing.flush())
    writer.close()


async def _bomb(fetcher: Fetcher) -> tuple[float, str]:
    """Megabytes that this process grew by at most, and what was said."""
    process = psutil.Process()
    before = most = process.memory_info().rss
    fetching = asyncio.create_task(fetcher.fetch("benchmark", "http://example.com/bomb", seconds=120))
    while not fetching.done():
        most = max(most, process.memory_info().rss)
        await asyncio.sleep(0.0005)
    refused = fetching.exception()
    assert isinstance(refused, SourceRefused), refused
    return (most - before) / 1e6, str(refused)


async def _refused(fetcher: Fetcher, internet: Internet) -> tuple[int, int]:
    """How many hostile addresses were refused, and how many there are; nothing may have been connected to."""
    spelled = (*map(_host, hostile.PRIVATE), *hostile.SPELLED, *hostile.NAMES)
    addresses = [*(f"http://{one}/" for one in spelled), *hostile.ADDRESSES]
    before, refused = len(internet.connected), 0
    for address in addresses:
        try:
            await fetcher.fetch("benchmark", address)
        except SourceRefused:
            refused += 1
    assert len(internet.connected) == before, "a hostile address was connected to"
    return refused, len(addresses)


def _host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


async def _milliseconds(requests: int, *asks: Callable[[int], Awaitable[object]]) -> list[float]:
    """The median of one request by each of `asks`, which take turns: a busy machine is busy for all of them."""
    taken = [list[float]() for _ in asks]
    for number in range(requests):
        for ask, times in zip(asks, taken, strict=True):
            begun = time.perf_counter()
            await ask(number)
            times.append(time.perf_counter() - begun)
    return [median(times) * 1_000 for times in taken]


async def main(bench: Bench) -> None:
    """Everything on loopback."""
    listen, tell = multiprocessing.Pipe(duplex=False)
    bomb = bench.choose(10_000_000_000, 100_000_000)
    service = multiprocessing.get_context("spawn").Process(target=serve, args=(tell, bomb), daemon=True)
    service.start()
    url = f"http://127.0.0.1:{await asyncio.to_thread(listen.recv)}"
    internet = Internet(url)
    fetcher = Fetcher(Settings(_env_file=None, page_cache_mb=0), internet.network)
    keeping = Fetcher(Settings(_env_file=None, page_cache_mb=200, data_dir=bench.folder), internet.network)
    try:
        async with httpx.AsyncClient(trust_env=False) as plain:
            refused, there = await _refused(fetcher, internet)
            bench.say(f"{refused} of {there} hostile addresses refused, none was connected to")
            bench.tell("hostile addresses let through", there - refused)
            await _measure(bench, fetcher, keeping, plain, url)
    finally:
        await fetcher.close()
        await keeping.close()
        service.terminate()
        service.join()


async def _measure(bench: Bench, fetcher: Fetcher, keeping: Fetcher, plain: httpx.AsyncClient, url: str) -> None:
    grown, said = await _bomb(fetcher)
    bench.say(f"a bomb, where {API_BYTES / 1e6:.0f} MB may be read, takes {grown:.1f} MB: {said}")
    bench.tell("memory of a bomb / what may be read", grown * 1e6 / API_BYTES)
    page, requests = "http://example.com/page", bench.choose(300, 5)
    bare, guarded, first, again = await _milliseconds(
        requests,
        lambda number: plain.get(f"{url}/page"),
        lambda number: fetcher.fetch("benchmark", page),
        lambda number: keeping.fetch("benchmark", f"{page}/{number}"),
        lambda number: keeping.fetch("benchmark", f"{page}/{number}"),
    )
    bench.say(f"a page of {len(PAGE) / 1e3:.0f} kB: httpx {bare:.2f} ms, guarded {guarded:.2f}, kept {again:.2f}")
    bench.tell("guarded / plain httpx", guarded / bare)
    bench.tell("kept / fetched", again / first)
