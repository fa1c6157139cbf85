"""The shared budget of a batch: what a run is granted, and when none is started any more."""

import random

import pytest

from elcano.doors.batches.batch_tables import BatchSpending, SharedLimits, share_out
from elcano.graphs.state.budget import Limits

OWN = Limits(tokens=100_000, seconds=600)


def share(shared: SharedLimits, spent: BatchSpending, own: Limits = OWN, places: int = 4) -> Limits:
    found = share_out(own, shared, spent, places)
    assert isinstance(found, Limits), found
    return found


def test_a_run_has_its_own_limits_or_what_is_left() -> None:
    shared = SharedLimits(tokens=250_000)
    assert share(shared, BatchSpending()) == OWN
    assert share(shared, BatchSpending(granted_tokens=200_000, open=2)).tokens == 50_000
    assert share(shared, BatchSpending(tokens=240_000, ended=24)).tokens == 10_000


def test_money_without_a_limit_of_its_own_is_parted_among_free_places() -> None:
    shared = SharedLimits(cost_microusd=8_000_000)
    assert share(shared, BatchSpending()).cost_microusd == 2_000_000
    assert share(shared, BatchSpending(), Limits(cost_microusd=5)).cost_microusd == 5
    late = BatchSpending(cost_microusd=7_000_000, ended=10)
    assert share(shared, late).cost_microusd == 700_000


@pytest.mark.parametrize(
    ("shared", "spent", "word"),
    [
        (SharedLimits(tokens=100_000), BatchSpending(tokens=99_500, ended=5), "tokens"),
        (SharedLimits(tokens=100_000), BatchSpending(tokens=90_000, ended=3), "tokens"),
        (SharedLimits(cost_microusd=1_000_000), BatchSpending(cost_microusd=900_000, ended=3), r"US\$ 0.9000"),
        (SharedLimits(cost_microusd=1_000_000), BatchSpending(granted_microusd=1_000_000, open=1), r"US\$"),
        (SharedLimits(seconds_left=1.0), BatchSpending(), "time"),
    ],
)
def test_no_run_is_started_on_too_little(shared: SharedLimits, spent: BatchSpending, word: str) -> None:
    found = share_out(OWN, shared, spent, 4)
    assert isinstance(found, str)
    assert word.replace("\\", "") in found


def test_a_run_that_needs_more_than_is_left_waits_for_it() -> None:
    shared, spent = SharedLimits(tokens=10_000), BatchSpending(tokens=2_000, ended=4)
    assert isinstance(share_out(OWN, shared, spent, 4, least=8_000), Limits)
    assert "tokens" in str(share_out(OWN, shared, spent, 4, least=8_001))


def test_whatever_runs_use_of_what_they_are_granted_the_budget_is_never_passed() -> None:
    chance = random.Random(20261127)
    for _ in range(200):
        shared = SharedLimits(tokens=chance.randrange(1_000, 1_000_000), cost_microusd=chance.randrange(1, 10_000_000))
        spent, open_runs = BatchSpending(), list[Limits]()
        for _ in range(60):
            granted = share_out(OWN, shared, spent, 8 - len(open_runs)) if len(open_runs) < 8 else ""
            if isinstance(granted, Limits):
                open_runs.append(granted)
            elif not open_runs:
                break
            else:
                one = open_runs.pop(chance.randrange(len(open_runs)))
                money = chance.randint(0, one.cost_microusd or 0)
                used = {"tokens": chance.randint(0, one.tokens), "cost_microusd": money}
                used = {name: getattr(spent, name) + value for name, value in used.items()}
                spent = spent.model_copy(update={**used, "ended": spent.ended + 1})
            promised = {
                "granted_tokens": sum(one.tokens for one in open_runs),
                "granted_microusd": sum(one.cost_microusd or 0 for one in open_runs),
                "open": len(open_runs),
            }
            spent = spent.model_copy(update=promised)
            assert spent.tokens + spent.granted_tokens <= (shared.tokens or 0)
            assert spent.cost_microusd + spent.granted_microusd <= (shared.cost_microusd or 0)
