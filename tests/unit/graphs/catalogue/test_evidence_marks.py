"""Marks of repetitions: new evidence never hides older evidence, and of copies one is always shown."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.builder import PASSAGES
from elcano.graphs.catalogue import reducers
from elcano.graphs.catalogue.reducers import collect_drafts
from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes, SearchOutput
from elcano.graphs.engine.run import has_stalled
from elcano.graphs.mode_choice import MODES
from elcano.graphs.rules import get_rules
from elcano.graphs.spec.graph import AgentNode
from elcano.graphs.state.branches import BranchOutcome, BranchOutcomes
from elcano.graphs.state.state import EvidenceRef, ResearchState
from tests.unit.graphs.samples import QUESTION


def ref(name: str, duplicate_of: str | None = None) -> EvidenceRef:
    return EvidenceRef(
        id=name,
        source="library",
        title=name,
        locator=name,
        excerpt="",
        characters=9,
        document=name,
        duplicate_of=duplicate_of,
    )


def searched(state: ResearchState, *searches: tuple[EvidenceRef, ...]) -> ResearchState:
    outputs = (SearchOutput(source="library", query=f"q{at}", evidence=found) for at, found in enumerate(searches))
    items = (ItemOutcome(index=at, output=output.model_dump(mode="json")) for at, output in enumerate(outputs))
    return reducers.add_evidence(state, ItemOutcomes(items=tuple(items)))


def marks(state: ResearchState) -> dict[str, str | None]:
    return {one.id: one.duplicate_of for one in state.evidence}


def test_a_repetition_is_kept_but_neither_shown_nor_a_finding() -> None:
    state = searched(searched(QUESTION, (ref("a"),)), (ref("b", "a"), ref("c")))
    assert marks(state) == {"a": None, "b": "a", "c": None}
    assert state.distinct_evidence == ("a", "c")
    assert state.conversation[0].findings == ("a", "c")
    first, second = state.conversation[0].tool_calls
    assert [(call.found, call.new) for call in (first, second)] == [(1, 1), (2, 1)]


def test_findings_stay_in_step_with_the_searches_that_made_them() -> None:
    state = searched(QUESTION, (ref("a"), ref("b", "a")), (ref("c"), ref("a"), ref("d", "a")), (ref("e"),))
    assert state.conversation[0].findings == ("a", "c", "e")
    assert [call.new for call in state.conversation[0].tool_calls] == [1, 1, 1]


def test_an_original_that_a_later_search_of_the_node_brought_counts() -> None:
    assert marks(searched(QUESTION, (ref("b", "a"),), (ref("a"),))) == {"b": "a", "a": None}


def test_a_repetition_of_what_is_not_here_is_shown() -> None:
    state = searched(QUESTION, (ref("b", "lost"), ref("c", "b")))
    assert state.distinct_evidence == ("b", "c")


def test_two_that_name_each_other_are_both_shown() -> None:
    assert searched(QUESTION, (ref("a", "b"), ref("b", "a"))).distinct_evidence == ("a", "b")


def test_what_was_shown_once_is_not_hidden_by_a_later_search() -> None:
    state = searched(searched(QUESTION, (ref("a"),)), (ref("b"), ref("a", "b")))
    assert marks(state) == {"a": None, "b": None}


def test_iterations_that_find_only_repetitions_are_a_stall() -> None:
    state = searched(QUESTION, (ref("a"),))
    for number in (2, 3):
        state = searched(state.model_copy(update={"iteration": number}), (ref(f"copy{number}", "a"),))
    assert has_stalled(state, get_rules())
    assert len(state.evidence) == 3


def test_branches_are_merged_with_all_that_they_cite() -> None:
    def branch(index: int, *evidence: EvidenceRef) -> BranchOutcome:
        return BranchOutcome(index=index, parallel_path_id=str(index), title="t", question="q", evidence=evidence)

    state = QUESTION.with_evidence([ref("s")])
    merged = collect_drafts(state, BranchOutcomes(branches=(branch(0, ref("a"), ref("s")), branch(1, ref("b", "x")))))
    assert marks(merged) == {"s": None, "a": None, "b": None}
    assert [section.evidence for section in merged.sections] == [("a", "s"), ("b",)]


def test_agents_of_the_built_in_loops_are_shown_what_is_distinct_and_syntheses_what_drafts_cite() -> None:
    given = {
        (graph.name, node.agent): node.inputs["evidence"]
        for mode in MODES.values()
        for graph in (mode, *mode.branches.values())
        for node in graph.nodes
        if isinstance(node, AgentNode) and "evidence" in node.inputs
    }
    for (graph, agent), expression in given.items():
        joins_drafts = agent in ("long_writer", "proofreader")
        distinct = {"evidence[?!duplicate_of].id"} if graph != "data" else {PASSAGES}
        if graph == "auto":  # one of its ways is that of `data`
            distinct.add(PASSAGES)
        assert expression in ({"evidence[].id"} if joins_drafts else distinct), (graph, agent)
    assert {"planner", "writer", "long_writer"} <= {agent for _, agent in given}


NAMES = st.sampled_from("abcdef")
REFS = st.builds(ref, NAMES, st.none() | NAMES)


@given(st.lists(st.lists(st.lists(REFS, max_size=4).map(tuple), max_size=3), max_size=5))
def test_whatever_searches_say_nothing_vanishes(nodes: list[list[tuple[EvidenceRef, ...]]]) -> None:
    states = [QUESTION]
    for searches in nodes:
        states.append(searched(states[-1], *searches))
    found = {one.id for searches in nodes for search in searches for one in search}
    assert set(marks(states[-1])) == found
    for before, after in itertools.pairwise(states):
        assert after.evidence[: len(before.evidence)] == before.evidence
        shown = set(after.distinct_evidence)
        assert shown >= set(before.distinct_evidence)
        assert all(one.duplicate_of is None or one.duplicate_of in shown for one in after.evidence)
