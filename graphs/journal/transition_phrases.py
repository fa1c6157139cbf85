"""Event texts for routing and state changes: where a run goes on and why, and what a state node changed.

Only a way that could have been another is worth telling; one that ends the research is told as its ending.
"""

from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.engine.run import Run, TakenEdge
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.spec.graph import DecisionNode, ResearchGraph, StateNode
from elcano.graphs.state.state import ResearchState
from elcano.graphs.text import title_from_id


def led_on(graph: ResearchGraph, earlier: Run, run: Run) -> tuple[str, JsonObject] | None:
    """Where `run` went on to, in a sentence and for programs; None if nothing was chosen."""
    taken = run.taken
    if taken is None or taken == earlier.taken or run.ending != earlier.ending:
        return None
    node = graph.by_id[taken.from_node]
    if taken.by != "error" and not isinstance(node, DecisionNode) and len(graph.routes_from(node.id)) == 1:
        return None
    data: JsonObject = {"to": taken.to_node, "by": taken.by}
    return _describe_taken_edge(taken), {**data, "named": taken.named} if taken.named else data


def summarize_state_change(node: StateNode, earlier: ResearchState, state: ResearchState) -> tuple[str, JsonObject]:
    """Describe what a state node did, in a sentence, and list the parts of the state that are new."""
    parts: list[Json] = [
        name
        for name in ResearchState.model_fields
        if name != "iteration" and getattr(earlier, name) is not getattr(state, name)
    ]
    spec = REDUCERS[node.reducer]
    data: JsonObject = {"reducer": node.reducer, "changed": parts}
    if spec.told is None:
        return f"{title_from_id(node.id)}: {spec.description}", data
    text, figures = spec.told(state)
    return text, {**data, **figures}


def _describe_taken_edge(taken: TakenEdge) -> str:
    here, there = title_from_id(taken.from_node), title_from_id(taken.to_node)
    why = taken.label
    match taken.by:
        case "choice":
            return f"{here}: chose {there}" + (f", {why}" if why else "")
        case "error":
            why = why or "after its error"
        case "default" if taken.named:
            why = f"{taken.named} is none of its ways"
    return f"{here}: {why}, on to {there}" if why else f"{here}: on to {there}"
