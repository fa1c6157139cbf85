"""The short form of `make chaos`: a few runs whose worker, API, server and model are killed; nothing is lost."""

from pathlib import Path
from typing import Final

import pytest

from tests.chaos.storm.schedule import plan
from tests.chaos.storm.storm import Weather, storm

SEED: Final = 7
RUNS: Final = (1, 2, 3)


@pytest.mark.timeout(480)
async def test_a_few_runs_of_a_storm_lose_nothing(tmp_path: Path) -> None:
    outcome = await storm(SEED, [plan(SEED, number) for number in RUNS], tmp_path, Weather(at_once=3), lambda _: None)
    assert outcome.findings == []
    assert outcome.figures.finished >= len(RUNS)
    assert any(how.startswith("kill") for how in outcome.figures.disturbances)
