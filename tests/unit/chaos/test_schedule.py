"""What happens to a run is drawn from the seed and its number, and from nothing else."""

import pytest

from tests.chaos.storm.schedule import FAULTS, MODES, OF_LOOPS, WAYS, WRONG_FORMS, chosen, killed, plan
from tests.chaos.storm.tables import way_of

MANY = [plan(seed, number, postgres=True) for seed in range(5) for number in range(1, 101)]


def test_a_run_of_a_seed_is_always_the_same() -> None:
    assert plan(3, 17) == plan(3, 17)
    assert plan(3, 17) not in (plan(3, 18), plan(4, 17))
    assert killed(3, 17, "api") == killed(3, 17, "api")


def test_everything_is_drawn() -> None:
    disturbed = {(one.target, one.how) for drawn in MANY for one in drawn.disturbances}
    targets = ("worker", "api", "temporal", "model", "postgres")
    assert disturbed == {(target, how) for target in targets for how in ("kill", "stop")}
    assert {one.kind for drawn in MANY for one in drawn.faults} == {*FAULTS, *WRONG_FORMS}
    assert {drawn.script.mode for drawn in MANY} == set(MODES)
    assert {drawn.script.way for drawn in MANY} == {None, *WAYS}
    assert {drawn.script.use_graph for drawn in MANY} == {True, False}
    assert {drawn.wish.kind for drawn in MANY} > {"none", "stop", "pause", "steer", "cancel", "rollback", "fork"}
    assert any(drawn.script.tight for drawn in MANY)


def test_modes_can_be_chosen() -> None:
    assert chosen([]) == MODES
    assert list(chosen(["data", "loops"])) == ["data", *OF_LOOPS]
    with pytest.raises(ValueError, match="no storm knows deeper, x; there are loops, teams, iterative, "):
        chosen(["x", "data", "deeper"])
    of_loops = [plan(2, number, modes=OF_LOOPS).script for number in range(1, 101)]
    assert {script.mode for script in of_loops} == set(OF_LOOPS)
    assert of_loops[12].name == "iterative-graph-3-0", (
        "the run 13 of the seed 2 is what it was before there were others"
    )
    of_data = [plan(2, number, modes=("data",)).script for number in range(1, 101)]
    assert all(script.use_graph and way_of(script.question) == script.way for script in of_data)


def test_the_database_is_killed_only_where_it_is_a_process() -> None:
    drawn = [plan(1, number) for number in range(1, 101)]
    assert "postgres" not in {one.target for each in drawn for one in each.disturbances}


def test_a_model_answers_in_the_wrong_form_once_at_most() -> None:
    assert max(sum(one.kind in WRONG_FORMS for one in drawn.faults) for drawn in MANY) == 1


def test_a_plan_is_told_in_one_line() -> None:
    assert all("\n" not in drawn.told() and drawn.script.name in drawn.told() for drawn in MANY)
