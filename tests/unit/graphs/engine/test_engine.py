"""Single steps of the engine: which command comes, which way is taken, what a failure does."""

import pytest

from elcano.graphs.engine.entries import CallAgent, Diverted, Finish, StepAbandoned, StepCompleted, StepFailed
from elcano.graphs.engine.inputs import ExpressionReader
from elcano.graphs.engine.routing import route_after_success
from elcano.graphs.engine.run import VIEW_NAMES, build_expression_view, build_initial_run
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.errors import EngineFault
from elcano.graphs.frozen import Json
from elcano.graphs.spec.graph import ConditionalEdge, DecisionNode, SequentialEdge
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import Ending
from elcano.graphs.state.state import IterationData, ToolCallRecord
from elcano.testing.script import make_passages
from tests.unit.graphs.samples import (
    QUESTION,
    asking,
    begun,
    completed,
    failed,
    immediate,
    search_graph,
    two_nodes,
)

ON = SequentialEdge(from_node="a", to_node="z")
DRAFT: Json = {"artifact": "x", "title": "T", "answered": True, "claims": 1, "cited": 1}


def test_a_run_from_entry_to_exit() -> None:
    graph = two_nodes()
    run = begun(graph)
    assert (run.node, run.step, run.budget.iterations) == ("a", 1, 1)
    command = next_command(graph, run, 0.0)
    assert isinstance(command, CallAgent)
    assert (command.step, command.node, command.agent, command.input["question"]) == (1, "a", "thinking", "What is it?")
    run = advance_run(graph, run, completed(run, {"thought": "hm"}, usage=Usage(requests=1, input_tokens=7)))
    assert (run.node, run.step, run.budget.used.tokens) == ("z", 2, 7)
    assert run.state.outputs == {"a": {"thought": "hm"}}
    assert not run.finished
    run = advance_run(graph, run, completed(run, DRAFT))
    assert (run.finished, run.ending, run.failure) == (True, None, None)
    assert next_command(graph, run, 9.0) == Finish()


def test_null_counts_as_not_given() -> None:
    given = {"question": "question", "background": "values.nothing", "iteration": "outputs.a"}
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
    output: Json = {"source": "library", "query": "q", "evidence": make_passages("a", "b")}
    with_evidence = begun(graph).model_copy(update={"state": advance_run(searched, run, completed(run, output)).state})
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
    run = advance_run(graph, run, entry)
    assert run.ending is not None
    assert (run.node, run.ending.kind) == ("z", "node_failed")


def test_the_last_step_is_left_to_the_exit_even_by_an_input_that_does_not_fit() -> None:
    nodes = (asking("a"), asking("b", inputs={"question": "sources"}), asking("z", "writer"))
    edges = (SequentialEdge(from_node="a", to_node="b"), SequentialEdge(from_node="b", to_node="z"))
    graph = two_nodes(nodes=nodes, edges=edges)
    run = begun(graph, limits=Limits(steps=2))
    run = advance_run(graph, run, completed(run))
    entry = immediate(graph, run)
    assert isinstance(entry, Diverted)
    assert entry.ending.kind == "steps"


def test_an_output_that_its_reducer_refuses_leaves_the_state() -> None:
    graph = two_nodes(nodes=(asking("a", reducer="record_thought"), asking("z", "writer")))
    run = begun(graph)
    after = advance_run(graph, run, completed(run, {"thoughts": []}, usage=Usage(requests=1)))
    assert after.state == run.state
    assert after.ending is not None
    assert (after.node, after.ending.kind, after.step, after.budget.used.requests) == ("z", "node_failed", 2, 1)


def test_a_failure_goes_to_the_exit_a_fatal_one_ends_the_run() -> None:
    graph = two_nodes()
    run = begun(graph)
    after = advance_run(graph, run, failed(run))
    assert after.ending == Ending(kind="node_failed", detail="a failed: no", type="Gone")
    assert (after.node, after.finished, after.state, after.budget.used.requests) == ("z", False, run.state, 1)
    fatal = advance_run(graph, run, failed(run, fatal=True))
    assert fatal.failure is not None
    assert (fatal.finished, fatal.failure.fatal, fatal.node) == (True, True, "a")
    at_exit = advance_run(graph, after, failed(after))
    assert at_exit.failure is not None
    assert (at_exit.finished, at_exit.failure.node, at_exit.ending) == (True, "z", after.ending)


