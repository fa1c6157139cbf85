"""What many runs need is a product, and what is too little is told in the order in which runs grow."""

from pathlib import Path

import pytest
import typer

from benchmarks.load.costs import foretell
from benchmarks.load.foresee import read_assumptions, read_costs
from benchmarks.load.report import list_comparison_lines, list_cost_lines, list_scaling_lines
from benchmarks.load.scaling import (
    BEAT_RPC,
    Assumptions,
    count_runs_at_once,
    count_workers,
    list_limits,
    list_needs,
    tell_time_apart,
)
from benchmarks.load.stack import ROOT
from tests.unit.benchmarks.load.examples import COSTS

MEASURED = ROOT / "benchmarks" / "load" / "measured"

GIVEN = Assumptions(run_seconds=100, call_seconds=1, peak=2, watched=0.5, utilisation=0.5, worker_activities=100)


def test_needs_are_the_costs_of_a_run_times_the_runs_of_a_second() -> None:
    needs = {(need.part, need.name): need.value for need in list_needs(COSTS, 1_000, GIVEN)}
    assert needs["runs", "begin in a second"] == 10
    assert needs["runs", "a day"] == 432_000  # half of it is the peak's
    assert needs["workers", "processor"] == 10
    assert needs["workers", "processes, because of their processor"] == 20  # half of each may be used
    assert needs["workers", "model requests at once"] == 80
    assert needs["API", "open streams"] == 500
    assert needs["Temporal", "state transitions a second"] == 500
    assert needs["Temporal", "history shards"] == 25  # 2.5 s of locks in a second, a tenth for each shard
    assert needs["PostgreSQL", "statements a second"] == 1_000
    assert needs["PostgreSQL", "transactions a second, each written to disk"] == 250
    assert needs["model", "requests a minute"] == 4_800


def test_twice_as_many_runs_need_twice_as_much() -> None:
    once, twice = list_needs(COSTS, 5_000, GIVEN), list_needs(COSTS, 10_000, GIVEN)
    for one, other in zip(once, twice, strict=True):
        if one.name == "a run":
            assert other.value == one.value
        else:
            assert other.value == pytest.approx(2 * one.value, rel=0.05)  # whole processes are rounded up


def test_what_grows_with_time_is_told_apart_by_two_measurements() -> None:
    slower = COSTS.run.model_copy(update={"seconds": 30.0, "transitions": 90.0})
    beats = {**COSTS.rpcs, BEAT_RPC: 40.0}
    slow = COSTS.model_copy(update={"run": slower, "rpcs": beats, "cpu": {**COSTS.cpu, "worker": 2.0}})
    longer = tell_time_apart(COSTS, slow, 60.0)  # the first took 10 s
    assert longer.run.seconds == 60
    assert longer.run.transitions == pytest.approx(150)
    assert longer.rpcs == {"StartWorkflowExecution": 80.0, BEAT_RPC: 100.0}
    assert longer.cpu["worker"] == pytest.approx(3.5)
    assert longer.cpu["api"] == COSTS.cpu["api"]
    assert longer.rows == COSTS.rows
    assert tell_time_apart(COSTS, slow, 0.0).rpcs[BEAT_RPC] == 0  # never less than nothing


def test_measurements_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="did not take less time"):
        tell_time_apart(COSTS, COSTS, 60.0)
    other = COSTS.model_copy(update={"plan": COSTS.plan.model_copy(update={"mode": "deep"})})
    with pytest.raises(ValueError, match="not of the same run"):
        tell_time_apart(COSTS, other, 60.0)


def test_runs_of_a_day_are_open_at_once_for_as_long_as_they_take() -> None:
    assert count_runs_at_once(86_400, GIVEN) == 200


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, "processor"),
        ({"worker_activities": 1}, "activities at once"),
        ({"worker_cached_workflows": 1}, "cached workflows"),
        ({"worker_gib": 0.2}, "memory"),
    ],
)
def test_workers_are_as_many_as_their_scarcest_part_needs(changed: dict[str, float], reason: str) -> None:
    assert count_workers(COSTS, 10, GIVEN.model_copy(update=changed))[1] == reason


def test_at_a_limit_what_it_limits_is_just_used_up() -> None:
    limits = {limit.name: limit.at_once for limit in list_limits(COSTS, GIVEN)}
    assert list(limits.values()) == sorted(limits.values())
    at_once = limits["processor of one worker"]
    assert at_once / GIVEN.run_seconds * COSTS.cpu["worker"] == pytest.approx(GIVEN.utilisation)
    at_once = limits["model requests at once of one worker"]
    assert at_once / GIVEN.run_seconds * COSTS.run.model_requests * GIVEN.call_seconds == pytest.approx(100)
    assert limits["open runs that the API accepts"] == GIVEN.open_runs
    assert limits["open runs that the API compares with Temporal in 600 s"] == 2_000


def test_a_better_machine_moves_a_limit() -> None:
    slow = {limit.name.split()[1]: limit.at_once for limit in list_limits(COSTS, GIVEN)}
    better = GIVEN.model_copy(update={"shards": 512})
    fast = {limit.name.split()[1]: limit.at_once for limit in list_limits(COSTS, better)}
    assert fast["history"] == slow["history"] * 512 / 4


def test_everything_is_printed() -> None:
    printed = "\n".join(
        (*list_cost_lines(COSTS), *list_scaling_lines(COSTS, GIVEN), *list_comparison_lines(foretell(COSTS, COSTS)))
    )
    for text in ("worker: select runs", "10,000 at once", "1,000,000 a day", "history shards", "+0%"):
        assert text in printed


def test_assumptions_are_read_and_checked() -> None:
    assert read_assumptions(["shards=512", "peak=3"]) == Assumptions(shards=512, peak=3)
    with pytest.raises(typer.BadParameter, match="nothing is assumed about shard; there are run_seconds"):
        read_assumptions(["shard=512"])
    with pytest.raises(typer.BadParameter, match="peak: Input should be greater than or equal to 1"):
        read_assumptions(["peak=0"])
    with pytest.raises(typer.BadParameter, match="shards: Input should be a valid integer"):
        read_assumptions(["shards"])


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "costs.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(typer.BadParameter, match="has no costs of this version"):
        read_costs(file)
    file.write_text(COSTS.model_dump_json(), encoding="utf-8")
    assert read_costs(file) == COSTS


def test_the_committed_measurements_give_the_figures_of_the_docs() -> None:
    fast, slow, many = (read_costs(MEASURED / f"{name}.json") for name in ("fast", "slow", "many"))
    needs = {need.name: need.value for need in list_needs(tell_time_apart(fast, slow, 300), 10_000, Assumptions())}
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    transitions, shards = needs["state transitions a second"], needs["history shards"]
    assert f"| state transitions a second | 144 | {round(transitions, -2):,.0f} |" in text
    assert f"| history shards | 8 | {round(shards, -1):,.0f} |" in text
    assert many.plan.at_once == 80
