"""Ways on from any node: the one that it chooses, and the one that is declared for an error."""

from collections.abc import Mapping
from typing import Any

import pytest

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.engine.control_actions import AddBudget
from elcano.graphs.engine.entries import ApplyEntry, CallAgent, Controlled, Entry, Finish, StepFailed, Wait
from elcano.graphs.engine.run import Run, weigh_state
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.spec.drawing import render_mermaid
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    DecisionNode,
    ErrorEdge,
    Node,
    ParallelEdge,
    ParallelNode,
    ResearchGraph,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from elcano.graphs.state.budget import Limits, TopUp, Usage
from elcano.graphs.state.failures import Ending, Failure, FailureType, NodeFailure
from elcano.testing.script import Refused, Script
from elcano.workflows.run_display import outline_graph
from tests.unit.graphs.samples import ON, asking, begun, completed, immediate, research, two_nodes
from tests.unit.graphs.strategies import ANSWERS, LEAF


def repairing(*types: str, loop: bool = True, repair: str = "thinking") -> ResearchGraph:
    """`find` searches for what `choose` chose; after an error `choose` is told of it and chooses anew."""
    return (
        GraphBuilder("repairing")
        .add_agent_node("choose", agent=repair, inputs={"question": "question", "background": "failure.message"})
        .add_tool_node(
            "find", tool="search", inputs={"source": "sources[0]", "query": "question"}, reducer="add_evidence"
        )
        .add_agent_node("writer", agent="writer", inputs={"question": "question"})
        .connect_nodes("choose", "find", "writer")
        .on_error("find", "choose" if loop else "writer", *types, loop=loop)
        .set_entry_node("choose")
        .set_exit_nodes("writer")
        .build()
    )


def at_find(graph: ResearchGraph, limits: Limits | None = None) -> Run:
    run = begun(graph, limits=limits)
    return advance_run(graph, run, completed(run, ANSWERS["thinking"]))


def broke(run: Run, type: str = "SourceRefused", **fields: Any) -> StepFailed:
    failure = Failure.model_validate({"node": run.node, "type": type, "message": "no such source", **fields})
    return StepFailed(step=run.step, node=run.node, at=0.0, failure=failure, usage=Usage(requests=1))


@pytest.mark.parametrize("types", [(), ("SourceRefused",), ("Timeout", "SourceRefused")])
def test_an_error_is_met_by_its_edge_and_seen_by_expressions(types: tuple[str, ...]) -> None:
    graph = repairing(*types)
    earlier = at_find(graph)
    run = advance_run(graph, earlier, broke(earlier, attempts=3))
    known = NodeFailure(node="find", type="SourceRefused", message="no such source", attempts=3, times=1)
    assert (run.node, run.ending, run.state.failures) == ("choose", None, (known,))
    assert run.state.model_copy(update={"failures": (), "iteration": 1}) == earlier.state
    assert (run.budget.iterations, run.budget.steps, run.weights) == (
        2,
        2,
        weigh_state(run.state, run.figures.state_bytes),
    )
    command = next_command(graph, run, 0.0)
    assert isinstance(command, CallAgent)
    assert command.input["background"] == "no such source"


def test_an_error_that_no_edge_names_leads_to_the_exit() -> None:
    graph = repairing("Timeout")
    earlier = at_find(graph)
    run = advance_run(graph, earlier, broke(earlier))
    assert (run.node, run.state) == ("writer", earlier.state)
    assert run.ending == Ending(kind="node_failed", detail="find failed: no such source", type="SourceRefused")


def test_a_named_error_goes_before_any_other() -> None:
    catch_all = ErrorEdge(from_node="a", to_node="any")
    named = ErrorEdge(from_node="a", to_node="slow", types=("Timeout",))
    nodes = (asking("a"), asking("any"), asking("slow"), asking("z", "writer"))
    on = (SequentialEdge(from_node="any", to_node="z"), SequentialEdge(from_node="slow", to_node="z"))
    graph = two_nodes(nodes=nodes, edges=(catch_all, named, ON, *on))
    run = begun(graph)
    assert advance_run(graph, run, broke(run, "Timeout")).node == "slow"
    assert advance_run(graph, run, broke(run, "Mine")).node == "any"


@pytest.mark.parametrize(
    ("fields", "node", "kind"), [({"exhausted": "tokens"}, "writer", "tokens"), ({"fatal": True}, "find", None)]
)
def test_what_no_graph_can_repair_is_not_repaired(fields: dict[str, Any], node: str, kind: str | None) -> None:
    graph = repairing()
    earlier = at_find(graph)
    run = advance_run(graph, earlier, broke(earlier, **fields))
    assert (run.node, run.ending.kind if run.ending else None) == (node, kind)
    assert run.state == earlier.state


