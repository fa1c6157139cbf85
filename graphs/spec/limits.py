"""Limits of a graph: its maximum size, and what one node's calls may take (timeout, attempts, model, tokens).

Size is counted before anything walks a graph, so that no work on one takes long; a graph and its JSON are counted
alike, so a graph that is too large is refused before it is parsed. A node's limit can only tighten: no node gets more
than its run has. Omitted limits have their defaults: see `workflows/retry_policies.py` for times and attempts,
`model_names.chosen_model` for the model, `Budget.allowance` for tokens. The default
budget of a run is in `checks/budget_limits.py`.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Final

from pydantic import BaseModel, Field

from elcano.graphs.errors import Fault, build_faults_at, build_json_pointer
from elcano.graphs.frozen import Frozen

LONGEST_SECONDS: Final = 7_200.0
"""The longest that one try of a call may take."""
MOST_ATTEMPTS: Final = 20
"""Maximum number of attempts."""
DATA_PATH: Final = "data_path"
"""The built-in graph whose calls a request limits by `path_seconds`."""
SQL_WRITER: Final = "sql_writer"
"""The name of the agent that writes SQL."""
LEAST_PATH_SECONDS: Final = 1.0
MOST_PATH_SECONDS: Final = 3_600.0
LONGEST_MODEL: Final = 500
"""Characters of a model's name, or of a list of them."""


class ToolLimits(Frozen):
    """Limits of each call of a tool node; with `for_each`, of each item."""

    timeout_seconds: float | None = Field(default=None, ge=1, le=LONGEST_SECONDS)
    """Timeout of one attempt. After the last attempt the node fails with `Timeout`."""
    attempts: int | None = Field(default=None, ge=1, le=MOST_ATTEMPTS)
    """Maximum attempts. An attempt during which the worker dies counts: with 1 the call has failed then."""

    retry_slow: bool = True
    """Whether a try that took too long is made again. One that a dead worker cut off always is."""


class AgentLimits(ToolLimits):
    """Limits of each call of an agent node."""

    model: str | None = Field(default=None, min_length=1, max_length=LONGEST_MODEL)
    """The model here, as `offline`, `provider:name` or several of these; takes precedence over the run's."""
    tokens: int | None = Field(default=None, ge=1, le=100_000_000)
    """Tokens that one visit may use, all attempts together, exceeded by at most the one request in flight. If they do
    not suffice, the node fails with `LimitReached`; an exit ends as if the budget were spent."""


def in_short(limits: ToolLimits | None) -> str:
    """Format for drawings and tables: `60 s, 2 tries, openai:gpt-5.1, 8,000 tokens`; empty if there are none."""
    if limits is None:
        return ""
    parts = []
    if limits.timeout_seconds is not None:
        parts.append(f"{limits.timeout_seconds:g} s")
    if limits.attempts is not None:
        parts.append(f"{limits.attempts} {'try' if limits.attempts == 1 else 'tries'}")
    if isinstance(limits, AgentLimits):
        parts += [limits.model] if limits.model else []
        parts += [f"{limits.tokens:,} tokens"] if limits.tokens is not None else []
    return ", ".join(parts)


MAX_NODES: Final = 200
"""Nodes of one graph. A drawing with more is unreadable; a larger plan is a parallel node over a list."""
MAX_DEPTH: Final = 3
"""Graphs within graphs: each level is a level of child workflows."""
MAX_GRAPHS: Final = 50
"""The graph and its branches, at all levels."""
MAX_DRAWN: Final = 500
"""Nodes of all graphs, those of a branch once for each parallel edge that leads to it."""
MAX_EDGES: Final = 2_000
"""Edges of all graphs together."""
MAX_EXPRESSIONS: Final = 1_000
"""Expressions of all graphs together; a process keeps about as many compiled."""
LONGEST_EXPRESSION: Final = 500
"""Characters of one expression."""
MAX_EXPRESSION_CHARACTERS: Final = 100_000
"""Characters of expressions of all graphs together: compiling takes one or two microseconds a character."""
LONGEST_READ: Final = 10_000
"""Characters of one expression that is looked at any further; one may have `LONGEST_EXPRESSION`."""
MAX_AGENTS: Final = 20
"""Custom agents of all graphs together: each graph carries those that its nodes call."""
MAX_AGENT_CHARACTERS: Final = 400_000
"""Size of all custom agents as JSON: they travel with every run."""
MAX_FIELDS: Final = 20
"""Fields of a graph, a node or an edge; none has as many."""
MAX_FAULTS: Final = 50
"""Faults that are reported at once."""
AND_MORE: Final = "and more: mend these first"
"""The last of them, if there are others; it has no place."""

_TOTALS: Final = {
    "graphs": MAX_GRAPHS,
    "nodes": MAX_DRAWN,
    "edges": MAX_EDGES,
    "expressions": MAX_EXPRESSIONS,
    "characters of expressions": MAX_EXPRESSION_CHARACTERS,
    "agents of your own": MAX_AGENTS,
    "characters of agents": MAX_AGENT_CHARACTERS,
}
_EXPRESSIONS: Final = ("when", "choose", "for_each")


