"""How old words are when a client sees them, with 50 runs writing at once; and what they cost the history.

Measured on loopback: the real API as a process, a worker as another with the real writer, whose model gives 1,000
pieces a run, one every 30 ms, each the time at which it was given. One client a run reads its socket here. The figures:

- the age of the newest piece of a message when it comes: of text that is on the screen. Target: a median of 400 ms.
- the same for one who connects in the midst of it, and after how long the first text comes.
- the age of every piece when it first comes: how long a word waits to be seen. The model gives a piece at any moment
  between two beats, so this is a quarter of a second more.

A history must not grow by words: the same run is made with a model that answers all at once. Target: no event more. On
a machine that is too busy a workflow task may time out, which is three events; so the median is told, and the most.
"""

import asyncio
import multiprocessing
import re
import statistics
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import httpx
import uvloop
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from temporalio.client import Client
from temporalio.worker import Worker

from benchmarks.history import size
from benchmarks.progress import serving
from benchmarks.server import archive_nothing, publish_nothing, temporal_server
from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.calls.names import agent_activities
from elcano.activities.sources.registry import Sources
from elcano.api.events.feed import Streaming
from elcano.dev.claims import free_ports
from elcano.graphs.contracts import TASK_QUEUE, ModelChoice
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.settings.settings import Settings
from elcano.storage.payloads import connect_config
from elcano.storage.store import open_store
from elcano.worker import HEARTBEAT_THROTTLE
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

RUNS: Final = 50
PIECES: Final = 1_000
LATE: Final = 10
"""Clients that connect while others watch."""
PAUSE: Final = 0.03
"""Seconds between two pieces."""
STREAMING: Final = "openai:any"
"""The name of a model that streams; nobody answers to it but the function below."""
GRAPH: Final = ResearchGraph(
    name="words",
    nodes=(AgentNode(id="write", agent="writer", inputs={"question": "question"}),),
    edges=(),
    entry_node="write",
    exit_nodes=("write",),
)
_BEGINNING: Final = '{"title": "Words", "limitations": ["'
_END: Final = '"]}'
_TIME: Final = re.compile(r"\d{10}\.\d{3}")


class Seen(NamedTuple):
    """What one client saw of one run: ages in milliseconds."""

    newest: list[float]
    pieces: list[float]


async def _in_pieces(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
    yield {0: DeltaToolCall(info.output_tools[0].name, _BEGINNING)}
    for _ in range(PIECES):
        await asyncio.sleep(PAUSE)
        yield {0: DeltaToolCall(json_args=f"{time.time():.3f} ")}
    yield {0: DeltaToolCall(json_args=_END)}


async def _at_once(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    await asyncio.sleep(PIECES * PAUSE)
    return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, _BEGINNING + _END)])


def _resolve(choice: ModelChoice, agent: str, settings: Settings) -> Model:
    return FunctionModel(_at_once, model_name="at-once") if choice.default == OFFLINE else _STREAMED


_STREAMED: Final = FunctionModel(_at_once, stream_function=_in_pieces, model_name="in-pieces")


def work(settings: Settings) -> None:
    """The worker's process."""
    uvloop.run(_work(settings))


async def _work(settings: Settings) -> None:
    async with open_store(settings.data_dir / "worker") as store:
        agents = AgentActivities(store, Sources({}), Settings(_env_file=None), resolve=_resolve)
        worker = Worker(
            await Client.connect(**connect_config(settings)),
            task_queue=TASK_QUEUE,
            workflows=[ResearchWorkflow],
            activities=[*agent_activities(agents.run_agent), publish_nothing, archive_nothing],
            workflow_runner=workflow_runner(),
            max_concurrent_activities=2 * RUNS,
            max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
            build_id="benchmark",
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


async def begin(api: httpx.AsyncClient, model: str) -> str:
    """Starts a run; its id."""
    body = {"question": "What is there to write?", "graph": GRAPH.model_dump(mode="json"), "model": model}
    return str((await api.post("/v1/runs", json=body)).raise_for_status().json()["run_id"])


async def follow(port: int, run_id: str) -> Seen:
    """What a client sees until the run ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_000_000)
    writer.write(f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    seen, last, name = Seen([], []), 0.0, b""
    async for line in reader:
        if line.startswith(b"event: "):
            name = line.strip().removeprefix(b"event: ")
        elif line.startswith(b"data: ") and name == b"streaming":
            now, words = time.time(), Streaming.model_validate_json(line.removeprefix(b"data: "))
            given = [float(at) for at in _TIME.findall(words.text)]
            if given:
                seen.newest.append(1_000 * (now - given[-1]))
                seen.pieces.extend(1_000 * (now - at) for at in given if at > last)
                last = given[-1]
    writer.close()
    await writer.wait_closed()
    return seen


async def reconnect(port: int, run_id: str) -> tuple[float, float]:
    """Who comes when half is written: milliseconds until the first text is there, and the age of its newest word."""
    await asyncio.sleep(PIECES * PAUSE / 2)
    begun = time.time()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_000_000)
    writer.write(f"GET /v1/runs/{run_id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    async for line in reader:
        given = _TIME.findall(line.decode()) if b'"characters"' in line else []
        if given:
            now = time.time()
            writer.close()
            return 1_000 * (now - begun), 1_000 * (now - float(given[-1]))
    raise RuntimeError("the stream ended before there were any words")


async def events(client: Client, run_id: str) -> int:
    """How many events the history of a run has that has ended."""
    await client.get_workflow_handle(run_id).result()
    return (await size(client, run_id)).events


async def measure(client: Client, api: httpx.AsyncClient, port: int) -> None:
    """All runs at once, and before them one that is not streamed and that nobody watches."""
    unwatched = await events(client, await begin(api, OFFLINE))
    runs = [await begin(api, STREAMING) for _ in range(RUNS)]
    later = asyncio.gather(*(reconnect(port, run_id) for run_id in runs[:LATE]))
    watched = await asyncio.gather(*(follow(port, run_id) for run_id in runs))
    waits, ages = zip(*await later, strict=True)
    more = [await events(client, run_id) - unwatched for run_id in runs]
    newest = [age for one in watched for age in one.newest]
    pieces = [age for one in watched for age in one.pieces]
    print(
        f"live words  {RUNS} runs, {len(newest) / RUNS:.0f} messages each: newest word p50 {_ms(newest, 50)} "
        f"(target <= 400), p95 {_ms(newest, 95)}; every word p50 {_ms(pieces, 50)}, p95 {_ms(pieces, 95)}"
    )
    print(
        f"live words  {LATE} connect in the midst: first text after p50 {statistics.median(waits):.0f} ms, at most "
        f"{max(waits):.0f} ms; its newest word is p50 {statistics.median(ages):.0f} ms old, at most {max(ages):.0f} ms"
    )
    print(
        f"live words  {PIECES} pieces: {statistics.median(more):.0f} events more (target 0), at most {max(more)}, "
        f"than the {unwatched} of a run without"
    )


def _ms(ages: list[float], percent: int) -> str:
    return f"{statistics.quantiles(ages, n=100)[percent - 1]:.0f} ms"


async def main() -> None:
    """Everything on one machine."""
    (port,) = free_ports(1)
    with TemporaryDirectory() as folder:
        async with temporal_server() as client:
            address = client.service_client.config.target_host
            settings = Settings.model_validate(
                {"TEMPORAL_ADDRESS": address, "data_dir": Path(folder), "api_url": "", "api_port": port}
            )
            with working(settings):
                async with serving(settings) as api:
                    await measure(client, api, port)
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


if __name__ == "__main__":
    uvloop.run(main())
