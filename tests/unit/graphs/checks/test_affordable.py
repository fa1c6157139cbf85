"""Limits that cannot work are refused with their arithmetic; those that can are not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elcano.graphs.checks.budget_limits import default_limits, find_budget_faults
from elcano.graphs.mode_choice import MODES
from elcano.graphs.state.budget import Limits


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_works_with_its_default_limits(mode: str) -> None:
    assert find_budget_faults(MODES[mode], default_limits(MODES[mode])) == ()


@pytest.mark.of_plugins("teams", "literature")
def test_defaults_are_what_a_strong_reasoning_model_needs() -> None:
    for mode, tokens in (("iterative", 150_000), ("simple", 100_000), ("literature_review", 100_000)):
        assert default_limits(MODES[mode]) == Limits(tokens=tokens)
    rounds = Limits(tokens=500_000, iterations=10, seconds=1_200)
    assert default_limits(MODES["magentic"]) == rounds
    for mode, tokens in (("deep", 450_000), ("deep_brief", 550_000), ("auto", 1_200_000)):
        assert default_limits(MODES[mode]) == Limits(tokens=tokens, seconds=1_800)
    assert default_limits(MODES["hierarchical"]) == Limits(tokens=1_200_000, seconds=1_800, iterations=3)


@given(st.sampled_from(list(MODES)), st.integers(1_000, 120_000), st.just(0.0) | st.floats(0.01, 0.5))
@example("deep", 1_000, 0.3)  # 21,700 / (1 - 0.3) is a little more than 31,000 in floating point
def test_what_a_fault_says_is_enough_is_enough_and_no_token_less(mode: str, tokens: int, reserve: float) -> None:
    limits = Limits(tokens=tokens, reserve=reserve, seconds=1_200)
    faults = find_budget_faults(MODES[mode], limits)
    named = [int(fault.rpartition("at least ")[2].removesuffix(" tokens").replace(",", "")) for fault in faults]
    assert all(enough > tokens for enough in named)
    if named:
        assert find_budget_faults(MODES[mode], limits.model_copy(update={"tokens": max(named)})) == ()
        assert find_budget_faults(MODES[mode], limits.model_copy(update={"tokens": max(named) - 1})) != ()


@pytest.mark.parametrize(
    ("mode", "limits", "said"),
    [
        (
            "iterative",
            {"tokens": 13_599},
            [
                "half of 13,599 tokens, 6,799, can be kept for 'writer', which needs 6,800 (800 for its prompt, 2,000",
                "of 13,599 tokens 6,799 are kept for the report, 6,800 are for research, and one visit of each agent",
            ],
        ),
        (
            "iterative",
            {"tokens": 13_799},
            ["one visit of each agent before the report takes 7,000: give at least 13"],
        ),
        ("iterative", {"tokens": 13_800}, []),
        ("iterative", {"tokens": 13_999, "reserve": 0.5}, ["give at least 14,000 tokens"]),
        ("iterative", {"tokens": 14_000, "reserve": 0.5}, []),
        ("deep", {"tokens": 18_399}, ["give at least 18,400 tokens"]),
        ("deep", {"tokens": 18_400}, []),
        ("iterative", {"steps": 3}, ["the shortest way through 'iterative' has 4 steps, and 3 are allowed"]),
        ("iterative", {"steps": 4}, []),
        ("deep", {"steps": 5, "sections": 5}, ["the shortest way through 'deep' has 6 steps, and 5 are allowed"]),
        ("deep", {"steps": 6, "sections": 7}, ["7 sections are more than the 6 steps that are allowed"]),
        ("deep", {"steps": 7, "sections": 7}, []),
        ("iterative", {"seconds": 6}, ["15% of 6 s, 0.90 s, are kept for writing the report"]),
        ("iterative", {"seconds": 7}, []),
        (
            "deep",
            {"seconds": 12},
            [
                "8 sections, 4 at a time, take at least 10.5 s",
            ],
        ),
        ("deep", {"seconds": 12, "sections": 4}, []),
    ],
)
def test_what_cannot_work_shows_why(mode: str, limits: dict[str, float], said: list[str]) -> None:
    whole = Limits.model_validate({**default_limits(MODES[mode]).model_dump(), **limits})
    found = find_budget_faults(MODES[mode], whole)
    assert len(found) == len(said)
    for fault, part in zip(found, said, strict=True):
        assert part in fault


def test_several_faults_are_told_at_once() -> None:
    limits = Limits(tokens=1_000, seconds=5, steps=2)
    assert len(find_budget_faults(MODES["deep"], limits)) == 6
