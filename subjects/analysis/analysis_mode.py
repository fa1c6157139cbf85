"""Analysis: search until there is enough, read numbers out of the passages, let statistics decide, write.

The question is the hypothesis, unless the analyst names others. What the statistics say is given to the writer as
background; its figures, its plots and its verdict stand in the report by themselves, written by code.
"""

from typing import Final

from elcano.graphs.builder import CONTEXT, NEW_EVIDENCE, WRITING, GraphBuilder
from elcano.graphs.mode_choice import Mode
from elcano.subjects.research.loops import ENOUGH, NO_ITERATION_LEFT, add_judged_search

ANALYSIS = (
    add_judged_search(
        GraphBuilder("analysis", "Search, read numbers out of what was found, test them by meta-analysis, write."),
        "analyst",
        description="Every source at once, each asked all of the same",
        limit=50,
        judging=CONTEXT,
        ends_early=False,
    )
    .add_agent_node(
        "analyst",
        agent="analyst",
        description="Numbers, each with the words that it stands in",
        inputs={**CONTEXT, "evidence": NEW_EVIDENCE},
    )
    .add_tool_node(
        "analyze",
        tool="analyze",
        description="Are they in their quotes, and what do they say together",
        inputs={
            "question": "question",
            "hypotheses": "outputs.analyst.hypotheses",
            "measurements": "outputs.analyst.measurements",
        },
    )
    .add_decision_node("thorough", description="Was the search over?")
    .add_agent_node(
        "writer",
        agent="writer",
        description="The report, every claim with its quote",
        inputs={**WRITING, "background": "join(' ', [background, outputs.analyze.told || ''])"},
    )
    .connect_nodes("analyst", "analyze", "thorough")
    .add_conditional_edge("thorough", "writer", when=ENOUGH, label="enough")
    .add_conditional_edge(
        "thorough", "writer", when="stalled", label="the last searches found nothing that helps", ending="stalled"
    )
    .add_conditional_edge(
        "thorough",
        "writer",
        when=NO_ITERATION_LEFT,
        label="no iteration was left",
        ending="iterations",
    )
    .connect_nodes("thorough", "writer", label="nothing left to search")
    .set_exit_nodes("writer")
    .build()
)

MODE: Final = Mode(
    ANALYSIS,
    "An effect that studies have measured: pools their numbers and tests whether it holds.",
    when="it asks how large or how certain an effect is that several studies have measured, so that their numbers have "
    "to be pooled: a meta-analysis, a pooled estimate, an effect size",
    instead="literature_review",
)
