"""Graphs and agents by name in the JSON of a graph: `my_graph@3` in place of a branch, `screener` called by a node.

Names are for authors of graphs. A graph that is stored or run contains the named graphs themselves and carries the
agents that its nodes call, each under its name and version, so later changes to a name do not affect it. An agent
defined in the JSON itself, under `agents`, is called by its name there; nodes of the graph's branches can call it too.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import MAX_AGENTS, MAX_DEPTH, MAX_GRAPHS, MAX_NODES
from elcano.graphs.spec.own_agent import OwnAgent


def branches_named(graph: object) -> dict[str, str]:
    """Return the names that stand for branches in the JSON of a graph, each by the place of its first use.

    If it has more branches than a graph may have, only the first: it is refused for that anyway.
    """
    found: dict[str, str] = {}
    for place, name in _iter_named_branches(graph, "branches", MAX_DEPTH):
        if name not in found.values():
            found[place] = name
        if len(found) >= MAX_GRAPHS:
            break
    return found


def with_branches(graph: Any, known: Mapping[str, ResearchGraph]) -> Any:
    """The JSON of a graph with graphs for the names that are `known`."""
    return _replace_named_branches(graph, known, MAX_DEPTH)


def _iter_named_branches(graph: object, at: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, branch in _get_branches(graph).items():
        place = f"{at}.{name}"
        if isinstance(branch, str):
            yield place, branch
        elif depth > 1:
            yield from _iter_named_branches(branch, f"{place}.branches", depth - 1)


def _replace_named_branches(graph: Any, known: Mapping[str, ResearchGraph], depth: int) -> Any:
    branches = _get_branches(graph)
    if not branches or depth < 1:
        return graph
    found = {
        name: known[branch].model_dump(mode="json")
        if isinstance(branch, str) and branch in known
        else _replace_named_branches(branch, known, depth - 1)
        for name, branch in branches.items()
    }
    return {**graph, "branches": found}


def _get_branches(graph: object) -> Mapping[str, Any]:
    branches = graph.get("branches") if isinstance(graph, Mapping) else None
    return branches if isinstance(branches, Mapping) else {}


class StoredAgent(NamedTuple):
    """The stored agent that a name refers to."""

    key: str
    """The name for nodes from now on: its name and version."""
    agent: OwnAgent


def agents_called(graph: object) -> list[str]:
    """The names, each once, by which nodes call agents that are neither built in nor in the JSON.

    Of more than a graph may have, the first: it is refused for that anyway.
    """
    found: dict[str, None] = {}
    for name in _iter_called_agents(graph, frozenset(), MAX_DEPTH):
        found[name] = None
        if len(found) > MAX_AGENTS:
            break
    return list(found)


def agents_carried(graph: object) -> Iterator[tuple[str, Any]]:
    """Return the agents defined in the JSON of a graph and of its branches, by their names there."""
    waiting = [(graph, MAX_DEPTH)]
    while waiting:
        one, depth = waiting.pop()
        yield from list(_get_mapping(one, "agents").items())[: MAX_AGENTS + 1]
        if depth > 1:
            waiting += [(branch, depth - 1) for branch in _get_mapping(one, "branches").values()]


def with_agents(graph: Any, kept: Mapping[str, StoredAgent]) -> Any:
    """The JSON of a graph with the agents in it that its nodes call, as far as they are `kept` or in it already."""
    return _carry_agents(
        graph, {}, {name: (one.key, one.agent.model_dump(mode="json")) for name, one in kept.items()}, MAX_DEPTH
    )


def _carry_agents(graph: Any, above: Mapping[str, Any], kept: Mapping[str, tuple[str, Any]], depth: int) -> Any:
    """`above` are the agents of the graphs that this one is a branch of."""
    nodes = graph.get("nodes") if isinstance(graph, Mapping) else None
    if depth < 1 or not isinstance(nodes, list | tuple) or len(nodes) > MAX_NODES:
        return graph
    own = _get_mapping(graph, "agents")
    known = {**above, **own}
    changed, carried = [], {}
    for node in nodes:
        name = _get_own_agent(node)
        if name is not None and name in known:
            carried[name] = known[name]
        elif name is not None and name in kept:
            key, agent = kept[name]
            node, carried[key] = {**node, "agent": key}, agent
        changed.append(node)
    branches = _get_mapping(graph, "branches")
    within = {name: _carry_agents(branch, known, kept, depth - 1) for name, branch in branches.items()}
    below = {name for branch in within.values() for name in _get_mapping(branch, "agents")}
    idle = {name: agent for name, agent in own.items() if name not in carried and name not in below}
    whole = {**graph, "nodes": changed}
    if branches:
        whole["branches"] = within
    if carried or own:
        whole["agents"] = {**carried, **idle}
    return whole


def _iter_called_agents(graph: object, known: frozenset[str], depth: int) -> Iterator[str]:
    known |= _get_mapping(graph, "agents").keys()
    nodes = graph.get("nodes") if isinstance(graph, Mapping) else None
    for node in nodes[:MAX_NODES] if isinstance(nodes, list) else ():
        if (name := _get_own_agent(node)) is not None and name not in known:
            yield name
    if depth > 1:
        for branch in _get_mapping(graph, "branches").values():
            yield from _iter_called_agents(branch, known, depth - 1)


def _get_own_agent(node: object) -> str | None:
    """The agent that a node calls, if it is not a built-in one."""
    if not isinstance(node, Mapping) or node.get("kind") != "agent":
        return None
    name = node.get("agent")
    return name if isinstance(name, str) and name not in AGENTS else None


def _get_mapping(graph: object, name: str) -> Mapping[str, Any]:
    part = graph.get(name) if isinstance(graph, Mapping) else None
    return part if isinstance(part, Mapping) else {}
