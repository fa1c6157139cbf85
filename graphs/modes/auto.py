"""Automatic choice: reads the question, and picks the mode that fits it from those that are available.

Who reads the question names a way and says why; `choose_mode` keeps it, or the one before it where that is barred, and
tells both. One graph has all ways; those whose nodes have names that others have too stand in it under a prefix.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import Final

from elcano.graphs.agents.mode_choices import USUAL, WAYS
from elcano.graphs.builder import GraphBuilder
from elcano.graphs.modes.analysis import ANALYSIS
from elcano.graphs.modes.data import DATA, DATABASES
from elcano.graphs.modes.deep import DEEP
from elcano.graphs.modes.hierarchical import HIERARCHICAL
from elcano.graphs.modes.inputs import ASKED, OFFERED_DOMAINS
from elcano.graphs.modes.iterative import ITERATIVE
from elcano.graphs.modes.literature_review import LITERATURE_REVIEW
from elcano.graphs.modes.magentic import MAGENTIC
from elcano.graphs.modes.simple import SIMPLE
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.renaming import prefix_graph

NAME: Final = "auto"
PARTS: Final[dict[str, ResearchGraph]] = {
    "data": DATA,
    "analysis": prefix_graph(ANALYSIS, "analysis_"),
    "magentic": prefix_graph(MAGENTIC, "magentic_"),
    "hierarchical": prefix_graph(HIERARCHICAL, "hierarchical_"),
    "simple": prefix_graph(SIMPLE, "simple_"),
    USUAL: ITERATIVE,
    "literature_review": prefix_graph(LITERATURE_REVIEW, "review_"),
    "deep": DEEP,
}
"""The ways that it has, each as its nodes are named in it; another one is an entry here and one in `agents/ways.py`."""


@cache
def auto_graph(ways: tuple[str, ...] = tuple(PARTS)) -> ResearchGraph:
    """The graph that chooses among these ways, of `PARTS`."""
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
        builder.include(PARTS[way])
    builder.connect_nodes("input_parser", "choose", "mode")
    for way in others:
        builder.add_conditional_edge("mode", PARTS[way].entry_node, when=f"choice.mode == '{way}'", label=way)
    builder.connect_nodes("mode", PARTS[last].entry_node, label=last)
    exits = dict.fromkeys(exit_node for way in (last, *others) for exit_node in PARTS[way].exit_nodes)
    return builder.set_entry_node("input_parser").set_exit_nodes(*exits).build()


def _join_mode_names(ways: Sequence[str]) -> str:
    names = [way.replace("_", " ") for way in WAYS if way in ways]
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


AUTO: Final = auto_graph()
