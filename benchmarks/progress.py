"""How soon a client hears of an event, with one and with 100 clients on one run; and what listening costs the history.

Measured on loopback: the real API as a process, a worker as another, and clients that read their sockets here. An event
is dated by the workflow's clock, which is the moment at which the server handed out the workflow task that told it. So
the figure is the time from that moment to the bytes at the client: the task itself with the report of its end to the
server, the waking of the API, its pause of 25 ms for bursts, one query, and the sending. Events from before the last
client was connected do not count. Target: a median of at most 50 ms.

Histories must not grow by being watched: the same run is made without clients, before and after. They may differ by a
few workflow tasks of three events each: searches that end at the same moment are told to the workflow in one.
"""

import asyncio
import multiprocessing
import statistics
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import httpx
import uvloop
from temporalio.client import Client
from temporalio.worker import Worker

from benchmarks.history import size
from benchmarks.scripted import Scripted
from benchmarks.server import temporal_server
from elcano.dev.claims import free_ports
from elcano.dev.stack import child_environment
from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.state.events import AgentEvent
from elcano.settings.settings import Settings
from elcano.storage.payloads import connect_config
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

CLIENTS: Final = (0, 1, 100, 0)
ITERATIONS: Final = 5
SECONDS: Final = 0.2
"""How long every call of a model takes."""
START_SECONDS: Final = 60.0
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


async def measure(client: Client, api: httpx.AsyncClient, port: int, clients: int) -> None:
    """One run with so many clients."""
    body = {"question": "How do its parts belong together?", "mode": "iterative", "budget": {"iterations": ITERATIONS}}
    asked = (await api.post("/v1/runs", json=body)).raise_for_status()
    path, run_id = asked.headers["Location"], asked.json()["run_id"]
    connected = [asyncio.Event() for _ in range(clients)]
    following = [asyncio.create_task(follow(port, path, one)) for one in connected]
    for one in connected:
        await one.wait()
    begun = time.time()
    streams = await asyncio.gather(*following)
    await client.get_workflow_handle(run_id).result()
    heard = [1000 * (at - event.at) for stream in streams for at, event in stream if event.at > begun]
    latency = ""
    if heard:
        median = statistics.median(heard)
        latency = f", {len(heard)} events: p50 {median:.0f} ms (target <= 50), max {max(heard):.0f} ms"
    print(f"progress    {clients:3} clients: history of {(await size(client, run_id)).events} events{latency}")


def work(settings: Settings) -> None:
    """The worker's process."""
    uvloop.run(_work(settings))


async def _work(settings: Settings) -> None:
    worker = Worker(
        await Client.connect(**connect_config(settings)),
        task_queue=TASK_QUEUE,
        workflows=[ResearchWorkflow],
        activities=Scripted(iterations=ITERATIONS, seconds=SECONDS).activities,
        workflow_runner=workflow_runner(),
    )
    await worker.run()


@contextmanager
def working(settings: Settings) -> Iterator[None]:
    """Runs the worker, over the objects that the API uses, for the duration of the block."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=(settings,))
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """Runs the API for the duration of the block, from the moment at which it finds a worker."""
    process: Process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "elcano.api", env=child_environment(settings), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with httpx.AsyncClient(base_url=settings.base_url, timeout=30, trust_env=False) as client:
            await asyncio.wait_for(_until_ready(client), START_SECONDS)
            yield client
    finally:
        process.terminate()
        await process.wait()


async def _until_ready(client: httpx.AsyncClient) -> None:
    while True:
        try:
            if (await client.get("/readyz")).is_success:
                return
        except httpx.TransportError:  # it does not listen yet
            pass
        await asyncio.sleep(0.2)


async def main() -> None:
    """One run after the other."""
    (port,) = free_ports(1)
    with TemporaryDirectory() as folder:
        async with temporal_server() as client:
            address = client.service_client.config.target_host
            settings = Settings.model_validate(
                {"TEMPORAL_ADDRESS": address, "data_dir": Path(folder), "api_url": "", "api_port": port}
            )
            with working(settings):
                async with serving(settings) as api:
                    for clients in CLIENTS:
                        await measure(client, api, port, clients)
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


if __name__ == "__main__":
    uvloop.run(main())
