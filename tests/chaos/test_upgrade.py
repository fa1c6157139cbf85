"""Two releases on one schema: the service is upgraded and taken back while runs go on, and none of them is lost."""

import asyncio
from pathlib import Path

import pytest

from tests.chaos.upgrade import load_settings, upgrade_under_load

RUNS = 4
"""`python -m tests.chaos.upgrade --runs 50` does the same with more."""


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_no_run_is_lost_by_an_upgrade_and_the_way_back(tmp_path: Path) -> None:
    async with asyncio.timeout(580), load_settings(tmp_path, delay=1.0) as (settings, environment):
        figures = await upgrade_under_load(settings, environment, RUNS)
    assert figures.ended == {"completed": figures.runs}
    assert figures.runs > RUNS
    assert figures.repeated <= figures.attempts, "only a stopped worker may complete a call and not say so"
    assert figures.placed > 0
