"""When time does not count: before a worker is there, while a run may wait for somebody, and before a reset."""

import pytest

from elcano.graphs.engine.entries import CallAgent, Held, HoldCleared, RolledBack, RunResumed, StepCompleted, Wait
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.journal import Journal, build_progress_page
from elcano.graphs.lifecycle.start_and_fold import open_journal as opened
from elcano.graphs.mode_choice import MODES
from elcano.graphs.state.branches import ResumeReason
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import Hold
from tests.unit.graphs.samples import asked

STARTED = 1_000_000.0


def begun(when_exhausted: str = "pause") -> Journal:
    limits = Limits.model_validate({"when_exhausted": when_exhausted})
    graph = MODES["iterative"].model_copy(update={"entry_node": "thinking"})
    journal = opened(asked(graph, limits=limits), STARTED)
    journal.next(STARTED)
    return journal


def thought(journal: Journal, now: float, waited: float = 0.0) -> None:
    at = max(0.0, journal.elapsed(now) - waited)
    output: JsonObject = {"thought": "look closer"}
    journal.record(StepCompleted(step=1, node="thinking", at=at, output=output, waited=waited), now)


def held(journal: Journal, now: float) -> None:
    hold = Hold(reason="provider", node=journal.run.node, type="Down", detail="503", tries=1, since=now, until=now + 60)
    journal.record(Held(step=journal.run.step, node=journal.run.node, at=journal.elapsed(now), hold=hold), now)


def test_waiting_for_a_worker_is_no_research_time() -> None:
    journal = begun()
    assert journal.elapsed(STARTED + 1_000) == 0.0
    thought(journal, STARTED + 1_000, waited=990)
    assert journal.elapsed(STARTED + 1_000) == pytest.approx(10)
    assert journal.elapsed(STARTED + 1_005) == pytest.approx(15)


@pytest.mark.parametrize(("when_exhausted", "counted"), [("pause", 10), ("finish", 3_610)])
def test_time_stands_still_for_a_provider_if_the_run_may_wait(when_exhausted: str, counted: float) -> None:
    journal = begun(when_exhausted)
    thought(journal, STARTED + 5)
    held(journal, STARTED + 5)
    assert journal.is_counting() == (when_exhausted == "finish")
    journal.record(HoldCleared(at=journal.elapsed(STARTED + 60)), STARTED + 60)
    held(journal, STARTED + 70)
    carried = Journal(journal.graph, journal.pages)  # it goes on in a new history meanwhile
    output: JsonObject = {"research_complete": True}
    now = STARTED + 3_605
    done = StepCompleted(step=2, node="knowledge_gap", at=carried.elapsed(now), output=output)
    carried.record(done, now)
    assert carried.elapsed(now + 5) == pytest.approx(counted)


def test_a_run_that_is_taken_back_goes_on_with_numbers_that_nobody_has_seen_and_with_its_time() -> None:
    journal = begun()
    thought(journal, STARTED + 5)
    journal.next(STARTED + 5)
    last = journal.last
    assert journal.is_counting()
    journal.freeze()
    assert not journal.is_counting()
    later = STARTED + 86_400
    assert journal.elapsed(later) == pytest.approx(5)
    journal.thaw(later)
    assert journal.is_counting()
    journal.record(RolledBack(at=journal.elapsed(later), last_event=last + 20), later)
    assert (journal.events[-1].type, journal.last) == ("rolled_back", last + 21)
    assert journal.elapsed(later + 3) == pytest.approx(8)
    assert [event.seq for event in build_progress_page(journal, last).events] == [last + 21]
    assert build_progress_page(journal, last + 5).last == last + 21
    assert not build_progress_page(journal, last + 21).events


@pytest.mark.parametrize("why", ["resumed", "rolled_back", "forked"])
@pytest.mark.parametrize("retry_now", [True, False], ids=["now", "as logs of before"])
def test_who_resumes_a_run_waits_for_no_try_of_before(why: ResumeReason, retry_now: bool) -> None:
    journal = begun()
    held(journal, STARTED + 5)
    assert isinstance(journal.next(STARTED + 6), Wait)
    journal.record(RunResumed(at=journal.elapsed(STARTED + 6), why=why, retry_now=retry_now), STARTED + 6)
    call = journal.next(STARTED + 6)
    assert isinstance(call, CallAgent)
    assert (call.node, call.tries) == ("thinking", 1)
