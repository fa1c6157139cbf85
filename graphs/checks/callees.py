"""The agents that a graph calls, including custom ones, and the extras without which its tools fail or do less."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from elcano.graphs.catalogue.agents import AGENTS, AgentSpec, agent_faults, get_agent
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.errors import Fault, build_faults_at, build_json_pointer
from elcano.graphs.extras import EXTRAS
from elcano.graphs.model_names import OFFLINE, model_fault, model_names
from elcano.graphs.plugin import list_keyless
from elcano.graphs.schemas.schema_parser import parse_schema
from elcano.graphs.schemas.shape import Shape
from elcano.graphs.spec.graph import AgentNode, ResearchGraph, ToolNode
from elcano.graphs.spec.own_agent import OwnAgent, VersionedName


class Callee(NamedTuple):
    """An agent that a node calls, and its model."""

    agent: str
    """The name by which the node calls it."""
    own: OwnAgent | None
    """Its definition, if it is one of the graph's custom agents."""
    model: str
    """The model that the node names; empty: none."""
    tasks: frozenset[str]
    """The tasks that it comes down to, by the names of `Plugin.keyless`; none: only a language model does it."""


@lru_cache(maxsize=128)
def list_callees(graph: ResearchGraph) -> tuple[Callee, ...]:
    """The agents that a graph and its branches ask, in order of their names, once with each model that a node names."""
    found = {
        (node.agent, (node.limits.model if node.limits is not None else None) or ""): one.agents.get(node.agent)
        for one in graph.all_graphs()
        for node in one.nodes
        if isinstance(node, AgentNode)
    }
    called = sorted(found.items(), key=lambda one: one[0])
    return tuple(Callee(agent, own, model, _list_tasks(agent, own)) for (agent, model), own in called)


def _list_tasks(agent: str, own: OwnAgent | None) -> frozenset[str]:
    if own is not None:
        return frozenset()
    built_in = AGENTS.get(agent)
    by_section = built_in is not None and built_in.by_section
    return frozenset({f"{agent}_section", f"{agent}_summary"} if by_section else {agent})


def find_unanswerable_offline(callees: Iterable[Callee]) -> list[Callee]:
    """Return the callees for which the model without a key has no rules."""
    keyless = list_keyless()
    return [one for one in callees if not one.tasks or not one.tasks <= keyless]


def own_agent_faults(graph: ResearchGraph) -> Iterable[Fault]:
    """Yield the faults of the agents that `graph` carries, each with its JSON pointer in the agent."""
    called = {node.agent for node in graph.nodes if isinstance(node, AgentNode)}
    for key, agent in graph.agents.items():
        named = VersionedName.parse(key)
        if named is None or named[0] != agent.name:
            yield Fault(f"agent {key!r}: its name is {agent.name!r}; call it so", build_json_pointer("agents", key))
        if key not in called:
            yield Fault(f"agent {key!r}: no node calls it", build_json_pointer("agents", key))
        for fault in every_fault(agent):
            text = f"agent {key!r}: {fault.pointer or 'it'}: {fault}"
            yield Fault(text, build_json_pointer("agents", key) + fault.pointer)


def every_fault(agent: OwnAgent) -> list[Fault]:
    """List the faults of an agent, including its model's name, each with its JSON pointer."""
    fault = model_fault(agent.model) if agent.model else None
    if fault is None and agent.model and model_names(agent.model)[0] == OFFLINE:
        fault = "`offline` has no rules for agents of your own: name a language model, or leave it out"
    return [*agent_faults(agent), *([] if fault is None else [Fault(fault, "/model")])]


def parse_own_agent(given: Mapping[str, Any]) -> tuple[OwnAgent | None, list[Fault]]:
    """Parse an agent that someone wrote; with it come all its faults, each with its JSON pointer."""
    try:
        agent = OwnAgent.model_validate(given)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        found = [Fault(one["msg"], build_json_pointer(*one["loc"])) for one in errors]
        if isinstance(output := given.get("output"), dict):  # all faults are reported at once
            found += build_faults_at("/output", parse_schema(output).faults)
        return None, found
    return agent, every_fault(agent)


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


def find_valid_agent(graph: ResearchGraph, name: str) -> AgentSpec | None:
    """The agent that the nodes of `graph` call by `name`; None if there is none, or one with faults."""
    own = graph.agents.get(name)
    if own is None:
        return AGENTS.get(name)
    return None if any(agent_faults(own)) else get_agent(graph, name)


def answer_shape(graph: ResearchGraph, node_id: str) -> Shape | None:
    """Return the shape of the output of the node `node_id`, if it calls a valid custom agent."""
    node = graph.by_id.get(node_id)
    own: OwnAgent | None = graph.agents.get(node.agent) if isinstance(node, AgentNode) else None
    return None if own is None else parse_schema(own.output).shape


def required_extras(graph: ResearchGraph) -> frozenset[str]:
    """Return the extras without which a node of the graph fails that has no `on_error` edge.

    A node with an `on_error` edge continues without its tool, and one that runs for each item loses only that item.
    """
    return frozenset(
        TOOLS[node.tool].needs
        for each, node in _tool_nodes(graph)
        if TOOLS[node.tool].needs and not node.for_each and not each.error_edges_from(node.id)
    )


def useful_extras(graph: ResearchGraph) -> frozenset[str]:
    """The extras without which the graph works, and leaves something out."""
    named = {extra for _, node in _tool_nodes(graph) for extra in (TOOLS[node.tool].needs, TOOLS[node.tool].uses)}
    return frozenset(named - {""}) - required_extras(graph)


def extra_faults(subject: str, graph: ResearchGraph, lacking: Collection[str]) -> list[str]:
    """Why a graph cannot be run by workers that lack these extras, a sentence for each; `subject` names the graph."""
    return [
        f"{subject} needs the extra {name!r}, which a worker here lacks: {EXTRAS[name].install} where workers run, "
        "and start them again"
        for name in sorted(required_extras(graph) & frozenset(lacking))
    ]


def _tool_nodes(graph: ResearchGraph) -> Iterator[tuple[ResearchGraph, ToolNode]]:
    for each in graph.all_graphs():
        for node in each.nodes:
            if isinstance(node, ToolNode) and node.tool in TOOLS:
                yield each, node
