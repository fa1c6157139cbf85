"""Deep research: a first search, a plan, one iterative loop per section side by side, a synthesis of the drafts.

The graph of DeepCritical's deep flow. Its two syntheses are two graphs: `deep` writes section by section, `deep_brief`
merges all drafts in one pass.
"""

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.modes.inputs import COMMISSION, NEW_EVIDENCE
from elcano.graphs.modes.iterative import ITERATIVE
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph


def deep_graph(name: str, *, synthesis: str, description: str) -> ResearchGraph:
    """The deep graph with one of the two agents that join sections."""
    return (
        GraphBuilder(name, description)
        .add_tool_node(
            "survey",
            tool="search",
            description="A first search, so that the plan fits what can be found",
            for_each="sources",
            inputs={"source": "item", "query": "question", "limit": "`20`"},
            reducer="add_evidence",
        )
        .add_agent_node(
            "planner",
            agent="planner",
            description="Which sections the report needs",
            inputs={
                **COMMISSION,
                "sources": "sources",
                "evidence": NEW_EVIDENCE,
                "max_sections": "budget.sections.affordable || budget.sections.limit",
                "added_sections": "added_sections",
                "criteria": "criteria",
            },
        )
        .add_state_node(
            "store_plan",
            reducer="store_plan",
            description="One to as many sections as allowed, each with a question",
            inputs={
                "report_title": "outputs.planner.report_title",
                "background_context": "outputs.planner.background_context",
                "report_outline": "outputs.planner.report_outline",
                "form": "outputs.planner.form",
                "max_sections": "budget.sections.limit",
                "affordable_sections": "budget.sections.affordable",
                "tokens_each": "budget.sections.tokens_each",
                "tokens": "budget.tokens.limit",
            },
        )
        .add_parallel_node(
            ParallelNode(
                id="parallel_loops",
                description="One research loop per section, side by side",
                for_each="plan",
                max_concurrency=4,
                timeout_seconds=3_600,
            )
        )
        .add_branch(
            "parallel_loops",
            "loop",
            ITERATIVE,
            inputs={
                "question": "item.key_question",
                "title": "item.title",
                "background": "background",
                "criteria": "item.criteria",
                "form": "item.form",
                "wish": "item.wish",
            },
        )
        .add_state_node(
            "collect_drafts",
            reducer="collect_drafts",
            description="The drafts in the plan's order, the gaps by name",
            inputs={"branches": "outputs.parallel_loops.branches"},
        )
        .add_agent_node(
            "synthesizer",
            agent=synthesis,
            description="The sections as one report",
            inputs={
                **COMMISSION,
                "review": "review",
                "title": "title",
                "sections": "sections",
                "sources": "sources",
                "evidence": "evidence[].id",
            },
        )
        .connect_nodes("survey", "planner", "store_plan", "parallel_loops", "collect_drafts", "synthesizer")
        .set_entry_node("survey")
        .set_exit_nodes("synthesizer")
        .build()
    )


DEEP = deep_graph(
    "deep",
    synthesis="long_writer",
    description="Plan sections, research each in a loop of its own side by side, join them section by section.",
)
DEEP_BRIEF = deep_graph(
    "deep_brief",
    synthesis="proofreader",
    description="As deep, but the drafts are merged and shortened in one pass.",
)
