"""Graphs whose nodes call a tool that writes, and activities that refuse such a call until somebody has approved it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from temporalio.exceptions import ApplicationError

from elcano.graphs.contracts import ToolCall, ToolResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import RunSnapshot
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import (
    AgentNode,
    Edge,
    ErrorEdge,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    ToolNode,
)
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import FailureType
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.workflow.conftest import Handle

GIVEN = {"question": "question"}
CALLED = {"server": "'tests'", "tool": "'write'", "arguments": "{line: question}"}
EACH = {"server": "'tests'", "tool": "'write'", "arguments": "{line: item}"}
ONE = ToolNode(id="write", tool="call_tool", inputs=CALLED)
THREE = ToolNode(id="write", tool="call_tool", for_each='`["a", "b", "c"]`', inputs=EACH)


def writing(node: ToolNode = ONE, *, repaired: tuple[str, ...] = ()) -> ResearchGraph:
    """`node`, then the writer; after an error of `repaired` a thought before it."""
    edges: list[Edge] = [
        SequentialEdge(from_node="write", to_node="writer"),
        SequentialEdge(from_node="thought", to_node="writer"),
    ]
    nodes: list[Node] = [node, AgentNode(id="writer", agent="writer", inputs=GIVEN)]
    if repaired:
        nodes.insert(1, AgentNode(id="thought", agent="thinking", inputs=GIVEN))
        edges.append(ErrorEdge(from_node="write", to_node="thought", types=repaired))
    else:
        edges.pop()
    return ResearchGraph(
        name="writing", nodes=tuple(nodes), edges=tuple(edges), entry_node="write", exit_nodes=("writer",)
    )


def in_branches() -> ResearchGraph:
    """Two branches side by side, each of which writes."""
    branch = writing().model_copy(update={"name": "part"})
    return ResearchGraph(
        name="branching",
        nodes=(
            ParallelNode(id="parts", for_each='`["one", "two"]`'),
            AgentNode(id="writer", agent="writer", inputs=GIVEN),
        ),
        edges=(
            ParallelEdge(from_node="parts", branch="part", inputs={"question": "item"}),
            SequentialEdge(from_node="parts", to_node="writer"),
        ),
        entry_node="parts",
        exit_nodes=("writer",),
        branches={"part": branch},
    )


def asked(run_id: str, graph: ResearchGraph, **more: Any) -> ResearchInput:
    """A run of such a graph, which waits for approval."""
    given = {"limits": Limits(seconds=600), "approvals": "wait", **more}
    return ResearchInput(run_id=run_id, question="What is it?", mode=graph.name, graph=graph, **given)


class Tool:
    """The tool that writes. `written` has what it wrote: the id of the approval, and the line."""

    def __init__(self) -> None:
        self.written: list[tuple[str, Any]] = []
        self.seconds = 0.0

    def activities(self, script: Script) -> Sequence[Callable[..., Any]]:
        """What a worker is given."""
        return scripted_activities(script, use=self._use)

    async def _use(self, call: ToolCall) -> ToolResult:
        arguments = call.input["arguments"]
        assert isinstance(arguments, dict)
        if not call.approval:
            raise ApplicationError("tests/write writes", type=FailureType.APPROVAL_NEEDED, non_retryable=True)
        await asyncio.sleep(self.seconds)
        self.written.append((call.approval, arguments["line"]))
        output: JsonObject = {"server": "tests", "tool": "write", "kind": "writes", "text": "written"}
        return ToolResult(output=output, last_event=call.last_event)


async def waiting(handle: Handle, calls: int = 1, *, held: bool = True) -> RunSnapshot:
    """The run once so many of its calls wait, and, unless it works meanwhile, it is held."""
    while True:
        snapshot: RunSnapshot = await handle.query(ResearchWorkflow.snapshot)
        if len(snapshot.calls) == calls and (snapshot.hold is not None or not held):
            return snapshot
        await asyncio.sleep(0.25)
