"""Single steps of the engine: which command comes, which way is taken, what a failure does."""

from typing import Any

import pytest

from graphs.branches import BranchInput
from graphs.budget import Limits, Usage
from graphs.commands import (
    BranchStart,
    CallAgent,
    CallTool,
    Diverted,
    Entry,
    Finish,
    Immediate,
    RunBranches,
    StepCompleted,
    StepFailed,
)
from graphs.engine import MAX_ITEMS, Run, advance, next_command, route, start, view
from graphs.errors import EngineFault
from graphs.frozen import Json
from graphs.spec import (
    ConditionalEdge,
    DecisionNode,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from graphs.state import Ending, Failure
from graphs.validation import require_valid
from tests.script import passages
from tests.unit.graphs.samples import QUESTION, asking, search_graph, two_nodes
from tests.unit.graphs.strategies import LEAF

ON = SequentialEdge(from_node="a", to_node="z")
DRAFT: Json = {"artifact": "x", "title": "T", "answered": True, "claims": 1, "cited": 1}


def begun(graph: ResearchGraph, *, limits: Limits | None = None, **state: Any) -> Run:
    require_valid(graph)
    return start(graph, QUESTION.model_copy(update=state), limits or Limits())


def completed(run: Run, output: Json = None, **fields: Any) -> StepCompleted:
    return StepCompleted(step=run.step, node=run.node, at=0.0, output=output, **fields)


def failed(run: Run, *, fatal: bool = False) -> StepFailed:
    failure = Failure(node=run.node, type="Gone", message="no", fatal=fatal)
    return StepFailed(step=run.step, node=run.node, at=0.0, failure=failure, usage=Usage(requests=1))


def immediate(graph: ResearchGraph, run: Run, elapsed: float = 0.0) -> Entry:
    command = next_command(graph, run, elapsed)
    assert isinstance(command, Immediate)
    return command.entry


def test_a_run_from_entry_to_exit() -> None:
    graph = two_nodes()
    run = begun(graph)
    assert (run.node, run.step, run.budget.iterations) == ("a", 1, 1)
    command = next_command(graph, run, 0.0)
    assert isinstance(command, CallAgent)
    assert (command.step, command.node, command.agent, command.input["question"]) == (1, "a", "thinking", "What is it?")
    run = advance(graph, run, completed(run, {"thought": "hm"}, usage=Usage(requests=1, input_tokens=7)))
    assert (run.node, run.step, run.budget.used.tokens) == ("z", 2, 7)
    assert run.state.outputs == {"a": {"thought": "hm"}}
    assert not run.finished
    run = advance(graph, run, completed(run, DRAFT))
    assert (run.finished, run.ending, run.failure) == (True, None, None)
    assert next_command(graph, run, 9.0) == Finish()


def test_null_counts_as_not_given() -> None:
    given = {"question": "question", "background": "values.nothing", "iteration": "outputs.z"}
    graph = two_nodes(nodes=(asking("a", inputs=given), asking("z", "writer")))
    command = next_command(graph, begun(graph), 0.0)
    assert isinstance(command, CallAgent)
    assert (command.input["background"], command.input["iteration"]) == ("", 1)


def test_an_estimate_counts_prompt_evidence_and_answer() -> None:
    graph = two_nodes(
        nodes=(asking("a", inputs={"question": "question", "evidence": "evidence[].id"}), asking("z", "writer"))
    )
    plain = next_command(graph, begun(graph), 0.0)
    searched = search_graph(for_each=None)
    run = begun(searched)
    output: Json = {"source": "library", "query": "q", "evidence": passages("a", "b")}
    with_evidence = begun(graph).model_copy(update={"state": advance(searched, run, completed(run, output)).state})
    laden = next_command(graph, with_evidence, 0.0)
    assert isinstance(plain, CallAgent)
    assert isinstance(laden, CallAgent)
    assert laden.estimate.tokens - plain.estimate.tokens == 2 * 400 // 4
    used = Usage(input_tokens=1_000, cost_microusd=2_000)
    charged = begun(graph).model_copy(update={"budget": begun(graph).budget.charge(used)})
    priced = next_command(graph, charged, 0.0)
    assert isinstance(priced, CallAgent)
    assert priced.estimate.cost_microusd == 2 * priced.estimate.tokens


def test_an_input_that_does_not_fit_fails_the_node() -> None:
    graph = two_nodes(nodes=(asking("a", inputs={"question": "sources"}), asking("z", "writer")))
    run = begun(graph)
    entry = immediate(graph, run, 3.0)
    assert isinstance(entry, StepFailed)
    assert (entry.failure.type, entry.at) == ("InputInvalid", 3.0)
    assert entry.failure.message.startswith("question: ")
    run = advance(graph, run, entry)
    assert run.ending is not None
    assert (run.node, run.ending.kind) == ("z", "node_failed")


def test_the_last_step_is_left_to_the_exit_even_by_an_input_that_does_not_fit() -> None:
    nodes = (asking("a"), asking("b", inputs={"question": "sources"}), asking("z", "writer"))
    edges = (SequentialEdge(from_node="a", to_node="b"), SequentialEdge(from_node="b", to_node="z"))
    graph = two_nodes(nodes=nodes, edges=edges)
    run = begun(graph, limits=Limits(steps=2))
    run = advance(graph, run, completed(run))
    entry = immediate(graph, run)
    assert isinstance(entry, Diverted)
    assert entry.ending.kind == "steps"


def test_an_output_that_its_reducer_refuses_leaves_the_state() -> None:
    graph = two_nodes(nodes=(asking("a", reducer="record_thought"), asking("z", "writer")))
    run = begun(graph)
    after = advance(graph, run, completed(run, {"thoughts": []}, usage=Usage(requests=1)))
    assert after.state == run.state
    assert after.ending is not None
    assert (after.node, after.ending.kind, after.step, after.budget.used.requests) == ("z", "node_failed", 2, 1)


def test_a_failure_goes_to_the_exit_a_fatal_one_ends_the_run() -> None:
    graph = two_nodes()
    run = begun(graph)
    after = advance(graph, run, failed(run))
    assert after.ending == Ending(kind="node_failed", detail="a failed: no")
    assert (after.node, after.finished, after.state, after.budget.used.requests) == ("z", False, run.state, 1)
    fatal = advance(graph, run, failed(run, fatal=True))
    assert fatal.failure is not None
    assert (fatal.finished, fatal.failure.fatal, fatal.node) == (True, True, "a")
    at_exit = advance(graph, after, failed(after))
    assert at_exit.failure is not None
    assert (at_exit.finished, at_exit.failure.node, at_exit.ending) == (True, "z", after.ending)


def test_a_diversion_goes_to_the_first_exit_and_there_ends_the_run() -> None:
    graph = two_nodes(
        nodes=(asking("a"), asking("z", "writer"), asking("y", "writer")),
        edges=(ON, ConditionalEdge(from_node="a", to_node="y", when="question")),
        exit_nodes=("y", "z"),
    )
    stop = Diverted(at=1.0, ending=Ending(kind="stopped", detail="enough"))
    run = advance(graph, begun(graph), stop)
    assert (run.node, run.step, run.ending, run.finished) == ("y", 1, stop.ending, False)
    again = advance(graph, run, Diverted(at=2.0, ending=Ending(kind="time")))
    assert (again.finished, again.ending) == (True, stop.ending)


@pytest.mark.parametrize(
    ("limits", "used", "elapsed", "kind"),
    [
        (Limits(seconds=10), Usage(), 8.5, "time"),
        (Limits(tokens=2_000), Usage(input_tokens=1_500), 0.0, "tokens"),
        (Limits(cost_microusd=100), Usage(input_tokens=100, cost_microusd=90), 0.0, "cost"),
    ],
)
def test_a_spent_budget_diverts_before_the_call_but_not_from_the_exit(
    limits: Limits, used: Usage, elapsed: float, kind: str
) -> None:
    graph = two_nodes()
    run = begun(graph, limits=limits)
    run = run.model_copy(update={"budget": run.budget.charge(used)})
    entry = immediate(graph, run, elapsed)
    assert isinstance(entry, Diverted)
    assert entry.ending.kind == kind
    assert isinstance(next_command(graph, advance(graph, run, entry), elapsed + 1_000), CallAgent)


def test_the_clock_that_jumps_back_is_not_believed() -> None:
    graph = two_nodes()
    run = begun(graph)
    run = advance(graph, run, StepCompleted(step=1, node="a", at=50.0))
    command = next_command(graph, run, 10.0)
    assert isinstance(command, CallAgent)
    assert advance(graph, run, StepCompleted(step=2, node="z", at=10.0)).budget.elapsed == 50.0


@pytest.mark.parametrize(("step", "node"), [(2, "a"), (0, "a"), (1, "z"), (1, "nowhere")])
def test_an_entry_of_another_place_is_a_bug(step: int, node: str) -> None:
    graph = two_nodes()
    with pytest.raises(EngineFault, match="step 1 is at 'a'"):
        advance(graph, begun(graph), StepCompleted(step=step, node=node, at=0.0))


def test_a_finished_run_takes_no_entry() -> None:
    graph = two_nodes()
    run = begun(graph).model_copy(update={"finished": True})
    with pytest.raises(EngineFault, match="finished"):
        advance(graph, run, completed(run))


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
    after = advance(graph, run, entry)
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
    assert advance(graph, run, completed(run)).ending == Ending(kind="stalled", detail="nothing new")


def test_each_way_back_is_an_iteration_and_the_last_one_leads_to_the_exit() -> None:
    graph = two_nodes(edges=(ON, ConditionalEdge(from_node="a", to_node="a", when="question", loop=True)))
    run = begun(graph, limits=Limits(iterations=2))
    run = advance(graph, run, completed(run))
    assert (run.node, run.budget.iterations, run.state.iteration, run.ending) == ("a", 2, 2, None)
    run = advance(graph, run, completed(run))
    assert run.ending == Ending(kind="iterations", detail="all 2 iterations were used")
    assert (run.node, run.budget.iterations, run.state.iteration) == ("z", 2, 2)


def test_a_state_node_changes_the_state_without_work() -> None:
    note = StateNode(id="a", reducer="set_values", inputs={"values": "{asked: question, turn: iteration}"})
    graph = two_nodes(nodes=(note, asking("z", "writer")))
    run = begun(graph)
    after = advance(graph, run, immediate(graph, run))
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
    entry = immediate(graph, begun(graph, values={"items": ["x"] * (MAX_ITEMS + 1)}))
    assert isinstance(entry, StepFailed)
    assert "201 items; at most 200" in entry.failure.message


def test_a_single_tool_and_a_tool_for_each_share_a_reducer() -> None:
    output: Json = {"source": "library", "query": "q", "evidence": passages("a")}
    outcomes: Json = {"items": [{"index": 0, "output": output}]}
    for for_each, given in ((None, output), ("sources", outcomes)):
        graph = search_graph(for_each=for_each)
        run = begun(graph)
        after = advance(graph, run, completed(run, given))
        assert [ref.id for ref in after.state.evidence] == ["doc:a"]
        assert after.state.outputs["find"] == given


def test_an_answer_that_is_no_search_is_never_evidence() -> None:
    graph = two_nodes(nodes=(ToolNode(id="a", tool="noop", reducer="add_evidence"), asking("z", "writer")))
    run = begun(graph)
    after = advance(graph, run, completed(run, {"ok": True}))
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


def test_the_view_has_every_field_and_the_budget() -> None:
    seen = view(begun(two_nodes()))
    assert set(seen) == {*type(QUESTION).model_fields, "budget"}


def test_a_graph_without_a_way_on_was_not_validated() -> None:
    graph = two_nodes(edges=())
    with pytest.raises(EngineFault, match="not validated"):
        route(graph, start(graph, QUESTION, Limits()))
