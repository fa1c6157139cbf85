"""Checks a graph's custom agents: each must be valid, have the name it is listed under, and be called by a node."""

from collections.abc import Iterable

from elcano.graphs.agents.definition import AGENTS, AgentDefinition
from elcano.graphs.agents.own_definition import agent_faults, get_agent
from elcano.graphs.model_names import OFFLINE, model_fault, model_names
from elcano.graphs.schemas.bounds import SchemaFault
from elcano.graphs.schemas.schema_parser import parse_schema
from elcano.graphs.schemas.shape import Shape
from elcano.graphs.spec.faults import Fault, build_json_pointer
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.graphs.spec.own_agent import OwnAgent, key_parts


def own_agent_faults(graph: ResearchGraph) -> Iterable[Fault]:
    """Yield what is wrong with the agents that `graph` carries, each with its place as a JSON pointer in the agent."""
    called = {node.agent for node in graph.nodes if isinstance(node, AgentNode)}
    for key, agent in graph.agents.items():
        named = key_parts(key)
        if named is None or named[0] != agent.name:
            yield Fault(f"agent {key!r}: its name is {agent.name!r}; call it so", build_json_pointer("agents", key))
        if key not in called:
            yield Fault(f"agent {key!r}: no node calls it", build_json_pointer("agents", key))
        for fault in every_fault(agent):
            text = f"agent {key!r}: {fault.pointer or 'it'}: {fault.message}"
            yield Fault(text, build_json_pointer("agents", key) + fault.pointer)


def every_fault(agent: OwnAgent) -> list[SchemaFault]:
    """Return what is wrong with an agent, its model's name included, each with its place in it as a JSON pointer."""
    fault = model_fault(agent.model) if agent.model else None
    if fault is None and agent.model and model_names(agent.model)[0] == OFFLINE:
        fault = "`offline` has no rules for agents of your own: name a language model, or leave it out"
    return [*agent_faults(agent), *([] if fault is None else [SchemaFault("/model", fault)])]


def ambiguous_agents(graph: ResearchGraph) -> Iterable[Fault]:
    """Agents of `graph` and its branches that are different and called the same: models are chosen by that name."""
    first: dict[str, OwnAgent] = {}
    for one in graph.all_graphs():
        for key, agent in one.agents.items():
            if first.setdefault(key, agent) != agent:
                text = f"agent {key!r}: there is another one of this name in the graph or its branches; rename one"
                yield Fault(text, build_json_pointer("agents", key))


def agents_known(graph: ResearchGraph) -> list[str]:
    """Return the names under which the nodes of `graph` can call agents."""
    return [*AGENTS, *graph.agents]


def find_valid_agent(graph: ResearchGraph, name: str) -> AgentDefinition | None:
    """The agent that the nodes of `graph` call by `name`; None if there is none, or one with faults."""
    own = graph.agents.get(name)
    if own is None:
        return AGENTS.get(name)
    return None if agent_faults(own) else get_agent(graph, name)


def answer_shape(graph: ResearchGraph, node_id: str) -> Shape | None:
    """What the node `node_id` leaves, if it calls an agent of one's own that is sound."""
    node = graph.by_id.get(node_id)
    own: OwnAgent | None = graph.agents.get(node.agent) if isinstance(node, AgentNode) else None
    return None if own is None else parse_schema(own.output).shape
