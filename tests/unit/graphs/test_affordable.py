"""Limits that cannot work are refused with their arithmetic; those that can are not."""

import pytest

from graphs.affordable import default_limits, limit_faults
from graphs.budget import Limits
from graphs.modes import MODES


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_works_with_its_default_limits(mode: str) -> None:
    assert limit_faults(MODES[mode], default_limits(MODES[mode])) == []


def test_a_graph_with_sections_may_use_twice_as_much() -> None:
    assert default_limits(MODES["iterative"]) == Limits()
    for mode in ("deep", "deep_brief", "auto"):
        assert default_limits(MODES[mode]) == Limits(tokens=200_000, seconds=1_200)


@pytest.mark.parametrize(
    ("mode", "limits", "said"),
    [
        (
            "iterative",
            {"tokens": 31_999},
            ["15% of 31,999 tokens, 4,799, are kept for 'writer', which needs 4,800 (800 for its prompt, 4,000"],
        ),
        ("iterative", {"tokens": 32_000}, []),
        ("iterative", {"tokens": 9_600, "reserve": 0.5}, ["one visit of each agent before the report takes 5,100"]),
        ("iterative", {"tokens": 10_200, "reserve": 0.5}, []),
        (
            "deep",
            {"tokens": 58_000},
            [
                "'synthesizer', which needs 8,800",
            ],
        ),
        ("deep", {"tokens": 23_000, "reserve": 0.5}, ["give at least 23,400 tokens"]),
        ("iterative", {"steps": 3}, ["the shortest way through 'iterative' has 4 steps, and 3 are allowed"]),
        ("iterative", {"steps": 5}, []),
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
    found = limit_faults(MODES[mode], whole)
    assert len(found) == len(said)
    for fault, part in zip(found, said, strict=True):
        assert part in fault


def test_several_faults_are_told_at_once() -> None:
    limits = Limits(tokens=1_000, seconds=5, steps=2)
    assert len(limit_faults(MODES["deep"], limits)) == 6
