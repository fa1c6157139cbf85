"""How soon a client hears of an event, with one and with 100 clients on one run; and what listening costs the history.

Measured on loopback: the real API as a process, a worker as another, and clients that read their sockets here. An event
is dated by the workflow's clock, which is the moment at which the server handed out the workflow task that told it. So
the figure is the time from that moment to the bytes at the client: the task itself with the report of its end to the
server, the waking of the API, its pause of 25 ms for bursts, one query, and the sending. Events from before the last
client was connected do not count. Target: a median of at most 20 ms.

Histories must not grow by being watched: the same run is made without clients. They may differ by a
few workflow tasks of three events each: searches that end at the same moment are told to the workflow in one.
"""

import asyncio
import time
from statistics import median
from typing import Final, NamedTuple

import httpx
from temporalio.client import Client

from benchmarks.bench import Bench
from benchmarks.scripted import Scripted
from benchmarks.server import measure_history, research_worker, serving, settings_for, working
from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.state.events import AgentEvent
from elcano.settings.settings import Settings
from elcano.storage.payloads import connect_config

ITERATIONS: Final = 5
SECONDS: Final = 0.2
"""How long every call of a model takes."""
PAUSE_MILLISECONDS: Final = 25
"""For so long the API waits for further events."""
NOTICES: Final = (b"waiting", b"streaming", b"unreadable")
"""Messages that are no events."""


class Received(NamedTuple):
    """One event at one client. Times are seconds since the epoch."""

    at: float
    event: AgentEvent


async def follow(port: int, path: str, connected: asyncio.Event) -> list[Received]:
    """Everything that one client receives of a run."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    lines: list[tuple[float, bytes]] = []
    name = b""
    async for line in reader:
        connected.set()
        if line.startswith(b"event: "):
            name = line.strip().removeprefix(b"event: ")
        elif line.startswith(b"data: ") and name not in NOTICES:
            lines.append((time.time(), line))
    writer.close()
    await writer.wait_closed()
    return [Received(at, AgentEvent.model_validate_json(line.removeprefix(b"data: "))) for at, line in lines]


async def measure(client: Client, settings: Settings, api: httpx.AsyncClient, clients: int) -> tuple[int, list[float]]:
    """One run with so many clients: events of its history, and the age of each event at each client."""
    body = {"question": "How do its parts belong together?", "mode": "iterative", "budget": {"iterations": ITERATIONS}}
    asked = (await api.post("/v1/runs", json=body)).raise_for_status()
    path, run_id = asked.headers["Location"], asked.json()["run_id"]
    connected = [asyncio.Event() for _ in range(clients)]
    following = [asyncio.create_task(follow(settings.api_port, path, one)) for one in connected]
    for one in connected:
        await one.wait()
    begun = time.time()
    streams = await asyncio.gather(*following)
    await client.get_workflow_handle(run_id).result()
    heard = [1_000 * (at - event.at) for stream in streams for at, event in stream if event.at > begun]
    return (await measure_history(client, run_id)).events, heard


async def work(settings: Settings, iterations: int = ITERATIONS) -> None:
    """The worker, whose runs take so many iterations."""
    scripted = Scripted(iterations=iterations, seconds=SECONDS)
    worker = research_worker(await Client.connect(**connect_config(settings)), TASK_QUEUE, scripted.activities)
    await worker.run()


async def main(bench: Bench) -> None:
    """One run after the other."""
    many = bench.choose(100, 5)
    async with bench.temporal() as server:
        settings = settings_for(server, bench.folder)
        client = await Client.connect(**connect_config(settings))
        async with working(work, settings, here=bench.small), serving(settings) as api:
            unwatched, _ = await measure(client, settings, api, 0)
            _, alone = await measure(client, settings, api, 1)
            watched, together = await measure(client, settings, api, many)
    for clients, heard in ((1, alone), (many, together)):
        bench.say(f"{clients} clients, {len(heard)} events: p50 {median(heard):.0f} ms, at most {max(heard):.0f} ms")
    bench.tell("age at many clients / at one", median(together) / median(alone))
    bench.tell("age at one client / pause for bursts", median(alone) / PAUSE_MILLISECONDS)
    bench.tell("events watched / unwatched", watched / unwatched)
