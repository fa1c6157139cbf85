"""The loops of research, as the graphs of modes have them: the iterative one, and the linear one of judged searches.

Both are DeepCritical's. In the iterative one: search, then think, find the gaps, search for them, judge; round until
the question is answered, with the three decisions that it names: is the research complete, is there budget left, is
there an iteration left. Before it the whole question is searched once, by no agent: no one is asked to think about
nothing.

Where the research stands, what is missing and what to search is one thought. So the thinking agent is asked for all of
it in one call, and the agents that are there for the gaps and the searches are called only where it left these open.
The judge is not called where its answer could change nothing: once the budget or the last iteration is used, where the
searches that it named found nothing that helps, and after searches that it called the last. Searches that it names are
made at once; the thinking agent is asked again only where it names none. A section with criteria, which its planner has
thought about, begins with the judge.

In the linear one: search every source, judge, search with the judge's words, until there is enough.
"""

from elcano.graphs.builder import CONTEXT, JUDGED_CRITERIA, JUDGING, NEW_EVIDENCE, ROUND, WRITING, GraphBuilder
from elcano.graphs.spec.graph import Inputs, ResearchGraph

ENOUGH = "outputs.judge.recommendation == 'synthesize'"
SEARCHED_BY_JUDGE = "outputs.judge.searches && !(conversation[-1].thought) && !(guidance)"
"""Whether the judge named the searches of this iteration. With guidance it judges again: that may ask for others."""


def add_research_loop(builder: GraphBuilder, leave: str, seen: Inputs, *, planned: bool = False) -> GraphBuilder:
    """Add the nodes and edges of the loop.

    Args:
        builder: the graph that they are added to.
        leave: the node that the loop leads to in the end.
        seen: the passages that its agents see; empty: those that its searches found.
        planned: whether a question that has criteria is judged before anything is thought about it.
    """
    if planned:
        builder.add_conditional_edge(
            "first_search",
            "judge",
            when="criteria && budget.iterations.remaining != `0`",
            label="planned before",
        )
    chosen = {"sources": "sources", "max_iterations": "budget.iterations.limit"}
    suggested = {"suggested_queries": "conversation[-2].suggested_queries"}
    return (
        builder.add_tool_node(
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
            description="Where the research stands, and in the same call what is missing and what to search for it",
            inputs={
                **CONTEXT,
                **seen,
                **chosen,
                "suggested_queries": "conversation[-1].suggested_queries",
            },
            reducer="record_thought",
        )
        .add_agent_node(
            "knowledge_gap",
            agent="knowledge_gap",
            description="What is still missing, where the thought does not say it",
            spare=True,
            inputs={**ROUND, **seen, "max_iterations": "budget.iterations.limit", "conversation": "conversation"},
            reducer="record_gap",
        )
        .add_decision_node("complete", description="Complete?")
        .add_agent_node(
            "tool_selector",
            agent="tool_selector",
            description="Which searches close the gaps, where the thought does not say it",
            spare=True,
            inputs={
                **CONTEXT,
                **seen,
                **suggested,
                "gap": "conversation[-1].gap",
                "gaps": "conversation[-1].gaps",
                "sources": "sources",
            },
            reducer="record_tool_calls",
        )
        .add_tool_node(
            "execute_tools",
            tool="search",
            description="All chosen searches at once",
            for_each="conversation[-1].tool_calls[?pending]",
            inputs={"source": "item.source", "query": "item.query"},
            reducer="add_evidence",
        )
        .add_decision_node("budget", description="Budget left?")
        .add_agent_node(
            "judge",
            agent="judge",
            description="Is the evidence enough, and what of it is beside the question",
            inputs={**JUDGING, **seen, **chosen, "gap": "conversation[-1].gap"},
            reducer="record_judgement",
        )
        .add_decision_node("iterations", description="Go on?")
        .add_state_node(
            "judge_searches",
            reducer="record_tool_calls",
            description="The searches that the judge named",
            inputs={"tasks": "outputs.judge.searches"},
        )
        .connect_nodes("first_search", "thinking")
        .add_conditional_edge(
            "thinking", "complete", when="outputs.thinking.research_complete != `null`", label="gaps named at once"
        )
        .connect_nodes("thinking", "knowledge_gap")
        .connect_nodes("knowledge_gap", "complete")
        .add_conditional_edge("complete", leave, when="conversation[-1].complete", label="complete")
        .add_conditional_edge(
            "complete",
            "execute_tools",
            when="conversation[-1].tool_calls[?pending]",
            label="searches chosen at once",
        )
        .connect_nodes("complete", "tool_selector", label="gaps remain")
        .connect_nodes("tool_selector", "execute_tools", "budget")
        .add_conditional_edge(
            "budget",
            leave,
            when=f"{ENOUGH} && {SEARCHED_BY_JUDGE}",
            label="the last searches are made",
        )
        .add_conditional_edge("budget", leave, when="budget.reason == 'time'", label="time is up", ending="time")
        .add_conditional_edge("budget", leave, when="budget.reason == 'tokens'", label="tokens spent", ending="tokens")
        .add_conditional_edge("budget", leave, when="budget.reason == 'cost'", label="money spent", ending="cost")
        .add_conditional_edge(
            "budget",
            leave,
            when="budget.iterations.remaining == `0`",
            label="no iteration left",
            ending="iterations",
        )
        .add_conditional_edge(
            "budget",
            leave,
            when=f"stalled && {SEARCHED_BY_JUDGE}",
            label="the searches of the judge found nothing that helps",
        )
        .connect_nodes("budget", "judge", label="budget left")
        .connect_nodes("judge", "iterations")
        .add_conditional_edge(
            "iterations",
            "judge_searches",
            when=f"{ENOUGH} && outputs.judge.searches",
            label="the judge named the last searches",
            loop=True,
        )
        .add_conditional_edge("iterations", leave, when=ENOUGH, label="enough evidence")
        .add_conditional_edge(
            "iterations", leave, when="stalled", label="the last searches found nothing that helps", ending="stalled"
        )
        .add_conditional_edge(
            "iterations", "judge_searches", when="outputs.judge.searches", label="the judge named searches", loop=True
        )
        .connect_nodes("judge_searches", "execute_tools")
        .connect_nodes("iterations", "thinking", label="loop back", loop=True)
        .set_entry_node("first_search")
        .set_exit_nodes(leave)
    )


