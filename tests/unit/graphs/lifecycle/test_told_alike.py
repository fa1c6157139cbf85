"""Whatever is asked of a run whose calls fail: its status, log, steps and events tell the same of it, all the time."""

import asyncio
from itertools import pairwise
from typing import Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from elcano.graphs.engine.control_actions import (
    Action,
    AddBudget,
    Pause,
    RollBack,
    Stop,
    Unpause,
    refuse_control,
)
from elcano.graphs.engine.entries import (
    Call,
    CallAgent,
    CallTool,
    Controlled,
    Diverted,
    Entry,
    Finish,
    Held,
    HoldCleared,
    RunResumed,
    StepAbandoned,
    Wait,
)
from elcano.graphs.engine.steering import Steer
from elcano.graphs.lifecycle.journal import Journal, build_run_snapshot, log_page
from elcano.graphs.lifecycle.resume_points import CannotResume, where_it_turned
from elcano.graphs.lifecycle.start_and_fold import (
    build_undo_record,
    fold,
    going_on,
    open_journal,
    taken_back,
)
from elcano.graphs.lifecycle.step_history import Passage, iter_passages
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import LogPage, RunLog, RunSnapshot
from elcano.graphs.run_contracts import ResearchInput, ResumedFrom
from elcano.graphs.state.budget import Limits, TopUp, Usage, sum_usages
from elcano.graphs.state.failures import Ending, Hold
from elcano.testing.script import Script
from tests.unit.graphs.samples import asked

STARTED: Final = 1_000_000.0
PATIENCE: Final = 25
"""Turns after which nothing is asked or looked at any more and nothing fails, so that the run ends."""
PAID: Final = Usage(requests=1, input_tokens=11)
EXTRA: Final = TopUp(tokens=50_000, iterations=1, seconds=600, steps=20)
ACTIONS: Final[st.SearchStrategy[Action]] = st.one_of(
    st.sampled_from(
        [Pause(reason="lunch"), Unpause(retry_now=True), AddBudget(extra=EXTRA), Steer(instruction="Look at costs.")]
    ),
    st.builds(RollBack, step=st.integers(1, 9)),
    st.just(Stop(reason="enough")),
)


