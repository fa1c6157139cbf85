"""When going on makes no sense."""

import pytest

from elcano.graphs.engine.routing import broken_sources
from elcano.graphs.engine.run import has_stalled
from elcano.graphs.rules import get_rules
from elcano.graphs.state.state import IterationData, ResearchState, ToolCallRecord

OK = ToolCallRecord(source="library", query="q", found=1)
BAD = ToolCallRecord(source="library", query="q", error="down")


def state(*turns: IterationData) -> ResearchState:
    return ResearchState(question="What is it?", conversation=turns)


@pytest.mark.parametrize(
    ("findings", "expected"),
    [([], False), ([0], False), ([1, 0], False), ([0, 0], True), ([1, 0, 0], True), ([0, 0, 1], False)],
)
def test_two_iterations_without_anything_new_are_a_stall(findings: list[int], expected: bool) -> None:
    turns = [IterationData(number=number, findings=("id",) * found) for number, found in enumerate(findings, 1)]
    assert has_stalled(state(*turns), get_rules()) is expected


@pytest.mark.parametrize(
    ("calls", "broken"),
    [([BAD, BAD], False), ([BAD, BAD, BAD], True), ([BAD, BAD, OK, BAD], False), ([OK, BAD, BAD, BAD], True)],
)
def test_a_source_that_only_fails_is_broken(calls: list[ToolCallRecord], broken: bool) -> None:
    half = len(calls) // 2
    turns = (
        IterationData(number=1, tool_calls=tuple(calls[:half])),
        IterationData(number=2, tool_calls=tuple(calls[half:])),
    )
    assert broken_sources(state(*turns), get_rules()) == (frozenset({"library"}) if broken else frozenset())
