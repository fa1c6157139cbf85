"""All thirteen event types of the pattern are told, by runs of the modes with a model that answers by a script.

The words of a writer are no numbered event: they are shown while they are written, so its model waits for its reader.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import httpx
import pytest
from pydantic_ai.messages import ModelMessage, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls
from temporalio.client import Client

from elcano.activities.sources.registry import Sources
from elcano.graphs.state.events import EVENT_TYPES
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing import ScriptedModel
from elcano.testing.source import ScriptedSource
from elcano.worker import build_worker
from tests.api.asking import start
from tests.api.sse import following

THIRTEEN: Final = (
    "started",
    "searching",
    "search_complete",
    "judging",
    "judge_complete",
    "looping",
    "hypothesizing",
    "analyzing",
    "analysis_complete",
    "synthesizing",
    "complete",
    "error",
    "streaming",
)
TEXTS: Final = {"price": "Oil costs 12 euro a litre since May.", "maker": "Oil is made by two makers."}


class Slowly(ScriptedModel):
    """Streams its answers, all but one agent's of use; a writer's ends once somebody has read its beginning."""

    def __init__(self) -> None:
        super().__init__({"thinking": "of no use"})
        self.stream_function = self._stream
        self.read = asyncio.Event()

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        said = (await self._respond(messages, info)).parts[-1]
        assert isinstance(said, TextPart | ToolCallPart)
        text = said.content if isinstance(said, TextPart) else said.args_as_json_str()
        half = len(text) // 2
        yield text[:half] if isinstance(said, TextPart) else {0: DeltaToolCall(said.tool_name, text[:half])}
        if self.tasks[-1].kind == "writer":
            await self.read.wait()
        yield text[half:] if isinstance(said, TextPart) else {0: DeltaToolCall(None, text[half:])}


async def told(served: str, run_id: str, model: Slowly) -> list[str]:
    types: list[str] = []
    async with following(f"{served}/v1/runs/{run_id}/events") as messages:
        async for message in messages:
            types.append(message.data.get("type", message.event))  # `error` has another name on the wire
            if message.event == "streaming":
                model.read.set()
    return types


@pytest.mark.timeout(180)
async def test_each_of_the_thirteen_types_is_told(
    api: httpx.AsyncClient, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    assert EVENT_TYPES[: len(THIRTEEN)] == THIRTEEN
    model = Slowly()
    sources = Sources({"handbook": ScriptedSource("handbook", TEXTS)})
    seen: dict[str, list[str]] = {}
    async with build_worker(temporal, store, sources, api_settings, resolve=model.resolve):
        for mode in ("magentic", "analysis", "iterative"):
            run_id = await start(api, "What does the latest oil cost?", mode=mode)
            seen[mode] = await told(served, run_id, model)
    assert {kind for types in seen.values() for kind in types} >= set(THIRTEEN)
    assert {mode: types.count("complete") for mode, types in seen.items()} == dict.fromkeys(seen, 1)
    assert {types[-1] for types in seen.values()} == {"complete"}
