"""What is told of costs: the order in which modes are dear, and figures that limits bear out."""

import pytest

from elcano.graphs.checks.budget_limits import estimate_choice_costs, estimate_graph_costs, find_budget_faults
from elcano.graphs.mode_choice import MODES, USUAL, auto_graph, list_parts
from elcano.graphs.state.budget import Limits


@pytest.mark.parametrize("mode", MODES)
def test_the_least_is_less_than_the_usual_and_that_less_than_the_default(mode: str) -> None:
    told = estimate_graph_costs(MODES[mode])
    assert 0 < told.least.tokens < told.usual.tokens < told.most
    assert 0 < told.least.calls <= told.usual.calls


def test_modes_are_dear_in_the_order_that_is_told() -> None:
    usual = {
        mode: estimate_graph_costs(MODES[mode]).usual.tokens for mode in ("simple", "iterative", "deep", "deep_brief")
    }
    assert [*usual] == sorted(usual, key=lambda mode: usual[mode])
    assert [estimate_graph_costs(MODES[mode]).cost_class for mode in ("simple", "iterative", "deep")] == [
        "low",
        "low",
        "high",
    ]


def test_choosing_costs_one_call_more_than_the_mode_that_is_chosen() -> None:
    told, usual = (
        estimate_choice_costs(auto_graph(), list(list_parts().values()), list_parts()[USUAL]),
        estimate_graph_costs(list_parts()[USUAL]),
    )
    assert told.usual.calls == usual.usual.calls + 1
    assert told.usual.tokens - usual.usual.tokens == 1_200  # 800 for its prompt, 400 for its answer


@pytest.mark.parametrize("mode", ["simple", "iterative", "deep"])
def test_limits_below_the_least_are_refused(mode: str) -> None:
    least = estimate_graph_costs(MODES[mode]).least.tokens
    assert find_budget_faults(MODES[mode], Limits(tokens=max(1_000, least - 1)))
