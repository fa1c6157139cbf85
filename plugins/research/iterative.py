"""Iterative research: search, then think, find the gap, search for it, judge; round until the question is answered.

The graph of DeepCritical's iterative flow, with the three decisions that it names: is the research complete, is there
budget left, is there an iteration left. Before it the whole question is searched once, by no agent: nobody is asked to
think about nothing.
"""

from elcano.graphs.builder import CONTEXT, JUDGING, ROUND, WRITING, GraphBuilder

ITERATIVE = (
    GraphBuilder("iterative", "Search, think, find the gap, search for it, judge; round until it is answered.")
    .add_tool_node(
        "first_search",
        tool="search",
        description="The question itself, so that there is something to think about",
        for_each="sources",
        inputs={"source": "item", "query": "question"},
        reducer="add_evidence",
    )
    .add_agent_node(
        "thinking",
        agent="thinking",
        description="Where the research stands",
        inputs=CONTEXT,
        reducer="record_thought",
    )
    .add_agent_node(
        "knowledge_gap",
        agent="knowledge_gap",
        description="What is still missing",
        inputs={**ROUND, "max_iterations": "budget.iterations.limit", "conversation": "conversation"},
        reducer="record_gap",
    )
    .add_decision_node("complete", description="Complete?")
    .add_agent_node(
        "tool_selector",
        agent="tool_selector",
        description="Which searches close the gap",
        inputs={
            **CONTEXT,
            "gap": "conversation[-1].gap",
            "suggested_queries": "conversation[-2].suggested_queries",
            "sources": "sources",
        },
        reducer="record_tool_calls",
    )
    .add_tool_node(
        "execute_tools",
        tool="search",
        description="All chosen searches at once",
        for_each="outputs.tool_selector.tasks",
        inputs={"source": "item.source", "query": "item.query"},
        reducer="add_evidence",
    )
    .add_agent_node(
        "judge",
        agent="judge",
        description="Is the evidence enough",
        inputs={**JUDGING, "gap": "conversation[-1].gap"},
        reducer="record_judgement",
    )
    .add_decision_node("budget", description="Budget left?")
    .add_decision_node("iterations", description="Go on?")
    .add_agent_node(
        "writer",
        agent="writer",
        description="The report, every claim with its quote",
        inputs=WRITING,
    )
    .connect_nodes("first_search", "thinking", "knowledge_gap", "complete")
    .add_conditional_edge("complete", "writer", when="outputs.knowledge_gap.research_complete", label="complete")
    .connect_nodes("complete", "tool_selector", label="gaps remain")
    .connect_nodes("tool_selector", "execute_tools", "judge", "budget")
    .add_conditional_edge("budget", "writer", when="budget.reason == 'time'", label="time is up", ending="time")
    .add_conditional_edge("budget", "writer", when="budget.reason == 'tokens'", label="tokens spent", ending="tokens")
    .add_conditional_edge("budget", "writer", when="budget.reason == 'cost'", label="money spent", ending="cost")
    .connect_nodes("budget", "iterations", label="budget left")
    .add_conditional_edge(
        "iterations", "writer", when="outputs.judge.recommendation == 'synthesize'", label="enough evidence"
    )
    .add_conditional_edge(
        "iterations", "writer", when="stalled", label="nothing new was found twice in a row", ending="stalled"
    )
    .add_conditional_edge(
        "iterations",
        "writer",
        when="budget.iterations.remaining == `0`",
        label="no iteration left",
        ending="iterations",
    )
    .connect_nodes("iterations", "thinking", label="loop back", loop=True)
    .set_entry_node("first_search")
    .set_exit_nodes("writer")
    .build()
)
