"""What holds for every valid graph, whatever becomes of its steps, and for every text that a user can write."""

import json
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.engine.control_actions import AddBudget, Stop
from elcano.graphs.engine.entries import (
    CallAgent,
    ChooseNode,
    Controlled,
    Diverted,
    Entry,
    Finish,
    Held,
    HoldCleared,
    StepAbandoned,
    StepCompleted,
    StepFailed,
    Wait,
)
from elcano.graphs.engine.run import Run, build_initial_run, weigh_state
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.errors import EngineFault
from elcano.graphs.expressions.evaluation import Meter
from elcano.graphs.expressions.language import evaluate_expression, find_expression_fault, root_names
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.narration import narrate_run_start
from elcano.graphs.rules import get_rules
from elcano.graphs.run_contracts import JournalPages
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import TopUp, Usage
from elcano.graphs.state.failures import Ending, Hold, NodeFailure
from elcano.graphs.state.state import ResearchState
from tests.unit.graphs.mutations import MUTATIONS, free_graphs
from tests.unit.graphs.strategies import ENTRY, graphs, limits, outcomes, states
from tests.unit.graphs.texts import expressions, json_values, texts

many = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
STARTED = 1_000_000.0


class Watched(Journal):
    """A journal that keeps the run after every entry."""

    runs: list[Run]

    def record(self, entry: Entry, now: float) -> None:
        super().record(entry, now)
        self.runs.append(self.run)


def walk(data: st.DataObject, begins_with: ResearchState | None = None) -> Watched:
    """A random run of a random graph, to its end. The clock goes on, stands still or jumps back."""
    graph, given = data.draw(graphs()), data.draw(limits)
    state = data.draw(states) if begins_with is None else begins_with
    begun = JournalPages(run=build_initial_run(graph, state, given), entries=(), events=(), started_at=STARTED)
    journal = Watched(graph, begun)
    journal.tell(narrate_run_start(state.question, "random"), STARTED)
    return walk_on(data, journal)


def walk_on(data: st.DataObject, journal: Watched) -> Watched:
    """From where it is to its end."""
    journal.runs = [journal.run]
    now = STARTED
    top_ups = data.draw(st.integers(0, 3))
    for _ in range(journal.run.budget.limits.steps + 3 * 50 + 10):
        now += data.draw(st.sampled_from([0.0, 0.1, 5.0, 100.0, -50.0]))
        work = journal.next(now)
        assert not isinstance(work, ChooseNode)
        if isinstance(work, Finish):
            return journal
        if isinstance(work, Wait) and work.hold.reason == "budget" and top_ups:
            top_ups -= 1
            more = data.draw(st.sampled_from([TopUp(steps=50, iterations=1), TopUp(tokens=10**6, seconds=600)]))
            journal.record(Controlled(at=journal.elapsed(now), action=AddBudget(extra=more)), now)
        elif isinstance(work, Wait) and work.hold.reason == "budget":
            journal.record(Controlled(at=now - STARTED, action=Stop()), now)
            journal.record(Diverted(at=now - STARTED, ending=journal.run.stopping or Ending(kind="time")), now)
        elif isinstance(work, Wait):
            again: list[Entry] = [HoldCleared(at=now - STARTED), given_up(journal, now)]
            journal.record(data.draw(st.sampled_from(again)), now)
        elif data.draw(st.integers(0, 9)) == 0:
            journal.record(given_up(journal, now), now)
        elif isinstance(work, CallAgent) and data.draw(st.integers(0, 9)) == 0:
            journal.record(Held(step=work.step, node=work.node, at=now - STARTED, hold=hold(work, now)), now)
        else:
            journal.record(data.draw(outcomes(work, now - STARTED)), now)
    raise AssertionError("the run did not end")


def given_up(journal: Journal, now: float) -> StepAbandoned:
    run = journal.run
    ending = Ending(kind="stopped")
    return StepAbandoned(step=run.step, node=run.node, at=now - STARTED, ending=ending, usage=Usage(input_tokens=7))


def hold(work: CallAgent, now: float) -> Hold:
    return Hold(
        reason="provider", node=work.node, type="Down", detail="503", tries=work.tries + 1, since=now, until=now + 2
    )


def expect_an_end_within_limits(journal: Watched) -> None:
    run = journal.run
    assert run.finished
    assert run.budget.steps <= run.budget.limits.steps
    assert run.budget.iterations <= run.budget.limits.iterations
    assert run.state.iteration == run.budget.iterations


def expect_an_exit_unless_it_could_not_be(journal: Watched) -> None:
    assert all(run.ending is None or journal.graph.is_closing(run.node) for run in journal.runs)
    last, before = journal.entries[-1], journal.runs[-2]
    if journal.run.failure is not None and journal.run.failure.fatal:
        assert isinstance(last, StepFailed)
        return
    assert before.node in journal.graph.exit_nodes
    match last:
        case StepAbandoned():
            assert journal.run.ending is not None
        case StepFailed():
            assert journal.run.failure == last.failure
        case StepCompleted():
            assert last.node == before.node
    assert [run.node in journal.graph.exit_nodes for run in journal.runs].count(True) >= 2