def build_iterative() -> ResearchGraph:
    """The loop, and the writer at its end."""
    graph = GraphBuilder(
        "iterative", "Search, think, find the gaps, search for them, judge; round until it is answered."
    )
    return (
        add_research_loop(graph, "writer", {})
        .add_agent_node("writer", agent="writer", description="The report, every claim with its quote", inputs=WRITING)
        .build()
    )


FOR_ITS_WRITER: Inputs = {
    "criteria": JUDGED_CRITERIA,
    "notes": "conversation[?judgement || thought] | [-1].[judgement || thought][?@]",
    "contradictions": "conversation[].contradictions[]",
}


def build_section() -> ResearchGraph:
    """The loop of one section of a longer report, which begins with what the survey found.

    No draft is written at its end: the writer of the report writes its sections too, each once, from their passages,
    criteria and notes.
    """
    graph = GraphBuilder("section", "Researches one section in a loop; what it found is handed over.")
    return (
        add_research_loop(graph, "hand_over", {"evidence": NEW_EVIDENCE}, planned=True)
        .add_state_node("hand_over", reducer="hand_over", description="Its passages, the criteria they meet, and notes")
        .set_result(FOR_ITS_WRITER)
        .build()
    )


ITERATIVE = build_iterative()
SECTION = build_section()


NO_ITERATION_LEFT = "budget.iterations.remaining == `0`"


def add_judged_search(
    builder: GraphBuilder,
    leave: str,
    *,
    description: str,
    limit: int | None = None,
    judging: Inputs = JUDGING,
    ends_early: bool = True,
) -> GraphBuilder:
    """Add the nodes and edges of the loop; `leave` is the node that it leads to in the end.

    Args:
        builder: the graph that they are added to.
        leave: the node behind the loop.
        description: what its searches are.
        limit: passages per search; None: as many as a search gives by itself.
        judging: the inputs of the judge.
        ends_early: whether a run that leaves because its searches stall or its iterations are used has ended early;
            otherwise a later node says so.
    """
    asked = {"source": "item[0]", "query": "item[1]"} | ({} if limit is None else {"limit": f"`{limit}`"})
    return (
        builder.add_tool_node(
            "search",
            tool="search",
            description=description,
            for_each="pairs(sources, outputs.judge.next_search_queries || [question])",
            inputs=asked,
            reducer="add_evidence",
        )
        .add_agent_node(
            "judge",
            agent="judge",
            description="Is the evidence enough",
            inputs=judging,
            reducer="record_judgement",
        )
        .add_decision_node("enough", description="Enough?")
        .connect_nodes("search", "judge", "enough")
        .add_conditional_edge("enough", leave, when=ENOUGH, label="enough")
        .add_conditional_edge(
            "enough",
            leave,
            when="stalled",
            label="the last searches found nothing that helps",
            ending="stalled" if ends_early else None,
        )
        .add_conditional_edge(
            "enough",
            leave,
            when=NO_ITERATION_LEFT,
            label="no iteration left",
            ending="iterations" if ends_early else None,
        )
        .add_conditional_edge(
            "enough", leave, when="!(outputs.judge.next_search_queries)", label="nothing left to search"
        )
        .connect_nodes("enough", "search", label="search again", loop=True)
        .set_entry_node("search")
    )