def test_a_failure_counts_until_its_node_does_its_work() -> None:
    graph = repairing()
    run = at_find(graph)
    for times in (1, 2):
        run = advance_run(graph, run, broke(run))
        assert [failure.times for failure in run.state.failures] == [times]
        run = advance_run(graph, run, completed(run, ANSWERS["thinking"]))
        assert run.state.failures
    run = advance_run(graph, run, completed(run, ANSWERS["search"]))
    assert (run.node, run.ending, run.state.failures) == ("writer", None, ())
    assert run.weights == weigh_state(run.state, run.figures.state_bytes)


def test_an_answer_or_an_input_that_does_not_fit_is_met_as_well() -> None:
    graph = repairing("InputInvalid")
    run = at_find(graph)
    after = advance_run(graph, run, completed(run, {"source": 3}))
    assert (after.node, after.state.failures[0].type) == ("choose", "InputInvalid")
    assert "find" not in after.state.outputs
    nowhere = begun(graph, sources=())
    nowhere = advance_run(graph, nowhere, completed(nowhere, ANSWERS["thinking"]))
    after = advance_run(graph, nowhere, immediate(graph, nowhere))
    assert (after.node, after.state.failures[0].message) == ("choose", "source: Field required")


def test_repairing_ends_with_the_last_iteration() -> None:
    graph = repairing()
    run = at_find(graph, Limits(iterations=1))
    run = advance_run(graph, run, broke(run))
    assert run.ending == Ending(kind="iterations", detail="all 1 iterations were used; find failed: no such source")
    assert run.node == "writer"


def test_a_repair_that_pauses_goes_on_once_there_is_more_to_spend() -> None:
    graph = repairing()
    run = at_find(graph, Limits(iterations=1, when_exhausted="pause"))
    run = advance_run(graph, run, broke(run))
    assert isinstance(next_command(graph, run, 0.0), Wait)
    run = advance_run(graph, run, Controlled(at=0.0, action=AddBudget(extra=TopUp(iterations=1))))
    assert (run.node, run.budget.iterations, run.state.failures[0].times) == ("choose", 2, 1)


def test_a_way_out_after_an_error_is_an_early_end() -> None:
    graph = repairing(loop=False)
    run = at_find(graph)
    run = advance_run(graph, run, broke(run))
    assert (run.node, run.ending) == ("writer", Ending(kind="node_failed", detail="find failed: no such source"))
    assert run.state.failures[0].node == "find"


@pytest.mark.parametrize(
    "node",
    [
        asking("a", inputs={"question": "values.none", "background": "sort(values.items)[0]"}),
        StateNode(id="a", reducer="set_values", inputs={"values": "sort(values.items)[0]"}),
    ],
)
def test_failing_without_end_is_counted_as_work(node: Node) -> None:
    """A node that calls nobody and fails each time goes round only until its expressions have used too much."""
    graph = two_nodes(nodes=(node, asking("z", "writer")), edges=(ON, ErrorEdge(from_node="a", to_node="a", loop=True)))
    items: list[Json] = [f"{number:05d}" for number in range(2_000)]
    run = begun(graph, limits=Limits(iterations=50, steps=100), values={"items": items})
    turns = 0
    while run.node == "a":
        command = next_command(graph, run, 0.0)
        assert isinstance(command, ApplyEntry)
        run = advance_run(graph, run, command.entry)
        turns += 1
    assert run.ending is not None
    assert run.ending.kind == "node_failed"
    assert run.work > run.figures.waiting_work
    assert 3 < turns < 50


def choosing(node: Node, *more: ParallelEdge) -> ResearchGraph:
    return two_nodes(
        nodes=(node, asking("one"), asking("two"), asking("z", "writer")),
        edges=(
            ON,
            ConditionalEdge(from_node="a", to_node="one", when="question"),
            ConditionalEdge(from_node="a", to_node="two", when="question"),
            SequentialEdge(from_node="one", to_node="z"),
            SequentialEdge(from_node="two", to_node="z"),
            *more,
        ),
        branches={"b": LEAF} if more else {},
    )


CHOOSE = "outputs.a.ok && 'two' || values.next"
NODES: Mapping[str, tuple[ResearchGraph, Json]] = {
    "agent": (choosing(asking("a", choose="outputs.a.thought")), {"thought": "two"}),
    "tool": (choosing(ToolNode(id="a", tool="noop", choose=CHOOSE)), {"ok": True}),
    "state": (
        choosing(StateNode(id="a", reducer="set_values", inputs={"values": "{next: 'two'}"}, choose="values.next")),
        None,
    ),
    "decision": (choosing(DecisionNode(id="a", choose="'two'")), None),
    "parallel": (
        choosing(
            ParallelNode(id="a", must_succeed=0, choose="length(outputs.a.branches) == `0` && 'two'"),
            ParallelEdge(from_node="a", branch="b", inputs={"question": "question"}),
        ),
        {"branches": []},
    ),
}