class Told:
    """A run that is walked as its workflow does it, and looked at as the API does it."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        limits = data.draw(st.sampled_from([Limits(iterations=2, when_exhausted="pause"), Limits(iterations=2)]))
        self.asked = asked(MODES["iterative"], limits=limits)
        self.script = Script(complete_in=2)
        self.journal = open_journal(self.asked, STARTED)
        self.now = STARTED
        self.patient = True
        self.looked_at: tuple[Journal, int, int] | None = None

    async def walk(self) -> None:
        """To its end, and once on from there if it can be resumed."""
        await self._walk()
        log = RunLog(asked=self.asked, entries=tuple(self.journal.entries), run=self.journal.run)
        try:
            cut = where_it_turned(log, extra=EXTRA, now=self.now)
        except CannotResume:
            return
        if cut is None:
            return
        resumed_from = ResumedFrom(
            entry=RunResumed(at=0.0, why="resumed", retry_now=True), undone=(build_undo_record("run", cut),)
        )
        self._go_on(going_on(self.asked, cut, resumed_from, self.journal.events, STARTED))
        self._expect_call_at_once()
        await self._walk()

    async def _walk(self) -> None:
        for turn in range(10 * PATIENCE):
            self.patient = turn < PATIENCE
            self._pass()
            self._ask()
            self.look()
            journal, run = self.journal, self.journal.run
            if run.going_back is not None:
                log = RunLog(asked=self.asked, entries=tuple(journal.entries), run=run)
                self._go_on(taken_back(log, run.going_back, journal.events, STARTED, by="alice", reason=""))
                self.look()
                continue
            if run.pause is not None:
                continue
            if run.stopping is not None and not run.finished:
                self._leave(run.stopping)
                continue
            work = journal.next(self.now)
            match work:
                case Finish():
                    return
                case CallAgent() | CallTool():
                    self._pass()
                    self._ask()  # while it is under way
                    self.look()
                    self._record(await self._perform(work))
                case Wait(hold=hold) if hold.until is not None:
                    self.now = max(self.now, hold.until) if not self.patient else self.now
                    if self.now >= hold.until:
                        self._record(HoldCleared(at=self._elapsed()))
                case Wait() if not self.patient:
                    self._control(Stop())
                case _:
                    assert isinstance(work, Wait)
        raise AssertionError("the run did not end")

    def look(self) -> None:
        """Compares what is told of the run now, if anything has come since the last look."""
        journal, run = self.journal, self.journal.run
        if not self.patient or (journal, len(journal.events), len(journal.entries)) == self.looked_at:
            return
        self.looked_at = (journal, len(journal.events), len(journal.entries))
        snapshot = build_run_snapshot(
            self.asked, journal, self.now, "researching", "running", None, uncharged=Usage(), held=None, calls=()
        )
        page = LogPage.model_validate_json(log_page(self.asked, journal, 0).model_dump_json())
        assert not page.more
        log = RunLog(asked=self.asked, entries=page.entries, run=fold(self.asked, page.entries))
        assert log.run == run
        passages = [one for one in iter_passages(log, journal.events, going_on=True) if isinstance(one, Passage)]
        rows = [one.row for one in passages]
        assert [row.number for row in rows] == list(range(1, len(rows) + 1))
        assert sum_usages(row.usage for row in rows) == run.budget.used
        assert all(earlier.seq < event.seq for earlier, event in pairwise(journal.events))
        assert snapshot.last_event == journal.events[-1].seq
        if run.finished:
            assert rows[-1].number == run.budget.steps
            return
        assert (rows[-1].number, rows[-1].ended) == (snapshot.step, None)
        assert (rows[-1].outcome == "waiting") == (run.hold is not None and not run.trying)
        assert (snapshot.hold is None) == (run.pause is None and run.hold is None)
        assert run.pause is None or snapshot.hold == run.pause
        self._look_at_tries(snapshot, len(rows[-1].held))

    def _look_at_tries(self, snapshot: RunSnapshot, tries: int) -> None:
        run, hold = self.journal.run, self.journal.run.hold
        assert tries == (run.tried.all_tries if run.tried is not None else 0)
        if hold is None or not hold.tries or run.trying:
            return
        told = next(event for event in reversed(self.journal.events) if event.type == "held")
        assert (told.data["tries"], told.data["until"]) == (hold.tries, hold.until)
        assert f"try {hold.tries} failed, next try in {2**hold.tries} s" in told.message
        if run.pause is None:
            assert snapshot.hold == hold

    def _go_on(self, again: ResearchInput) -> None:
        """As an execution begins that continues the run."""
        last = self.journal.last
        self.journal = open_journal(again, self.now)
        assert again.resumed_from is not None
        self.journal.thaw(self.now)
        self._record(again.resumed_from.entry.model_copy(update={"at": self._elapsed(), "last_event": last}))

    def _expect_call_at_once(self) -> None:
        run = self.journal.run
        assert run.hold is None or run.hold.reason == "budget"
        assert run.tried is None or run.tried.tries == 0

    def _pass(self) -> None:
        self.now += self._data.draw(st.sampled_from([0.0, 1.0, 20.0])) if self.patient else 1.0

    def _ask(self) -> None:
        if not self.patient:
            self._control(Unpause(retry_now=True))
        elif self._data.draw(st.integers(0, 2)) == 0:
            self._control(self._data.draw(ACTIONS))

    def _control(self, action: Action) -> None:
        run = self.journal.run
        if refuse_control(self.asked.graph, run, action, closing=run.finished) is not None:
            return
        self._record(Controlled(at=self._elapsed(), action=action, by="alice", when=self.now))
        if isinstance(action, Unpause) and not run.trying:
            self._expect_call_at_once()

    def _leave(self, ending: Ending) -> None:
        run = self.journal.run
        if run.tried is not None and self.journal.leaving:
            self._record(StepAbandoned(step=run.step, node=run.node, at=self._elapsed(), ending=ending))
        else:
            self._record(Diverted(at=self._elapsed(), ending=ending))

    async def _perform(self, work: Call) -> Entry:
        if not isinstance(work, CallAgent) or not self.patient or self._data.draw(st.booleans()):
            return await self.script.perform(work, self._elapsed())
        tried = self.journal.run.tried
        tries, since = (tried.tries + 1, tried.since) if tried and tried.tries else (1, self.now)
        seconds = 2.0**tries
        hold = Hold(
            reason="provider",
            node=work.node,
            detail="503",
            tries=tries,
            since=since,
            until=self.now + seconds,
            seconds=seconds,
        )
        return Held(step=work.step, node=work.node, at=self._elapsed(), hold=hold, usage=PAID)

    def _record(self, entry: Entry) -> None:
        self.journal.record(entry, self.now)

    def _elapsed(self) -> float:
        return self.journal.elapsed(self.now)


@settings(
    max_examples=10,
    phases=[Phase.generate],  # to make a failing one smaller takes minutes
    report_multiple_bugs=False,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_whatever_is_asked_of_a_run_all_that_tells_of_it_tells_the_same(data: st.DataObject) -> None:
    asyncio.run(Told(data).walk())
