"""The books of a fan-out: what branches may spend always adds up, and who is short of what is said."""

import pytest

from elcano.graphs.engine.entries import BranchStart, RunBranches
from elcano.graphs.engine.run import build_initial_run as started
from elcano.graphs.lifecycle.fanout import FanOut
from elcano.graphs.lifecycle.handover import build_branch_outcome
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchResult
from elcano.graphs.spec.graph import ParallelNode
from elcano.graphs.state.branches import BranchInput, KeptBranch
from elcano.graphs.state.budget import Budget, Limits, TopUp, Usage
from elcano.graphs.state.failures import Ending
from elcano.graphs.state.state import ResearchState

STARTS = tuple(
    BranchStart(index=index, parallel_path_id=f"0001.b-{index}", branch="loop", input=BranchInput(question="q"))
    for index in range(2)
)
WORK = RunBranches(step=1, node="parallel_loops", branches=STARTS)
FIRST, SECOND = STARTS


def books(limits: Limits, *kept: KeptBranch) -> tuple[FanOut, Budget]:
    node = MODES["deep"].by_id[WORK.node]
    assert isinstance(node, ParallelNode)
    run = started(MODES["deep"], ResearchState(question="q"), limits)
    return FanOut(node, WORK, run, kept), run.budget


def begun(fan: FanOut, start: BranchStart, budget: Budget) -> Limits:
    limits = fan.begin(start, budget)
    assert isinstance(limits, Limits)
    return limits


def end(fan: FanOut, start: BranchStart, tokens: int) -> None:
    result = ResearchResult(run_id="r", report=None, draft="d", usage=Usage(input_tokens=tokens))
    fan.end(start, build_branch_outcome(start, result))


def test_a_top_up_first_makes_up_for_what_was_overspent() -> None:
    limits = Limits(tokens=100_000, reserve=0.0, when_exhausted="pause")
    fan, budget = books(limits)
    slices = [begun(fan, start, budget).tokens for start in STARTS]
    assert slices == [50_000, 50_000]
    end(fan, FIRST, tokens=80_000)
    assert fan.share_top_up(TopUp(tokens=20_000), limits, {SECOND.index}) == {}
    assert fan.share_top_up(TopUp(tokens=20_000), limits, {SECOND.index})[SECOND.index].tokens == 10_000
    assert 80_000 + slices[1] + 10_000 == 100_000 + 20_000 + 20_000


def test_what_kept_branches_cost_is_not_given_out_again() -> None:
    limits = Limits(tokens=100_000, cost_microusd=2_000, reserve=0.0)
    spent = ResearchResult(run_id="r", report=None, draft="d", usage=Usage(input_tokens=60_000, cost_microusd=1_500))
    kept = KeptBranch(run_id="r.1", start=FIRST.input, graph="loop", outcome=build_branch_outcome(FIRST, spent))
    fan, budget = books(limits, kept)
    assert fan.starts == (SECOND,)
    given = begun(fan, SECOND, budget)
    assert (given.tokens, given.cost_microusd) == (40_000, 500)


def test_what_is_left_over_is_passed_on_once() -> None:
    fan, budget = books(Limits(tokens=100_000, reserve=0.0, when_exhausted="pause"))
    for start in STARTS:
        begun(fan, start, budget)
    end(fan, FIRST, tokens=20_000)
    assert fan.passed_on({SECOND.index}) == {SECOND.index: TopUp(tokens=30_000)}
    assert fan.passed_on({SECOND.index}) == {}
    assert fan.used == Usage(input_tokens=20_000)


def test_tokens_and_money_of_a_top_up_are_divided() -> None:
    limits = Limits(tokens=100_000, cost_microusd=2_000, reserve=0.0)
    fan, budget = books(limits)
    for start in STARTS:
        begun(fan, start, budget)
    extra = TopUp(tokens=20_000, cost_microusd=500)
    parts = fan.share_top_up(extra, extra.added_to(limits), {0, 1})
    assert parts == dict.fromkeys((0, 1), TopUp(tokens=10_000, cost_microusd=250))


def test_time_and_rounds_are_not_divided() -> None:
    limits = Limits(tokens=100_000, reserve=0.0)
    fan, budget = books(limits)
    for start in STARTS:
        begun(fan, start, budget)
    parts = fan.share_top_up(TopUp(seconds=100, iterations=2, steps=7), limits, {0, 1})
    assert {(part.iterations, part.steps, part.seconds > 90) for part in parts.values()} == {(2, 7, True)}


@pytest.mark.parametrize(
    ("limits", "elapsed", "kind", "gap"),
    [
        (Limits(seconds=20), 16.0, "time", "NotStarted"),
        (Limits(tokens=100_000), 0.0, "tokens", "BudgetExhausted"),
        (Limits(tokens=200_000, cost_microusd=10), 0.0, "cost", "BudgetExhausted"),
    ],
)
def test_a_branch_that_is_short_is_a_gap_or_waits(limits: Limits, elapsed: float, kind: str, gap: str) -> None:
    for mode in ("finish", "pause"):
        fan, budget = books(limits.model_copy(update={"when_exhausted": mode}))
        begun(fan, FIRST, budget)
        if kind != "time":
            spent = ResearchResult(
                run_id="r", report=None, draft="d", usage=Usage(input_tokens=90_000, cost_microusd=10)
            )
            fan.end(FIRST, build_branch_outcome(FIRST, spent))
        limited = fan.begin(SECOND, budget.at(elapsed))
        if mode == "pause":
            assert isinstance(limited, Ending)
            assert limited.kind == kind
            continue
        assert limited is None
        if kind == "time":
            end(fan, FIRST, tokens=10)
        entry = fan.entry(1.0)
        output = getattr(entry, "output", None)
        assert isinstance(output, dict)
        assert output["branches"][1]["gap"]["type"] == gap


def test_a_run_that_is_over_waits_for_nothing() -> None:
    fan, budget = books(Limits(seconds=20, when_exhausted="pause"))
    fan.over = "enough"
    assert fan.begin(FIRST, budget.at(16.0)) is None
