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
import re
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from statistics import median
from typing import Any, Final, NamedTuple

import httpx
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from temporalio.client import Client

from benchmarks.bench import Bench
from benchmarks.server import (
    archive_nothing,
    measure_history,
    publish_nothing,
    research_worker,
    serving,
    settings_for,
    working,
)
from elcano.activities.agents.agent_activity import AgentActivities, agent_activities
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import TASK_QUEUE
from elcano.graphs.model_names import OFFLINE, ModelChoice
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.service.events.feed import Streaming
from elcano.settings.settings import Settings
from elcano.storage.payloads import connect_config
from elcano.storage.store import open_store

TARGET_MILLISECONDS: Final = 400
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


async def work(settings: Settings, pieces: int) -> None:
    """The worker, whose model gives so many pieces, or all at once to whom does not listen."""

    async def give_pieces(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
        yield {0: DeltaToolCall(info.output_tools[0].name, _BEGINNING)}
        for _ in range(pieces):
            await asyncio.sleep(PAUSE)
            yield {0: DeltaToolCall(json_args=f"{time.time():.3f} ")}
        yield {0: DeltaToolCall(json_args=_END)}

    async def give_all(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(pieces * PAUSE)
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, _BEGINNING + _END)])

    at_once = FunctionModel(give_all, model_name="at-once")
    streamed = FunctionModel(give_all, stream_function=give_pieces, model_name="in-pieces")

    def resolve(choice: ModelChoice, agent: str, settings: Settings) -> Model:
        return at_once if choice.default == OFFLINE else streamed

    async with open_store(settings.data_dir / "worker") as store:
        agents = AgentActivities(store, Sources({}), Settings(_env_file=None), resolve=resolve)
        activities: list[Callable[..., Any]] = [*agent_activities(agents.run_agent), publish_nothing, archive_nothing]
        await research_worker(await Client.connect(**connect_config(settings)), TASK_QUEUE, activities).run()


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


async def reconnect(port: int, run_id: str, pieces: int) -> tuple[float, float]:
    """Who comes when half is written: milliseconds until the first text is there, and the age of its newest word."""
    await asyncio.sleep(pieces * PAUSE / 2)
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


async def end(client: Client, run_id: str) -> int:
    """How many events the history of a run has, which has ended then."""
    await client.get_workflow_handle(run_id).result()
    return (await measure_history(client, run_id)).events


async def main(bench: Bench) -> None:
    """All runs at once, and before them one that is not streamed and that nobody watches."""
    count, pieces, late = bench.choose(50, 2), bench.choose(1_000, 60), bench.choose(10, 2)
    async with bench.temporal() as server:
        settings = settings_for(server, bench.folder)
        client = await Client.connect(**connect_config(settings))
        async with working(partial(work, pieces=pieces), settings, here=bench.small), serving(settings) as api:
            unwatched = await end(client, await begin(api, OFFLINE))
            runs = [await begin(api, STREAMING) for _ in range(count)]
            later = asyncio.gather(*(reconnect(settings.api_port, run_id, pieces) for run_id in runs[:late]))
            watched = await asyncio.gather(*(follow(settings.api_port, run_id) for run_id in runs))
            waits, ages = zip(*await later, strict=True)
            more = [await end(client, run_id) / unwatched for run_id in runs]
    newest = median(age for one in watched for age in one.newest)
    every = median(age for one in watched for age in one.pieces)
    bench.say(
        f"{count} runs: the newest word of a message is {newest:.0f} ms old (target at most 400), each {every:.0f}"
    )
    bench.say(f"who comes in the midst waits {median(waits):.0f} ms; the newest word is then {median(ages):.0f} ms old")
    bench.tell("newest word / target", newest / TARGET_MILLISECONDS)
    bench.tell("every word / newest word", every / newest)
    bench.tell("newest word, come late / watching", median(ages) / newest)
    bench.tell("events streamed / not streamed", median(more))
