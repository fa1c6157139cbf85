"""The state of a run in Markdown, and its graph as lines of text, for display in the Temporal UI.

What people and providers wrote is shown as it is: no sign of it is Markdown.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import REPORTED, RunStatus, Stage
    from elcano.graphs.engine.approvals import awaits_plan_approval
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.run_contracts import QUESTION_CHARACTERS, ResearchInput, escape_markdown_line
    from elcano.graphs.spec.graph import ResearchGraph, find_reachable
    from elcano.graphs.state.branches import BranchState, branch_states
    from elcano.graphs.state.budget import Budget, usd_from_microusd
    from elcano.graphs.state.failures import Hold, HoldReason, WaitingCall
    from elcano.graphs.state.plan import SectionPlan, open_sections
    from elcano.graphs.state.state import format_chosen_mode
    from elcano.graphs.text import format_count, shorten_text

SHOWN_SECTIONS: Final = 40
"""The last ones; a list of all is in the API's answer."""
SHOWN_CALLS: Final = 10
"""Calls that wait for approval; the API's answer has all."""
REASON_CHARACTERS: Final = 400
_NEEDS: Final[Mapping[str, str]] = {
    "budget": "a top-up",
    "provider": "a provider",
    "person": "a person to fix a key, a name or a setting",
    "pause": "`elcano unpause`",
    "approval": "an approval",
    "answers": "answers to its questions",
    "store": "the store",
}
"""What a run waits for, by the reason of its hold."""


def render_run_details(
    asked: ResearchInput,
    journal: Journal,
    budget: Budget,
    waits: Mapping[str, HoldReason],
    calls: Sequence[WaitingCall],
    stage: Stage,
    status: RunStatus,
    graph: str,
    held: Hold | None = None,
) -> str:
    """Render the question, the state of the run, its cost, its sections, and the drawn graph if one is given.

    `waits` has what sections wait for, by run id; `calls` the calls that wait for approval, in them and in the run;
    `held` what keeps the run from ending.
    """
    run = journal.run
    state = stage if status == "running" else status
    place = [f"**{state}** ({format_chosen_mode(asked.mode, run.state.choice)})", f"step {run.step}"]
    place += [f"iteration {budget.iterations}"] if budget.iterations else []
    lines = [f"**{escape_markdown_line(asked.question, QUESTION_CHARACTERS)}**", ""]
    lines.append(f"- {', '.join([*place, _format_count(len(run.state.evidence), 'passage')])}")
    lines.append(f"- {_format_spent_budget(budget)}")
    if run.state.choice.mode:
        lines.append(f"- chose the mode {run.state.choice.mode}{_format_reason(run.state.choice.reason)}")
    if status == "running" and (hold := held or run.pause or run.hold) is not None:
        lines.append(f"- {_format_hold(hold, journal.still_since, apart=bool(waits))}")
        if awaits_plan_approval(run):
            lines += _list_plan_lines(asked, open_sections(run.state.plan))
    lines += _list_approval_lines(asked, calls)
    if run.ending is not None:
        lines.append(f"- ended early ({run.ending.kind})" + _format_reason(run.ending.detail))
    if run.failure is not None:
        failed = f"`{run.failure.node}` failed after {_format_count(run.failure.attempts, 'attempt')}"
        lines.append(f"- {failed}{_format_reason(run.failure.message)}")
    lines += _list_link_lines(asked, status)
    if asked.graph.branches:
        called = "Sections" if run.state.plan else "Side by side"
        lines += _list_section_lines(branch_states(journal.events), waits, called)
    if graph:
        lines += ["", "```", graph, "```"]
    return "\n".join(lines)


def _format_spent_budget(budget: Budget) -> str:
    spent = f"{budget.used.tokens:,} of {budget.limits.tokens:,} tokens"
    limit = budget.limits.cost_microusd
    return f"{spent}, ${usd_from_microusd(budget.used.cost_microusd):.4f}" + (
        f" of ${usd_from_microusd(limit):.4f}" if limit is not None else ""
    )


def _format_hold(hold: Hold, still_since: float | None, *, apart: bool) -> str:
    """Describe a hold. If sections wait, `apart`, each says itself how often it tried and when it retries."""
    since = hold.since or still_since
    parts = [
        f"**waits for {_NEEDS.get(hold.reason, hold.reason)}**"
        + (f" since {_format_utc_seconds(since)}" if since else "")
    ]
    if apart:
        parts.append("its sections do")
    elif hold.tries:
        who = ", ".join(f"`{name}`" for name in (hold.agent, hold.source) if name) or f"`{hold.node}`"
        parts.append(f"{who} failed {_format_count(hold.tries, 'time')}")
    if hold.until is not None and not apart:
        parts.append(f"{'until' if hold.reason == 'approval' else 'next try'} {_format_utc_seconds(hold.until)}")
    return "; ".join(parts) + _format_reason(hold.detail)


