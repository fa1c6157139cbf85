"""Limits and what is added to them: nothing below the least, nothing above the most, nothing lowered."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from elcano.graphs.errors import InputInvalid
from elcano.graphs.state.budget import LEAST_TOKENS, Limits, TopUp

many = settings(deadline=None, database=None)
BOUNDS = [
    ("tokens", 1_000, 100_000_000),
    ("cost_microusd", 1, 10_000_000_000),
    ("seconds", 5, 30 * 86_400),
    ("iterations", 1, 50),
    ("steps", 2, 2_000),
    ("sections", 1, 200),
    ("reserve", 0, 0.5),
]
all_limits = st.builds(
    Limits,
    tokens=st.integers(LEAST_TOKENS, 100_000_000),
    cost_microusd=st.none() | st.integers(1, 10_000_000_000),
    seconds=st.floats(5, 30 * 86_400),
    iterations=st.integers(1, 50),
    steps=st.integers(2, 2_000),
    sections=st.integers(1, 200),
    reserve=st.floats(0, 0.5),
)
top_ups = st.builds(
    TopUp,
    tokens=st.integers(0, 1_000_000),
    cost_microusd=st.integers(0, 1_000_000),
    seconds=st.floats(0, 86_400),
    iterations=st.integers(0, 50),
    steps=st.integers(0, 2_000),
)


def above_the_most(limits: Limits, more: TopUp) -> Iterator[bool]:
    for name, _, most in BOUNDS:
        if added := getattr(more, name, 0):
            yield getattr(limits, name) + added > most


@many
@given(all_limits, top_ups)
def test_a_top_up_only_raises(limits: Limits, more: TopUp) -> None:
    counted = more if limits.cost_microusd is not None else more.model_copy(update={"cost_microusd": 0})
    if counted == TopUp() or any(above_the_most(limits, counted)):
        with pytest.raises(InputInvalid):
            more.added_to(limits)
        return
    raised = more.added_to(limits)
    assert Limits.model_validate(raised.model_dump()) == raised
    for name, added in more.model_dump().items():
        before, after = getattr(limits, name), getattr(raised, name)
        assert after is None if before is None else after == before + added
    kept = set(Limits.model_fields) - set(TopUp.model_fields)
    assert all(getattr(raised, name) == getattr(limits, name) for name in kept)


@many
@given(all_limits, st.integers(1, 1_000), st.integers(1, 1_000))
def test_two_top_ups_are_as_good_as_one(limits: Limits, one: int, two: int) -> None:
    modest = limits.model_copy(update={"tokens": min(limits.tokens, 90_000_000)})
    together = TopUp(tokens=one + two).added_to(modest)
    assert TopUp(tokens=two).added_to(TopUp(tokens=one).added_to(modest)) == together


@pytest.mark.parametrize(("name", "least", "most"), BOUNDS)
def test_limits_have_bounds_on_both_sides(name: str, least: float, most: float) -> None:
    assert getattr(Limits.model_validate({name: least}), name) == least
    assert getattr(Limits.model_validate({name: most}), name) == most
    step = 0.001 if name in ("seconds", "reserve") else 1
    for wrong in (least - step, most + step, float("nan"), None if name != "cost_microusd" else "much"):
        with pytest.raises(ValidationError, match=name):
            Limits.model_validate({name: wrong})


@pytest.mark.parametrize(
    ("more", "field"),
    [
        (TopUp(), "budget"),
        (TopUp(cost_microusd=5), "budget"),
        (TopUp(tokens=99_950_000), "tokens"),
        (TopUp(iterations=46), "iterations"),
        (TopUp(steps=1_801), "steps"),
        (TopUp(seconds=30 * 86_400), "seconds"),
    ],
)
def test_a_top_up_that_cannot_be_says_which_limit(more: TopUp, field: str) -> None:
    with pytest.raises(InputInvalid) as refused:
        more.added_to(Limits())
    assert refused.value.field == field


def test_a_top_up_of_money_that_is_not_limited_says_so() -> None:
    with pytest.raises(InputInvalid, match="cost is not limited"):
        TopUp(cost_microusd=5).added_to(Limits())
    assert TopUp(cost_microusd=5, tokens=1).added_to(Limits()) == TopUp(tokens=1).added_to(Limits())
    assert TopUp(cost_microusd=5).added_to(Limits(cost_microusd=7)).cost_microusd == 12
