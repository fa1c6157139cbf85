# requires: langchain-mcp-adapters==0.3.2
"""LangChain's adapters for MCP, over HTTP, with a server for each address (`elcano mcp-server --http`).

What an agent calls are tools with texts for answers; each call has a session of its own.
"""

import asyncio
import json
import os
import socket
import subprocess
import uuid
from contextlib import asynccontextmanager

from langchain_mcp_adapters.client import MultiServerMCPClient
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


@asynccontextmanager
async def serving(base=BASE):
    """The tools of a server, by their names; it is asked with the key of the user."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "ELCANO_API_URL": base.removesuffix("/openai/v1")}
    command = [os.environ.get("ELCANO", "elcano"), "mcp-server", "--http", "--port", str(port)]
    server = await asyncio.create_subprocess_exec(*command, env=environment, stderr=subprocess.DEVNULL)
    headers = {"Authorization": "Bearer none"}
    address = f"http://127.0.0.1:{port}/mcp"
    client = MultiServerMCPClient({"elcano": {"transport": "streamable_http", "url": address, "headers": headers}})
    try:
        while True:
            try:
                found = await client.get_tools()
                break
            except Exception:
                assert server.returncode is None, "it has ended"
                await asyncio.sleep(0.5)
        yield client, {tool.name: tool for tool in found}
    finally:
        server.terminate()
        await server.wait()


async def call(tools, tool, **given):
    """Call a tool; a refusal is its answer, in words, as a model is to read it."""
    said = (await tools[tool].ainvoke(given))[0]["text"]
    if not said.startswith("{"):
        raise ValueError(said)
    return json.loads(said)


async def read(tools, started):
    run_id = started["run_id"]
    while (await call(tools, "research_status", run_id=run_id))["status"] == "running":  # noqa: ASYNC110
        await asyncio.sleep(0.5)
    return answered((await call(tools, "read_report", run_id=run_id))["text"])


async def ask(question, base=BASE, mode="iterative", **more):
    async with serving(base) as (_, tools):
        return await read(tools, await call(tools, "start_research", question=question, mode=mode, **more))


async def resource():
    async with serving() as (client, tools):
        started = await call(tools, "start_research", question=QUESTION, mode="iterative")
        await read(tools, started)
        (found,) = await client.get_resources("elcano", uris=started["report"])
        return answered(found.as_string())


async def second_turn():
    async with serving() as (_, tools):
        first = await call(tools, "start_research", question=QUESTION, mode="iterative")
        await read(tools, first)
        return await read(tools, await call(tools, "ask_follow_up", run_id=first["run_id"], question=SECOND))


async def cancel():
    async with serving() as (_, tools):
        started = await call(tools, "start_research", question=LEFT, mode="iterative")
        return (await call(tools, "cancel_research", run_id=started["run_id"]))["status"]


run(
    ask=lambda: ask(QUESTION),
    stream=resource,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: ask(QUESTION, mode="telepathy")),
    slow=lambda: ask(SLOW),
    cut=lambda: ask(SLOW_CUT, CUT, key=str(uuid.uuid4())),
)