def expect_entries_whole_or_not_at_all(journal: Watched) -> None:
    for earlier, entry, run in zip(journal.runs, journal.entries, journal.runs[1:], strict=False):
        if not isinstance(entry, StepCompleted | StepFailed | StepAbandoned | Held):
            kept = {"iteration": earlier.state.iteration, "warnings": earlier.state.warnings}
            state = run.state.model_copy(update=kept)  # a top-up may go round
            assert (state, run.budget.used, run.budget.steps) == (
                earlier.state,
                earlier.budget.used,
                earlier.budget.steps,
            )
            continue
        assert run.budget.used == earlier.budget.used + entry.usage
        if isinstance(entry, Held):
            assert (run.state, run.budget.steps, run.node) == (earlier.state, earlier.budget.steps, earlier.node)
            assert (run.hold, run.trying) == (entry.hold, False)
            continue
        assert run.budget.steps == earlier.budget.steps + 1
        assert run.tried is None
        assert run.hold is None or run.hold.reason == "budget"
        broken = run.failure is not None or (
            run.ending != earlier.ending and run.ending and run.ending.kind == "node_failed"
        )
        if any(failure.node == entry.node for failure in run.state.failures):
            kept = {"iteration": earlier.state.iteration, "failures": earlier.state.failures}
            assert run.state.model_copy(update=kept) == earlier.state
            assert others(run, entry.node) == others(earlier, entry.node)
        elif broken:
            assert run.state == earlier.state
        elif isinstance(entry, StepCompleted) and entry.output is not None:
            assert run.state.outputs[entry.node] == entry.output
        assert run.weights == weigh_state(run.state, get_rules().state_bytes)
        assert set(earlier.state.evidence) <= set(run.state.evidence)
        assert len({ref.id for ref in run.state.evidence}) == len(run.state.evidence)


def others(run: Run, node: str) -> list[NodeFailure]:
    return [failure for failure in run.state.failures if failure.node != node]


def expect_errors_met_where_the_graph_says(journal: Watched) -> None:
    for earlier, run in pairwise(journal.runs):
        if run.taken == earlier.taken or run.taken is None or run.taken.by != "error":
            continue
        failure = run.state.failures[-1]
        edges = [(edge.to_node, edge.types) for edge in journal.graph.error_edges_from(failure.node)]
        assert run.taken.from_node == failure.node == earlier.node
        assert run.node == next(to_node for to_node, types in edges if not types or failure.type in types)
        before = sum(one.times for one in earlier.state.failures if one.node == failure.node)
        assert failure.times == before + (not earlier.routing)  # one that paused on its way was counted then


def expect_a_fold_over_entries(journal: Watched) -> None:
    graph = ResearchGraph.model_validate_json(journal.graph.model_dump_json())
    run = build_initial_run(graph, journal.runs[0].state, journal.runs[0].budget.limits)
    assert run == journal.runs[0]
    for entry, after in zip(journal.entries, journal.runs[1:], strict=True):
        run = advance_run(graph, run, ENTRY.validate_json(ENTRY.dump_json(entry)))
        assert run == after
        assert Run.model_validate_json(run.model_dump_json()) == run


def expect_events_without_gaps(journal: Watched) -> None:
    assert [event.seq for event in journal.events] == list(range(1, len(journal.events) + 1))
    assert journal.events[0].type == "started"
    assert not any(event.terminal for event in journal.events)
    steps = [event.step for event in journal.events]
    assert steps == sorted(steps)


def expect_entries_of_another_step_refused(journal: Watched, off: int, node: str) -> None:
    for run in journal.runs[:-1]:
        wrong = StepCompleted(step=run.step + off, node=node, at=0.0)
        if off == 0 and node == run.node:
            continue
        with pytest.raises(EngineFault):
            advance_run(journal.graph, run, wrong)
    for entry in journal.entries:
        with pytest.raises(EngineFault):
            advance_run(journal.graph, journal.run, entry)


def expect_that_asking_changes_nothing(journal: Watched, elapsed: float) -> None:
    for run in journal.runs:
        before = run.model_dump_json()
        assert next_command(journal.graph, run, elapsed) == next_command(journal.graph, run, elapsed)
        assert run.model_dump_json() == before


@settings(many, max_examples=2 * many.max_examples)
@given(st.data(), st.integers(-2, 2), st.sampled_from(["n0", "n1", "last", "nowhere"]), st.floats(0, 10_000))
def test_of_every_random_run_all_of_it_holds(data: st.DataObject, off: int, node: str, elapsed: float) -> None:
    """In one test: to draw a run and to walk it takes longer than all that is looked at in it."""
    journal = walk(data)
    expect_an_end_within_limits(journal)
    expect_an_exit_unless_it_could_not_be(journal)
    expect_entries_whole_or_not_at_all(journal)
    expect_errors_met_where_the_graph_says(journal)
    expect_a_fold_over_entries(journal)
    expect_events_without_gaps(journal)
    expect_entries_of_another_step_refused(journal, off, node)
    expect_that_asking_changes_nothing(journal, elapsed)


@many
@given(graphs())
def test_the_random_graphs_are_valid_and_travel_as_json(graph: ResearchGraph) -> None:
    assert find_graph_faults(graph) == []
    assert ResearchGraph.model_validate_json(graph.model_dump_json()) == graph


@pytest.mark.parametrize("name", MUTATIONS)
@settings(max_examples=5, deadline=None, database=None)
@given(graph=graphs())
def test_every_mutation_is_found(name: str, graph: ResearchGraph) -> None:
    assert find_graph_faults(MUTATIONS[name](graph)) != []


@many
@given(free_graphs)
def test_validation_is_total(graph: ResearchGraph) -> None:
    assert all(isinstance(text, str) and text for text in find_graph_faults(graph))


@settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(texts, st.dictionaries(st.sampled_from(["a", "b", "question"]), json_values))
def test_an_expression_has_a_fault_or_a_value(text: str, view: JsonObject) -> None:
    if find_expression_fault(text) is not None:
        return
    value = evaluate_expression(text, view, Meter(get_rules())).json
    assert json.dumps(value) is not None
    assert all(isinstance(name, str) for name in root_names(text))


@many
@given(expressions)
def test_the_random_expressions_have_no_fault(text: str) -> None:
    assert find_expression_fault(text) is None
