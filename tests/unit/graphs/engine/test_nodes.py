"""What each kind of node asks for and does: decisions, state nodes, tools, branches, and the ways between them."""

import pytest

from elcano.graphs.engine.entries import BranchStart, CallAgent, CallTool, RunBranches, StepFailed
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.frozen import Json
from elcano.graphs.rules import get_rules
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    DecisionNode,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
)
from elcano.graphs.spec.limits import AgentLimits
from elcano.graphs.state.branches import BranchInput
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import Ending
from elcano.testing.script import make_passages
from tests.unit.graphs.samples import (
    ON,
    asking,
    begun,
    completed,
    immediate,
    search_graph,
    two_nodes,
)
from tests.unit.graphs.strategies import LEAF


def routed(choose: str | None = None, **values: Json) -> str:
    """Where the decision `a` leads: to `one` and `two` by conditions, to `z` otherwise."""
    graph = two_nodes(
        nodes=(DecisionNode(id="a", choose=choose), asking("one"), asking("two"), asking("z", "writer")),
        edges=(
            ON,
            ConditionalEdge(from_node="a", to_node="one", when="values.one"),
            ConditionalEdge(from_node="a", to_node="two", when="values.two"),
            SequentialEdge(from_node="one", to_node="z"),
            SequentialEdge(from_node="two", to_node="z"),
        ),
    )
    run = begun(graph, values=values)
    entry = immediate(graph, run)
    after = advance_run(graph, run, entry)
    assert after.state == run.state
    return after.node


def test_conditions_are_tried_in_order_and_the_sequential_edge_is_last() -> None:
    assert routed() == "z"
    assert routed(one=True, two=True) == "one"
    assert routed(one=0, two="yes") == "two"
    assert routed(one=None, two=[]) == "z"


@pytest.mark.parametrize("elsewhere", ["a", "nowhere", None, 3, ["one"], {"one": 1}])
def test_a_choice_must_be_one_of_the_ways(elsewhere: Json) -> None:
    assert routed(choose="values.next", next="two", one=True) == "two"
    assert routed(choose="values.next", next=elsewhere, one=True) == "z"


def test_an_edge_can_end_the_research_early() -> None:
    graph = two_nodes(
        edges=(ON, ConditionalEdge(from_node="a", to_node="z", when="question", label="nothing new", ending="stalled"))
    )
    run = begun(graph)
    assert advance_run(graph, run, completed(run)).ending == Ending(kind="stalled", detail="nothing new")


def test_each_way_back_is_an_iteration_and_the_last_one_leads_to_the_exit() -> None:
    graph = two_nodes(edges=(ON, ConditionalEdge(from_node="a", to_node="a", when="question", loop=True)))
    run = begun(graph, limits=Limits(iterations=2))
    run = advance_run(graph, run, completed(run))
    assert (run.node, run.budget.iterations, run.state.iteration, run.ending) == ("a", 2, 2, None)
    run = advance_run(graph, run, completed(run))
    assert run.ending == Ending(kind="iterations", detail="all 2 iterations were used")
    assert (run.node, run.budget.iterations, run.state.iteration) == ("z", 2, 2)


def test_a_state_node_changes_the_state_without_work() -> None:
    note = StateNode(id="a", reducer="set_values", inputs={"values": "{asked: question, turn: iteration}"})
    graph = two_nodes(nodes=(note, asking("z", "writer")))
    run = begun(graph)
    after = advance_run(graph, run, immediate(graph, run))
    assert (after.state.values, after.step) == ({"asked": "What is it?", "turn": 1}, 2)


@pytest.mark.parametrize(
    ("items", "queries"),
    [(["x", "y"], ["x", "y"]), ([], []), (None, []), ("alone", ["alone"])],
)
def test_a_tool_runs_once_per_item(items: Json, queries: list[str]) -> None:
    graph = search_graph(for_each="values.items")
    command = next_command(graph, begun(graph, values={"items": items}), 0.0)
    assert isinstance(command, CallTool)
    assert command.for_each
    assert [given["query"] for given in command.inputs] == queries


