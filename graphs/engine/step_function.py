"""The graph as a step function: `next_command` says what to do, `advance_run` returns the run after it was done.

Pure and total: code with a clock and activities performs the commands and reports each by an entry. An entry is applied
whole or not at all, so a failing node leaves the state as it was, and replaying entries 1..k rebuilds the run at k.
Every valid graph ends: each way back counts as an iteration, each node as a step, and both are limited.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeAlias, TypeVar

from pydantic import ValidationError

from elcano.graphs.engine.budget_check import (
    find_appendix_limit,
    find_exhausted_limit,
    learn_from_entry,
    update_budget_forecast,
)
from elcano.graphs.engine.entries import (
    ApplyEntry,
    ApprovalRequested,
    CallTool,
    ChooseNode,
    Command,
    Controlled,
    Diverted,
    Entry,
    Finish,
    Held,
    NodeChosen,
    PlanProposed,
    RolledBack,
    RunBranches,
    StepAbandoned,
    StepCompleted,
    StepFailed,
    Wait,
    WarningAdded,
)
from elcano.graphs.engine.entry_effects import (
    RELEASED,
    account_for_entry,
    add_run_warnings,
    fold_step_output,
    record_expression_use,
    short_of,
    with_failure,
)
from elcano.graphs.engine.inputs import ExpressionReader, build_command
from elcano.graphs.engine.routing import (
    BUDGET_ENDINGS,
    ChosenEdge,
    ending_of,
    error_edge,
    find_budget_ending,
    in_words,
    out_of,
    route_after_step,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.engine.steering import hold_for_answers
from elcano.graphs.errors import ElcanoError, EngineFault, InputInvalid
from elcano.graphs.spec.graph import (
    ConditionalEdge,
    DecisionNode,
    Node,
    ParallelNode,
    ResearchGraph,
    Route,
    SequentialEdge,
    StateNode,
    ToolNode,
)
from elcano.graphs.spec.walks import researches_plan
from elcano.graphs.state.failures import Ending, Failure, FailureType

P = ParamSpec("P")
T = TypeVar("T")

Step: TypeAlias = StepCompleted | StepFailed | StepAbandoned | Held | ApprovalRequested
"""Entries about one step."""


def _wrap_engine_faults(step: Callable[P, T]) -> Callable[P, T]:
    """Turn unforeseen errors (memory, recursion, a bug) into engine faults, which end a run and wedge no task."""

    @wraps(step)
    def contained(*given: P.args, **named: P.kwargs) -> T:
        try:
            return step(*given, **named)
        except ElcanoError:
            raise
        except Exception as error:
            raise EngineFault(f"{step.__name__} failed: {type(error).__name__}: {error}") from error

    return contained


@_wrap_engine_faults
def next_command(graph: ResearchGraph, run: Run, elapsed: float) -> Command:
    """Return the next command, `elapsed` seconds after the start."""
    if run.finished:
        return Finish()
    if run.pause is not None:
        return Wait(hold=run.pause)
    if run.hold is not None and not run.trying:
        return Wait(hold=run.hold)
    if run.choosing:
        return ChooseNode()
    run = update_budget_forecast(graph, run.model_copy(update={"budget": run.budget.at(elapsed)}))
    node = graph.by_id[run.node]
    command: Command
    reading = ExpressionReader(run)
    try:
        most = run.figures.waiting_work
        command = build_command(graph, run, reading)
        if run.work > most and _calls_nobody(command) and not graph.is_closing(node.id):
            text = f"the expressions since the last call took over {most:,} units of work: read and keep less"
            raise InputInvalid("graph", text)
    except (ValidationError, InputInvalid) as error:  # a step too: not one that is left to the exit
        failure = _input_failure(node.id, error, reading)
        command = ApplyEntry(entry=StepFailed(step=run.step, node=node.id, at=elapsed, failure=failure))
    if new := tuple(text for text in reading.warnings if text not in run.state.warnings):
        return ApplyEntry(entry=WarningAdded(at=elapsed, warnings=new))
    if run.node == graph.appendix and (refused := find_appendix_limit(run.budget, command)):
        ending = Ending(kind="parts", detail=out_of(refused, node.id).detail)
        return ApplyEntry(entry=Diverted(at=elapsed, ending=ending))
    if not graph.is_closing(run.node) and (refused := find_exhausted_limit(run.budget, command)):
        return ApplyEntry(entry=Diverted(at=elapsed, ending=out_of(refused, node.id)))
    if run.approval == "needed" and researches_plan(node) and not _calls_nobody(command):
        return ApplyEntry(entry=PlanProposed(at=elapsed))
    return command


@_wrap_engine_faults
def advance_run(graph: ResearchGraph, run: Run, entry: Entry) -> Run:
    """The run after `entry`.

    Raises:
        EngineFault: the entry is of another step or node than the run is at.
    """
    if run.finished and not isinstance(entry, RolledBack):  # its report can be made anew, and that is reported
        raise EngineFault(f"the run has finished, so {entry!r} cannot be applied")
    if isinstance(entry, Step) and (entry.step, entry.node) != (run.step, run.node):
        raise EngineFault(f"step {run.step} is at {run.node!r}, not {entry.step} at {entry.node!r}")
    earlier, run = run, learn_from_entry(graph, account_for_entry(graph, run, entry), entry)
    match entry:
        case StepCompleted():
            return _complete_step(graph, run, entry)
        case StepFailed():
            return _fail_step(graph, run, entry.failure, _read_in_vain(graph, run))
        case StepAbandoned():
            return _abandon_step(graph, run, entry.ending)
        case Diverted():
            return _divert_run(graph, run, entry.ending)
        case Controlled() if earlier.hold is not None and run.hold is None:
            return _gone_on(graph, run)
        case NodeChosen():
            return _follow_choice(graph, run, entry)
        case WarningAdded():
            return add_run_warnings(run, entry.warnings)
        case _:
            return run


def _complete_step(graph: ResearchGraph, run: Run, entry: StepCompleted) -> Run:
    if not _called_nobody(graph.by_id[run.node], entry):
        run = run.model_copy(update={"work": 0})
    reading = ExpressionReader(run)
    try:
        known = fold_step_output(graph, run, entry, reading)
    except (ValidationError, InputInvalid) as error:
        return _fail_step(graph, run, _input_failure(entry.node, error, reading), reading.work)
    run = update_budget_forecast(graph, record_expression_use(known, reading))
    if graph.is_closing(run.node):
        return _leave_exit(graph, run)
    if not entry.onward:
        return run.model_copy(update={"code_routed": True, "routing": True})
    return hold_for_answers(_follow_route(graph, run))


def _gone_on(graph: ResearchGraph, run: Run) -> Run:
    """Return the run after its hold is over; one that had paused between two nodes chooses its way again."""
    if not run.routing or run.code_routed:
        return run
    return _follow_route(graph, run.model_copy(update={"routing": False}))


def _follow_choice(graph: ResearchGraph, run: Run, entry: NodeChosen) -> Run:
    """The run at the node that was chosen, or on hold before it.

    Raises:
        EngineFault: the run's graph says itself where it goes, or has no such node.
    """
    if not (run.code_routed and run.routing and entry.to in graph.by_id):
        raise EngineFault(f"a run at {run.node!r} cannot be sent to {entry.to!r}")
    edge: Route = SequentialEdge(from_node=run.node, to_node=entry.to, loop=entry.loop)
    if entry.ending is not None:
        early, why = entry.ending.kind, entry.ending.detail
        edge = ConditionalEdge(from_node=run.node, to_node=entry.to, when="`true`", label=why, ending=early)
    gone = _follow_edge(graph, run, ChosenEdge(edge, "default"))
    return gone if gone.hold is not None else gone.model_copy(update={"routing": False})


def _follow_route(graph: ResearchGraph, run: Run) -> Run:
    """The run where its way leads, also if it had paused on the way: then it finds the same one again."""
    reading = ExpressionReader(run)
    leaving = route_after_step(graph, run, reading)
    return _follow_edge(graph, record_expression_use(run, reading), leaving)


def _calls_nobody(command: Command) -> bool:
    """Return whether a command is done at once without a call, as one over an empty list is."""
    match command:
        case CallTool():
            return not command.inputs
        case RunBranches():
            return not command.branches
        case _:
            return isinstance(command, ApplyEntry)


def _called_nobody(node: Node, entry: StepCompleted) -> bool:
    """Whether a step took no time but that of its expressions."""
    output = entry.output if isinstance(entry.output, dict) else {}
    match node:
        case ToolNode() if node.for_each:
            return not output.get("items")
        case ParallelNode():
            return not output.get("branches")
        case _:
            return isinstance(node, StateNode | DecisionNode)


def _follow_edge(graph: ResearchGraph, run: Run, leaving: ChosenEdge) -> Run:
    """The run at the other end of an edge, or paused before it."""
    edge = leaving.edge
    ending = ending_of(graph, run, edge)
    if ending is not None and should_pause(run, ending):
        return run.model_copy(update={"hold": short_of(run, ending), "trying": False, "routing": True})
    if edge.loop:
        if ending is not None:
            return _jump_to_exit(graph, run, ending)
        run = _next_iteration(run)
    taken = leaving.take(run.step)
    return run.model_copy(update={"node": edge.to_node, "ending": ending, "taken": taken})


def _next_iteration(run: Run) -> Run:
    iterations = run.budget.iterations + 1
    return run.model_copy(
        update={
            "budget": run.budget.model_copy(update={"iterations": iterations}),
            "state": run.state.model_copy(update={"iteration": iterations}),
        }
    )


def _divert_run(graph: ResearchGraph, run: Run, ending: Ending) -> Run:
    """Leave the graph, or pause; a run that is asked to end while it is paused ends as it would have."""
    if run.node == graph.appendix:
        return _finish_run(run.model_copy(update={"ending": run.ending or ending}))
    if run.node in graph.exit_nodes:
        return run.model_copy(update={"ending": run.ending or ending})
    if should_pause(run, ending):
        return run.model_copy(update={"hold": short_of(run, ending), "trying": False})
    return _jump_to_exit(graph, run.model_copy(update={"routing": False, **RELEASED}), ending)


def _abandon_step(graph: ResearchGraph, run: Run, ending: Ending | None) -> Run:
    """Do as `_divert_run`, after the node's call was abandoned: an exit is not retried."""
    if ending is None:
        return run
    if graph.is_closing(run.node):
        return _finish_run(run.model_copy(update={"ending": run.ending or ending}))
    return _divert_run(graph, run, ending)


