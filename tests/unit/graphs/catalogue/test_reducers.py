"""Reducers only add; evidence is kept once, a failed search is a warning and never evidence."""

from elcano.graphs.catalogue import reducers
from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
from elcano.graphs.frozen import Json
from elcano.graphs.state.state import IterationData, ResearchState, ToolCallRecord
from elcano.subjects.research import reducers as research
from elcano.subjects.research.agents.judge import JudgeAssessment
from elcano.subjects.research.agents.thinking import KnowledgeGapOutput, ThinkingOutput
from elcano.subjects.research.agents.tool_selector import AgentSelectionPlan, AgentTask
from elcano.testing.script import make_passages
from tests.unit.graphs.samples import QUESTION


def found(*names: str, query: str = "q", warnings: tuple[str, ...] = ()) -> ItemOutcome:
    listed: list[Json] = list(warnings)
    output: dict[str, Json] = {
        "source": "library",
        "query": query,
        "evidence": make_passages(*names),
        "warnings": listed,
    }
    return ItemOutcome(index=0, output=output)


def added(state: ResearchState, *items: ItemOutcome) -> ResearchState:
    return reducers.add_evidence(state, ItemOutcomes(items=items))


def ids(state: ResearchState) -> list[str]:
    return [ref.id for ref in state.evidence]


def test_one_iteration_is_one_record() -> None:
    state = research.record_thought(QUESTION, ThinkingOutput(thought="hm"))
    state = research.record_gap(state, KnowledgeGapOutput(research_complete=False, outstanding_gaps=("g", "h")))
    plan = AgentSelectionPlan(tasks=(AgentTask(source="library", query="q"),))
    state = research.record_tool_calls(state, plan)
    assert state.conversation[0].tool_calls == (ToolCallRecord(source="library", query="q", pending=True),)
    state = added(state, found("a", "b"))
    verdict = JudgeAssessment(
        sufficient=False, confidence=0.5, recommendation="continue", reasoning="r", next_search_queries=("more",)
    )
    state = research.record_judgement(state, verdict)
    assert state.conversation == (
        IterationData(
            number=1,
            thought="hm",
            gap="g",
            gaps=("g", "h"),
            tool_calls=(ToolCallRecord(source="library", query="q", found=2, new=2, chosen=True),),
            findings=("doc:a", "doc:b"),
            judgement="r",
            suggested_queries=("more",),
        ),
    )
    assert reducers.running_iteration(state) == state.conversation[0]


def test_what_was_searched_before_stays_beside_what_is_about_to_be() -> None:
    state = added(QUESTION, found("a", query="first"))
    state = research.record_tool_calls(state, AgentSelectionPlan(tasks=(AgentTask(source="library", query="q"),)))
    assert [(call.query, call.pending) for call in state.conversation[0].tool_calls] == [("first", False), ("q", True)]
    state = added(state, found("b"), found(query="other"))
    calls = state.conversation[0].tool_calls
    assert [(call.query, call.new, call.pending) for call in calls] == [
        ("first", 1, False),
        ("q", 1, False),
        ("other", 0, False),
    ]
    assert state.conversation[0].findings == ("doc:a", "doc:b")


def test_the_next_iteration_begins_its_own_record() -> None:
    state = research.record_thought(QUESTION, ThinkingOutput(thought="one")).model_copy(update={"iteration": 2})
    assert reducers.running_iteration(state) == IterationData(number=2)
    state = research.record_thought(state, ThinkingOutput(thought="two"))
    assert [(turn.number, turn.thought) for turn in state.conversation] == [(1, "one"), (2, "two")]


def test_without_a_named_gap_the_question_is_the_gap() -> None:
    state = research.record_gap(QUESTION, KnowledgeGapOutput(research_complete=False))
    assert state.conversation[0].gap == QUESTION.question
    state = research.record_gap(QUESTION, KnowledgeGapOutput(research_complete=True, outstanding_gaps=("g",)))
    assert state.conversation[0].gap == ""


def test_each_passage_is_kept_once() -> None:
    state = added(QUESTION, found("a", "b", "a"), found("b", "c", query="r"))
    assert ids(state) == ["doc:a", "doc:b", "doc:c"]
    calls = state.conversation[0].tool_calls
    assert [(call.query, call.found, call.new) for call in calls] == [("q", 3, 2), ("r", 2, 1)]
    again = added(state, found("a"))
    assert again.evidence == state.evidence


def test_two_search_nodes_of_one_iteration_share_its_findings() -> None:
    state = added(added(QUESTION, found("a")), found("a", "b"))
    assert state.conversation[0].findings == ("doc:a", "doc:b")


def test_a_failed_search_is_a_warning_and_no_evidence() -> None:
    failed = ItemOutcome(index=1, input={"source": "library", "query": "r"}, error="gone", error_type="Gone")
    state = added(QUESTION, found("a", warnings=("x.pdf was skipped",)), failed, failed)
    assert ids(state) == ["doc:a"]
    assert state.warnings == ("x.pdf was skipped", "The search for 'r' in 'library' failed: gone")
    assert state.conversation[0].tool_calls[1] == ToolCallRecord(source="library", query="r", error="gone")


def test_no_search_at_all_changes_no_evidence() -> None:
    assert added(QUESTION).evidence == ()


def test_values_are_set_beside_the_others() -> None:
    state = reducers.set_values(QUESTION, reducers.Values(values={"a": 1, "b": 1}))
    state = reducers.set_values(state, reducers.Values(values={"b": [2]}))
    assert state.values == {"a": 1, "b": [2]}
    assert QUESTION.values == {}
