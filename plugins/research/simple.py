"""Simple research, DeepCritical's linear loop: search every source, judge, search with the judge's words, write."""

from elcano.graphs.builder import JUDGING, WRITING, GraphBuilder

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
