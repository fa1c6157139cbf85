"""What a run tells: each event once, with its figures, its step and its time."""

import pytest

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.engine.entries import (
    BranchStart,
    CallAgent,
    CallTool,
    Diverted,
    Entry,
    Finish,
    Held,
    RunBranches,
    StepCompleted,
    StepFailed,
)
from elcano.graphs.engine.run import build_initial_run
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle.event_texts import MESSAGE_CHARACTERS, narrate_plan_cut, of_branches
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.narration import narrate_command
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ConditionalEdge, ParallelNode, ResearchGraph, SequentialEdge
from elcano.graphs.state.branches import BranchInput, BranchOutcomes
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.events import TERMINAL, AgentEvent, EventType
from elcano.graphs.state.failures import Ending, Failure, FailureType, Hold
from elcano.testing.script import make_passages
from tests.unit.graphs.samples import QUESTION, asking, search_graph, searching_branch, two_nodes, two_searches
from tests.unit.graphs.strategies import ANSWERS

SEARCHED: JsonObject = {"source": "library", "query": "q", "evidence": make_passages("a", "b")}


def begun(graph: ResearchGraph, limits: Limits | None = None) -> Journal:
    return Journal.begin(graph, build_initial_run(graph, QUESTION, limits or Limits()), mode="sample", now=100.0)


def told(journal: Journal, entry: Entry) -> list[AgentEvent]:
    known = len(journal.events)
    journal.record(entry, 100.0 + entry.at)
    return journal.events[known:]


def texts(events: list[AgentEvent]) -> list[tuple[EventType, str]]:
    return [(event.type, event.message) for event in events]


def test_a_story_from_beginning_to_end() -> None:
    journal = begun(two_nodes())
    journal.next(101.0)
    journal.record(
        StepCompleted(step=1, node="a", at=5.0, output={"thought": "hm"}, usage=Usage(input_tokens=7), model="m"),
        105.0,
    )
    journal.next(106.0)
    journal.record(StepCompleted(step=2, node="z", at=9.0, output=ANSWERS["writer"]), 109.0)
    assert isinstance(journal.next(110.0), Finish)
    rows = [(event.seq, event.type, event.message, event.at, event.step, event.node) for event in journal.events]
    assert rows == [
        (1, "started", "Research started: What is it?", 100.0, 1, ""),
        (2, "thinking", "A: reading no passage to see where to look, iteration 1", 101.0, 1, "a"),
        (3, "thinking", "Thought: hm", 105.0, 1, "a"),
        (4, "synthesizing", "Z: writing a report from no passage", 106.0, 2, "z"),
        (5, "synthesizing", "Drafted: T (1 claim from 1 passage)", 109.0, 2, "z"),
    ]
    assert journal.events[0].data == {"mode": "sample"}
    assert journal.events[2].data == {"tokens": 7, "model": "m"}
    assert [entry.step for entry in journal.entries if isinstance(entry, StepCompleted)] == [1, 2]
    assert not {event.type for event in journal.events} & TERMINAL


@pytest.mark.parametrize(
    ("agent", "output", "text", "data"),
    [
        (
            "knowledge_gap",
            {"research_complete": False, "outstanding_gaps": ["g", "h"]},
            "Missing: g; h",
            {"complete": False, "gaps": ["g", "h"]},
        ),
        ("knowledge_gap", {"research_complete": True}, "No gap is left to search for", {"complete": True, "gaps": []}),
        (
            "tool_selector",
            {"tasks": [{"source": "s", "query": "q"}, {"source": "s", "query": "r"}]},
            "2 searches chosen",
            {"queries": ["q", "r"]},
        ),
        ("tool_selector", {"tasks": []}, "No search left to make", {"queries": []}),
    ],
)
def test_outputs_in_a_sentence(agent: str, output: JsonObject, text: str, data: JsonObject) -> None:
    journal = begun(two_nodes(nodes=(asking("a", agent), asking("z", "writer"))))
    (event,) = told(journal, StepCompleted(step=1, node="a", at=0.0, output=output))
    assert (event.message, event.data) == (text, data)


@pytest.mark.parametrize("output", [None, 3, "text", [], {}, {"tasks": 3, "items": "x", "outstanding_gaps": {}}])
@pytest.mark.parametrize("agent", ["thinking", "knowledge_gap", "tool_selector", "judge", "writer"])
def test_any_output_can_be_told(agent: str, output: Json) -> None:
    journal = begun(two_nodes(nodes=(asking("a", agent), asking("z", "writer"))))
    events = told(journal, StepCompleted(step=1, node="a", at=0.0, output=output))
    if output is None or (agent, output) == ("tool_selector", {}):
        assert [event.type for event in events] == [AGENTS[agent].completes]
    else:
        assert [event.type for event in events] == ["error", "ending_early"]
        assert journal.run.state.outputs == {}