@pytest.mark.parametrize("kind", NODES)
def test_every_node_chooses_by_what_it_gave(kind: str) -> None:
    graph, output = NODES[kind]
    run = begun(graph)
    entry: Entry = completed(run, output) if output else immediate(graph, run)
    after = advance_run(graph, run, entry)
    assert after.node == "two"
    assert after.taken is not None
    assert (after.taken.by, after.taken.from_node, after.taken.to_node) == ("choice", "a", "two")


@pytest.mark.parametrize(("chosen", "named"), [("three", '"three"'), (None, ""), ([1], "[1]"), ("a", '"a"')])
def test_what_is_no_way_leads_the_usual_one_and_is_told(chosen: Json, named: str) -> None:
    graph = choosing(ToolNode(id="a", tool="noop", choose="values.next"))
    journal = Journal.begin(graph, begun(graph, values={"next": chosen}), mode="m", now=0)
    journal.record(completed(journal.run, {"ok": True}), 0.0)
    assert journal.run.node == "z"
    event = journal.events[-1]
    said = f"A → Z ({named} is not one of its options)" if named else "A → Z"
    assert (event.type, event.message) == ("routed", said)
    assert event.data.get("named", "") == named


def test_an_error_is_told_and_then_the_way() -> None:
    graph = repairing()
    journal = Journal.begin(graph, begun(graph), mode="m", now=0)
    journal.record(completed(journal.run, ANSWERS["thinking"]), 0.0)
    known = len(journal.events)
    journal.record(broke(journal.run), 0.0)
    journal.record(completed(journal.run, ANSWERS["thinking"]), 0.0)
    journal.record(completed(journal.run, {"source": 3}), 0.0)
    told = [(event.type, event.node, event.message) for event in journal.events[known:]]
    misfit = told[4][2]
    assert told == [
        ("error", "find", "Find failed: no such source"),
        ("routed", "find", "Find → Choose (after its error)"),
        ("looping", "find", "Iteration 2 of at most 5"),
        ("thinking", "choose", "Thought: hm"),
        ("error", "find", misfit),
        ("routed", "find", "Find → Choose (after its error)"),
        ("looping", "find", "Iteration 3 of at most 5"),
    ]
    assert misfit.startswith("Find failed: source: Input should be")
    assert journal.events[-2].data == {"to": "choose", "by": "error"}


def test_a_state_node_tells_what_it_changed() -> None:
    note = StateNode(id="a", reducer="set_values", inputs={"values": "{asked: question}"})
    graph = two_nodes(nodes=(note, asking("z", "writer")))
    journal = Journal.begin(graph, begun(graph), mode="m", now=0)
    journal.next(0.0)
    told = [event for event in journal.events if event.node == "a"]
    assert [(event.type, event.message) for event in told] == [("state_updated", "A: Sets values of your own.")]
    assert told[0].data == {"reducer": "set_values", "changed": ["values"]}


async def test_a_search_that_fails_twice_is_repaired_in_memory() -> None:
    script, refusals = Script(), 2

    def search(given: dict[str, Json]) -> dict[str, Json]:
        nonlocal refusals
        refusals -= 1
        if refusals >= 0:
            raise Refused("no such source", type=FailureType.SOURCE_REFUSED)
        return ANSWERS["search"]

    script.overrides["search"] = search
    journal = await research(script, graph=repairing("SourceRefused"))
    assert script.calls == ["thinking", "search"] * 3 + ["writer"]
    assert (journal.run.ending, journal.run.failure, journal.run.budget.iterations) == (None, None, 3)
    assert isinstance(journal.next(0.0), Finish)


def test_ways_after_an_error_are_drawn_and_listed() -> None:
    graph = repairing("SourceRefused", "Timeout")
    assert '    find -.->|"on SourceRefused or Timeout"| choose' in render_mermaid(graph).splitlines()
    assert outline_graph(graph)["find"] == "find -> writer | on SourceRefused or Timeout: choose"
    edges = tuple(
        edge.model_copy(update={"label": "choose anew", "types": ()}) if isinstance(edge, ErrorEdge) else edge
        for edge in graph.edges
    )
    labelled = graph.model_copy(update={"edges": edges})
    assert '    find -.->|"on error (choose anew)"| choose' in render_mermaid(labelled).splitlines()