def test_too_many_items_fail_the_node() -> None:
    graph = search_graph(for_each="values.items")
    entry = immediate(graph, begun(graph, values={"items": ["x"] * (get_rules().max_items + 1)}))
    assert isinstance(entry, StepFailed)
    assert "201 items; at most 200" in entry.failure.message


def test_a_single_tool_and_a_tool_for_each_share_a_reducer() -> None:
    output: Json = {"source": "library", "query": "q", "evidence": make_passages("a")}
    outcomes: Json = {"items": [{"index": 0, "output": output}]}
    for for_each, given in ((None, output), ("sources", outcomes)):
        graph = search_graph(for_each=for_each)
        run = begun(graph)
        after = advance_run(graph, run, completed(run, given))
        assert [ref.id for ref in after.state.evidence] == ["doc:a"]
        assert after.state.outputs["find"] == given


@pytest.mark.parametrize(
    ("for_each", "answer"), [(None, {"ok": True}), ("sources", {"items": [{"index": 0, "output": {"ok": True}}]})]
)
def test_an_answer_that_is_no_search_is_never_evidence(for_each: str | None, answer: Json) -> None:
    graph = search_graph(for_each=for_each)
    run = begun(graph)
    after = advance_run(graph, run, completed(run, answer))
    assert after.ending is not None
    assert (after.state, after.ending.kind) == (run.state, "node_failed")


def parallel(node: ParallelNode, **inputs: str) -> ResearchGraph:
    names = ("left", "right") if node.for_each is None else ("left",)
    edges = tuple(ParallelEdge(from_node="a", branch=name, inputs=inputs) for name in names)
    return two_nodes(nodes=(node, asking("z", "writer")), edges=(ON, *edges), branches=dict.fromkeys(names, LEAF))


def test_branches_by_edge() -> None:
    graph = parallel(ParallelNode(id="a"), question="question", title="'T'")
    command = next_command(graph, begun(graph), 0.0)
    given = BranchInput(question="What is it?", title="T")
    assert command == RunBranches(
        step=1,
        node="a",
        branches=(
            BranchStart(index=0, parallel_path_id="0001.left", branch="left", input=given),
            BranchStart(index=1, parallel_path_id="0001.right", branch="right", input=given),
        ),
    )


def test_branches_by_item() -> None:
    graph = parallel(ParallelNode(id="a", for_each="values.plan"), question="item.q", title="to_string(index)")
    command = next_command(graph, begun(graph, values={"plan": [{"q": "x"}, {"q": "y"}]}), 0.0)
    assert isinstance(command, RunBranches)
    assert [(one.parallel_path_id, one.input.question, one.input.title) for one in command.branches] == [
        ("0001.left-1", "x", "0"),
        ("0001.left-2", "y", "1"),
    ]
    entry = immediate(graph, begun(graph, values={"plan": [{"q": "x"}, {}]}))
    assert isinstance(entry, StepFailed)
    assert entry.failure.message == "question: Field required"


@pytest.mark.parametrize(
    ("most", "allowed", "own"),
    [(30_000, 30_000, 30_000), (85_000, 85_000, None), (10_000_000, None, None), (None, None, None)],
)
def test_a_call_may_use_what_the_run_has_left_and_no_more_than_its_node_allows(
    most: int | None, allowed: int | None, own: int | None
) -> None:
    limits = None if most is None else AgentLimits(tokens=most)
    graph = two_nodes(nodes=(asking("a", limits=limits), asking("z", "writer")))
    run = begun(graph)
    call = next_command(graph, run, 0.0)
    assert isinstance(call, CallAgent)
    left = run.budget.allowance(at_exit=False).tokens
    assert left == 85_000
    assert (call.allowance.tokens, call.own_tokens) == (allowed or left, own)
