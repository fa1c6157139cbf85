# requires: fastmcp==4.2.3
"""FastMCP's client, which starts `elcano mcp-server` (or what ELCANO names); every tool returns at once."""

import asyncio
import os
import uuid

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def at(base=BASE):
    environment = {**os.environ, "ELCANO_API_URL": base.removesuffix("/openai/v1")}
    return Client(StdioTransport(os.environ.get("ELCANO", "elcano"), ["mcp-server"], env=environment))


async def call(client, tool, **given):
    return (await client.call_tool(tool, given)).structured_content


async def read(client, started):
    run_id = started["run_id"]
    while (await call(client, "research_status", run_id=run_id))["status"] == "running":  # noqa: ASYNC110
        await asyncio.sleep(0.5)
    return answered((await call(client, "read_report", run_id=run_id))["text"])


async def ask(question, base=BASE, mode="iterative", **more):
    async with at(base) as client:
        return await read(client, await call(client, "start_research", question=question, mode=mode, **more))


async def resource():
    async with at() as client:
        started = await call(client, "start_research", question=QUESTION, mode="iterative")
        await read(client, started)
        return answered((await client.read_resource(started["report"]))[0].text)


async def second_turn():
    async with at() as client:
        first = await call(client, "start_research", question=QUESTION, mode="iterative")
        await read(client, first)
        return await read(client, await call(client, "ask_follow_up", run_id=first["run_id"], question=SECOND))


async def cancel():
    async with at() as client:
        started = await call(client, "start_research", question=LEFT, mode="iterative")
        return (await call(client, "cancel_research", run_id=started["run_id"]))["status"]


run(
    ask=lambda: ask(QUESTION),
    stream=resource,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: ask(QUESTION, mode="telepathy")),
    slow=lambda: ask(SLOW),
    cut=lambda: ask(SLOW_CUT, CUT, key=str(uuid.uuid4())),
)
