"""Every tool and reducer that a graph can name, with its input and output model; agents are in `graphs.agents`.

Validation reads this to check names and fields before a run starts; the activities' room must implement each tool of
it, and a test compares the two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from elcano.graphs.agents.input_parser import ParsedQuery
from elcano.graphs.agents.judge import JudgeAssessment
from elcano.graphs.agents.knowledge_gap import KnowledgeGapOutput
from elcano.graphs.agents.listing import AGENTS
from elcano.graphs.agents.thinking import ThinkingOutput
from elcano.graphs.agents.tool_selector import AgentSelectionPlan
from elcano.graphs.catalogue import reducers, tools
from elcano.graphs.catalogue import section_reducers as sections
from elcano.graphs.frozen import Frozen
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.values import branch as branches
from elcano.graphs.values.events import EventType
from elcano.graphs.values.state import ResearchState


@dataclass(frozen=True)
class ToolSpec:
    """One tool: an activity that calls no model."""

    name: str
    description: str
    input: type[Frozen]
    output: type[Frozen]
    starts: EventType
    completes: EventType


@dataclass(frozen=True)
class ReducerSpec:
    """One pure change of the state."""

    name: str
    description: str
    input: type[Frozen]
    apply: Callable[[ResearchState, Any], ResearchState]
    item: type[Frozen] | None = None
    """Of one that takes `ItemOutcomes`: what each item's output must be. None for the others."""
    adds_evidence: bool = False
    """Whether it can put evidence into the state."""


TOOLS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec(
            name="search",
            description="Searches one source and stores the passages it finds.",
            input=tools.SearchInput,
            output=tools.SearchOutput,
            starts="searching",
            completes="search_complete",
        ),
        ToolSpec(
            name="search_related",
            description="Finds what the run and its branches have in store on a subject, whichever source it is from.",
            input=tools.RelatedInput,
            output=tools.SearchOutput,
            starts="searching",
            completes="search_complete",
        ),
        ToolSpec(
            name="noop",
            description="Does nothing, durably: for measuring and for trying a graph out.",
            input=tools.NoopInput,
            output=tools.NoopOutput,
            starts="analyzing",
            completes="analysis_complete",
        ),
    )
}

REDUCERS: Mapping[str, ReducerSpec] = {
    spec.name: spec
    for spec in (
        ReducerSpec(
            "record_thought",
            "Begins the iteration's record.",
            ThinkingOutput,
            reducers.record_thought,
        ),
        ReducerSpec(
            "record_gap",
            "Notes the gap that the iteration works on.",
            KnowledgeGapOutput,
            reducers.record_gap,
        ),
        ReducerSpec(
            "record_tool_calls",
            "Notes the searches to be made.",
            AgentSelectionPlan,
            reducers.record_tool_calls,
        ),
        ReducerSpec(
            "add_evidence",
            "Adds what searches found, each passage once.",
            tools.ItemOutcomes,
            reducers.add_evidence,
            item=tools.SearchOutput,
            adds_evidence=True,
        ),
        ReducerSpec(
            "record_judgement",
            "Keeps the judge's reasoning and queries.",
            JudgeAssessment,
            reducers.record_judgement,
        ),
        ReducerSpec(
            "record_parse",
            "Adds what the question was understood as to the background.",
            ParsedQuery,
            reducers.record_parse,
        ),
        ReducerSpec("store_plan", "Makes a plan fit to be run.", sections.PlanToStore, sections.store_plan),
        ReducerSpec(
            "collect_drafts",
            "Merges the sections that the branches drafted, in the plan's order.",
            branches.BranchOutcomes,
            sections.collect_drafts,
            adds_evidence=True,
        ),
        ReducerSpec(
            "collect_results",
            "Merges what the branches found as findings, and lists the values that they declare, in the plan's order.",
            branches.BranchOutcomes,
            sections.collect_results,
            adds_evidence=True,
        ),
        ReducerSpec("set_values", "Sets values of your own.", reducers.Values, reducers.set_values),
    )
}


def output_model(graph: ResearchGraph, node: Node) -> type[Frozen] | None:
    """What a node leaves under `outputs.<id>`; None if it leaves nothing, or something this room does not know."""
    match node:
        case AgentNode():
            return graph.agent(node.agent).output if node.agent in AGENTS or node.agent in graph.agents else None
        case ToolNode():
            if node.for_each:
                return tools.ItemOutcomes
            return TOOLS[node.tool].output if node.tool in TOOLS else None
        case ParallelNode():
            return branches.BranchOutcomes
        case _:
            return None
