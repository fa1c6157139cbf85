"""A writer whose model is a server on loopback, and the streams by which such servers answer."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeAlias
from uuid import uuid4

from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import AgentResult, Words
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import Allowance
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing.provider import Reply, Request, completion_to_stream, make_completion
from tests.unit.activities.agents.material import TEMPORAL, FixedSource, call, passage

ONE = passage(1, TEMPORAL)
GIVEN: JsonObject = {"question": "What happens after a crash?", "evidence": [ONE.id]}
CLAIM = {"text": "Another worker goes on.", "citations": [{"evidence": "e1", "quote": "another worker replays"}]}
REPORT = {"title": "After a crash", "key_findings": [CLAIM], "limitations": ["Costs are not spoken of."] * 20}
USED = {"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100}
GOOD = make_completion(REPORT, usage=USED)
STREAM = {"content-type": "text/event-stream"}


Serve: TypeAlias = Callable[..., list[Request]]
"""Serves replies from now on; gives the list of what is asked."""


class Desk:
    """A writer whose model is a server on loopback."""

    def __init__(self, store: Store, **settings: object) -> None:
        self.store = store
        self.beats: list[tuple[Any, ...]] = []
        self.model = f"openai-chat:gpt-4o-{uuid4().hex[:8]}"
        chosen = Settings.model_validate({"model_timeout_seconds": 30.0, **settings})
        self._activities = AgentActivities(store, Sources({"docs": FixedSource({})}), chosen)

    async def write(
        self, allowance: Allowance | None = None, environment: ActivityEnvironment | None = None
    ) -> AgentResult:
        environment = environment or ActivityEnvironment()
        environment.on_heartbeat = lambda *details: self.beats.append(details)
        asked = call("writer", GIVEN, model=self.model)
        asked = asked.model_copy(update={"allowance": allowance or Allowance()})
        result = await environment.run(self._activities.run_agent, asked)
        assert isinstance(result, AgentResult)
        return result

    @property
    def words(self) -> list[Words]:
        return [Words.model_validate(details[1]) for details in self.beats if len(details) == 2]

    async def until_words(self) -> Words:
        while not self.words:  # noqa: ASYNC110 - a beat is nothing that can be waited for
            await asyncio.sleep(0.01)
        return self.words[-1]


def asked_to_stream(requests: list[Request]) -> list[bool]:
    return [bool(request.get("stream")) for request in requests]


def events(count: int, *more: str) -> Reply:
    """The first events of the good answer, and others."""
    return Reply(body="".join([*completion_to_stream(GOOD.body)[:count], *more]), headers=STREAM)


def error(code: str, kind: str = "server_error") -> str:
    return f"data: {json.dumps({'error': {'message': 'key sk-proj-SECRETsecret1234', 'type': kind, 'code': code}})}\n\n"


def sse(*told: JsonObject) -> Reply:
    return Reply(body="".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in told), headers=STREAM)


def messages_stream() -> Reply:
    """The report as Anthropic streams it."""
    report = json.dumps(REPORT)
    message: JsonObject = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1_000, "output_tokens": 1}}
    tool: JsonObject = {"type": "tool_use", "id": "tool_1", "name": "final_result", "input": {}}
    pieces: list[JsonObject] = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
        for piece in (report[:50], report[50:])
    ]
    return sse(
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": tool},
        *pieces,
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 100},
        },
        {"type": "message_stop"},
    )


def responses_stream() -> Reply:
    """The report as OpenAI's Responses stream it."""
    report = json.dumps(REPORT)
    call_: JsonObject = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "final_result"}
    done: JsonObject = {**call_, "arguments": report, "status": "completed"}
    response: JsonObject = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-4o", "output": []}
    response |= {"status": "in_progress", "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    usage: JsonObject = {"input_tokens": 1_000, "output_tokens": 100, "total_tokens": 1_100}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    ended: JsonObject = {**response, "status": "completed", "output": [done], "usage": usage}
    place: JsonObject = {"item_id": "fc_1", "output_index": 0}
    told: list[JsonObject] = [
        {"type": "response.created", "response": response},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**call_, "arguments": "", "status": "in_progress"},
        },
        {"type": "response.function_call_arguments.delta", **place, "delta": report[:50]},
        {"type": "response.function_call_arguments.delta", **place, "delta": report[50:]},
        {"type": "response.function_call_arguments.done", **place, "name": "final_result", "arguments": report},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": ended},
    ]
    return sse(*({**one, "sequence_number": number} for number, one in enumerate(told)))
