"""Runs of graphs that ask for too much: they end in a report that says so, in memory as in Temporal."""

from itertools import pairwise
from typing import NoReturn

import pytest

from elcano.graphs.checks.validation import require_valid
from elcano.graphs.engine import step_function as engine
from elcano.graphs.engine.entries import StepCompleted, WarningAdded
from elcano.graphs.engine.run import weigh_state
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.errors import EngineFault
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.rules import Rules, get_rules
from elcano.graphs.spec.graph import (
    AgentNode,
    ConditionalEdge,
    DecisionNode,
    Edge,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from elcano.graphs.state.budget import Limits
from elcano.testing.script import Script
from tests.unit.graphs.samples import ON, asking, begun, completed, research, two_nodes

DOUBLING = "[@,@]" + " | [@,@][]" * 23
LOOPS = Limits(iterations=20, steps=2_000)
"""More turns than a state takes to double its way over every limit."""


def ring(*nodes: Node, ending: str = "`false`") -> ResearchGraph:
    """`nodes` one after another, again and again, until `ending` holds."""
    ids = [node.id for node in nodes]
    edges: list[Edge] = [SequentialEdge(from_node=one, to_node=two) for one, two in pairwise(ids)]
    edges += [
        SequentialEdge(from_node=ids[-1], to_node="again"),
        ConditionalEdge(from_node="again", to_node="z", when=ending),
        SequentialEdge(from_node="again", to_node=ids[0], loop=True),
    ]
    graph = ResearchGraph(
        name="ring",
        nodes=(*nodes, DecisionNode(id="again"), asking("z", "writer")),
        edges=tuple(edges),
        entry_node=ids[0],
        exit_nodes=("z",),
    )
    require_valid(graph)
    return graph


def growing(values: str) -> StateNode:
    return StateNode(id="grow", reducer="set_values", inputs={"values": values})


CALL = ToolNode(id="call", tool="noop")


def reported(journal: Journal) -> bool:
    """The run's exit wrote its report."""
    run = journal.run
    return run.finished and run.failure is None and "z" in run.state.outputs


def errors(journal: Journal) -> list[str]:
    return [event.message for event in journal.events if event.type == "error"]


@pytest.mark.parametrize(
    ("values", "calling"),
    [
        ("{a: [values, values]}", True),
        ("{a: values, b: values}", False),
        ("{a: join('', [not_null(values.a, 'xxxxxxxxxxxxxxxx'), not_null(values.a, 'x')])}", True),
        ("{a: [not_null(values.a, `[1]`), not_null(values.a, `[1]`)][]}", False),
        ("{a: to_string(@), b: @}", True),
    ],
)
async def test_a_state_that_doubles_ends_in_a_report(values: str, calling: bool) -> None:
    graph = ring(growing(values), CALL) if calling else ring(growing(values))
    journal = await research(Script(), graph=graph, limits=LOOPS)
    assert reported(journal)
    assert sum(weigh_state(journal.run.state, get_rules().state_bytes).values()) <= get_rules().state_bytes
    assert journal.run.ending is not None
    assert journal.run.state.warnings or errors(journal)


class Unlisted(dict[str, Json]):
    """Outputs that are found by their names, and never listed."""

    def keys(self) -> NoReturn:
        raise AssertionError("all outputs were looked at")

    items = values = keys


def test_a_step_weighs_its_own_output_and_looks_at_no_other() -> None:
    """Else each look at a run of many steps would take as long as the square of their number."""
    graph = ring(CALL)
    run = begun(graph)
    outputs = Unlisted({"call": {"what": "it had before"}, **{f"n{number}": number for number in range(9)}})
    run = run.knowing(run.state.model_copy(update={"outputs": dict(outputs)}))
    run = run.model_copy(update={"state": run.state.model_copy(update={"outputs": outputs})})
    noop: list[Json] = [{"ok": True}, {}]
    for output in noop:
        after = advance_run(graph, run, StepCompleted(step=1, node="call", at=0.0, output=output))
        assert after.state.outputs["call"] == output
        assert after.weights == weigh_state(after.state, after.figures.state_bytes)


async def test_a_state_over_its_weight_fails_the_node_and_stays_as_it_was() -> None:
    ten_times = "{a: join('', [" + ", ".join(["values.a"] * 10) + "])}"
    nodes = [growing("{a: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'}")]
    nodes += [growing(ten_times).model_copy(update={"id": f"more_{number}"}) for number in range(5)]
    nodes += [growing(f"{{{name}: values.a}}").model_copy(update={"id": f"copy_{name}"}) for name in "bcd"]
    journal = await research(Script(), graph=ring(*nodes), limits=LOOPS)
    assert reported(journal)
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "node_failed"
    assert "copy_c failed: the state would weigh" in journal.run.ending.detail
    assert len(errors(journal)) == 1
    assert "c" not in journal.run.state.values


async def test_an_exit_is_kept_however_much_the_state_weighs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcano.graphs.rules.RULES", [Rules(state_bytes=1_200)])
    journal = await research(Script(), graph=two_nodes())
    assert reported(journal)
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "node_failed"


@pytest.mark.parametrize(
    ("node", "warned_at"),
    [
        (AgentNode(id="a", agent="thinking", inputs={"question": "question", "background": DOUBLING}), "background"),
        (ToolNode(id="a", tool="noop", inputs={"payload": DOUBLING}), "payload"),
        (ToolNode(id="a", tool="noop", for_each=DOUBLING), "for_each"),
        (StateNode(id="a", reducer="set_values", inputs={"values": DOUBLING}), "values"),
    ],
)
async def test_what_asks_for_too_much_is_null_and_the_report_says_where(node: Node, warned_at: str) -> None:
    journal = await research(Script(), graph=two_nodes(nodes=(node, asking("z", "writer"))))
    assert reported(journal)
    (warning,) = journal.run.state.warnings
    assert warning.startswith("Node 'a': the expression '[@,@] | [@,@][]"), warned_at
    assert warning.endswith("counts as null: it weighs over 4,000,000 bytes")
    assert journal.run.ending is None


@pytest.mark.parametrize("choose", [DOUBLING, None])
async def test_a_decision_that_asks_for_too_much_takes_its_sequential_edge(choose: str | None) -> None:
    edges = (ConditionalEdge(from_node="a", to_node="b", when=DOUBLING), ON, SequentialEdge(from_node="b", to_node="z"))
    nodes = (DecisionNode(id="a", choose=choose), asking("b"), asking("z", "writer"))
    journal = await research(script := Script(), graph=two_nodes(nodes=nodes, edges=edges))
    assert (reported(journal), script.calls) == (True, ["writer"])
    assert len(journal.run.state.warnings) == 1


async def test_a_required_input_that_asks_for_too_much_fails_its_node_with_the_reason() -> None:
    nodes = (asking("a", inputs={"question": DOUBLING}), asking("z", "writer"))
    journal = await research(Script(), graph=two_nodes(nodes=nodes))
    assert reported(journal)
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "node_failed"
    assert "question: " in journal.run.ending.detail
    assert "it weighs over" in journal.run.ending.detail
    assert len(journal.run.state.warnings) == 1


async def test_branches_whose_inputs_ask_for_too_much_are_run_with_what_is_left() -> None:
    into = ParallelEdge(from_node="a", branch="b", inputs={"question": "item", "background": DOUBLING})
    graph = two_nodes(
        nodes=(ParallelNode(id="a", for_each="sources", must_succeed=0), asking("z", "writer")),
        edges=(ON, into),
        branches={"b": two_nodes(name="b")},
    )
    journal = await research(Script(), graph=graph)
    assert reported(journal)
    assert len(journal.run.state.warnings) == 1


def test_a_warning_is_an_entry_and_told_once() -> None:
    graph = two_nodes(nodes=(ToolNode(id="a", tool="noop", inputs={"payload": DOUBLING}), asking("z", "writer")))
    journal = Journal.begin(graph, begun(graph), mode="two", now=0.0)
    journal.next(0.0)
    assert [entry.kind for entry in journal.entries] == ["warning_added"]
    journal.next(1.0)
    assert len(journal.entries) == 1
    assert isinstance(journal.entries[0], WarningAdded)


def test_work_between_two_calls_is_bounded_and_a_call_begins_anew() -> None:
    graph = two_nodes(nodes=(StateNode(id="a", reducer="set_values"), asking("z", "writer")))
    run = begun(graph).model_copy(update={"work": get_rules().waiting_work + 1})
    command = next_command(graph, run, 0.0)
    assert "units of work" in command.model_dump_json()
    graph = two_nodes()
    run = begun(graph).model_copy(update={"work": get_rules().waiting_work + 1})
    assert advance_run(graph, run, completed(run, {"thought": "hm"})).work == 0


def test_a_list_of_nothing_calls_nobody_and_so_begins_nothing_anew() -> None:
    graph = two_nodes(nodes=(ToolNode(id="a", tool="noop", for_each="`[]`"), asking("z", "writer")))
    run = begun(graph).model_copy(update={"work": get_rules().waiting_work + 1})
    assert "units of work" in next_command(graph, run, 0.0).model_dump_json()
    assert advance_run(graph, run, completed(run, {"items": []})).work > get_rules().waiting_work


@pytest.mark.parametrize("error", [MemoryError(), RecursionError("too deep"), KeyError("x"), ZeroDivisionError()])
def test_what_nobody_foresaw_fails_the_run(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def broken(*given: object) -> None:
        raise error

    graph = two_nodes()
    run = begun(graph)
    monkeypatch.setattr(engine, "fold_step_output", broken)
    with pytest.raises(EngineFault, match=type(error).__name__):
        advance_run(graph, run, StepCompleted(step=1, node="a", at=0.0))
    monkeypatch.setattr(engine, "build_command", broken)
    with pytest.raises(EngineFault, match=type(error).__name__):
        next_command(graph, run, 0.0)


def test_an_output_that_cannot_be_written_down_fails_its_node() -> None:
    graph = two_nodes(nodes=(CALL.model_copy(update={"id": "a"}), asking("z", "writer")))
    run = begun(graph)
    nested: list[Json] = []
    for _ in range(100):
        nested = [nested]
    failed = advance_run(graph, run, completed(run, {"ok": True, "more": nested}))
    assert failed.state == run.state
    assert failed.ending is not None
    assert failed.ending.kind == "node_failed"
