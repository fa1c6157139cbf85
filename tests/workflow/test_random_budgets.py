"""Random runs keep their budgets, report and end once, however their agents, their limits and their users behave."""

import pytest
from temporalio.client import Client

from tests.workflow.random_runs import random_scenarios


@pytest.mark.long
async def test_random_runs_keep_their_budgets_and_report(temporal: Client) -> None:
    tally = await random_scenarios(temporal, 32, seed=2)
    assert tally.faults == ()
    assert (tally.overspends, tally.without_report, tally.not_ended_once) == (0, 0, 0)
    assert (tally.wrongly_numbered, tally.wrongly_charged) == (0, 0)
    ways = {"complete", "tokens", "cost", "iterations", "steps", "stopped", "stalled", "node_failed", "failed"}
    assert len(ways & set(tally.endings)) >= 7, f"the scenarios should end in many ways, not in {tally.endings}"
    assert tally.branches > 10
