"""Modes: the graphs that a run can be started with by name, and `auto`, which reads the question and picks one.

The agent that reads the question names a mode and says why; `choose_mode` stores it, or the one before it if that is
barred, and reports both. One graph contains all modes; those whose nodes share names with others are in it under a
prefix.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from elcano.graphs.added_steps import without_clarifying_step
from elcano.graphs.builder import ASKED, DATABASES, OFFERED_DOMAINS, GraphBuilder
from elcano.graphs.checks.budget_limits import estimate_graph_costs
from elcano.graphs.plugin import Registry
from elcano.graphs.spec.graph import Node, ResearchGraph, ToolNode
from elcano.graphs.spec.limits import DATA_PATH
from elcano.graphs.spec.walks import prefix_graph


@dataclass(frozen=True)
class Mode:
    """A graph that a run can be started with by its name."""

    graph: ResearchGraph
    purpose: str = ""
    """The questions that it is for, in one or two sentences; empty: its graph's description."""
    aliases: tuple[str, ...] = ()
    """Other names of it."""
    when: str = ""
    """When `auto` picks it, in the words of its prompt; empty: never."""
    kinds: tuple[str, ...] = ()
    """The kinds of sources (`SourceSpec.kind`) of which it needs one; none: any source."""
    instead: str = ""
    """For a mode for one kind of question: the mode that `auto` picks if this one is not possible. Empty: it is for any
    question, so it may replace others."""
    prefix: str | None = None
    """The prefix of its nodes' names in the graph of `auto`; None: its name and `_`."""

    @property
    def name(self) -> str:
        """The name by which it is asked for."""
        return self.graph.name


AUTO: Final = "auto"


PLUGIN_MODES: Final[Registry[Mode]] = Registry("modes", Mode)
"""Every mode but `auto`, by name."""


DEFAULT_MODE: Final = AUTO
"""The mode of a run that names none."""
_AUTO_PURPOSE: Final = "Any question: reads it first, then picks the mode that fits and says why."


class _ModeGraphs(Mapping[str, ResearchGraph]):
    """The graphs of all modes, in the order in which they are shown."""

    def __getitem__(self, name: str) -> ResearchGraph:
        return auto_graph() if name == AUTO else PLUGIN_MODES[name].graph

    def __iter__(self) -> Iterator[str]:
        yield AUTO
        yield from PLUGIN_MODES

    def __len__(self) -> int:
        return 1 + len(PLUGIN_MODES)


MODES: Final[Mapping[str, ResearchGraph]] = _ModeGraphs()
"""The graphs that a run can be started with, by name."""


def list_aliases() -> dict[str, str]:
    """Other names of modes, each with the mode's own."""
    return {alias: mode.name for mode in PLUGIN_MODES.values() for alias in mode.aliases}


def mode_named(text: str) -> ResearchGraph | None:
    """The built-in graph of this name or alias; None if there is none."""
    return MODES.get(list_aliases().get(text, text))


def mode_of(name: str) -> Mode:
    """Return the description of the built-in graph `name`, which is its name and no alias."""
    return Mode(auto_graph(), _AUTO_PURPOSE) if name == AUTO else PLUGIN_MODES[name]


USUAL: Final = "iterative"
"""The mode of a question of which nothing better is known."""


def list_ways() -> Mapping[str, Mode]:
    """The modes that can be chosen, by name."""
    chosen = [mode for mode in PLUGIN_MODES.values() if mode.when]
    for_any = sorted(
        (mode for mode in chosen if not mode.instead), key=lambda mode: estimate_graph_costs(mode.graph).usual.tokens
    )
    return {mode.name: mode for mode in (*(one for one in chosen if one.instead), *for_any)}


def describe_modes(names: Iterable[str]) -> dict[str, str]:
    """Return when each of these modes fits, by name; unknown names are left out."""
    return {name: PLUGIN_MODES[name].when for name in names if name in PLUGIN_MODES}


def instead_of(wanted: str, ways: Sequence[str], barred: Collection[str]) -> str:
    """Return the mode to take if `wanted` is barred: its own substitute, else the one before it that fits any question.

    Where there is none, the first such mode that is open; where there is none either, the first that is. If all are
    barred, as though none were.
    """
    open_ways = [way for way in ways if way not in barred] or [*ways]
    said = {way: PLUGIN_MODES[way].instead for way in ways if way in PLUGIN_MODES}
    while wanted not in open_ways and said.get(wanted) in ways:
        wanted = said[wanted]
    if wanted in open_ways:
        return wanted
    usual = [way for way in open_ways if not said.get(way)]
    before = [way for way in usual if ways.index(way) < ways.index(wanted)]
    return [*before[-1:], *usual, *open_ways][0]


@cache
def list_parts() -> Mapping[str, ResearchGraph]:
    """List the modes that it can continue as, with their nodes' names in it, in the order of `list_ways`."""
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
        GraphBuilder(AUTO, f"Read the question, then go the way that fits it: {_join_mode_names([*others, last])}.")
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
    return without_clarifying_step(graph.without_appendix()) == auto_graph()


def with_path_seconds(graph: ResearchGraph, seconds: float) -> ResearchGraph:
    """Return the graph with this time limit for each limited call of its built-in paths, and no other change."""
    built_in = [one for mode in PLUGIN_MODES.values() for one in mode.graph.branches.values()]
    branches = {
        key: one.model_copy(update={"nodes": tuple(_limit_node(node, seconds) for node in one.nodes)})
        if one.name == DATA_PATH and one in built_in
        else one
        for key, one in graph.branches.items()
    }
    return graph.model_copy(update={"branches": branches})


def _limit_node(node: Node, seconds: float) -> Node:
    if not isinstance(node, ToolNode) or node.limits is None or node.limits.timeout_seconds is None:
        return node
    return node.model_copy(update={"limits": node.limits.model_copy(update={"timeout_seconds": seconds})})
