"""The modes of the plugin, and when `auto` chooses each.

Simple research is DeepCritical's linear loop: search every source, judge, search with the judge's words, write.
"""

from typing import Final

from elcano.graphs.builder import JUDGING, WRITING, GraphBuilder
from elcano.graphs.modes import Mode
from elcano.plugins.research.deep import DEEP, DEEP_BRIEF
from elcano.plugins.research.iterative import ITERATIVE

SIMPLE = (
    GraphBuilder("simple", "Search every source, judge, search again with the judge's words, write.")
    .add_tool_node(
        "search",
        tool="search",
        description="Every source at once, by all that the judge would search",
        for_each="pairs(sources, outputs.judge.next_search_queries || [question])",
        inputs={"source": "item[0]", "query": "item[1]"},
        reducer="add_evidence",
    )
    .add_agent_node(
        "judge",
        agent="judge",
        description="Is the evidence enough",
        inputs=JUDGING,
        reducer="record_judgement",
    )
    .add_decision_node("enough", description="Enough?")
    .add_agent_node(
        "synthesize",
        agent="writer",
        description="The report, every claim with its quote",
        inputs=WRITING,
    )
    .connect_nodes("search", "judge", "enough")
    .add_conditional_edge("enough", "synthesize", when="outputs.judge.recommendation == 'synthesize'", label="enough")
    .add_conditional_edge(
        "enough", "synthesize", when="stalled", label="the last searches found nothing that helps", ending="stalled"
    )
    .add_conditional_edge(
        "enough",
        "synthesize",
        when="budget.iterations.remaining == `0`",
        label="no iteration left",
        ending="iterations",
    )
    .add_conditional_edge(
        "enough", "synthesize", when="!(outputs.judge.next_search_queries)", label="nothing left to search"
    )
    .connect_nodes("enough", "search", label="search again", loop=True)
    .set_entry_node("search")
    .set_exit_nodes("synthesize")
    .build()
)

MODES: Final = (
    Mode(
        SIMPLE,
        "One fact that a good search answers; the cheapest.",
        when="it asks for one fact that a single good search answers: a date, a number, a name, a definition",
    ),
    Mode(
        ITERATIVE,
        "One point, however hard it is to find: each round looks for what is still missing.",
        when="it is after one point, however hard that is to find, or you are in doubt",
        prefix="",
    ),
    Mode(
        DEEP,
        "A question of several parts, a comparison, an overview: each section is researched by itself.",
        when="a careful answer needs several sections that can be researched separately, because it has several parts, "
        "compares things, or asks for an overview, a report or an analysis of a field",
        prefix="",
    ),
    Mode(DEEP_BRIEF, "As deep, for a short report."),
)
