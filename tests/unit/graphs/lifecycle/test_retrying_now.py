"""Whoever resumes or unpauses a run has its held call tried at once, and the delays between its tries begin anew."""

from collections.abc import Callable

import pytest

from elcano.graphs.engine.control_actions import Action, Pause, Unpause
from elcano.graphs.engine.entries import CallAgent, Controlled, Held, HoldCleared, RunBranches, RunResumed, Wait
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.start_and_fold import open_journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import Hold
from elcano.graphs.state.plan import SectionPlan
from tests.unit.graphs.samples import asked

STARTED = 1_000_000.0
LATER = STARTED + 600.0


def begin(mode: str, node: str) -> Journal:
    graph = MODES[mode].model_copy(update={"entry_node": node})
    return open_journal(asked(graph, limits=Limits(when_exhausted="pause")), STARTED)


def fail(journal: Journal, tries: int, now: float) -> None:
    """The call of the run fails, and waits for its next try."""
    hold = Hold(reason="provider", node=journal.run.node, detail="503", tries=tries, since=now, until=now + 2.0**tries)
    journal.record(Held(step=1, node=journal.run.node, at=journal.elapsed(now), hold=hold), now)


def held(tries: int) -> Journal:
    """A run whose first call was tried so often in vain, a minute after the other."""
    journal = begin("iterative", "thinking")
    for number in range(1, tries + 1):
        fail(journal, number, STARTED + 60.0 * number)
        if number < tries:
            journal.record(HoldCleared(at=journal.elapsed(STARTED)), STARTED + 60.0 * number)
    return journal


def ask(journal: Journal, *actions: Action) -> None:
    for action in actions:
        journal.record(Controlled(at=journal.elapsed(LATER), action=action, when=LATER), LATER)


def resume(journal: Journal) -> None:
    journal.record(RunResumed(at=journal.elapsed(LATER), why="resumed", retry_now=True), LATER)


def unpause(journal: Journal) -> None:
    ask(journal, Pause(), Unpause(retry_now=True))


BY_A_PERSON = pytest.mark.parametrize("continue_run", [resume, unpause])


@BY_A_PERSON
def test_a_held_call_is_tried_at_once_and_is_held_by_nothing_meanwhile(continue_run: Callable[[Journal], None]) -> None:
    journal = held(6)
    assert isinstance(journal.next(LATER), Wait)
    continue_run(journal)
    call = journal.next(LATER)
    assert isinstance(call, CallAgent)
    assert call.tries == 6, "its activities are numbered on: what each of them used is kept by its number"
    assert (journal.run.hold, journal.run.pause) == (None, None)


@BY_A_PERSON
def test_its_next_failure_counts_as_the_first_and_its_patience_begins_anew(
    continue_run: Callable[[Journal], None],
) -> None:
    journal = held(6)
    continue_run(journal)
    fail(journal, 1, LATER + 5)
    assert journal.run.tried is not None
    assert (journal.run.tried.tries, journal.run.tried.since, journal.run.tried.all_tries) == (1, LATER + 5, 7)
    fail(journal, 2, LATER + 9)
    assert (journal.run.tried.tries, journal.run.tried.since, journal.run.tried.all_tries) == (2, LATER + 5, 8)
    continue_run(journal)
    continue_run(journal)
    assert (journal.run.tried.tries, journal.run.tried.all_tries) == (0, 8)


def test_a_call_that_is_being_tried_goes_on_and_the_next_delay_is_the_first() -> None:
    journal = held(6)
    journal.record(HoldCleared(at=journal.elapsed(LATER)), LATER)
    hold = journal.run.hold
    unpause(journal)
    assert journal.run.trying
    assert (journal.run.hold, journal.run.tried and journal.run.tried.tries) == (hold, 0)


def test_a_pause_of_before_that_was_told_waits_for_the_next_try_still() -> None:
    """Logs of runs that were unpaused before are applied as they were."""
    journal = held(6)
    ask(journal, Pause(), Unpause())
    assert isinstance(journal.next(LATER), Wait)
    assert journal.run.tried is not None
    assert journal.run.tried.tries == 6


@BY_A_PERSON
def test_a_step_of_branches_hears_from_them_when_they_are_held_no_more(continue_run: Callable[[Journal], None]) -> None:
    graph = MODES["deep"].model_copy(update={"entry_node": "parallel_loops"})
    limits = Limits(tokens=1_000_000, when_exhausted="pause")
    journal = open_journal(asked(graph, limits=limits), STARTED)
    plan = tuple(SectionPlan(title=title, key_question="What?") for title in ("history", "cost"))
    journal._run = journal.run.knowing(journal.run.state.model_copy(update={"plan": plan}))
    assert isinstance(journal.next(STARTED), RunBranches)
    fail(journal, 1, STARTED + 60.0)
    continue_run(journal)
    assert journal.run.hold is not None
    assert journal.run.tried is not None
    journal.record(HoldCleared(at=journal.elapsed(LATER), over=True), LATER)
    released = journal.run
    assert (released.hold, released.tried) == (None, None)


def test_seconds_until_the_next_try_are_told_as_people_read_them() -> None:
    """A provider that is left alone says to the microsecond for how long."""
    journal = begin("iterative", "thinking")
    hold = Hold(reason="provider", node="thinking", detail="503", tries=1, since=STARTED, until=LATER, seconds=4.190410)
    journal.record(Held(step=1, node="thinking", at=0.0, hold=hold), STARTED)
    assert journal.events[-1].message == "Thinking: the provider cannot answer, try 1 failed, next try in 4.2 s: 503"
