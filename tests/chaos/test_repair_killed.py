"""The worker is killed in a loop that repairs an error: the run repairs it all the same, and makes no call twice."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from temporalio.client import Client

from tests.chaos.test_random_kills import Outcome, Trial, killed, undisturbed
from tests.repairing import mistaken, shown_graph

SEEDS: Final = range(5)


@pytest.mark.timeout(300)
async def test_a_repair_outlives_its_worker(temporal: Client, payload_dir: Path, tmp_path: Path) -> None:
    def trial() -> Trial:
        return Trial(temporal, payload_dir, tmp_path, graph=shown_graph(), script=mistaken)

    expected, moments = await undisturbed(trial())

    async def attempt(seed: int) -> Outcome:
        async with asyncio.timeout(250):
            return await killed(trial(), seed, moments)

    outcomes = await asyncio.gather(*map(attempt, SEEDS))
    assert (expected[""].status, expected[""].iterations, expected["published"].ending) == ("completed", 3, None)
    assert [outcome.left for outcome in outcomes] == [expected] * len(SEEDS)
    assert [outcome.repeated for outcome in outcomes] == [set()] * len(SEEDS)
    assert any(outcome.was_running for outcome in outcomes)
