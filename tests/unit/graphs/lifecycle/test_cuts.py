"""A log may be cut before each step, and where its run turned: the run is then what it was there, and goes on."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.engine.control_actions import AddBudget, Stop
from elcano.graphs.engine.entries import (
    BranchStart,
    Controlled,
    Diverted,
    Entry,
    Held,
    RunResumed,
    StepAbandoned,
    StepCompleted,
    StepFailed,
)
from elcano.graphs.lifecycle.handover import build_missing_outcome
from elcano.graphs.lifecycle.resume_points import CannotResume, before_branches, before_search, where_it_turned
from elcano.graphs.lifecycle.start_and_fold import LogPrefix, before_step, build_run_from_input, fold
from elcano.graphs.records import RunLog
from elcano.graphs.run_contracts import JournalPages, ResearchInput
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    ToolNode,
)
from elcano.graphs.state.branches import BranchInput, BranchOutcomes
from elcano.graphs.state.budget import Limits, TopUp, Usage
from elcano.graphs.state.failures import Ending, Failure, FailureType
from tests.unit.graphs.samples import ON, asking, two_nodes
from tests.unit.graphs.strategies import LEAF, graphs, limits
from tests.unit.graphs.test_properties import STARTED, Watched, many, walk_on

MORE = TopUp(tokens=100_000, seconds=600, iterations=1, steps=20)


def walked(data: st.DataObject) -> tuple[RunLog, Watched]:
    """The log of a random run, and its journal with the run after every entry."""
    graph, given = data.draw(graphs()), data.draw(limits)
    asked = ResearchInput(run_id="run", question="What?", mode=graph.name, graph=graph, limits=given)
    run = build_run_from_input(asked)
    journal = Watched(graph, JournalPages(run=run, entries=(), events=(), started_at=STARTED))
    walk_on(data, journal)
    return RunLog(asked=asked, entries=tuple(journal.entries), run=journal.run), journal


def went_on(data: st.DataObject, log: RunLog, cut: LogPrefix) -> Watched:
    """The run, from the cut to another end."""
    pages = JournalPages(
        run=cut.run, entries=cut.entries, events=(), started_at=STARTED, elapsed=cut.run.budget.elapsed
    )
    journal = Watched(log.asked.graph, pages)
    journal.runs = []
    journal.resume_clock(cut.run.budget.elapsed, STARTED)
    journal.thaw(STARTED)
    journal.record(RunResumed(at=cut.run.budget.elapsed, why="resumed", last_event=7), STARTED)
    walk_on(data, journal)
    return journal


@many
@given(st.data())
def test_before_each_step_a_run_is_what_it_was_there(data: st.DataObject) -> None:
    log, journal = walked(data)
    step = data.draw(st.integers(1, log.run.budget.steps))
    cut = before_step(log, step)
    assert cut.entries == log.entries[: len(cut.entries)]
    was = journal.runs[len(cut.entries)]
    assert cut.run == was
    assert cut.run.step == step == cut.undone_from
    again = went_on(data, log, cut)
    assert again.run.finished
    assert fold(log.asked, again.entries) == again.run
    assert again.run.undone_to == 7


@many
@given(st.data())
def test_a_fork_that_is_cut_to_before_its_first_step_has_paid_for_nothing(data: st.DataObject) -> None:
    log, _ = walked(data)
    at = data.draw(st.integers(1, log.run.budget.steps))
    shared = before_step(log, at)
    journal = Watched(
        log.asked.graph, JournalPages(run=shared.run, entries=shared.entries, events=(), started_at=STARTED)
    )
    journal.runs = []
    mark = RunResumed(at=0.0, why="forked", from_run="other", limits=MORE.added_to(shared.run.budget.limits))
    journal.record(mark, STARTED)
    walk_on(data, journal)
    forked = RunLog(asked=log.asked, entries=tuple(journal.entries), run=journal.run)
    step = data.draw(st.integers(1, at))
    cut = before_step(forked, step)
    assert cut.run.step == step
    assert cut.entries.count(mark) == 1
    assert cut.run.budget.used == Usage()
    assert cut.run.budget.limits == mark.limits
    assert went_on(data, forked, cut).run.finished


@many
@given(st.data())
def test_a_run_that_turned_goes_on_with_all_that_it_had_answered(data: st.DataObject) -> None:
    log, journal = walked(data)
    try:
        cut = where_it_turned(log, extra=MORE, now=STARTED, limited=False)
    except CannotResume:  # whatever is given, its graph says that this way is one for want of budget
        assert log.run.ending is not None
        declared = (edge.ending for edge in log.asked.graph.edges if isinstance(edge, ConditionalEdge))
        assert log.run.ending.kind in declared
        return
    if cut is None:
        assert log.run.ending is None
        assert log.run.failure is None
        return
    assert (cut.run.ending, cut.run.failure, cut.run.stopping, cut.run.finished) == (None, None, None, False)
    assert fold(log.asked, cut.entries) == cut.run
    turn = next(
        place
        for place, run in enumerate(journal.runs)
        if run.ending is not None or run.failure is not None or run.stopping is not None
    )
    answered = [entry for entry in log.entries[: turn - 1] if isinstance(entry, StepCompleted)]
    kept = [entry for entry in cut.entries if isinstance(entry, StepCompleted)]
    turned_by = log.entries[turn - 1]
    if not isinstance(turned_by, StepCompleted):  # else its search is made anew
        assert kept[: len(answered)] == answered
    paid = [entry.usage.tokens for entry in cut.entries if isinstance(entry, StepCompleted | StepFailed | Held)]
    assert cut.run.budget.used.tokens >= sum(paid)
    again = went_on(data, log, cut)
    assert again.run.finished
    assert fold(log.asked, again.entries) == again.run


NODES = tuple(ToolNode(id=name, tool="noop") for name in ("search", "again", "once_more"))
ROW = ResearchGraph(
    name="row",
    nodes=NODES,
    edges=tuple(SequentialEdge(from_node=one.id, to_node=other.id) for one, other in pairwise(NODES)),
    entry_node="search",
    exit_nodes=("once_more",),
)


def in_a_row(*entries: Entry) -> RunLog:
    """A run that searches three times."""
    asked = ResearchInput(run_id="run", question="What?", mode="row", graph=ROW, limits=Limits())
    return RunLog(asked=asked, entries=entries, run=fold(asked, entries))


@pytest.mark.parametrize(("latest", "step"), [(False, 1), (True, 3)])
def test_a_run_is_cut_before_its_first_search_or_its_latest(latest: bool, step: int) -> None:
    done = (StepCompleted(step=at, node=node.id, at=float(at), output={}) for at, node in enumerate(NODES, 1))
    entries = tuple(done)
    cut = before_search(in_a_row(*entries), latest=latest)
    assert cut is not None
    assert (cut.undone_from, cut.entries) == (step, entries[: step - 1])


def test_a_call_that_was_cancelled_and_made_again_is_not_where_its_run_turned() -> None:
    cancelled = StepAbandoned(step=1, node="search", at=1.0)
    made_again = StepCompleted(step=2, node="search", at=2.0, output={})
    broken = StepFailed(step=3, node="again", at=3.0, failure=Failure(node="again", type="Gone", message="no"))
    cut = where_it_turned(in_a_row(cancelled, made_again, broken), extra=None, now=STARTED)
    assert cut is not None
    assert cut.entries[:2] == (cancelled, made_again)
    assert (cut.run.node, cut.run.step) == ("again", 3)


def test_a_run_that_goes_back_to_a_call_that_was_stopped_does_not_stop_again() -> None:
    done = StepCompleted(step=1, node="search", at=1.0, output={})
    stop, more = (Controlled(at=2.0, action=action) for action in (Stop(reason="enough"), AddBudget(extra=MORE)))
    given_up = StepAbandoned(step=2, node="again", at=2.0, ending=Ending(kind="stopped"))
    cut = before_step(in_a_row(done, stop, more, given_up), 2)
    assert cut.entries == (done, more)
    assert (cut.run.node, cut.run.stopping) == ("again", None)


@pytest.mark.parametrize(("extra", "refused"), [(None, True), (TopUp(seconds=600), True), (TopUp(tokens=1_000), False)])
def test_sections_without_room_are_gone_back_to_only_with_more_to_spend(extra: TopUp | None, refused: bool) -> None:
    graph = two_nodes(
        nodes=(ParallelNode(id="a"), asking("z", "writer")),
        edges=(ON, ParallelEdge(from_node="a", branch="one", inputs={"question": "question"})),
        branches={"one": LEAF},
    )
    asked = ResearchInput(run_id="run", question="What?", mode="two", graph=graph, limits=Limits())
    start = BranchStart(index=0, parallel_path_id="0001.one", branch="one", input=BranchInput(question="What?"))
    left_out = build_missing_outcome(start, "left out of the plan", type=FailureType.BUDGET)
    output = BranchOutcomes(branches=(left_out,)).model_dump(mode="json")
    entries = (StepCompleted(step=1, node="a", at=1.0, output=output),)
    log = RunLog(asked=asked, entries=entries, run=fold(asked, entries))
    if refused:
        with pytest.raises(CannotResume, match="its budget had no room for the sections that are missing"):
            before_branches(log, extra=extra)
        return
    cut = before_branches(log, extra=extra)
    assert cut is not None
    assert (cut.undone_from, cut.run.node) == (1, "a")


def test_what_an_exit_answered_after_its_run_was_out_of_time_is_made_anew() -> None:
    done = [StepCompleted(step=at, node=node.id, at=float(at), output={}) for at, node in enumerate(NODES, 1)]
    late = Diverted(at=2.5, ending=Ending(kind="time"))
    cut = where_it_turned(in_a_row(*done[:2], late, done[2]), extra=None, now=STARTED)
    assert cut is not None
    assert cut.entries == tuple(done[:2])
    assert (cut.run.node, cut.run.finished) == ("once_more", False)
