"""Automatic choice: reads the question, and picks the mode that fits it from those that are available.

Who reads the question names a way and says why; `choose_mode` keeps it, or the one before it where that is barred, and
tells both. One graph has all ways; those whose nodes have names that others have too stand in it under a prefix.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.modes.inputs import ASKED, DATABASES, OFFERED_DOMAINS
from elcano.graphs.modes.mode_choices import USUAL, list_ways
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.renaming import prefix_graph

NAME: Final = "auto"


@cache
def list_parts() -> Mapping[str, ResearchGraph]:
    """The modes that it can go on as, each as its nodes are named in it, in the order of `list_ways`."""
    return {
        name: prefix_graph(mode.graph, f"{name}_" if mode.prefix is None else mode.prefix)
        for name, mode in list_ways().items()
    }


@cache
def auto_graph(ways: tuple[str, ...] = ()) -> ResearchGraph:
    """The graph that chooses among these modes; none: among all that there are."""
    parts = list_parts()
    ways = ways or tuple(parts)
    last = USUAL if USUAL in ways else ways[0]
    others = [way for way in ways if way != last]
    builder = (
        GraphBuilder(NAME, f"Read the question, then go the way that fits it: {_join_mode_names([*others, last])}.")
        .add_agent_node(
            "input_parser",
            agent="input_parser",
            description="What the question is after",
            inputs={
                **ASKED,
                "sources": "sources",
                "ways": f"`{json.dumps(ways)}`",
                "barred": "barred",
                "databases": DATABASES,
                "domains": OFFERED_DOMAINS,
            },
            reducer="record_parse",
        )
        .add_state_node(
            "choose",
            reducer="choose_mode",
            description="The way that fits, and why",
            inputs={
                "wanted": "outputs.input_parser.research_mode",
                "reason": "outputs.input_parser.mode_reason",
                "ways": f"`{json.dumps(ways)}`",
            },
        )
        .add_decision_node("mode", description="Which way?")
    )
    for way in ways:
        builder.include(parts[way])
    builder.connect_nodes("input_parser", "choose", "mode")
    for way in others:
        builder.add_conditional_edge("mode", parts[way].entry_node, when=f"choice.mode == '{way}'", label=way)
    builder.connect_nodes("mode", parts[last].entry_node, label=last)
    exits = dict.fromkeys(exit_node for way in (last, *others) for exit_node in parts[way].exit_nodes)
    return builder.set_entry_node("input_parser").set_exit_nodes(*exits).build()


def _join_mode_names(ways: Sequence[str]) -> str:
    names = [way.replace("_", " ") for way in list_ways() if way in ways]
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def can_choose_mode(graph: ResearchGraph) -> bool:
    """Whether a run of `graph` chooses its mode."""
    return graph == auto_graph()
