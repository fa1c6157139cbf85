"""A run's clock and its sections' figures move while its own workflow stands still."""

import pytest

from elcano.graphs.records import ArchivedRun, RunSnapshot
from elcano.graphs.state.branches import BranchState
from elcano.graphs.state.budget import Budget, Limits, Usage
from elcano.service.runs.budget_view import BudgetView
from elcano.service.runs.run_view import RunView
from elcano.service.runs.section_view import SectionsView, add_progress
from elcano.storage.ledger import BranchProgress

RUN = "run-1"
OPEN = BranchState(run_id=f"{RUN}.0004.loop-1", path="0004.loop-1", section="Costs", status="running")
ENDED = BranchState(
    run_id=f"{RUN}.0004.loop-2",
    path="0004.loop-2",
    section="Risks",
    status="drafted",
    iterations=4,
    evidence=3,
    tokens=9,
)
DONE = {
    OPEN.run_id: BranchProgress(iterations=2, steps=11, tokens=500),
    f"{OPEN.run_id}.0002.part": BranchProgress(steps=3, tokens=40),
    ENDED.run_id: BranchProgress(iterations=4, steps=20, tokens=9),
}


def make_snapshot(counting_since: float | None) -> RunSnapshot:
    budget = Budget(limits=Limits(seconds=1800.0), elapsed=8.8)
    return RunSnapshot(
        run_id=RUN,
        question="Why?",
        mode="deep",
        graph="deep",
        node="sections",
        stage="researching",
        step=5,
        iteration=1,
        evidence=2,
        budget=budget.view(),
        counting_since=counting_since,
        branches=(OPEN, ENDED),
    )


def view_at(now: float, counting_since: float | None) -> RunView:
    run = ArchivedRun(run_id=RUN, question="Why?", mode="deep", status="running", started_at=90.0)
    return RunView.of(run).at(make_snapshot(counting_since), Usage(input_tokens=46_500), (), now)


@pytest.mark.parametrize(
    ("now", "counting_since", "seconds"), [(400.0, 100.0, 308.8), (400.0, None, 8.8), (99.0, 100.0, 8.8)]
)
def test_time_goes_on_between_two_events_of_a_run_unless_it_stands_still(
    now: float, counting_since: float | None, seconds: float
) -> None:
    budget = view_at(now, counting_since).budget
    assert isinstance(budget, BudgetView)
    assert (budget.used.seconds, budget.remaining.seconds) == pytest.approx((seconds, 1800.0 - seconds))
    assert budget.used.tokens == 46_500


def test_open_sections_show_what_they_did_and_ended_ones_what_they_said() -> None:
    view = view_at(400.0, 100.0).with_sections(DONE, {OPEN.run_id: 7, RUN: 8})
    progressed = OPEN.model_copy(update={"iterations": 2, "evidence": 7, "tokens": 540})
    assert view.branches == (progressed, ENDED)
    assert view.sections == SectionsView(open=1, ended=1, iterations=6, steps=34, evidence=8)
    assert view.budget is not None
    assert (view.budget.used.iterations, view.budget.used.steps, view.evidence) == (0, 0, 2)


def test_a_section_that_has_just_begun_is_in_its_first_round() -> None:
    (open_section, _) = view_at(400.0, 100.0).with_sections({}, {}).branches
    assert (open_section.iterations, open_section.evidence, open_section.tokens) == (1, 0, 0)


@pytest.mark.parametrize(
    ("done", "iterations", "tokens"),
    [(DONE, 4, 30), ({}, 0, 0), ({ENDED.run_id: BranchProgress(iterations=1, tokens=30)}, 1, 30)],
    ids=["with calls", "before its first call ended", "one round"],
)
def test_a_section_that_was_ended_from_outside_shows_its_paid_calls(
    done: dict[str, BranchProgress], iterations: int, tokens: int
) -> None:
    cut_off = ENDED.model_copy(update={"status": "gap", "iterations": 0, "tokens": 0, "reason": "Terminated"})
    paid = {name: one.model_copy(update={"tokens": 30}) for name, one in done.items()}
    assert add_progress(cut_off, paid, {}) == cut_off.model_copy(update={"iterations": iterations, "tokens": tokens})


def test_a_section_that_ended_with_nothing_by_itself_keeps_its_figures() -> None:
    gap = ENDED.model_copy(update={"status": "gap", "iterations": 5, "tokens": 900})
    assert add_progress(gap, DONE, {}) == gap
