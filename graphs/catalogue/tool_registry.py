"""Every tool and reducer that a graph can name, with its input and output model; agents are in `graphs.agents`.

Validation reads this to check names and fields before a run starts.
"""

from typing import Final

from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.agents.own_definition import get_agent
from elcano.graphs.catalogue import tools
from elcano.graphs.catalogue.registry_specs import ReducerSpec as ReducerSpec
from elcano.graphs.catalogue.registry_specs import ToolSpec as ToolSpec
from elcano.graphs.frozen import Frozen
from elcano.graphs.registry import Registry
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.state.branches import BranchOutcomes

TOOLS: Final[Registry[ToolSpec]] = Registry("tools", ToolSpec)
REDUCERS: Final[Registry[ReducerSpec]] = Registry("reducers", ReducerSpec)


def output_model(graph: ResearchGraph, node: Node) -> type[Frozen] | None:
    """Return the output model of a node, stored under `outputs.<id>`; None if it has none or it is not known here."""
    match node:
        case AgentNode():
            return get_agent(graph, node.agent).output if node.agent in AGENTS or node.agent in graph.agents else None
        case ToolNode():
            if node.for_each:
                return tools.ItemOutcomes
            return TOOLS[node.tool].output if node.tool in TOOLS else None
        case ParallelNode():
            return BranchOutcomes
        case _:
            return None
