"""Random runs keep their budgets, report and end once, however their agents, their limits and their users behave."""

from temporalio.client import Client

from tests.workflow.random_runs import random_scenarios


async def test_random_runs_keep_their_budgets_and_report(temporal: Client) -> None:
    tally = await random_scenarios(temporal, 40, seed=7)
    assert tally.faults == ()
    assert (tally.overspends, tally.without_report, tally.not_ended_once) == (0, 0, 0)
    assert (tally.wrongly_numbered, tally.wrongly_charged) == (0, 0)
    assert set(tally.endings) >= {"complete", "tokens", "cost", "iterations", "steps", "stopped", "node_failed"}
    assert tally.branches > 10