def size_faults(graph: object) -> list[Fault]:
    """Every way in which a graph, or the JSON of one, is too large; an empty list if it may be walked."""
    totals: Counter[str] = Counter()
    found = list(islice(_count_graph_parts(graph, totals, depth=1), MAX_FAULTS))
    found += [
        Fault(f"{totals[name]} {name} in all are more than {most}")
        for name, most in _TOTALS.items()
        if totals[name] > most
    ]
    if not found and (drawn := _count_drawn_nodes(graph)) > MAX_DRAWN:
        found.append(Fault(f"{drawn} nodes, each branch counted wherever it is run, are more than {MAX_DRAWN}"))
    return found


def first_faults(found: Iterable[Fault]) -> list[Fault]:
    """The first `MAX_FAULTS` of what may be many; the others are not even looked for."""
    faults = list(islice(found, MAX_FAULTS + 1))
    return faults if len(faults) <= MAX_FAULTS else [*faults[:MAX_FAULTS], Fault(AND_MORE)]


def _count_graph_parts(graph: object, totals: Counter[str], *, depth: int) -> Iterable[Fault]:
    """Looks into nothing that is too large itself, so it never takes long."""
    if depth > MAX_DEPTH:
        yield Fault(f"branches are nested deeper than {MAX_DEPTH} levels")
        return
    totals["graphs"] += 1
    nodes, edges, branches = (
        _get_list_field(graph, "nodes"),
        _get_list_field(graph, "edges"),
        _get_field(graph, "branches"),
    )
    totals["edges"] += len(edges)
    totals["nodes"] += len(nodes)
    if len(nodes) > MAX_NODES:
        yield Fault(f"{len(nodes)} nodes are more than {MAX_NODES}", "/nodes")
        totals["nodes"] -= len(nodes)  # counted once
        nodes = ()
    if (exits := len(_get_list_field(graph, "exit_nodes"))) > MAX_NODES:
        yield Fault(f"{exits} exit nodes are more than {MAX_NODES}", "/exit_nodes")
    parts = [("", graph), *((build_json_pointer("nodes", number), node) for number, node in enumerate(nodes))]
    parts += [
        (build_json_pointer("edges", number), edge) for number, edge in enumerate(edges) if totals["edges"] <= MAX_EDGES
    ]
    for place, part in parts:
        if isinstance(part, Mapping) and len(part) > MAX_FIELDS:
            named = str(part.get("id") or part.get("kind") or "graph")[:60]
            yield Fault(f"{named!r}: {len(part)} fields are more than {MAX_FIELDS}", place)
        else:
            yield from build_faults_at(place, _count_expressions(part, totals))
    _count_agents(_get_field(graph, "agents"), totals)
    if isinstance(branches, Mapping):
        if totals["graphs"] + len(branches) > MAX_GRAPHS:
            totals["graphs"] += len(branches)
            return
        for name, branch in branches.items():
            within = _count_graph_parts(branch, totals, depth=depth + 1)
            yield from (
                fault.within(f"branch {str(name)[:60]!r}", build_json_pointer("branches", name)) for fault in within
            )


def _count_agents(agents: object, totals: Counter[str]) -> None:
    if not isinstance(agents, Mapping):
        return
    totals["agents of your own"] += len(agents)
    if totals["agents of your own"] <= MAX_AGENTS:
        totals["characters of agents"] += sum(_count_agent_characters(one) for one in agents.values())


def _count_agent_characters(agent: object) -> int:
    """Count the characters of an agent, or of the JSON of one, when written as JSON."""
    if isinstance(agent, BaseModel):
        return len(agent.model_dump_json())
    try:
        return len(json.dumps(agent, default=str, ensure_ascii=False))
    except (RecursionError, ValueError):
        return MAX_AGENT_CHARACTERS + 1


def _count_expressions(part: object, totals: Counter[str]) -> Iterable[Fault]:
    listed = [(build_json_pointer(name), _get_field(part, name)) for name in _EXPRESSIONS]
    totals["expressions"] += sum(one is not None for _, one in listed)
    for name in ("inputs", "result"):
        named = _get_field(part, name)
        if isinstance(named, Mapping):
            totals["expressions"] += len(named)
            listed += [(build_json_pointer(name, field), one) for field, one in islice(named.items(), MAX_EXPRESSIONS)]
    for place, one in listed:
        if isinstance(one, str) and len(one) > LONGEST_READ:
            yield Fault(f"an expression has {len(one):,} characters; {LONGEST_EXPRESSION} are the most", place)
        elif isinstance(one, str):
            totals["characters of expressions"] += len(one)


def _count_drawn_nodes(graph: object) -> int:
    branches = _get_field(graph, "branches")
    within = (
        {name: _count_drawn_nodes(branch) for name, branch in branches.items()} if isinstance(branches, Mapping) else {}
    )
    run = (_get_field(edge, "branch") for edge in _get_list_field(graph, "edges"))
    return len(_get_list_field(graph, "nodes")) + sum(within.get(name, 0) for name in run if isinstance(name, str))


def _get_field(of: object, name: str) -> object:
    return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)


def _get_list_field(of: object, name: str) -> Collection[object]:
    part = _get_field(of, name)
    return part if isinstance(part, list | tuple) else ()
