"""Small graphs and runs that several tests begin with."""

from collections.abc import Mapping
from typing import Any

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.checks.validation import require_valid
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.entries import ApplyEntry, Entry, StepCompleted, StepFailed
from elcano.graphs.engine.run import Run, build_initial_run
from elcano.graphs.engine.step_function import next_command
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import AgentNode, ParallelNode, ResearchGraph, SequentialEdge
from elcano.graphs.spec.walks import has_sections
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import Failure
from elcano.graphs.state.state import ResearchState
from elcano.testing.script import Script
from tests.folding import difference

ON = SequentialEdge(from_node="a", to_node="z")
"""The edge of `two_nodes`."""
QUESTION = ResearchState(question="What is it?", sources=("library",))


def asked(graph: ResearchGraph, state: ResearchState = QUESTION, limits: Limits | None = None) -> ResearchInput:
    """The input of a run of `graph` that asks what `state` asks."""
    return ResearchInput(
        run_id="run",
        question=state.question,
        mode=graph.name,
        graph=graph,
        limits=limits or (default_limits(graph) if has_sections(graph) else Limits()),
        sources=state.sources,
    )


def asking(node_id: str, agent: str = "thinking", **fields: Any) -> AgentNode:
    """An agent node that is given the question."""
    return AgentNode(**{"id": node_id, "agent": agent, "inputs": {"question": "question"}, **fields})


def two_nodes(**changes: Any) -> ResearchGraph:
    """`a` leads to the exit `z`; valid unless `changes` break it."""
    fields: Mapping[str, Any] = {
        "name": "two",
        "nodes": (asking("a"), asking("z", "writer")),
        "edges": (ON,),
        "entry_node": "a",
        "exit_nodes": ("z",),
    }
    return ResearchGraph(**{**fields, **changes})


def search_graph(*, for_each: str | None) -> ResearchGraph:
    """One search node that adds evidence, then the writer."""
    given = {"source": "'library'", "query": "item" if for_each else "question"}
    return (
        GraphBuilder("searching")
        .add_tool_node("find", tool="search", inputs=given, for_each=for_each, reducer="add_evidence")
        .add_agent_node("writer", agent="writer", inputs={"question": "question"})
        .connect_nodes("find", "writer")
        .set_entry_node("find")
        .set_exit_nodes("writer")
        .build()
    )


def searching_branch(name: str, **result: str) -> ResearchGraph:
    """A branch that searches once for its question and has no writer."""
    given = {"source": "'library'", "query": "question"}
    return (
        GraphBuilder(name)
        .add_tool_node("find", tool="search", inputs=given, reducer="add_evidence")
        .set_entry_node("find")
        .set_exit_nodes("find")
        .set_result(result)
        .build()
    )


def two_searches(
    wide: ResearchGraph, narrow: ResearchGraph, *, reducer: str = "collect_results", **node: Any
) -> ResearchGraph:
    """Two branches side by side that look for `wide things` and `narrow things`, then one writer over all evidence."""
    return (
        GraphBuilder("two_searches")
        .add_parallel_node(ParallelNode(id="split", reducer=reducer, **node))
        .add_branch("split", "wide", wide, inputs={"question": "'wide things'", "title": "'wide'"})
        .add_branch("split", "narrow", narrow, inputs={"question": "'narrow things'", "title": "'narrow'"})
        .add_agent_node(
            "writer",
            agent="writer",
            inputs={
                "question": "question",
                "background": "join(', ', values.asked || `[]`)",
                "evidence": "evidence[?!duplicate_of].id",
            },
        )
        .connect_nodes("split", "writer")
        .set_entry_node("split")
        .set_exit_nodes("writer")
        .build()
    )


async def research(
    script: Script,
    *,
    graph: ResearchGraph = MODES["iterative"],
    limits: Limits | None = None,
    state: ResearchState = QUESTION,
    seconds_a_call: float = 0.0,
) -> Journal:
    """A run in memory; every look at the clock takes `seconds_a_call`."""
    now = 1_000.0

    def clock() -> float:
        nonlocal now
        now += seconds_a_call
        return now

    question = asked(graph, state, limits)
    journal = await run_in_memory(question, script.perform, clock=clock)
    assert difference(finish.build_run_log(question, journal)) is None
    return journal


def begun(graph: ResearchGraph, *, limits: Limits | None = None, **state: Any) -> Run:
    """A run of a valid graph before its first step; `state` changes the question's state."""
    require_valid(graph)
    return build_initial_run(graph, QUESTION.model_copy(update=state), limits or Limits())


def completed(run: Run, output: Json = None, **fields: Any) -> StepCompleted:
    """The entry that completes the run's node."""
    return StepCompleted(step=run.step, node=run.node, at=0.0, output=output, **fields)


def failed(run: Run, *, fatal: bool = False) -> StepFailed:
    """The entry that fails the run's node."""
    failure = Failure(node=run.node, type="Gone", message="no", fatal=fatal)
    return StepFailed(step=run.step, node=run.node, at=0.0, failure=failure, usage=Usage(requests=1))


def immediate(graph: ResearchGraph, run: Run, elapsed: float = 0.0) -> Entry:
    """The entry that comes without work."""
    command = next_command(graph, run, elapsed)
    assert isinstance(command, ApplyEntry)
    return command.entry


def without_plugins_left_out(fault: str) -> str:
    """A fault of a graph without the hint that plugins are left out in this run of tests."""
    return fault.partition("; plugins left out here: ")[0]
