"""Texts of events about the parts of a run: calls, items, branches, routes, changes by state nodes.

They say what is being worked on now, not what an agent is for in general. A route is reported only if there was a
choice; one that ends the research is reported as its ending.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias, get_args

from elcano.graphs.catalogue.agents import get_called_agent
from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.engine.entries import BranchStart, CallAgent, CallTool
from elcano.graphs.engine.run import Run, TakenEdge
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.spec.graph import DecisionNode, Node, ParallelNode, ResearchGraph, StateNode
from elcano.graphs.state.branches import BranchOutcome, BranchOutcomes, Ended
from elcano.graphs.state.events import EventType
from elcano.graphs.state.state import ResearchState
from elcano.graphs.text import ensure_list, format_count, shorten_text, title_from_id

MESSAGE_CHARACTERS = 500
"""Longer texts are cut in events; they are whole in the state."""


@dataclass(frozen=True)
class EventDraft:
    """One event before it has a number."""

    type: EventType
    message: str
    node: str = ""
    data: JsonObject = field(default_factory=dict)
    path: str = ""
    """Set on an event about a branch: its `parallel_path_id`."""
    section: str = ""


def shorten_message(text: str) -> str:
    """`text` as an event has it."""
    return shorten_text(text, MESSAGE_CHARACTERS)


def work_of_agent(call: CallAgent) -> str:
    """Describe the agent's current work; for an agent without a phrase for it, its purpose."""
    agent = get_called_agent(call.agent, call.own)
    return f"{title_from_id(call.node)}: {agent.begins(call.input) if agent.begins else agent.description}"


def work_of_tool(call: CallTool) -> str:
    """List the queries of a tool's calls, each once, however many sources it goes to."""
    return f"{title_from_id(call.node)}: {' · '.join(list_call_queries(call)) or TOOLS[call.tool].description}"


def list_call_queries(call: CallTool) -> list[str]:
    """Return the queries, each once."""
    asked = (given.get("query") for given in call.inputs)
    words = (query.get("sql") if isinstance(query, dict) else query for query in asked)
    return list(dict.fromkeys(str(query) for query in words if query))


Summary: TypeAlias = Callable[[JsonObject], tuple[str, JsonObject]]
TOLD: Final = 5
"""Maximum number of items that are reported individually."""


def summarize_items(callee: str, summarise: Summary | None, output: Json) -> tuple[str, JsonObject]:
    """Summarize the items in a sentence each, failed ones by their errors; a single one with its own figures too."""
    items = [
        one for one in ensure_list(output.get("items") if isinstance(output, dict) else None) if isinstance(one, dict)
    ]
    failed = [one for one in items if not isinstance(one.get("output"), dict)]
    figures: JsonObject = {"items": len(items), "failed": len(failed)}
    texts = []
    for one in items[:TOLD]:
        answered = one.get("output")
        if not isinstance(answered, dict):
            texts.append(f"{callee} failed: {one.get('error') or 'no reason was given'}")
        elif summarise is not None:
            text, own = summarise(answered)
            texts.append(text)
            figures = {**own, **figures} if len(items) == 1 else figures
    if not texts:
        return f"{callee}: {format_count(len(items), 'item')} done", figures
    more = f" And {len(items) - TOLD} more." if len(items) > TOLD else ""
    return " ".join(dict.fromkeys(texts)) + more, figures


def word_branches(node: Node) -> tuple[str, str]:
    """One branch of a node, and several, in a word: those of a plan are sections."""
    of_plan = isinstance(node, ParallelNode) and node.for_each == "plan"
    return ("section", "sections") if of_plan else ("branch", "branches")


def of_branches(node: ParallelNode, output: BranchOutcomes) -> tuple[str, JsonObject]:
    """Count branches by how they ended."""
    ended = Counter(outcome.status for outcome in output.branches)
    counts: JsonObject = {status: ended[status] for status in get_args(Ended)}
    states = (f"{count} {'missing' if status == 'gap' else status}" for status, count in counts.items() if count)
    counted = f"{format_count(len(output.branches), *word_branches(node))}: {', '.join(states) or 'none'}"
    return counted, {**counts, "sections": len(output.branches)}