def should_pause(run: Run, ending: Ending) -> bool:
    """Whether the run waits for more budget instead of ending so."""
    return run.budget.limits.when_exhausted == "pause" and ending.kind in BUDGET_ENDINGS


def _fail_step(graph: ResearchGraph, run: Run, failure: Failure, work: int = 0) -> Run:
    """A failed node sends the run the way that its graph declares for the error, or to its exit.

    A failed exit, or a failure that would meet it too, ends the run. `work` is what expressions used without success:
    what fails without an answer in between has to end as well, so over `waiting_work` nothing is repaired.
    """
    if (ending := find_budget_ending(failure)) is not None:  # as if the budget had refused the call
        return _abandon_step(graph, run, ending)
    if run.node == graph.appendix:
        missing = Ending(kind="parts", detail=in_words(failure), type=failure.type)
        return _finish_run(run.model_copy(update={"ending": run.ending or missing}))
    if failure.fatal or run.node in graph.exit_nodes:
        return _finish_run(run.model_copy(update={"failure": failure}))
    run = run.model_copy(update={"work": run.work + work})
    repaired = not run.code_routed and error_edge(graph, run.node, failure.type) is not None
    if repaired and run.work <= run.figures.waiting_work:
        return _follow_route(graph, with_failure(run, failure))
    return _jump_to_exit(graph, run, Ending(kind="node_failed", detail=in_words(failure), type=failure.type))