@pytest.mark.parametrize(
    ("error_type", "message"),
    [
        (FailureType.PROVIDER, "Find: continues without shelf after 1 failed attempt"),
        (FailureType.SOURCE_REFUSED, "Find: answered after 1 failed attempt"),
        ("", "Find: answered after 1 failed attempt"),
    ],
)
def test_a_source_that_was_given_up_is_not_said_to_have_answered(error_type: str, message: str) -> None:
    journal = begun(search_graph(for_each="sources"))
    hold = Hold(reason="provider", node="find", type="Down", detail="503", tries=1, since=100.0, until=102.0)
    told(journal, Held(step=1, node="find", at=0.0, hold=hold))
    failed: JsonObject = {"index": 1, "input": {"source": "shelf"}, "error": "down", "error_type": error_type}
    answered: JsonObject = {"index": 0, "input": {"source": "library"}, "output": SEARCHED}
    items: JsonObject = {"items": [answered, failed if error_type else answered]}
    event, *_ = told(journal, StepCompleted(step=1, node="find", at=2.0, output=items))
    assert (event.type, event.message) == ("hold_cleared", message)


def test_searches_are_counted_with_those_that_failed() -> None:
    items: JsonObject = {
        "items": [{"index": 0, "output": SEARCHED}, {"index": 1, "input": {"query": "r"}, "error": "gone"}]
    }
    journal = begun(search_graph(for_each="sources"))
    (event,) = told(journal, StepCompleted(step=1, node="find", at=0.0, output=items))
    assert event.type == "search_complete"
    assert event.message == "2 passages from 2 searches, 1 of them failed"
    assert event.data == {"passages": 2, "searches": 2, "failed": 1}
    items["items"] = [{"index": n, "input": {"source": one}, "error": "gone"} for n, one in enumerate(("b", "a", "b"))]
    (event,) = told(begun(search_graph(for_each="sources")), StepCompleted(step=1, node="find", at=0.0, output=items))
    assert event.message == "0 passages from 3 searches, 3 of them failed (b, a)"
    (single,) = told(begun(search_graph(for_each=None)), StepCompleted(step=1, node="find", at=0.0, output=SEARCHED))
    assert single.message == "2 passages from 1 search"


def test_work_names_its_queries_and_sections() -> None:
    (searching,) = narrate_command(
        two_nodes(), CallTool(step=1, node="find_it", tool="search", inputs=({"query": "q"}, {"query": "r"}))
    )
    assert (searching.message, searching.data) == ("Find it: q · r", {"queries": ["q", "r"]})
    (idle,) = narrate_command(two_nodes(), CallTool(step=1, node="wait", tool="noop", inputs=({},)))
    assert idle.message == "Wait: Does nothing, durably: for measuring and for trying a graph out."
    branches = tuple(
        BranchStart(index=index, parallel_path_id=str(index), branch="b", input=BranchInput(question="q?", title=title))
        for index, title in enumerate(("T", ""))
    )
    branch = searching_branch("b")
    for graph, node, message in (
        (MODES["deep"], "parallel_loops", "Researching 2 sections side by side"),
        (MODES["hierarchical"], "teams", "Researching 2 sections side by side"),
        (MODES["data"], "parallel_paths", "Parts of the question: 2 branches"),
        (two_searches(branch, branch), "split", "Split: 2 branches"),
    ):
        (parallel,) = narrate_command(graph, RunBranches(step=1, node=node, branches=branches))
        assert (parallel.message, parallel.data) == (message, {"sections": ["T", "q?"]})


def test_a_failure_is_an_error_and_then_the_way_out() -> None:
    failure = Failure(node="a", type="Gone", message="no", attempts=3)
    events = told(begun(two_nodes()), StepFailed(step=1, node="a", at=1.0, failure=failure))
    assert texts(events) == [("error", "A failed: no"), ("ending_early", "Going to the report now: a failed: no")]
    assert events[0].data == {"type": "Gone", "attempts": 3}
    assert events[1].data == {"reason": "node_failed"}


