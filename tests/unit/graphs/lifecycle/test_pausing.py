"""Whatever is asked of a run, in whatever order: it rests while it is paused, ends once, and its log is the run."""

import asyncio
from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elcano.graphs.engine.control_actions import Action, AddBudget, Pause, Stop, Unpause, refuse_control
from elcano.graphs.engine.entries import CallAgent, CallTool, ChooseNode, Controlled, Diverted, Entry, Finish, Wait
from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.lifecycle.start_and_fold import open_journal as opened
from elcano.graphs.mode_choice import MODES
from elcano.graphs.state.budget import Limits, TopUp
from elcano.testing.script import Script
from tests.unit.graphs.samples import asked

STARTED: Final = 1_000_000.0
PATIENCE: Final = 400
"""Turns after which a test that is still waiting lets the run go on, so that it ends."""
ACTIONS: Final[list[Action]] = [
    Pause(reason="lunch"),
    Unpause(),
    Stop(reason="enough"),
    AddBudget(extra=TopUp(iterations=2, tokens=50_000)),
]


class Held:
    """A run that is walked as the workflow does it: what is asked comes between calls, and while one is under way."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        limits = data.draw(
            st.sampled_from([Limits(iterations=2, when_exhausted="pause"), Limits(iterations=3), Limits(steps=9)])
        )
        self.asked = asked(MODES["iterative"], limits=limits)
        self.script = Script(complete_in=data.draw(st.integers(1, 4)))
        self.journal: Journal = opened(self.asked, STARTED)
        self.now = STARTED
        self.rested = 0.0

    async def walk(self) -> None:
        """To its end."""
        for turn in range(2 * PATIENCE):
            self._pass()
            self._asked(patient=turn < PATIENCE)
            run = self.journal.run
            if run.stopping is not None and not run.finished:
                self._record(Diverted(at=self.journal.elapsed(self.now), ending=run.stopping))
            calls = len(self.script.calls)
            work = self.journal.next(self.now)
            match work:
                case Finish():
                    return
                case CallAgent() | CallTool():
                    assert self.journal.run.pause is None, "nothing is called while it is paused"
                    self._pass()
                    self._asked(patient=turn < PATIENCE)  # it is under way, and finished all the same
                    self._pass()
                    self._record(await self.script.perform(work, self.journal.elapsed(self.now)))
                case Wait():
                    assert len(self.script.calls) == calls
                case _:
                    assert not isinstance(work, ChooseNode)
        raise AssertionError("the run did not end")

    def _pass(self) -> None:
        seconds = self._data.draw(st.sampled_from([0.0, 1.0, 86_400.0 if self.journal.stands_still else 5.0]))
        self.now += seconds
        if self.journal.stands_still:
            self.rested += seconds

    def _asked(self, *, patient: bool) -> None:
        if not patient:
            self._ask(Unpause())
            self._ask(Stop())
            return
        for action in self._data.draw(st.lists(st.sampled_from(ACTIONS), max_size=2)):
            self._ask(action)

    def _ask(self, action: Action) -> None:
        run = self.journal.run
        before = run.model_dump_json()
        if refuse_control(self.asked.graph, run, action, closing=run.finished) is not None:
            assert self.journal.run.model_dump_json() == before
            return
        at = self.journal.elapsed(self.now)
        self._record(Controlled(at=at, action=action, by="alice", when=self.now))

    def _record(self, entry: Entry) -> None:
        self.journal.record(entry, self.now)


@settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_whatever_is_asked_a_run_rests_while_it_is_paused_and_ends_once(data: st.DataObject) -> None:
    held = Held(data)
    asyncio.run(held.walk())  # in the loop that tests share a draw that is too long would end that loop
    journal = held.journal
    journal.tell(finish.last_event("stopped", journal.run, None, None), held.now)
    assert [event.terminal for event in journal.events].count(True) == 1
    assert fold(held.asked, journal.entries) == journal.run
    assert journal.run.pause is None
    assert journal.elapsed(held.now) == held.now - STARTED - held.rested
    told = [event.type for event in journal.events if event.data.get("reason") == "pause" or event.type == "unpaused"]
    assert "unpaused" not in told[:1], "what was not paused is not unpaused"