def led_on(graph: ResearchGraph, earlier: Run, run: Run) -> tuple[str, JsonObject] | None:
    """Describe where `run` went, in a sentence and for programs; None if nothing was chosen."""
    taken = run.taken
    if taken is None or taken == earlier.taken or run.ending != earlier.ending:
        return None
    node = graph.by_id[taken.from_node]
    if taken.by != "error" and not isinstance(node, DecisionNode) and len(graph.routes_from(node.id)) == 1:
        return None
    data: JsonObject = {"to": taken.to_node, "by": taken.by}
    return _describe_taken_edge(graph, taken), {**data, "named": taken.named} if taken.named else data


def summarize_state_change(node: StateNode, earlier: ResearchState, state: ResearchState) -> tuple[str, JsonObject]:
    """Describe the work of a state node in a sentence, and list the changed parts of the state."""
    parts: list[Json] = [
        name
        for name in ResearchState.model_fields
        if name != "iteration" and getattr(earlier, name) is not getattr(state, name)
    ]
    spec = REDUCERS[node.reducer]
    data: JsonObject = {"reducer": node.reducer, "changed": parts}
    if spec.narrate is None:
        return f"{node.title}: {spec.description}", data
    text, figures = spec.narrate(state)
    return text, {**data, **figures}


def _describe_taken_edge(graph: ResearchGraph, taken: TakenEdge) -> str:
    here, there = (graph.by_id[one].title for one in (taken.from_node, taken.to_node))
    why = taken.label
    match taken.by:
        case "choice":
            return f"{here}: chose {there}" + (f", {why}" if why else "")
        case "error":
            why = why or "after its error"
        case "default" if taken.named:
            why = f"{taken.named} is not one of its options"
    return f"{here} → {there}" + (f" ({why})" if why and why.casefold() != here.casefold() else "")


def narrate_branch_start(node: str, branch: BranchStart, run_id: str) -> EventDraft:
    """A branch begins; `run_id` is that of its child workflow, where its own events are."""
    data: JsonObject = {"run_id": run_id, "question": branch.input.question}
    return EventDraft(
        "branch_started",
        shorten_message(f"{branch.title}: research begins"),
        node,
        data,
        branch.parallel_path_id,
        branch.title,
    )


def narrate_branch_end(node: str, outcome: BranchOutcome, *, dropped: bool = False) -> EventDraft:
    """Report that a branch ended, for any reason; this comes after all of the branch's own events.

    `dropped`: it was left out on request while it ran, so its results are not used.
    """
    data: JsonObject = {
        "status": "left_out" if dropped else outcome.status,
        "tokens": outcome.usage.tokens,
        "evidence": 0 if dropped else len(outcome.evidence),
        "iterations": outcome.iterations,
    }
    early = f" early, {outcome.ending}" if outcome.ending else ""
    if dropped:
        text = "left out on request"
    elif outcome.gap is not None:
        text = f"no section, {outcome.gap.reason}"
        data = {**data, "gap": outcome.gap.model_dump(mode="json")}
    elif outcome.unanswered:
        text = "no source answers it" + (f" (ended{early})" if early else "")
    elif outcome.draft is None:
        text = f"done{early}, {format_count(len(outcome.evidence), 'passage')}"
    else:
        text = f"drafted{early}"
    return EventDraft(
        "branch_complete",
        shorten_message(f"{outcome.title}: {text}"),
        node,
        data,
        outcome.parallel_path_id,
        outcome.title,
    )


def narrate_plan_cut(node: ParallelNode, afforded: int, planned: int) -> EventDraft:
    """Not every branch fits into the budget."""
    text = f"The budget allows {afforded} of {planned} {word_branches(node)[1]}; the others are left out"
    return EventDraft("ending_early", text, node.id, {"reason": "tokens", "afforded": afforded, "planned": planned})
