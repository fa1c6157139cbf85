"""Events about the branches of a run: they begin, end, are dropped, or do not fit into the budget."""

from elcano.graphs.engine.commands import BranchStart
from elcano.graphs.frozen import JsonObject
from elcano.graphs.journal.told import EventDraft, shorten_message
from elcano.graphs.state.branches import BranchOutcome
from elcano.graphs.text import format_count


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


def narrate_branch_end(node: str, outcome: BranchOutcome) -> EventDraft:
    """Report that a branch ended, for any reason; this comes after all of the branch's own events."""
    data: JsonObject = {
        "status": outcome.status,
        "tokens": outcome.usage.tokens,
        "evidence": len(outcome.evidence),
        "iterations": outcome.iterations,
    }
    early = f" early, {outcome.ending}" if outcome.ending else ""
    if outcome.gap is not None:
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


def narrate_dropped_branch(node: str, outcome: BranchOutcome) -> EventDraft:
    """Report that a branch ended after it was dropped: its results are not used."""
    data: JsonObject = {
        "status": "left_out",
        "tokens": outcome.usage.tokens,
        "evidence": 0,
        "iterations": outcome.iterations,
    }
    text = f"{outcome.title}: left out at somebody's wish"
    return EventDraft("branch_complete", shorten_message(text), node, data, outcome.parallel_path_id, outcome.title)


def narrate_plan_cut(node: str, afforded: int, planned: int) -> EventDraft:
    """Not every branch fits into the budget."""
    text = f"The budget allows {afforded} of {planned} sections; the others are left out"
    return EventDraft("ending_early", text, node, {"reason": "tokens", "afforded": afforded, "planned": planned})
