"""The graphs of deep research: a first search, a plan, one loop per section side by side, one report of all."""

from elcano.graphs.builder import COMMISSION, NEW_EVIDENCE, GraphBuilder
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from elcano.subjects.research.loops import ITERATIVE

OF_SECTION = (
    "item.evidence && pairs(evidence[?!duplicate_of], [item.evidence])[?contains(@[1], @[0].id)][0]"
    " || evidence[?!duplicate_of]"
)
"""The passages of the first search that the plan gave to a section; all, if it gave it none."""


def deep_graph(
    name: str,
    *,
    synthesis: str,
    description: str,
    fan_out: str = "parallel_loops",
    fan_out_description: str = "One research loop per section, side by side",
    branch: str = "loop",
    research: ResearchGraph = ITERATIVE,
    join: str = "synthesizer",
    iterations: int | None = None,
) -> ResearchGraph:
    """The deep graph with one of the agents that join sections, and what researches each of them.

    After DeepCritical's deep flow: a first search, a plan, one loop per section side by side, a synthesis. In `deep`
    the loops gather passages, and the long writer writes each section once. In `deep_brief` each loop ends in a draft,
    and all drafts are merged in one pass. A section begins with the passages of the first search that the planner
    names for it, or with all but those that it finds off topic.

    Args:
        name: of the graph.
        synthesis: the agent that joins.
        description: of the graph.
        fan_out: the id of the node that runs the sections.
        fan_out_description: what it does.
        branch: what a section is called there.
        research: the graph of a section.
        join: the id of the node that joins.
        iterations: see `ResearchGraph.iterations`.
    """
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
                "beside": "outputs.planner.beside",
                "max_sections": "budget.sections.limit",
                "affordable_sections": "budget.sections.affordable",
                "tokens_each": "budget.sections.tokens_each",
                "tokens": "budget.tokens.limit",
            },
        )
        .add_parallel_node(
            ParallelNode(
                id=fan_out,
                description=fan_out_description,
                for_each="plan",
                max_concurrency=4,
                timeout_seconds=3_600,
            )
        )
        .add_branch(
            fan_out,
            branch,
            research,
            inputs={
                "question": "item.key_question",
                "title": "item.title",
                "background": "background",
                "criteria": "item.criteria",
                "form": "item.form",
                "wish": "item.wish",
                "evidence": OF_SECTION,
                "beside": "conversation[].beside[]",
            },
        )
        .add_state_node(
            "collect_drafts",
            reducer="collect_drafts",
            description="The sections in the plan's order, the gaps by name",
            inputs={"branches": f"outputs.{fan_out}.branches"},
        )
        .add_agent_node(
            join,
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
        .connect_nodes("survey", "planner", "store_plan", fan_out, "collect_drafts", join)
        .set_entry_node("survey")
        .set_exit_nodes(join)
        .set_iterations(iterations)
        .build()
    )
