"""Shows a run in the Temporal UI: search attributes, to find it by, and its state with its graph, as details.

Search attributes change together, in one event: when the run enters a stage or ends, and when its usage passes another
quarter of a limit. Details, in Markdown, cost no event, so they are updated whenever something happens. What people and
providers wrote is shown as it is: no sign of it is Markdown.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributeUpdate

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import REPORTED, RunStatus, Stage
    from elcano.graphs.engine.approvals import awaits_plan_approval
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.run_contracts import (
        COST_ATTRIBUTE,
        MODE_ATTRIBUTE,
        OUTCOME_ATTRIBUTE,
        QUESTION_CHARACTERS,
        STAGE_ATTRIBUTE,
        TOKENS_ATTRIBUTE,
        WAITING_ATTRIBUTE,
        ResearchInput,
        escape_markdown_line,
    )
    from elcano.graphs.spec.graph import ResearchGraph, find_reachable
    from elcano.graphs.state.branches import BranchState, branch_states
    from elcano.graphs.state.budget import Budget, Usage, usd_from_microusd
    from elcano.graphs.state.failures import Hold, HoldReason, WaitingCall, list_undecided_calls
    from elcano.graphs.state.plan import SectionPlan, open_sections
    from elcano.graphs.state.state import format_chosen_mode
    from elcano.graphs.text import format_count, shorten_text


_MODE = SearchAttributeKey.for_keyword(MODE_ATTRIBUTE)
_STAGE = SearchAttributeKey.for_keyword(STAGE_ATTRIBUTE)
_WAITING = SearchAttributeKey.for_keyword(WAITING_ATTRIBUTE)
_OUTCOME = SearchAttributeKey.for_keyword(OUTCOME_ATTRIBUTE)
_TOKENS = SearchAttributeKey.for_int(TOKENS_ATTRIBUTE)
_COST = SearchAttributeKey.for_float(COST_ATTRIBUTE)

PARTS: Final = 4
"""The number of parts of the token and money limits; usage is updated when it enters another one."""
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
"""Description of what a run waits for, by the reason of its hold."""


class OpenBranches(Protocol):
    """The branches that a run has at work."""

    @property
    def used(self) -> Usage:
        """Return the usage of ended branches; the run is charged when the last one has ended."""
        ...

    @property
    def waits(self) -> Mapping[str, HoldReason]:
        """Return the reasons for which other branches wait, by run id."""
        ...

    @property
    def calls(self) -> tuple[WaitingCall, ...]:
        """Return their calls that wait for approval."""
        ...


class RunDisplay:
    """The display of one run; `apart` gives its branches while they work."""

    def __init__(self, asked: ResearchInput, journal: Journal, apart: Callable[[], OpenBranches | None]) -> None:
        self._asked = asked
        self._journal = journal
        self._apart = apart
        self._outline = outline_graph(asked.graph)
        self.held: Hold | None = None
        """Set while a run that is over can neither be published nor archived."""
        continued = asked.carried is not None and asked.resumed_from is None  # with the search attributes that it had
        run = journal.run
        hold = (run.pause or run.hold) if continued else None
        self.beneath: Stage = "held" if continued and run.hold else "researching"
        """The stage of the run, apart from a pause."""
        if continued and journal.leaving and not run.hold:
            self.beneath = "writing"
        self.stage: Stage = "paused" if continued and run.pause else self.beneath
        """The displayed stage: a paused run is paused, whatever it was doing."""
        self.status: RunStatus = "running"
        self._waiting: HoldReason | None = hold.reason if hold else None
        if asked.resumed_from is not None:  # one that was reset still has those of before; the first change sets them
            self.stage, self._waiting = "closed", "person"
        self._part = self._reached() if continued else 0
        self._mode = self._chosen() if continued else asked.mode

    def enter(self, stage: Stage) -> None:
        """Enters a stage; a paused run is shown as paused until it continues."""
        self.beneath = stage
        self.follow_pause()

    def follow_pause(self) -> None:
        """Updates the stage; to be called when the run may have been paused or continued."""
        run = self._journal.run
        stage: Stage = "paused" if run.pause is not None and self.held is None else self.beneath
        hold = self.held or run.pause or run.hold
        waiting = hold.reason if hold is not None and stage in ("paused", "held", "approval", "answers") else None
        if (stage, waiting) != (self.stage, self._waiting):
            self.stage = stage
            self._upsert(_STAGE.value_set(stage), *self._wait(waiting))
        self._tell()

    def hold_end(self, hold: Hold | None) -> None:
        """The report cannot be published, or the run cannot be archived; None: it can."""
        if hold is not None or self.held is not None:
            self.held = hold
            self.enter("writing" if hold is None else "held")

    def enter_work(self) -> None:
        """The run works: on its research, or on its report."""
        self.enter("writing" if self._journal.leaving else "researching")

    def end(self, status: RunStatus) -> None:
        """The run has ended so."""
        self.stage, self.status = "closed", status
        self._upsert(_STAGE.value_set("closed"), _OUTCOME.value_set(status), *self._wait(None))
        self._tell()

    def place(self) -> None:
        """The run is about to do what comes next."""
        if self._journal.leaving and self._journal.run.hold is None:
            self.enter("writing")
        self.refresh()

    def after_branch(self) -> None:
        """Show the usage of a branch as soon as it has ended.

        The command matters too. A workflow task without one looks to the SDK like a mere heartbeat: a worker that
        replays it, after another was killed, may merge it with the next task, and apply that task's requests before the
        end of the branch. The messages to the branches would then be different.
        """
        self._upsert()
        self._tell()

    def refresh(self) -> None:
        """Something happened."""
        if self._reached() > self._part or self._chosen() != self._mode:
            self._upsert()
        self._tell()

    def _wait(self, waiting: HoldReason | None) -> list[SearchAttributeUpdate[Any]]:
        before, self._waiting = self._waiting, waiting
        if waiting == before:
            return []
        return [_WAITING.value_unset() if waiting is None else _WAITING.value_set(waiting)]

    def _upsert(self, *changes: SearchAttributeUpdate[Any]) -> None:
        """Updates search attributes, always with the usage, which costs nothing more."""
        self._part = max(self._part, self._reached())
        if (chosen := self._chosen()) != self._mode:  # never, where no mode is chosen
            self._mode = chosen
            changes = (*changes, _MODE.value_set(chosen))
        used = self._budget.used
        figures = (_TOKENS.value_set(used.tokens), _COST.value_set(usd_from_microusd(used.cost_microusd)))
        workflow.upsert_search_attributes([*changes, *figures])

    def _reached(self) -> int:
        """The part of its limits that the run has reached: of tokens or of money, whichever is further."""
        budget = self._budget
        reached = PARTS * budget.used.tokens // budget.limits.tokens
        if budget.limits.cost_microusd is not None:
            reached = max(reached, PARTS * budget.used.cost_microusd // budget.limits.cost_microusd)
        return min(reached, PARTS - 1)

    def _chosen(self) -> str:
        """The mode as it is shown: with the one that the run chose, if that was left to it."""
        return format_chosen_mode(self._asked.mode, self._journal.run.state.choice)

    @property
    def calls(self) -> tuple[WaitingCall, ...]:
        """Return the calls of the run and of its branches that wait for approval."""
        apart = self._apart()
        return (*list_undecided_calls(self._journal.run.calls), *(apart.calls if apart else ()))

    @property
    def _budget(self) -> Budget:
        apart, budget = self._apart(), self._journal.run.budget
        return budget.charge(apart.used) if apart else budget

    def _tell(self) -> None:
        run, lines = self._journal.run, self._outline
        if run.state.choice.mode:  # the other ways are nothing that it can come to
            lines = of_its_way(lines, self._asked.graph, run.node, run.state.outputs)
        graph = with_place(lines, run.node) if self.status == "running" else ""
        workflow.set_current_details(self._render_details(graph))

    def _render_details(self, graph: str) -> str:
        """Render the question, the state of the run, its cost, its sections, and the drawn graph if one is given."""
        asked, run, budget, apart = self._asked, self._journal.run, self._budget, self._apart()
        waits = apart.waits if apart else {}
        state = self.stage if self.status == "running" else self.status
        place = [f"**{state}** ({self._chosen()})", f"step {run.step}"]
        place += [f"iteration {budget.iterations}"] if budget.iterations else []
        lines = [f"**{escape_markdown_line(asked.question, QUESTION_CHARACTERS)}**", ""]
        lines.append(f"- {', '.join([*place, format_count(len(run.state.evidence), 'passage')])}")
        lines.append(f"- {_format_spent_budget(budget)}")
        if run.state.choice.mode:
            lines.append(f"- chose the mode {run.state.choice.mode}{_format_reason(run.state.choice.reason)}")
        if self.status == "running" and (hold := self.held or run.pause or run.hold) is not None:
            lines.append(f"- {_format_hold(hold, self._journal.still_since, apart=bool(waits))}")
            if awaits_plan_approval(run):
                lines += _list_plan_lines(asked, open_sections(run.state.plan))
        lines += _list_approval_lines(asked, self.calls)
        if run.ending is not None:
            lines.append(f"- ended early ({run.ending.kind})" + _format_reason(run.ending.detail))
        if run.failure is not None:
            failed = f"`{run.failure.node}` failed after {format_count(run.failure.attempts, 'attempt')}"
            lines.append(f"- {failed}{_format_reason(run.failure.message)}")
        lines += _list_link_lines(asked, self.status)
        if asked.graph.branches:
            called = "Sections" if run.state.plan else "Side by side"
            lines += _list_section_lines(branch_states(self._journal.events), waits, called)
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
        parts.append(f"{who} failed {format_count(hold.tries, 'time')}")
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
        status = f"waits for {_NEEDS.get(reason, reason)}" if reason else state.status
        used = f", {format_count(state.iterations, 'iteration')}" if state.iterations else ""
        used += f", {state.tokens:,} tokens" if state.tokens is not None else ""
        lines.append(f"- {escape_markdown_line(state.section)}: **{status}**{used}{_format_reason(state.reason)}")
    return lines


def _format_reason(text: str) -> str:
    """Quote text that was worded elsewhere, to follow a description; empty if the text is."""
    line = shorten_text(" ".join(text.replace("`", "'").split()), REASON_CHARACTERS)
    return f": `{line}`" if line else ""


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
