"""The steps that a request adds to whatever graph it names: asking back first, and answering in a schema last.

The step that asks back is the first node, with a way past it if it fails. Its agent is `research`'s; the engine holds
the run after it while its questions wait (`engine.steering`). The step that fills in a JSON Schema is the appendix, so
the report comes first and does not depend on it. Its agent is `structured_answers`'s; without that plugin a request
with a schema is refused.
"""

from typing import Final

from elcano.graphs.builder import ASKED, NEW_EVIDENCE
from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.errors import Fault
from elcano.graphs.frozen import JsonObject
from elcano.graphs.plugin import find_part
from elcano.graphs.spec.graph import AgentNode, ErrorEdge, ResearchGraph, SequentialEdge, StateNode
from elcano.graphs.spec.limits import LONGEST_EXPRESSION
from elcano.graphs.text import choose_free_name

FORM_FILLER: Final = "form_filler"
"""The agent that fills in a schema."""
ANSWER_STEP: Final = "answer_form"
"""The node that calls it."""
ATTACHED: Final = "structured_answer"
"""The name under which the answer is attached to the report."""


def find_answer_schema_faults(schema: JsonObject) -> tuple[Fault, ...]:
    """The faults of a requested schema, each with its JSON pointer; none if answers can have its form."""
    find_faults = find_part("answer_schema_check")
    return () if find_faults is None else tuple(find_faults(schema))


def add_answer_step(graph: ResearchGraph) -> ResearchGraph:
    """The graph with an appendix that fills in the schema of its run, from the report's draft and its passages."""
    node = AgentNode(
        id=choose_free_name(ANSWER_STEP, graph.by_id),
        agent=FORM_FILLER,
        description="Fill in the answer in the form that was asked for",
        inputs={**ASKED, "output_schema": "output_schema", "evidence": NEW_EVIDENCE}
        | ({"draft": draft} if 0 < len(draft := _build_draft_expression(graph)) <= LONGEST_EXPRESSION else {}),
        spare=True,
    )
    return graph.model_copy(update={"nodes": (*graph.nodes, node), "appendix": node.id})


def _build_draft_expression(graph: ResearchGraph) -> str:
    """Build the expression that reads the draft that an exit wrote or handed in; empty: its exits do neither."""
    exits = [graph.by_id[one] for one in graph.exit_nodes]
    written = [f"outputs.{node.id}" for node in exits if isinstance(node, AgentNode)]
    handed = [f"({node.inputs['draft']})" for node in exits if isinstance(node, StateNode) and _hands_in(node)]
    return " || ".join((*written, *handed))


def _hands_in(node: StateNode) -> bool:
    return REDUCERS[node.reducer].hands_in and "draft" in node.inputs


CLARIFIER: Final = "clarifier"
"""The agent that asks."""


def add_clarifying_step(graph: ResearchGraph) -> ResearchGraph:
    """The graph with a first step that asks what the question leaves open; research begins if that fails, too."""
    id = choose_free_name("clarify", graph.by_id)
    node = AgentNode(
        id=id,
        agent=CLARIFIER,
        description="What the question leaves open, asked back",
        inputs={**ASKED, "instructions": "instructions", "sources": "sources"},
        reducer="ask_back",
    )
    onward = SequentialEdge(from_node=id, to_node=graph.entry_node)
    failed = ErrorEdge(from_node=id, to_node=graph.entry_node)
    return graph.model_copy(
        update={"nodes": (node, *graph.nodes), "edges": (onward, failed, *graph.edges), "entry_node": id}
    )


def without_clarifying_step(graph: ResearchGraph) -> ResearchGraph:
    """The graph as it was before that."""
    first = graph.by_id.get(graph.entry_node)
    if not isinstance(first, AgentNode) or first.agent != CLARIFIER:
        return graph
    entry = graph.routes_from(first.id)[0].to_node
    nodes = tuple(node for node in graph.nodes if node.id != first.id)
    edges = tuple(edge for edge in graph.edges if edge.from_node != first.id)
    return graph.model_copy(update={"nodes": nodes, "edges": edges, "entry_node": entry})
