"""Clients of the API: each starts a run and follows its events to the end, on as many streams as it was told."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import httpx

from benchmarks.load.corpus import COLLECTION
from elcano.graphs.state.events import TERMINAL

COME_AGAIN: Final = (429, 502, 503, 504)
PAUSE_SECONDS: Final = 0.5
TIMEOUT: Final = httpx.Timeout(120.0, connect=30.0)
TOKENS: Final = 50_000_000
"""A run's budget: none is to be used up."""


@dataclass
class Heard:
    """What one stream of one run was sent."""

    events: list[str] = field(default_factory=list)
    """Their ids, in the order in which they came."""
    bytes: int = 0
    connections: int = 0
    ended: str = ""
    """The type of the run's last event."""


@dataclass
class Asked:
    """What one client saw."""

    run_id: str
    seconds: float
    """From the request to the last event of the slowest stream."""
    streams: Sequence[Heard]
    refusals: int
    """Answers that told the client to come again."""


def open_client(base_url: str) -> httpx.AsyncClient:
    """A client with as many connections as it needs."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    return httpx.AsyncClient(base_url=base_url, timeout=TIMEOUT, limits=limits, trust_env=False)


async def start_run(http: httpx.AsyncClient, question: str, mode: str, turns: int, sections: int) -> tuple[str, int]:
    """Start a run, however often the API says to come again; its id, and how often that was."""
    budget: dict[str, object] = {"tokens": TOKENS, "seconds": 86_400, "iterations": turns}
    body = {"question": question, "mode": mode, "sources": [COLLECTION], "budget": budget}
    if sections:
        budget["sections"] = sections
    refusals = 0
    while (answer := await http.post("/v1/runs", json=body)).status_code in COME_AGAIN:
        refusals += 1
        await asyncio.sleep(PAUSE_SECONDS)
    if answer.status_code != 201:
        raise RuntimeError(f"a run was refused with {answer.status_code}: {answer.text}")
    return answer.headers["Location"].rpartition("/")[2], refusals


async def follow_run(http: httpx.AsyncClient, run_id: str) -> Heard:
    """Follow a run's events to its end, across every break of the connection."""
    heard = Heard()
    while not heard.ended:
        heard.connections += 1
        with suppress(httpx.TransportError):  # it went away in the middle; the stream goes on after the last event
            await _listen(http, run_id, heard)
        if not heard.ended:
            await asyncio.sleep(PAUSE_SECONDS)
    return heard


async def _listen(http: httpx.AsyncClient, run_id: str, heard: Heard) -> None:
    headers: Mapping[str, str] = {"Last-Event-ID": heard.events[-1]} if heard.events else {}
    event = ""
    async with http.stream("GET", f"/v1/runs/{run_id}/events", headers=headers) as answer:
        if answer.status_code != 200:
            if answer.status_code in (204, *COME_AGAIN):
                return
            await answer.aread()
            raise RuntimeError(f"the events of {run_id} were refused with {answer.status_code}: {answer.text}")
        async for line in answer.aiter_lines():
            heard.bytes += len(line.encode()) + 1
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "id":
                heard.events.append(value)
                if event in TERMINAL:
                    heard.ended = event
            elif not line and heard.ended:
                return


async def ask_and_follow(
    http: Sequence[httpx.AsyncClient], question: str, mode: str, turns: int, sections: int, streams: int
) -> Asked:
    """Start a run at the first API and follow it on `streams` streams, one after the other of the APIs."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    run_id, refusals = await start_run(http[0], question, mode, turns, sections)
    followed = [follow_run(http[number % len(http)], run_id) for number in range(max(1, streams))]
    heard = await asyncio.gather(*followed)
    return Asked(run_id, loop.time() - began, heard, refusals)
