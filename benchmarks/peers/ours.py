"""Elcano, and the hand-written workflow with the same activities: `graph` or `twin`, and Temporal's address."""

import uuid
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from temporalio import activity
from temporalio.client import Client

from benchmarks.handwritten import Handwritten
from benchmarks.peers.work import AUTHOR, Run, take_turns
from benchmarks.server import archive_nothing, chain_of, publish_nothing, research_worker
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.contracts import ToolCall, ToolResult
from elcano.graphs.frozen import Frozen
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ToolNode
from elcano.graphs.state.budget import Limits
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter
from elcano.workflows.research import ResearchWorkflow


class Text(Frozen):
    """What a step reads, and what it answers."""

    text: str = ""


TOOL: Final = "noop"
TOOLS[TOOL] = replace(TOOLS[TOOL], input=Text, output=Text)
"""In this program it does something."""


@activity.defn(name=TOOL)
async def write_text(call: ToolCall) -> ToolResult:
    """The next text."""
    text = Text.model_validate(call.input).text
    return ToolResult(output={"text": AUTHOR.write(text)}, last_event=call.last_event)


def write_node(number: int) -> ToolNode:
    """The node that reads what the one before it wrote."""
    inputs = {"text": f"outputs.n{number - 1:03d}.text"} if number else {}
    return ToolNode(id=f"n{number:03d}", tool=TOOL, inputs=inputs)


def graph_run(client: Client, queue: str) -> Run:
    """Runs a graph."""

    async def run(steps: int) -> str:
        asked = ResearchInput(
            run_id=f"graph-{uuid.uuid4()}",
            question="nothing",
            mode="texts",
            graph=chain_of(tuple(map(write_node, range(steps)))),
            limits=Limits(steps=steps + 10),
        )
        await client.execute_workflow(ResearchWorkflow.run, asked, id=asked.run_id, task_queue=queue)
        return asked.run_id

    return run


def twin_run(client: Client, queue: str) -> Run:
    """Runs the hand-written workflow."""

    async def run(steps: int) -> str:
        run_id = f"twin-{uuid.uuid4()}"
        await client.execute_workflow(Handwritten.run, args=[steps, True], id=run_id, task_queue=queue)
        return run_id

    return run


async def main(kind: str, address: str) -> None:
    """Works until nothing more is asked."""
    with TemporaryDirectory() as folder:
        client = await Client.connect(address, data_converter=data_converter(open_objects("", Path(folder))))
        async with research_worker(client, kind, (write_text, publish_nothing, archive_nothing), Handwritten):
            await take_turns((graph_run if kind == "graph" else twin_run)(client, kind))
