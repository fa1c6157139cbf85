"""`make load` in small, on the real server and PostgreSQL: nothing is lost, and what was counted adds up."""

from pathlib import Path

import pytest

from benchmarks.load.costs import Plan
from benchmarks.load.load import Phases, measure_load

SMALL = Phases(idle_seconds=1.0, stream_seconds=1.0, open_streams=5, readers=2)


@pytest.mark.long
@pytest.mark.timeout(240)
async def test_every_run_completes_and_the_counts_add_up(tmp_path: Path) -> None:
    plan = Plan(
        runs=3,
        at_once=3,
        mode="iterative",
        turns=2,
        sections=0,
        streams=2,
        workers=1,
        apis=2,
        model_seconds=0.1,
        seed=1,
    )
    outcome = await measure_load(plan, tmp_path, phases=SMALL, say=lambda _: None)
    assert list(outcome.lost) == []
    costs, run = outcome.costs, outcome.costs.run
    assert costs.rows["runs"] == 1
    assert costs.rows["events"] == run.events  # what clients hear is what is archived
    assert run.executions == 1
    assert run.model_requests == 8  # of each of two iterations the thought, gaps, searches or verdict; and a draft
    assert costs.rpcs["StartWorkflowExecution"] == 1
    assert costs.statements["worker: insert ledger"] >= run.calls
    assert run.transitions > run.calls
    assert all(seconds >= 0 for seconds in costs.cpu.values())
    assert costs.cpu["worker"] > 0
    assert costs.stream.read_bytes > 1_000
