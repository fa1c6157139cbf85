"""A literature review: every source is asked the same, as often as it brings something new, and all of it is counted.

The linear loop of `simple`, with as many passages of each search as a source gives. What makes it a review is its
report: records found, kept and cited by source, and a table of the studies that are cited (see `review_report.py`).
"""

from typing import Final

from elcano.graphs.builder import JUDGING, WRITING, GraphBuilder
from elcano.graphs.modes import Mode

NAME: Final = "literature_review"
LITERATURE_REVIEW = (
    GraphBuilder(NAME, "Search every source alike, judge, search again, write; count records and list the studies.")
    .add_tool_node(
        "search",
        tool="search",
        description="Every source at once, each asked all of the same",
        for_each="pairs(sources, outputs.judge.next_search_queries || [question])",
        inputs={"source": "item[0]", "query": "item[1]", "limit": "`50`"},
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
        "writer",
        agent="writer",
        description="The review, every claim with its quote",
        inputs={**WRITING, "form": "'review'"},
    )
    .connect_nodes("search", "judge", "enough")
    .add_conditional_edge("enough", "writer", when="outputs.judge.recommendation == 'synthesize'", label="enough")
    .add_conditional_edge(
        "enough", "writer", when="stalled", label="the last searches found nothing that helps", ending="stalled"
    )
    .add_conditional_edge(
        "enough",
        "writer",
        when="budget.iterations.remaining == `0`",
        label="no iteration left",
        ending="iterations",
    )
    .add_conditional_edge(
        "enough", "writer", when="!(outputs.judge.next_search_queries)", label="nothing left to search"
    )
    .connect_nodes("enough", "search", label="search again", loop=True)
    .set_entry_node("search")
    .set_exit_nodes("writer")
    .build()
)

MODE: Final = Mode(
    LITERATURE_REVIEW,
    "What studies have found, with what was searched, found and kept counted.",
    when="it asks for a review of the studies on a matter: what was searched, found and kept has to be counted",
    kinds=("articles", "trials", "preprints"),
    instead="iterative",
    prefix="review_",
)
