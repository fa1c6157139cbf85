"""Shows a run in the Temporal UI: search attributes, to find it by, and its state, as details.

Search attributes change together, in one event: when the run enters a stage or ends, and when its usage passes another
quarter of a limit. Details cost no event, so they are updated whenever something happens.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributeUpdate

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import RunStatus, Stage
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.run_contracts import (
        COST_ATTRIBUTE,
        MODE_ATTRIBUTE,
        OUTCOME_ATTRIBUTE,
        STAGE_ATTRIBUTE,
        TOKENS_ATTRIBUTE,
        WAITING_ATTRIBUTE,
        ResearchInput,
    )
    from elcano.graphs.state.budget import Budget, Usage, usd_from_microusd
    from elcano.graphs.state.failures import Hold, HoldReason, WaitingCall, list_undecided_calls
    from elcano.graphs.state.state import format_chosen_mode
    from elcano.workflows.run_details import of_its_way, outline_graph, render_run_details, with_place

_MODE = SearchAttributeKey.for_keyword(MODE_ATTRIBUTE)
_STAGE = SearchAttributeKey.for_keyword(STAGE_ATTRIBUTE)
_WAITING = SearchAttributeKey.for_keyword(WAITING_ATTRIBUTE)
_OUTCOME = SearchAttributeKey.for_keyword(OUTCOME_ATTRIBUTE)
_TOKENS = SearchAttributeKey.for_int(TOKENS_ATTRIBUTE)
_COST = SearchAttributeKey.for_float(COST_ATTRIBUTE)

PARTS: Final = 4
"""The number of parts of the token and money limits; usage is updated when it enters another one."""


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
        apart = self._apart()
        waits = apart.waits if apart else {}
        text = render_run_details(
            self._asked, self._journal, self._budget, waits, self.calls, self.stage, self.status, graph, self.held
        )
        workflow.set_current_details(text)
