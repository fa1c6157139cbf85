"""Hierarchical research: a lead plans, a team with a judge of its own works on each section, the lead joins them.

After DeepCritical's orchestrator of teams and sub-iterations. In a sub-iteration a team searches and drafts, and its
judge says that the draft will do, or what is missing; with those words the team searches and drafts again. Who never
satisfies its judge hands in its last draft, and the report says so.
"""

from typing import Final

from elcano.graphs.builder import CONTEXT, NEW_EVIDENCE, WRITING, GraphBuilder
from elcano.graphs.mode_choice import Mode
from elcano.graphs.spec.graph import Inputs
from elcano.subjects.research.deep_graph import deep_graph

SUB_ITERATIONS: Final = 3
"""As many a team makes at most if no one says otherwise (`iterations` of the budget)."""

_FEEDBACK: Final = "outputs.judge.feedback"
_DRAFTING: Final[Inputs] = {**WRITING, "draft": "outputs.draft.artifact", "feedback": _FEEDBACK}

TEAM = (
    GraphBuilder("team", "Search, draft, judge; repeat with the judge's feedback until the draft is good enough.")
    .add_tool_node(
        "search",
        tool="search",
        description="The question itself; later the chosen searches",
        for_each="not_null(outputs.select.tasks[].[source, query], pairs(sources, [question]))",
        inputs={"source": "item[0]", "query": "item[1]"},
        reducer="add_evidence",
    )
    .add_agent_node(
        "draft",
        agent="drafter",
        description="The section, written by what the judge said of the last draft",
        inputs=_DRAFTING,
    )
    .add_agent_node(
        "judge",
        agent="team_judge",
        description="Will the draft do; if not, what is missing",
        inputs={
            **CONTEXT,
            "evidence": NEW_EVIDENCE,
            "draft": "outputs.draft.artifact",
            "feedback": _FEEDBACK,
            "max_iterations": "budget.iterations.limit",
        },
        reducer="record_feedback",
    )
    .add_decision_node("sufficient", description="Will it do?")
    .add_agent_node(
        "select",
        agent="tool_selector",
        description="Which searches find what the judge misses",
        inputs={
            **CONTEXT,
            "gap": f"join('; ', outputs.judge.missing || `[]`) || {_FEEDBACK} || question",
            "suggested_queries": "outputs.judge.next_search_queries",
            "sources": "sources",
        },
        reducer="record_tool_calls",
    )
    .add_agent_node(
        "write_up",
        agent="drafter",
        description="The section, written from what there is",
        inputs=_DRAFTING,
    )
    .add_state_node(
        "hand_in",
        reducer="hand_in",
        description="The draft that was judged last, as it is",
        inputs={"draft": "outputs.draft"},
    )
    .connect_nodes("search", "draft", "judge", "sufficient")
    .add_conditional_edge("sufficient", "hand_in", when="outputs.judge.sufficient", label="the draft will do")
    .add_conditional_edge(
        "sufficient",
        "hand_in",
        when="stalled",
        label="its judge was not satisfied, and the last searches found nothing that helps",
        ending="stalled",
    )
    .add_conditional_edge(
        "sufficient",
        "hand_in",
        when="budget.iterations.remaining == `0`",
        label="its judge was not satisfied by any sub-iteration",
        ending="iterations",
    )
    .connect_nodes("sufficient", "select", label="by the judge's feedback", loop=True)
    .add_conditional_edge(
        "select",
        "write_up",
        when="!(outputs.select.tasks)",
        label="its judge was not satisfied, and there was nothing left to search",
        ending="stalled",
    )
    .connect_nodes("select", "search", label="search again")
    .set_entry_node("search")
    .set_exit_nodes("write_up", "hand_in")
    .set_result({"sufficient": "outputs.judge.sufficient", "feedback": _FEEDBACK, "sub_iterations": "iteration"})
    .build()
)

HIERARCHICAL = deep_graph(
    "hierarchical",
    synthesis="long_writer",
    description="Plan sections, a team for each side by side, its drafts judged and mended; the lead joins them.",
    fan_out="teams",
    fan_out_description="A team for each section, side by side, each with a judge of its own",
    branch="team",
    research=TEAM,
    join="lead",
    iterations=SUB_ITERATIONS,
)
MODE: Final = Mode(
    HIERARCHICAL,
    "As deep, for sections that must hold up: a team drafts each one, its judge says what is missing.",
    when="it asks outright for rigour over several sections, each of which has to be checked before it counts: a "
    "thorough, exhaustive or due diligence report; a plain overview or comparison is none",
    instead="deep",
)