def _list_plan_lines(asked: ResearchInput, plan: Sequence[SectionPlan]) -> Iterable[str]:
    """The plan that waits, and how it is approved or refused."""
    for number, section in enumerate(plan[:SHOWN_SECTIONS], 1):
        yield (
            f"  {number}. **{escape_markdown_line(section.title)}**: "
            f"{escape_markdown_line(section.key_question, QUESTION_CHARACTERS)}"
        )
    if len(plan) > SHOWN_SECTIONS:
        yield f"  and {format_count(len(plan) - SHOWN_SECTIONS, 'more section')}"
    yield f"- approve it: `elcano approve {asked.run_id}`{_format_post_hint(asked, 'approve')}"
    yield f"- refuse it: `elcano refuse {asked.run_id} REASON`{_format_post_hint(asked, 'refuse')}"


def _format_post_hint(asked: ResearchInput, action: str) -> str:
    return f", or `POST {asked.address}/{action}`" if asked.address else ""


def _list_approval_lines(asked: ResearchInput, calls: Sequence[WaitingCall]) -> Iterable[str]:
    """List the pending calls, the id that approves each, and the run, if it is a section's."""
    if calls:
        run_id = asked.branch_of.run_id if asked.branch_of else asked.run_id
        approve, refuse = (f"`elcano {word} {run_id}" for word in ("approve", "refuse"))
        yield f"- approve a call: {approve} --call ID`; refuse it: {refuse} REASON --call ID`"
    for call in calls[:SHOWN_CALLS]:
        where = f" of {escape_markdown_line(call.section)} (`{call.run_id}`)" if call.section else ""
        asks = (
            f"asks to call {escape_markdown_line(call.called)}{where}, as `{call.id}`, until "
            f"{_format_utc_seconds(call.until)}"
        )
        yield f"- {asks}{_format_reason(call.arguments)}"
    if len(calls) > SHOWN_CALLS:
        yield f"- and to make {len(calls) - SHOWN_CALLS} more calls"


def _list_link_lines(asked: ResearchInput, status: RunStatus) -> list[str]:
    if not asked.address:
        return []
    shown = f"- [the run in the API]({asked.address})"
    reported = asked.branch_of is None and status in REPORTED
    return [f"{shown}, [its report]({asked.address}/report)" if reported else shown]


def _list_section_lines(states: tuple[BranchState, ...], waits: Mapping[str, HoldReason], called: str) -> list[str]:
    if not states:
        return []
    hidden = len(states) - SHOWN_SECTIONS
    lines = ["", f"{called}:" if hidden <= 0 else f"{called}, without the first {hidden}:", ""]
    for state in states[-SHOWN_SECTIONS:]:
        reason = waits.get(state.run_id) if state.status == "running" else None
        stands = f"waits for {_NEEDS.get(reason, reason)}" if reason else state.status
        used = f", {_format_count(state.iterations, 'iteration')}" if state.iterations else ""
        used += f", {state.tokens:,} tokens" if state.tokens is not None else ""
        lines.append(f"- {escape_markdown_line(state.section)}: **{stands}**{used}{_format_reason(state.reason)}")
    return lines


def _format_reason(text: str) -> str:
    """Quote text that was worded elsewhere, to follow a description; empty if the text is."""
    line = shorten_text(" ".join(text.replace("`", "'").split()), REASON_CHARACTERS)
    return f": `{line}`" if line else ""


def _format_count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _format_utc_seconds(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def outline_graph(graph: ResearchGraph) -> dict[str, str]:
    """Outline a graph with one line per node and its edges, for places that draw no charts."""
    lines = {}
    for node in graph.nodes:
        ways = [f"{edge.to_node} ({edge.label})" if edge.label else edge.to_node for edge in graph.routes_from(node.id)]
        ways += [f"{edge.described}: {edge.to_node}" for edge in graph.error_edges_from(node.id)]
        lines[node.id] = f"{node.id} -> {' | '.join(ways) or 'report'}"
    return lines


def of_its_way(outline: dict[str, str], graph: ResearchGraph, here: str, been: Collection[str]) -> dict[str, str]:
    """The lines of the nodes that a run at `here` can still come to, and of those where it has `been`."""
    ahead = find_reachable([here], graph.list_possible_nodes)
    return {node: line for node, line in outline.items() if node in ahead or node in been}


def with_place(outline: dict[str, str], here: str) -> str:
    """An outline as text, with an arrow at the node that a run is at."""
    return "\n".join(f"{'=>' if node_id == here else '  '} {line}" for node_id, line in outline.items())
