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


def chosen(new: int) -> ToolCallRecord:
    return ToolCallRecord(source="library", query="more", found=new, new=new, chosen=True)


@pytest.mark.parametrize(
    ("calls", "beside", "expected"),
    [
        ([OK], (), False),  # nobody chose a search yet
        ([OK, chosen(0)], (), True),
        ([OK, chosen(1)], (), False),
        ([OK, chosen(1)], ("0",), False),  # that of the first search is beside the question
        ([OK, chosen(1)], ("1",), True),
        ([OK, chosen(1), chosen(1)], ("1",), False),
        ([OK, chosen(1), chosen(1)], ("2", "1", "unknown"), True),
    ],
)
def test_chosen_searches_that_find_nothing_that_helps_are_a_stall(
    calls: list[ToolCallRecord], beside: tuple[str, ...], expected: bool
) -> None:
    made = [call.model_copy(update={"new": 1}) if call is OK else call for call in calls]
    found = tuple(str(place) for place in range(sum(call.new for call in made)))
    turn = IterationData(number=1, tool_calls=tuple(made), findings=found, beside=beside)
    assert has_stalled(state(turn), get_rules()) is expected


def test_what_a_later_iteration_finds_beside_the_question_is_not_new() -> None:
    first = IterationData(number=1, findings=("a",))
    second = IterationData(number=2, findings=("b",), beside=("b",))
    assert has_stalled(state(first, second), get_rules())
    assert not has_stalled(state(first, second.model_copy(update={"beside": ("a",)})), get_rules())


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