def test_a_diversion_goes_to_the_first_exit_and_there_ends_the_run() -> None:
    graph = two_nodes(
        nodes=(asking("a"), asking("z", "writer"), asking("y", "writer")),
        edges=(ON, ConditionalEdge(from_node="a", to_node="y", when="question")),
        exit_nodes=("y", "z"),
    )
    stop = Diverted(at=1.0, ending=Ending(kind="stopped", detail="enough"))
    run = advance_run(graph, begun(graph), stop)
    assert (run.node, run.step, run.ending, run.finished) == ("y", 1, stop.ending, False)
    again = advance_run(graph, run, Diverted(at=2.0, ending=Ending(kind="time")))
    assert (again.finished, again.ending) == (False, stop.ending)
    again = advance_run(graph, run, StepAbandoned(step=1, node="y", at=2.0, ending=Ending(kind="time")))
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
    assert isinstance(next_command(graph, advance_run(graph, run, entry), elapsed + 1_000), CallAgent)


def test_the_clock_that_jumps_back_is_not_believed() -> None:
    graph = two_nodes()
    run = begun(graph)
    run = advance_run(graph, run, StepCompleted(step=1, node="a", at=50.0))
    command = next_command(graph, run, 10.0)
    assert isinstance(command, CallAgent)
    assert advance_run(graph, run, StepCompleted(step=2, node="z", at=10.0)).budget.elapsed == 50.0


@pytest.mark.parametrize(("step", "node"), [(2, "a"), (0, "a"), (1, "z"), (1, "nowhere")])
def test_an_entry_of_another_place_is_a_bug(step: int, node: str) -> None:
    graph = two_nodes()
    with pytest.raises(EngineFault, match="step 1 is at 'a'"):
        advance_run(graph, begun(graph), StepCompleted(step=step, node=node, at=0.0))


def test_a_finished_run_takes_no_entry() -> None:
    graph = two_nodes()
    run = begun(graph).model_copy(update={"finished": True})
    with pytest.raises(EngineFault, match="finished"):
        advance_run(graph, run, completed(run))


def test_the_view_has_every_field_and_the_budget() -> None:
    found = build_expression_view(begun(two_nodes()), VIEW_NAMES)
    assert set(found) == {*type(QUESTION).model_fields, "budget", "stalled", "failure"}


def test_a_graph_without_a_way_on_was_not_validated() -> None:
    graph = two_nodes(edges=())
    run = build_initial_run(graph, QUESTION, Limits())
    with pytest.raises(EngineFault, match="not validated"):
        route_after_success(graph, run, ExpressionReader(run))


def test_a_run_that_was_asked_to_stop_ends_so_whatever_its_sources_did() -> None:
    graph = two_nodes()
    broke = ToolCallRecord(source="library", query="q", error="down")
    run = begun(graph, sources=("library",), conversation=(IterationData(number=1, tool_calls=(broke,)),))
    by_itself = advance_run(graph, run, completed(run))
    assert by_itself.ending == Ending(kind="sources", detail="no source could be searched: library (down)")
    stop = Ending(kind="stopped", detail="enough")
    stopping = run.model_copy(update={"stopping": stop})
    asked_to = advance_run(graph, stopping, completed(stopping))
    assert (asked_to.node, asked_to.ending) == ("z", None)
    assert advance_run(graph, asked_to, Diverted(at=1.0, ending=stop)).ending == stop


def test_what_calls_nobody_goes_on_until_its_expressions_took_too_much() -> None:
    graph = two_nodes(nodes=(DecisionNode(id="a"), asking("z", "writer")))
    run = begun(graph)
    most = run.figures.waiting_work
    assert isinstance(immediate(graph, run.model_copy(update={"work": most})), StepCompleted)
    assert isinstance(immediate(graph, run.model_copy(update={"work": most + 1})), StepFailed)