def _read_in_vain(graph: ResearchGraph, run: Run) -> int:
    """Count the work of a failed node's expressions by evaluating them again, because no entry has it.

    This matters only where an error can be repaired, for only then the run continues.
    """
    if not graph.error_edges_from(run.node):
        return 0
    reading = ExpressionReader(run)
    try:
        build_command(graph, run, reading)
    except (ValidationError, InputInvalid):  # this is what it failed by
        return reading.work
    return reading.work


def _leave_exit(graph: ResearchGraph, run: Run) -> Run:
    """The run at the appendix of its graph if it was at an exit and there is one, else at its end."""
    if graph.appendix is None or run.node == graph.appendix:
        return _finish_run(run)
    return run.model_copy(update={"node": graph.appendix, "pause": None})


def _finish_run(run: Run) -> Run:
    """The run at its end. A pause that came while its exit was under way has nothing left to keep from beginning."""
    return run.model_copy(update={"finished": True, "pause": None})


def _jump_to_exit(graph: ResearchGraph, run: Run, ending: Ending) -> Run:
    return run.model_copy(update={"node": graph.nearest_exit(run.node), "ending": ending})


def _input_failure(node: str, error: ValidationError | InputInvalid, reading: ExpressionReader) -> Failure:
    if isinstance(error, InputInvalid):
        texts = [str(error)]
    else:
        texts = [f"{'.'.join(map(str, fault['loc'])) or 'input'}: {fault['msg']}" for fault in error.errors()]
    return Failure(node=node, type=FailureType.INPUT_INVALID, message="; ".join([*texts, *reading.warnings])[:2_000])
