"""Elcano as an MCP server, called by the client of the `mcp` package, over the API as it is served."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from typing import Any, Literal

import httpx2
import pytest
from mcp.client import Client as McpClient
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitResult, EmptyResult, Request, Result, TextContent
from pydantic import Field
from temporalio.client import Client

from elcano.client import AsyncElcano
from elcano.dev.claims import free_ports
from elcano.doors.mcp_server.server import INSTRUCTIONS, TASKS, TaskParams, UpdateParams, build_server
from elcano.output import NOT_WRITTEN
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, until, working

Json = dict[str, Any]


def serving(api: str, *extensions: ClientExtension) -> McpClient:
    """A client of the server that asks this API."""
    return McpClient(build_server(lambda _: AsyncElcano(api)), extensions=extensions)


async def call(client: McpClient, tool: str, **arguments: Any) -> Json:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found: Json = result.structured_content or {}
    return found


async def refusal(client: McpClient, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    (text,) = result.content
    assert isinstance(text, TextContent)
    return text.text


async def wait_for(client: McpClient, run_id: str, *statuses: str) -> Json:
    found: Json = {}

    async def is_so() -> bool:
        found.update(await call(client, "research_status", run_id=run_id))
        return found["status"] in statuses

    await until(is_so)
    return found


async def test_an_agent_has_something_researched(
    served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    async with working(temporal, store, api_settings, provider), serving(served) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "start_research", "ask_follow_up", "research_status", "read_report", "search_evidence", "list_sources",
            "answer_request", "cancel_research",
        }  # fmt: skip
        first, again = await asyncio.gather(
            *(call(client, "start_research", question=QUESTION, mode="iterative", key="once") for _ in range(2))
        )
        assert first["run_id"] == again["run_id"]
        run_id = first["run_id"]
        status = await wait_for(client, run_id, "completed")
        assert (status["question"], status["waits_for"], status["next"]) == (QUESTION, [], "Call read_report.")
        page = await call(client, "read_report", run_id=run_id)
        assert "## References" in page["text"]
        assert (page["next_offset"], page["total"]) == (None, len(page["text"]))
        assert page["checked"]
        (passage,) = (await call(client, "search_evidence", run_id=run_id, query="RETRIES"))["result"]
        assert passage["title"] == "Retries"
        assert (await call(client, "search_evidence", run_id=run_id, query="walrus"))["result"] == []
        (content,) = (await client.read_resource(first["report"])).contents
        assert content.model_dump()["text"].strip() == page["text"].strip()
        assert (await client.read_resource(f"elcano://runs/{run_id}/evidence")).contents
        assert (await call(client, "list_sources"))["result"]
        further = await call(client, "ask_follow_up", run_id=run_id, question="Since when?")
        async with AsyncElcano(served) as elcano:
            assert (await elcano.run(further["run_id"]).view()).previous_run == run_id
        await wait_for(client, further["run_id"], "completed")


async def test_what_cannot_be_done_is_told_in_words(served: str) -> None:
    async with serving(served) as client:
        assert "No such run" in await refusal(client, "research_status", run_id="default-nothing")
        for hostile in ("../keys", "x/cancel?", "", "a\nb", "é" * 5_000):
            assert await refusal(client, "research_status", run_id=hostile)
            assert await refusal(client, "cancel_research", run_id=hostile)
        assert "mode" in await refusal(client, "start_research", question=QUESTION, mode="telepathy")
        assert "question" in await refusal(client, "start_research", question="")
        assert "trust" in await refusal(client, "start_research", question="?", trust={"allowed_domains": ["*"]})
        assert await refusal(client, "search_evidence", run_id="default-nothing", limit=10_000)
        with pytest.raises(MCPError, match="No such run"):
            await client.read_resource("elcano://runs/default-nothing/report")
    async with serving("http://127.0.0.1:9") as away:
        assert "does not answer" in await refusal(away, "list_sources")


class Task(Result):
    """What a server that made a task answers."""

    result_type: Literal["task"] = Field(alias="resultType")
    task_id: str = Field(alias="taskId")
    status: str


class Told(Result):
    """What there is to tell of a task."""

    status: str
    result: Json | None = None
    error: Json | None = None
    input_requests: Json = Field(default={}, alias="inputRequests")


class Tasks(ClientExtension):
    """A client that knows tasks, and approves whatever it is asked."""

    identifier = TASKS

    def __init__(self, answer: Json) -> None:
        self.answer = answer
        self.states: list[str] = []
        self.asked: list[str] = []

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return (ResultClaim(result_type="task", model=Task, resolve=self.resolve),)

    async def resolve(self, task: Task, context: ClaimContext) -> CallToolResult:
        self.states.append(task.status)
        while True:
            told = await get_task(context.session, task.task_id)
            if told.status != self.states[-1]:
                self.states.append(told.status)
            if told.result is not None:
                return CallToolResult.model_validate(told.result)
            if told.status in ("failed", "cancelled"):
                return CallToolResult(content=[TextContent(type="text", text=task.task_id)], is_error=True)
            for name, request in told.input_requests.items():
                if name not in self.asked:
                    self.asked.append(name)
                    answer = ElicitResult.model_validate(self.answer)
                    assert request["params"]["requestedSchema"]["properties"]["approve"]["type"] == "boolean"
                    params = UpdateParams(task_id=task.task_id, input_responses={name: answer, "of old": answer})
                    await context.session.send_request(UpdateTask(params=params), EmptyResult)
            await asyncio.sleep(0.25)


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"


class UpdateTask(Request[UpdateParams, Literal["tasks/update"]]):
    method: Literal["tasks/update"] = "tasks/update"


class CancelTask(Request[TaskParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"


async def get_task(session: ClientSession, task_id: str) -> Told:
    return await session.send_request(GetTask(params=TaskParams(task_id=task_id)), Told)


async def test_research_is_a_task_and_its_plan_is_approved_through_it(
    served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    tasks = Tasks({"action": "accept", "content": {"approve": True}})
    async with working(temporal, store, api_settings, Provider()), serving(served, tasks) as client:
        done = await client.call_tool("start_research", {"question": QUESTION, "mode": "deep", "approve_plan": True})
        assert not done.is_error
        assert tasks.asked == ["plan"]
        assert tasks.states[0] == "working"
        assert tasks.states[-1] == "completed"
        assert "input_required" in tasks.states
        with pytest.raises(MCPError) as unknown:
            await get_task(client.session, "default-nothing")
        assert unknown.value.code == -32602


async def test_a_task_that_is_cancelled_cancels_its_run(
    served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    tasks, provider = Tasks({}), Provider()
    provider.slow["judge", ""] = 60.0
    async with (
        working(temporal, store, api_settings, provider),
        serving(served, tasks) as client,
        AsyncElcano(served) as elcano,
    ):
        calling = asyncio.create_task(client.call_tool("start_research", {"question": QUESTION, "mode": "iterative"}))
        await provider.asked(("judge", QUESTION))
        (run,) = (await elcano.list_runs()).runs
        for _ in range(2):
            await client.session.send_request(CancelTask(params=TaskParams(task_id=run.run_id)), EmptyResult)
        assert (await calling).is_error
        assert tasks.states[-1] == "cancelled"
        assert (await elcano.run(run.run_id).view()).status == "cancelled"


@pytest.mark.long
async def test_it_is_served_over_standard_input_and_output(served: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "elcano", "mcp-server"],
        env={**os.environ, "ELCANO_API_URL": served},
    )
    async with McpClient(stdio_client(parameters)) as client:
        assert "No such run" in await refusal(client, "research_status", run_id="default-nothing")
        assert client.instructions == INSTRUCTIONS


@pytest.mark.long
async def test_a_client_that_leaves_without_a_word_is_told_of_in_one_line() -> None:
    reading, writing = os.pipe()
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "elcano", "mcp-server", stdin=PIPE, stdout=writing, stderr=PIPE
    )
    os.close(writing)
    os.close(reading)
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tried", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    _, said = await program.communicate(json.dumps(request).encode() + b"\n")
    assert (program.returncode, said) == (NOT_WRITTEN, b"elcano: the client has left\n")


async def test_over_http_each_caller_asks_with_its_own_key() -> None:
    """And nobody with that of the server's settings."""
    asked: list[str] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.extend(line for line in head.splitlines() if line.lower().startswith("authorization:"))
        asked.append(head.split()[1])
        writer.write(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    (port,) = free_ports(1)
    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as api:
        address = f"http://127.0.0.1:{api.sockets[0].getsockname()[1]}"
        own = {**os.environ, "ELCANO_API_URL": address, "ELCANO_API_KEY": "elk_of_the_operator"}
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "elcano", "mcp-server", "--http", "--port", str(port), env=own
        )
        try:
            await until(lambda: answers(port))
            for keys in (["elk_of_acme"], [], ["elk_of_acme", "elk_of_zebra"]):
                headers = [("Authorization", f"Bearer {key}") for key in keys]
                async with httpx2.AsyncClient(headers=headers) as http:
                    transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
                    async with McpClient(transport) as client:
                        said = await refusal(client, "research_status", run_id="default-one")
                        assert ("2 Authorization headers: send one" if len(keys) == 2 else "401") in said
        finally:
            program.terminate()
            await program.wait()
    assert asked == ["Authorization: Bearer elk_of_acme", "/v1/runs/default-one", "/v1/runs/default-one"]


async def answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except ConnectionError:
        return False
    writer.close()
    return True
