"""Every agent, tool and reducer that a graph can name, with its input and output model.

Validation reads this to check names and fields before a run starts; the activities' room must implement each agent and
tool of it, and a test compares the two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from elcano.graphs.catalogue import agents, reducers, tools
from elcano.graphs.catalogue import section_reducers as sections
from elcano.graphs.frozen import Frozen
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, ToolNode
from elcano.graphs.values import branch as branches
from elcano.graphs.values import report
from elcano.graphs.values.events import EventType
from elcano.graphs.values.state import ResearchState


@dataclass(frozen=True)
class AgentSpec:
    """One agent: a single call of a model with a typed answer."""

    name: str
    description: str
    input: type[Frozen]
    output: type[Frozen]
    """What the state holds afterwards; for a writer a reference to the stored draft."""
    starts: EventType
    completes: EventType
    output_tokens: int
    """The most that its answer is expected to take, for estimates."""
    evidence_tokens: int = 0
    """The most that the evidence it is shown may take, for estimates and for cutting the prompt."""
    by_section: bool = False
    """Whether it calls its model once a section and once for what stands above them; the figures are of one call."""


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


AGENTS: Mapping[str, AgentSpec] = {
    spec.name: spec
    for spec in (
        AgentSpec(
            name="thinking",
            description="Reflects on what is known and where to look next.",
            input=agents.ResearchContext,
            output=agents.ThinkingOutput,
            starts="thinking",
            completes="thinking",
            output_tokens=500,
            evidence_tokens=4_000,
        ),
        AgentSpec(
            name="knowledge_gap",
            description="Says whether the question is answered and what is still missing.",
            input=agents.KnowledgeGapInput,
            output=agents.KnowledgeGapOutput,
            starts="judging",
            completes="judge_complete",
            output_tokens=400,
            evidence_tokens=6_000,
        ),
        AgentSpec(
            name="tool_selector",
            description="Chooses the searches that close a gap.",
            input=agents.ToolSelectorInput,
            output=agents.AgentSelectionPlan,
            starts="thinking",
            completes="thinking",
            output_tokens=400,
        ),
        AgentSpec(
            name="judge",
            description="Judges whether the evidence is enough to answer.",
            input=agents.JudgeInput,
            output=agents.JudgeAssessment,
            starts="judging",
            completes="judge_complete",
            output_tokens=600,
            evidence_tokens=8_000,
        ),
        AgentSpec(
            name="writer",
            description="Writes the report, each claim with the words that support it.",
            input=agents.WriterInput,
            output=report.DraftRef,
            starts="synthesizing",
            completes="synthesizing",
            output_tokens=4_000,
            evidence_tokens=24_000,
        ),
        AgentSpec(
            name="input_parser",
            description="Says what the question is after and how much research it needs.",
            input=agents.InputParserInput,
            output=agents.ParsedQuery,
            starts="thinking",
            completes="thinking",
            output_tokens=400,
        ),
        AgentSpec(
            name="planner",
            description="Divides the report into sections, each with its own question.",
            input=agents.PlannerInput,
            output=agents.ReportPlan,
            starts="thinking",
            completes="thinking",
            output_tokens=1_000,
            evidence_tokens=4_000,
        ),
        AgentSpec(
            name="long_writer",
            description="Joins the sections, writing one after the other with the report so far in view.",
            input=agents.SynthesisInput,
            output=report.DraftRef,
            starts="synthesizing",
            completes="synthesizing",
            output_tokens=1_500,
            evidence_tokens=24_000,
            by_section=True,
        ),
        AgentSpec(
            name="proofreader",
            description="Joins the sections in one pass: merges, removes repetition, summarises.",
            input=agents.SynthesisInput,
            output=report.DraftRef,
            starts="synthesizing",
            completes="synthesizing",
            output_tokens=6_000,
            evidence_tokens=24_000,
        ),
    )
}

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
            agents.ThinkingOutput,
            reducers.record_thought,
        ),
        ReducerSpec(
            "record_gap",
            "Notes the gap that the iteration works on.",
            agents.KnowledgeGapOutput,
            reducers.record_gap,
        ),
        ReducerSpec(
            "record_tool_calls",
            "Notes the searches to be made.",
            agents.AgentSelectionPlan,
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
            agents.JudgeAssessment,
            reducers.record_judgement,
        ),
        ReducerSpec(
            "record_parse",
            "Adds what the question was understood as to the background.",
            agents.ParsedQuery,
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


def output_model(node: Node) -> type[Frozen] | None:
    """What a node leaves under `outputs.<id>`; None if it leaves nothing, or something this room does not know."""
    match node:
        case AgentNode():
            return AGENTS[node.agent].output if node.agent in AGENTS else None
        case ToolNode():
            if node.for_each:
                return tools.ItemOutcomes
            return TOOLS[node.tool].output if node.tool in TOOLS else None
        case ParallelNode():
            return branches.BranchOutcomes
        case _:
            return None
