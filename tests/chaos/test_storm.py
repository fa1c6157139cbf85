"""The short form of `make chaos`: a few runs whose worker, API, server and model are killed; nothing is lost."""

from pathlib import Path
from typing import Final

import pytest

from tests.chaos.storm.schedule import OF_LOOPS, plan
from tests.chaos.storm.storm import Weather, storm

SEED: Final = 7
RUNS: Final = (1, 2)
WRITES: Final = 29
"""A question to a database whose worker is killed, with a tool that writes."""


@pytest.mark.long
@pytest.mark.timeout(480)
async def test_a_few_runs_of_a_storm_lose_nothing(tmp_path: Path) -> None:
    plans = [plan(SEED, number, modes=OF_LOOPS) for number in RUNS]
    plans.append(plan(SEED, WRITES, modes=("data",)))
    outcome = await storm(SEED, plans, tmp_path, Weather(at_once=4), lambda _: None)
    assert outcome.findings == []
    assert outcome.figures.finished >= len(plans)
    assert outcome.figures.written >= 1
    assert any(how.startswith("kill") for how in outcome.figures.disturbances)
