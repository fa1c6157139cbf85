"""The worker is killed while a led team plans anew: it counts as before, and no turn is made twice."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from temporalio.client import Client

from elcano.graphs.mode_choice import MODES
from tests.chaos.test_random_kills import Outcome, Trial, killed, undisturbed
from tests.leading import planning_twice

SEEDS: Final = range(5)


@pytest.mark.timeout(300)
async def test_a_reset_outlives_its_worker(temporal: Client, payload_dir: Path, tmp_path: Path) -> None:
    def trial() -> Trial:
        return Trial(temporal, payload_dir, tmp_path, graph=MODES["magentic"], script=planning_twice)

    expected, moments = await undisturbed(trial())

    async def attempt(seed: int) -> Outcome:
        async with asyncio.timeout(250):
            return await killed(trial(), seed, moments)

    outcomes = await asyncio.gather(*map(attempt, SEEDS))
    ledger = expected[""].ledger
    assert (ledger.resets, ledger.stalls) == (1, 0)
    assert [turn.speaker for turn in ledger.turns] == ["", "", "", "searcher", "judge", "reporter"]
    assert [outcome.left for outcome in outcomes] == [expected] * len(SEEDS)
    assert [outcome.repeated for outcome in outcomes] == [set()] * len(SEEDS)
    assert any(outcome.was_running for outcome in outcomes)
