"""A reducer is accepted only behind a callee whose output it can take."""

from typing import Any

import pytest

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import AgentNode, ParallelEdge, ParallelNode, ResearchGraph, ToolNode
from tests.unit.graphs.samples import ON, asking, two_nodes, without_plugins_left_out
from tests.unit.graphs.strategies import LEAF

EVIDENCE = "ItemOutcomes of SearchOutput"


def beginning(node: AgentNode | ToolNode) -> ResearchGraph:
    return two_nodes(nodes=(node, asking("z", "writer")))


def tool(name: str, **fields: Any) -> ResearchGraph:
    return beginning(ToolNode(id="a", tool=name, **fields))


def agent(name: str, **fields: Any) -> ResearchGraph:
    return beginning(asking("a", name, **fields))


def parallel(reducer: str) -> ResearchGraph:
    section = ParallelEdge(from_node="a", branch="b", inputs={"question": "question"})
    return two_nodes(
        nodes=(ParallelNode(id="a", reducer=reducer), asking("z", "writer")),
        edges=(ON, section),
        branches={"b": LEAF},
    )


def test_every_built_in_graph_fits_and_folds_something() -> None:
    graphs = [inner for graph in MODES.values() for inner in (graph, *graph.branches.values())]
    assert [find_graph_faults(graph) for graph in graphs] == [[] for _ in graphs]
    folding = {node.reducer for graph in graphs for node in graph.nodes if isinstance(node, AgentNode | ToolNode)}
    assert {"add_evidence", "record_judgement"} <= folding


@pytest.mark.parametrize(
    "graph",
    [
        tool("search_related", inputs={"query": "question"}, reducer="add_evidence"),
        tool("search_related", inputs={"query": "item"}, for_each="sources", reducer="add_evidence"),
        agent("thinking", reducer="record_thought"),
        parallel("collect_drafts"),
        parallel("collect_results"),
    ],
)
def test_a_reducer_behind_its_own_callee_has_no_fault(graph: ResearchGraph) -> None:
    assert find_graph_faults(graph) == []


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (agent("thinking", reducer="record_thougt"), "unknown reducer 'record_thougt'; did you mean 'record_thought'?"),
        (tool("noop", reducer="add_evidnce"), "unknown reducer 'add_evidnce'; did you mean 'add_evidence'?"),
        (
            agent("thinking", reducer="record_gap"),
            "reducer 'record_gap' takes KnowledgeGapOutput, but agent 'thinking' gives ThinkingOutput",
        ),
        (
            agent("thinking", reducer="add_evidence"),
            f"reducer 'add_evidence' takes {EVIDENCE}, but agent 'thinking' gives ThinkingOutput",
        ),
        (
            tool("noop", reducer="add_evidence"),
            f"reducer 'add_evidence' takes {EVIDENCE}, but tool 'noop' gives ItemOutcomes of NoopOutput",
        ),
        (
            tool("noop", for_each="sources", reducer="add_evidence"),
            f"reducer 'add_evidence' takes {EVIDENCE}, but tool 'noop' gives ItemOutcomes of NoopOutput",
        ),
        (
            tool("noop", reducer="set_values"),
            "reducer 'set_values' takes Values, but tool 'noop' gives ItemOutcomes of NoopOutput",
        ),
        (
            parallel("add_evidence"),
            f"reducer 'add_evidence' takes {EVIDENCE}, but a parallel node gives BranchOutcomes",
        ),
    ],
)
def test_a_reducer_that_does_not_fit_is_named_with_what_it_takes_and_what_it_gets(
    graph: ResearchGraph, message: str
) -> None:
    (fault,) = find_graph_faults(graph)
    assert without_plugins_left_out(fault) == f"node 'a': {message}"


@pytest.mark.of_plugins("teams", "data", "mcp", "edits")
def test_no_reducer_fits_every_callee() -> None:
    """Of every agent and tool with every reducer, just those pairs are accepted whose models belong together."""
    accepted = {
        (name, reducer)
        for name in (*AGENTS, *TOOLS)
        for reducer in REDUCERS
        if not any(
            "reducer" in fault
            for fault in find_graph_faults((agent if name in AGENTS else tool)(name, reducer=reducer))
        )
    }
    assert accepted == {
        ("clarifier", "ask_back"),
        ("thinking", "record_thought"),
        ("knowledge_gap", "record_gap"),
        ("tool_selector", "record_tool_calls"),
        ("judge", "record_judgement"),
        ("team_judge", "record_feedback"),
        ("input_parser", "record_parse"),
        ("task_ledger", "record_task_ledger"),
        ("progress_ledger", "record_progress"),
        ("hypothesizer", "record_hypotheses"),
        ("search", "add_evidence"),
        ("search", "add_looked_up"),
        ("search_related", "add_looked_up"),
        ("search_related", "add_evidence"),
        ("call_tool", "add_tool_evidence"),
        ("schema_context", "choose_schema"),
        ("sql_writer", "record_query"),
        ("execute_sql", "record_execution"),
        ("sql_repairer", "record_repair"),
        ("read_document", "add_document"),
        ("read_document", "add_results"),
        ("consensus", "add_results"),
        ("forecast", "add_results"),
    }


@pytest.mark.parametrize("graph", [agent("thinkng", reducer="x"), tool("serch", reducer="x")])
def test_a_callee_and_a_reducer_that_are_both_unknown_are_both_named(graph: ResearchGraph) -> None:
    callee, reducer = find_graph_faults(graph)
    assert "did you mean" in callee
    assert reducer.startswith("node 'a': unknown reducer 'x'; known: add_document, ")
