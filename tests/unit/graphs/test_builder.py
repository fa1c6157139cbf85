"""The builder gives the same data as a graph written in JSON, and refuses a faulty one."""

import json

import pytest

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from tests.unit.graphs.samples import asking, two_nodes


def test_built_and_written_graphs_are_equal() -> None:
    built = (
        GraphBuilder("own", "A graph of one's own.")
        .add_decision_node("start", description="Where to?")
        .add_state_node("note", reducer="set_values", inputs={"values": "{seen: iteration}"})
        .add_tool_node("find", tool="search", inputs={"source": "item", "query": "question"}, for_each="sources")
        .add_parallel_node(ParallelNode(id="sections", for_each="sources"))
        .add_branch("sections", "section", two_nodes(), inputs={"question": "item"})
        .add_agent_node("writer", agent="writer", inputs={"question": "question"})
        .connect_nodes("start", "note", "find", "sections")
        .add_conditional_edge("sections", "start", when="iteration < `2`", label="again", loop=True)
        .add_conditional_edge("start", "writer", when="budget.exceeded", ending="tokens")
        .connect_nodes("sections", "writer")
        .set_entry_node("start")
        .set_exit_nodes("writer")
        .build()
    )
    asked = {"question": "question"}
    written = {
        "name": "own",
        "description": "A graph of one's own.",
        "nodes": [
            {"kind": "decision", "id": "start", "description": "Where to?"},
            {"kind": "state", "id": "note", "reducer": "set_values", "inputs": {"values": "{seen: iteration}"}},
            {
                "kind": "tool",
                "id": "find",
                "tool": "search",
                "inputs": {"source": "item", "query": "question"},
                "for_each": "sources",
            },
            {"kind": "parallel", "id": "sections", "for_each": "sources"},
            {"kind": "agent", "id": "writer", "agent": "writer", "inputs": asked},
        ],
        "edges": [
            {"kind": "parallel", "from_node": "sections", "branch": "section", "inputs": {"question": "item"}},
            {"kind": "sequential", "from_node": "start", "to_node": "note"},
            {"kind": "sequential", "from_node": "note", "to_node": "find"},
            {"kind": "sequential", "from_node": "find", "to_node": "sections"},
            {
                "kind": "conditional",
                "from_node": "sections",
                "to_node": "start",
                "when": "iteration < `2`",
                "label": "again",
                "loop": True,
            },
            {
                "kind": "conditional",
                "from_node": "start",
                "to_node": "writer",
                "when": "budget.exceeded",
                "ending": "tokens",
            },
            {"kind": "sequential", "from_node": "sections", "to_node": "writer"},
        ],
        "entry_node": "start",
        "exit_nodes": ["writer"],
        "branches": {"section": two_nodes().model_dump(mode="json")},
    }
    assert built == ResearchGraph.model_validate_json(json.dumps(written))


def test_a_faulty_graph_is_not_built() -> None:
    with pytest.raises(GraphInvalid, match="did you mean 'thinking'"):
        GraphBuilder("bad").add_agent_node("a", agent="thinkng").set_entry_node("a").set_exit_nodes("a").build()


@pytest.mark.parametrize("node_id", ["", "A", "1a", "a-b", "a b", "a" * 49, "é"])
def test_ids_fit_into_activity_ids(node_id: str) -> None:
    with pytest.raises(ValueError, match="id"):
        asking(node_id)


def test_graphs_survive_json_and_have_a_schema() -> None:
    for graph in MODES.values():
        assert ResearchGraph.model_validate_json(graph.model_dump_json()) == graph
    schema = ResearchGraph.model_json_schema()
    kinds = {"AgentNode", "ToolNode", "StateNode", "DecisionNode", "ParallelNode"}
    kinds |= {"SequentialEdge", "ConditionalEdge", "ParallelEdge", "ResearchGraph"}
    assert kinds <= set(schema["$defs"])
    assert all(part.get("additionalProperties") is False for name, part in schema["$defs"].items() if name in kinds)


def test_a_changed_copy_knows_its_own_nodes() -> None:
    graph = two_nodes()
    assert set(graph.by_id) == {"a", "z"}
    assert set(graph.model_copy(update={"nodes": (asking("other"),)}).by_id) == {"other"}


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        ResearchGraph.model_validate({**two_nodes().model_dump(), "colour": "red"})
