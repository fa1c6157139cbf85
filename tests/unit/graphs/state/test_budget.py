"""Arithmetic of limits: what is charged adds up, time only grows, and a larger estimate is never easier to admit."""

from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from elcano.graphs.spec.graph import EndKind
from elcano.graphs.state.budget import (
    Allowance,
    Budget,
    Estimate,
    Limits,
    Usage,
    microusd_from_usd,
    sum_usages,
    usd_from_microusd,
)
from tests.unit.graphs.strategies import limits, usages

quick = settings(deadline=None, database=None)
times = st.floats(allow_nan=True, allow_infinity=True)
estimates = st.builds(Estimate, tokens=st.integers(0, 200_000), cost_microusd=st.integers(0, 2_000))
budgets = st.builds(
    Budget,
    limits=limits,
    used=usages,
    elapsed=st.floats(0, 3_000),
    iterations=st.integers(0, 5),
    steps=st.integers(0, 40),
)


@quick
@given(budgets, usages, usages)
def test_charges_add_up(budget: Budget, one: Usage, two: Usage) -> None:
    charged = budget.charge(one).charge(two)
    assert (
        charged.used
        == budget.used + one + two
        == budget.charge(two).charge(one).used
        == sum_usages([budget.used, one, two])
    )
    assert charged.used.tokens == budget.used.tokens + one.tokens + two.tokens
    assert charged.used.estimated == (budget.used.estimated or one.estimated or two.estimated)
    assert charged.model_copy(update={"used": budget.used}) == budget


@quick
@given(budgets, st.lists(times, max_size=5))
def test_time_only_grows(budget: Budget, clock: list[float]) -> None:
    for now in clock:
        later = budget.at(now)
        assert later.elapsed >= budget.elapsed
        assert later.elapsed in (budget.elapsed, now)
        budget = later


@quick
@given(budgets, estimates, estimates)
def test_a_larger_call_is_never_easier_to_admit(budget: Budget, one: Estimate, more: Estimate) -> None:
    larger = Estimate(tokens=one.tokens + more.tokens, cost_microusd=one.cost_microusd + more.cost_microusd)
    assume(budget.refuses(one) is not None)
    assert budget.refuses(larger) is not None


@quick
@given(budgets, usages, st.floats(0, 5_000), estimates)
def test_what_is_refused_stays_refused(budget: Budget, usage: Usage, later: float, estimate: Estimate) -> None:
    assume(budget.refuses(estimate) is not None)
    assert budget.charge(usage).at(later).refuses(estimate) is not None


@quick
@given(budgets)
def test_the_view_is_never_negative(budget: Budget) -> None:
    seen = budget.view()
    assert seen["exceeded"] == (seen["reason"] is not None)
    for name in ("tokens", "cost_usd", "seconds", "iterations", "steps"):
        gauge = seen[name]
        assert isinstance(gauge, dict)
        assert (gauge["remaining"] is None) == (gauge["limit"] is None)
        assert all(figure is None or (isinstance(figure, int | float) and figure >= 0) for figure in gauge.values())


@pytest.mark.parametrize(
    ("changes", "estimate", "refused"),
    [
        ({}, Estimate(), None),
        ({"elapsed": 84.9}, Estimate(), None),
        ({"elapsed": 85.0}, Estimate(), "time"),
        ({}, Estimate(tokens=8_500), None),
        ({}, Estimate(tokens=8_501), "tokens"),
        ({"used": Usage(input_tokens=8_000)}, Estimate(tokens=500), None),
        ({"used": Usage(input_tokens=8_000, output_tokens=1)}, Estimate(tokens=500), "tokens"),
        ({}, Estimate(cost_microusd=850), None),
        ({}, Estimate(cost_microusd=851), "cost"),
        ({"steps": 8}, Estimate(), None),
        ({"steps": 9}, Estimate(), "steps"),
        ({"elapsed": 85.0, "steps": 9}, Estimate(tokens=9_000, cost_microusd=900), "time"),
    ],
)
def test_the_reserve_and_the_last_step_are_kept_for_the_exit(
    changes: dict[str, object], estimate: Estimate, refused: EndKind | None
) -> None:
    budget = Budget(limits=Limits(tokens=10_000, cost_microusd=1_000, seconds=100, steps=10, reserve=0.15))
    assert budget.model_copy(update=changes).refuses(estimate) == refused


def test_money_without_a_limit_is_never_refused() -> None:
    budget = Budget(limits=Limits(), used=Usage(cost_microusd=10**12))
    assert budget.refuses(Estimate(cost_microusd=10**12)) is None
    assert budget.view()["cost_usd"] == {
        "limit": None,
        "used": 10**6,
        "remaining": None,
        "for_research": None,
    }


@pytest.mark.parametrize(
    ("dollars", "millionths"),
    [(0.1, 100_000), (0.0000001, 1), (1, 1_000_000), (Decimal("0.0000019"), 2), (0, 0), (0.07, 70_000)],
)
def test_money_is_rounded_up(dollars: float | Decimal, millionths: int) -> None:
    assert microusd_from_usd(dollars) == millionths


@quick
@given(st.integers(0, 10_000_000_000))
def test_money_survives_the_way_through_dollars(millionths: int) -> None:
    assert microusd_from_usd(usd_from_microusd(millionths)) == millionths


@pytest.mark.parametrize(
    "wrong", [{"tokens": 999}, {"seconds": 1}, {"iterations": 0}, {"steps": 1}, {"reserve": 0.6}, {"cost_microusd": 0}]
)
def test_limits_that_cannot_work_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits.model_validate(wrong)


def test_without_any_allowance_no_request_is_made_however_small() -> None:
    assert Allowance(tokens=0).refuses(Estimate()) == "tokens"
    assert Allowance(cost_microusd=0).refuses(Estimate()) == "cost"
    assert Allowance(tokens=1, cost_microusd=1).refuses(Estimate()) is None
    assert Allowance().refuses(Estimate(tokens=10**9, cost_microusd=10**9)) is None