def test_every_event_calls_a_node_by_its_name_for_people() -> None:
    edge = SequentialEdge(from_node="hand_in", to_node="z")
    graph = two_nodes(nodes=(asking("hand_in"), asking("z", "writer")), edges=(edge,), entry_node="hand_in")
    failure = Failure(node="hand_in", type="Gone", message="no", attempts=3)
    assert told(begun(graph), StepFailed(step=1, node="hand_in", at=1.0, failure=failure))[0].message == (
        "Hand in failed: no"
    )
    journal = begun(graph)
    (held,) = told(
        journal,
        Held(step=1, node="hand_in", hold=Hold(reason="provider", node="hand_in", detail="HTTP 503", tries=1), at=1.0),
    )
    assert held.message.startswith("Hand in: ")


@pytest.mark.parametrize(("for_each", "word"), [("plan", "sections"), ("values.products", "branches")])
def test_only_branches_of_a_plan_are_called_sections(for_each: str, word: str) -> None:
    node = ParallelNode(id="teams", for_each=for_each)
    counted, figures = of_branches(node, BranchOutcomes())
    assert (counted, figures["sections"]) == (f"0 {word}: none", 0)
    assert narrate_plan_cut(node, 2, 4).message == f"The budget allows 2 of 4 {word}; the others are left out"


def test_a_refused_answer_is_not_told_as_done() -> None:
    graph = two_nodes(nodes=(asking("a", reducer="record_thought"), asking("z", "writer")))
    events = told(begun(graph), StepCompleted(step=1, node="a", at=1.0, output={"thoughts": "hm"}))
    assert [event.type for event in events] == ["error", "ending_early"]


def test_a_failing_exit_is_one_error() -> None:
    journal = begun(two_nodes(nodes=(asking("a"), asking("z", "thinking", reducer="record_thought"))))
    journal.record(StepCompleted(step=1, node="a", at=0.0), 100.0)
    (event,) = told(journal, StepCompleted(step=2, node="z", at=0.0, output={}))
    assert (event.type, event.message) == ("error", "Z failed: thought: Field required")
    assert journal.leaving


def test_a_diversion_says_why() -> None:
    journal = begun(two_nodes())
    assert not journal.leaving
    (event,) = told(journal, Diverted(at=1.0, ending=Ending(kind="stopped", detail="enough")))
    assert (event.type, event.message) == ("ending_early", "Going to the report now: enough")
    assert journal.leaving


def test_each_turn_is_told_until_none_is_left() -> None:
    ways = (
        SequentialEdge(from_node="a", to_node="z"),
        ConditionalEdge(from_node="a", to_node="a", when="question", loop=True, label="a"),  # said by its node already
    )
    journal = begun(two_nodes(edges=ways), Limits(iterations=2))
    first = told(journal, StepCompleted(step=1, node="a", at=0.0, output={"thought": "one"}))
    assert texts(first) == [
        ("thinking", "Thought: one"),
        ("routed", "A → A"),
        ("looping", "Iteration 2 of at most 2"),
    ]
    second = told(journal, StepCompleted(step=2, node="a", at=0.0, output={"thought": "two"}))
    assert texts(second)[1:] == [("ending_early", "Going to the report now: all 2 iterations were used")]
    assert [event.iteration for event in (*first, *second)] == [2, 2, 2, 2, 2]


def test_long_texts_are_cut_in_events_only() -> None:
    journal = begun(two_nodes())
    (event,) = told(journal, StepCompleted(step=1, node="a", at=0.0, output={"thought": "x" * 4_000}))
    assert len(event.message) == MESSAGE_CHARACTERS
    assert event.message.endswith("…")
    assert journal.run.state.outputs["a"] == {"thought": "x" * 4_000}


def test_decisions_take_no_time_and_tell_where_they_lead() -> None:
    journal = begun(MODES["iterative"])
    journal.record(StepCompleted(step=1, node="first_search", at=0.0, output={"items": []}), 100.0)
    journal.record(StepCompleted(step=2, node="thinking", at=0.0, output=ANSWERS["thinking"]), 100.0)
    journal.record(StepCompleted(step=3, node="knowledge_gap", at=0.0, output=ANSWERS["knowledge_gap"]), 100.0)
    known = len(journal.events)
    work = journal.next(100.0)
    assert isinstance(work, CallAgent)
    assert (work.step, work.node) == (5, "tool_selector")
    decided, begins = journal.events[known:]
    assert (decided.type, decided.message) == ("routed", "Complete → Tool selector (gaps remain)")
    assert (decided.node, decided.step, decided.data) == ("complete", 4, {"to": "tool_selector", "by": "default"})
    assert (begins.node, begins.type) == ("tool_selector", "thinking")
    assert len(journal.entries) == 4
