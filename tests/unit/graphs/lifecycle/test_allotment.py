"""Slices of a budget: whatever branches use, give back or overspend, nothing is given out twice."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from elcano.graphs.lifecycle.fanout import Allotment, Slice
from elcano.graphs.state.budget import LEAST_TOKENS, Budget, Estimate, Limits, Usage, sum_usages
from tests.unit.graphs.state.test_limits import all_limits
from tests.unit.graphs.strategies import limits as small_limits

many = settings(deadline=None, database=None)
amounts = st.integers(0, 200_000)
money = st.none() | st.integers(0, 5_000)
allotments = st.builds(Allotment, tokens=amounts, cost_microusd=money, waiting=st.integers(0, 12))
calls = st.lists(
    st.builds(
        Usage,
        requests=st.integers(0, 6),  # retries are charged too
        input_tokens=st.integers(0, 9_000) | st.sampled_from([0, 10**9]),
        output_tokens=st.integers(0, 1_000),
        cost_microusd=st.integers(0, 300),
        estimated=st.booleans(),
    ),
    max_size=8,
)


@dataclass
class Ledger:
    """An allotment in use, and beside it everything that was taken from it."""

    there_was: Allotment
    left: Allotment = field(init=False)
    out: list[Slice] = field(default_factory=list)
    used: list[Usage] = field(default_factory=list)
    overspent: int = 0
    """Tokens, of all branches together: each by the one call that it had in flight."""

    def __post_init__(self) -> None:
        self.left = self.there_was

    def take(self) -> None:
        self.left, given = self.left.take()
        self.out.append(given)

    def end(self, place: int, usage: Usage) -> None:
        given = self.out.pop(place)
        self.left = self.left.give_back(given, usage)
        self.used.append(usage)
        self.overspent += max(0, usage.tokens - given.tokens)

    def check(self) -> None:
        spent = sum_usages(self.used)
        out = sum(given.tokens for given in self.out)
        assert self.left.tokens + out + spent.tokens == self.there_was.tokens
        assert out + spent.tokens <= self.there_was.tokens + self.overspent
        assert all(given.tokens >= 0 for given in self.out)
        assert self.left.waiting >= 0
        if self.there_was.cost_microusd is None:
            assert self.left.cost_microusd is None
            assert all(given.cost_microusd is None for given in self.out)
            return
        assert self.left.cost_microusd is not None
        out_money = [given.cost_microusd for given in self.out if given.cost_microusd is not None]
        assert len(out_money) == len(self.out)
        assert self.left.cost_microusd + sum(out_money) + spent.cost_microusd == self.there_was.cost_microusd


def spend(given: Slice, drawn: list[Usage]) -> Usage:
    """A branch makes calls until its slice is used up: only its last call can go beyond it."""
    used = Usage()
    for call in drawn:
        if used.tokens >= given.tokens:
            break
        used += call
    return used


@many
@given(allotments, st.data())
def test_what_is_out_used_and_left_adds_up(allotment: Allotment, data: st.DataObject) -> None:
    ledger = Ledger(allotment)
    for _ in range(data.draw(st.integers(0, 30))):
        one_ends = data.draw(st.booleans())
        if ledger.out and one_ends:
            place = data.draw(st.integers(0, len(ledger.out) - 1))
            given = ledger.out[place]
            unknown = Usage(input_tokens=given.tokens, cost_microusd=given.cost_microusd or 0, estimated=True)
            cut_off = data.draw(st.integers(0, 5)) == 0
            ledger.end(place, unknown if cut_off else spend(given, data.draw(calls)))
        else:
            ledger.take()
        ledger.check()


@many
@given(allotments)
def test_branches_that_use_everything_leave_nothing_and_never_more(allotment: Allotment) -> None:
    ledger = Ledger(allotment)
    for _ in range(allotment.waiting):
        ledger.take()
    shares = [given.tokens for given in ledger.out]
    if shares:
        assert ledger.left.tokens == 0
        assert max(shares) - min(shares) <= 1
    assert ledger.left.waiting == 0


@many
@given(allotments.filter(lambda allotment: allotment.waiting >= 2), amounts)
def test_what_comes_back_raises_the_later_shares(allotment: Allotment, used: int) -> None:
    left, first = allotment.take()
    _, expected = left.take()
    _, given = left.give_back(first, Usage(input_tokens=used)).take()
    if used <= first.tokens:
        assert given.tokens >= expected.tokens
        assert given.tokens == (left.tokens + first.tokens - used) // left.waiting
    else:
        assert given.tokens <= expected.tokens


@many
@given(allotments, st.integers(0, 50_000))
def test_whoever_is_afforded_can_be_started(allotment: Allotment, minimum: int) -> None:
    afforded = allotment.affordable(minimum)
    assert 0 <= afforded <= allotment.waiting
    left = allotment.model_copy(update={"waiting": afforded, "cost_microusd": None})
    for _ in range(afforded):
        left, given = left.take()
        assert given.carries(minimum)
    if afforded < allotment.waiting:
        _, less = allotment.model_copy(update={"waiting": afforded + 1, "cost_microusd": None}).take()
        assert not less.carries(minimum)


@many
@given(all_limits, allotments, st.integers(0, 50_000))
def test_a_slice_that_carries_a_branch_makes_valid_limits(limits: Limits, allotment: Allotment, minimum: int) -> None:
    _, given = allotment.take()
    changed = limits.model_dump() | given.model_dump()
    if given.carries(minimum):
        assert Limits.model_validate(changed).tokens >= minimum
    elif given.tokens < LEAST_TOKENS or given.cost_microusd == 0:
        with pytest.raises(ValidationError):
            Limits.model_validate(changed)


def nested(ledger: Ledger, reserve: float, depth: int, data: st.DataObject) -> Usage:
    """Runs every waiting branch of `ledger`, two at a time; branches may have branches of their own."""
    used = []
    while ledger.left.waiting or ledger.out:
        if ledger.left.waiting and len(ledger.out) < 2:
            ledger.take()
        else:
            given = ledger.out[0]
            usage = Usage()
            if given.carries(0):
                limits = Limits(tokens=given.tokens, cost_microusd=given.cost_microusd, reserve=reserve)
                usage = branch(limits, depth, data)
            ledger.end(0, usage)
            used.append(usage)
        ledger.check()
    return sum_usages(used)


def branch(limits: Limits, depth: int, data: st.DataObject) -> Usage:
    """What a run under `limits` uses: calls while they are admitted, branches of its own, its exit node."""
    budget = Budget(limits=limits)
    for call in data.draw(calls):
        if budget.refuses(Estimate()) is None:
            budget = budget.charge(call)
    if depth and budget.refuses(Estimate()) is None:
        inner = Ledger(Allotment.of(budget, data.draw(st.integers(0, 3))))
        assert budget.used.tokens + inner.left.tokens <= limits.tokens
        budget = budget.charge(nested(inner, limits.reserve, depth - 1, data))
        last = sum_usages(call for call in inner.used)
        assert last.tokens <= inner.there_was.tokens + inner.overspent
    return budget.used


@given(small_limits, st.data())
def test_branches_of_branches_keep_to_the_slice_they_are_in(limits: Limits, data: st.DataObject) -> None:
    ledger = Ledger(Allotment.of(Budget(limits=limits), data.draw(st.integers(0, 4))))
    used = nested(ledger, limits.reserve, 2, data)
    assert ledger.out == []
    assert used.tokens <= limits.tokens + ledger.overspent


@many
@given(all_limits, calls, st.integers(0, 200))
def test_an_allotment_leaves_the_reserve_alone(limits: Limits, used: list[Usage], branches: int) -> None:
    budget = Budget(limits=limits, used=sum_usages(used))
    allotment = Allotment.of(budget, branches)
    assert 0 <= allotment.tokens <= max(0, limits.tokens * (1 - limits.reserve) - budget.used.tokens)
    assert (allotment.cost_microusd is None) == (limits.cost_microusd is None)
    assert allotment.waiting == branches
