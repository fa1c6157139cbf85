"""The steps of an ended run whose log no worker can read: as far as its events and the ledger, which are kept, tell.

A run that archives itself at its end leaves its log. One that was terminated or deleted in Temporal, or whose history
no worker can replay, leaves what was stored while it ran: a line of the ledger for each attempt of each call, and the
events that were read or that its history carries. Decisions that no event tells of are missing, and so are the inputs,
outputs and states of all steps.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from elcano.graphs.lifecycle.step_rows import StepKind, StepOutcome, StepRow, still_so
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import ArchivedRun
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.branches import BranchState, branch_states, step_of
from elcano.graphs.state.budget import sum_usages
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.text import title_from_id
from elcano.service.steps.views import NodeVisits, StepList, StepView
from elcano.storage.ledger import LedgerEntry

_KINDS: Final[Mapping[str, StepKind]] = {"agent": "agent", "tool": "tool"}
_EVENT_KINDS: Final[Mapping[str, StepKind]] = {"routed": "decision", "state_updated": "state"}
NO_END: Final = "no end of it was recorded"


def explain_missing(reason: str) -> str:
    """Say what a list made of events and the ledger lacks, and why."""
    return (
        f"The log of this run cannot be read ({reason}). These steps are what its events and the ledger have: steps "
        "without either, and the inputs, outputs and states of all steps, are missing"
    )


def list_kept_steps(
    run: ArchivedRun,
    events: Sequence[AgentEvent],
    attempts: Mapping[int, Sequence[LedgerEntry]],
    reason: str,
    after: int,
    limit: int,
) -> StepList:
    """Build the page of `limit` steps behind number `after`.

    Args:
        run: the run as it is stored, which has ended.
        events: all its events that are stored.
        attempts: the ledger's lines by step, without those that were undone.
        reason: why its log cannot be read.
        after: the number of the last step of the page before.
        limit: steps a page.
    """
    rows = _read_rows(run, events, attempts)
    total = rows[-1].number if rows else 0
    visits: dict[str, NodeVisits] = {}
    for row in rows:
        count = visits[row.node].count + 1 if row.node in visits else 1
        visits[row.node] = NodeVisits(count=count, last_step=row.number, failed=row.outcome == "failed")
    return StepList(
        run_id=run.run_id,
        status=run.status,
        total=total,
        next=str(after + limit) if after + limit < total else None,
        visits=visits,
        rows=tuple(
            StepView.of(row, attempts.get(row.number, ())) for row in rows if after < row.number <= after + limit
        ),
        missing=explain_missing(reason),
    )


def _read_rows(
    run: ArchivedRun, events: Sequence[AgentEvent], attempts: Mapping[int, Sequence[LedgerEntry]]
) -> list[StepRow]:
    """Return the steps that have an event of their node, or a call, in their order."""
    of_step: dict[int, list[AgentEvent]] = defaultdict(list)
    for event in still_so(events):
        if event.node and event.step and not event.path:
            of_step[event.step].append(event)
    branches: dict[int, list[BranchState]] = defaultdict(list)
    for branch in branch_states(events):
        branches[step_of(branch.path)].append(branch)
    rows: list[StepRow] = []
    graph = MODES.get(run.choice.mode or run.mode)
    iteration = 1
    numbers = sorted({*of_step, *attempts, *branches})
    for number in numbers:
        iteration = of_step[number][-1].iteration if of_step[number] else iteration
        found = _Remains(number, iteration, of_step[number], attempts.get(number, ()), tuple(branches[number]), graph)
        rows.append(found.read_row(run.started_at, is_last=number == numbers[-1]))
    return rows


class _Remains(NamedTuple):
    """What is left of a step."""

    number: int
    iteration: int
    events: Sequence[AgentEvent]
    calls: Sequence[LedgerEntry]
    branches: tuple[BranchState, ...]
    graph: ResearchGraph | None
    """The graph of a built-in mode; None: its own is not kept."""

    def read_row(self, started_at: float, *, is_last: bool) -> StepRow:
        times = [*(event.at for event in self.events), *(call.at for call in self.calls)]
        began_at, ended_at = (min(times), max(times)) if times else (None, None)
        outcome = self._find_outcome(is_last=is_last)
        said = [event for event in self.events if event.type != "routed"] or self.events
        failed = next((event.message for event in reversed(self.events) if event.type == "error"), "")
        last_call = self.calls[-1] if self.calls else None
        node = last_call.node if last_call else self.events[-1].node if self.events else ""
        known = self.graph.by_id.get(node) if self.graph else None
        return StepRow(
            number=self.number,
            node=node,
            label=known.title if known else title_from_id(node),
            kind=self._find_kind(),
            name=last_call.name if last_call else "",
            iteration=self.iteration,
            began=0.0 if began_at is None else max(0.0, began_at - started_at),
            ended=None if ended_at is None else max(0.0, ended_at - started_at),
            began_at=began_at,
            ended_at=ended_at,
            usage=sum_usages(call.usage for call in self.calls),
            model=next((call.model for call in reversed(self.calls) if call.model), ""),
            outcome=outcome,
            reason=failed if outcome == "failed" else NO_END if outcome == "abandoned" else "",
            summary=said[-1].message if said and outcome == "completed" else "",
            branches=self.branches,
        )

    def _find_kind(self) -> StepKind | None:
        if self.branches:
            return "parallel"
        if self.calls:
            return _KINDS.get(self.calls[-1].kind)
        types = {event.type for event in self.events}
        return next((kind for only, kind in _EVENT_KINDS.items() if types == {only}), None)

    def _find_outcome(self, *, is_last: bool) -> StepOutcome:
        """How it ended. A run takes one step after the other, so every step but the last one came to an end.

        Of a call under way the ledger has a line too, which says `failed` until the call ends.
        """
        ends = {(call.activity, call.item): call.outcome for call in sorted(self.calls, key=lambda one: one.attempt)}
        if any(event.type == "error" for event in self.events):
            return "failed"
        if ends and "completed" not in ends.values():
            return "abandoned" if is_last or "abandoned" in ends.values() else "failed"
        ended = not is_last or bool(ends) or self._find_kind() in _EVENT_KINDS.values()
        return "completed" if ended else "abandoned"
