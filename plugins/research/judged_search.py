"""DeepCritical's linear loop: search every source, judge, search with the judge's words, until there is enough."""

from elcano.graphs.builder import JUDGING, GraphBuilder
from elcano.graphs.spec.graph import Inputs

ENOUGH = "outputs.judge.recommendation == 'synthesize'"
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
