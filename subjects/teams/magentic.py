"""A team led by a manager, who notes facts, plans, and after each turn says who speaks next.

The pattern of Magentic-One (Fourney and others, 2024), as DeepCritical's advanced mode used it. Each turn is one round,
and each round one iteration of the run. Where rounds bring nothing the manager begins again with new facts and a new
plan, the evidence kept; where that was done often enough, or no round is left, the reporter writes from what there is.
"""

from typing import Final

from elcano.graphs.builder import ASKED, CONTEXT, WRITING, GraphBuilder
from elcano.graphs.mode_choice import Mode
from elcano.graphs.state.team import NO_RESET_LEFT

ROUNDS: Final = 10
"""DeepCritical's `max_rounds`. A reset takes one of them."""

LEADING: Final = {
    **CONTEXT,
    "ledger": "ledger",
    "sources": "sources",
    "hypotheses": "hypotheses",
    "assessment": "outputs.judge",
    "found": "length(evidence)",
    "max_iterations": "budget.iterations.limit",
}
SEARCHED: Final = "conversation[?tool_calls]"
"""The rounds in which there was a search: the others found nothing because no one looked."""

MAGENTIC = (
    GraphBuilder("magentic", "A manager plans, and says after each turn who of its team speaks next.")
    .add_agent_node(
        "task_ledger",
        agent="task_ledger",
        description="The manager: facts given, to look up, to derive, guesses; a plan",
        inputs=LEADING,
        reducer="record_task_ledger",
    )
    .add_agent_node(
        "progress_ledger",
        agent="progress_ledger",
        description="The manager: satisfied, in a loop, any progress; who speaks next",
        inputs=LEADING,
        reducer="record_progress",
    )
    .add_decision_node("limits", description="Go on?")
    .add_decision_node("next_speaker", description="Whose turn?", choose="ledger.next_speaker || `null`")
    .add_state_node("reset", reducer="reset_ledger", description="The plan led nowhere: count anew, keep the evidence")
    .add_agent_node(
        "searcher",
        agent="tool_selector",
        description="Which searches do what the manager asks for",
        inputs={
            **CONTEXT,
            "gap": "ledger.instruction",
            "suggested_queries": "conversation[?suggested_queries] | [-1].suggested_queries",
            "sources": "sources",
        },
        reducer="record_tool_calls",
    )
    .add_tool_node(
        "search",
        tool="search",
        description="All chosen searches at once",
        for_each="outputs.searcher.tasks",
        inputs={"source": "item.source", "query": "item.query"},
        reducer="add_evidence",
    )
    .add_agent_node(
        "hypothesizer",
        agent="hypothesizer",
        description="What may be so, and what speaks for and against it",
        inputs={**CONTEXT, "instruction": "ledger.instruction", "hypotheses": "hypotheses"},
        reducer="record_hypotheses",
    )
    .add_agent_node(
        "judge",
        agent="judge",
        description="Is the evidence enough",
        inputs={
            **ASKED,
            "iteration": "iteration",
            "criteria": "criteria",
            "conversation": SEARCHED,
            "gap": "ledger.instruction",
        },
        reducer="record_judgement",
    )
    .add_agent_node(
        "reporter",
        agent="writer",
        description="The report, every claim with its quote",
        inputs=WRITING,
    )
    .connect_nodes("task_ledger", "progress_ledger", "limits")
    .add_conditional_edge("limits", "reporter", when="ledger.next_speaker == 'reporter'", label="the reporter's turn")
    .add_conditional_edge(
        "limits",
        "reporter",
        when="ledger.stalls >= budget.stalls.limit && ledger.resets >= budget.resets.limit",
        label=NO_RESET_LEFT,
        ending="stalled",
    )
    .add_conditional_edge("limits", "reset", when="ledger.stalls >= budget.stalls.limit", label="stalled: plan anew")
    .connect_nodes("limits", "next_speaker", label="continue")
    .connect_nodes("reset", "task_ledger", label="new facts, new plan", loop=True)
    .add_conditional_edge("next_speaker", "searcher", when="ledger.next_speaker == 'searcher'", label="search")
    .add_conditional_edge("next_speaker", "hypothesizer", when="ledger.next_speaker == 'hypothesizer'", label="explain")
    .add_conditional_edge("next_speaker", "judge", when="ledger.next_speaker == 'judge'", label="judge")
    .connect_nodes("next_speaker", "progress_ledger", label="no speaker", loop=True)
    .connect_nodes("searcher", "search")
    .connect_nodes("search", "progress_ledger", label="next round", loop=True)
    .connect_nodes("hypothesizer", "progress_ledger", label="next round", loop=True)
    .connect_nodes("judge", "progress_ledger", label="next round", loop=True)
    .set_entry_node("task_ledger")
    .set_exit_nodes("reporter")
    .set_iterations(ROUNDS)
    .build()
)
MODE: Final = Mode(
    MAGENTIC,
    "A question that cannot be planned ahead: a manager decides after each turn who of its team speaks next.",
    aliases=("advanced",),
    when="it is unknown beforehand what has to be looked up, because it asks for the possible causes, "
    "explanations or hypotheses of something, to be weighed against each other",
    instead="iterative",
)
