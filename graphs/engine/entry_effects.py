"""The effects of an entry on a run: its books (budget, holds, requests), and the state that an output is folded into.

Outputs are folded in whole or not at all, and within the state's maximum size.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from elcano.graphs.catalogue.agents import AGENTS, get_agent
from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.catalogue.tools import TOOLS, ItemOutcomes
from elcano.graphs.engine.approvals import (
    record_call_decision,
    release_waiting_calls,
    sign_latest_decision,
)
from elcano.graphs.engine.control_actions import Unpause
from elcano.graphs.engine.entries import (
    ApprovalExpired,
    ApprovalRequested,
    Controlled,
    Diverted,
    Entry,
    Held,
    HoldCleared,
    NodeChosen,
    PlanProposed,
    RolledBack,
    RunResumed,
    StepAbandoned,
    StepCompleted,
    StepFailed,
    WarningAdded,
)
from elcano.graphs.engine.inputs import ExpressionReader, build_node_input
from elcano.graphs.engine.run import Run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen, Json
from elcano.graphs.spec.graph import AgentNode, DecisionNode, Node, ParallelNode, ResearchGraph, StateNode, ToolNode
from elcano.graphs.state.branches import BranchOutcomes
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import Ending, FailedTries, Failure, Hold, NodeFailure
from elcano.graphs.state.state import ResearchState

RELEASED: Final[Mapping[str, object]] = {"hold": None, "trying": False, "tried": None}
"""The fields of a run that waits for nothing."""


def account_for_entry(graph: ResearchGraph, run: Run, entry: Entry) -> Run:
    """The run with what `entry` costs and settles, wherever it leads: the books of every engine."""
    budget = run.budget.at(entry.at)
    match entry:
        case StepCompleted() | StepFailed() | StepAbandoned():  # what it paused or was held in has ended
            budget = budget.charge(entry.usage)
            budget = budget.model_copy(update={"steps": budget.steps + 1})
            changes: dict[str, object] = {"routing": False, **release_waiting_calls(run), **RELEASED}
            if isinstance(entry, StepAbandoned) and entry.ending is not None:
                changes |= _clear_stop_request(entry.ending)
        case Held():
            budget = budget.charge(entry.usage)
            changes = _build_hold_changes(run, entry)
        case HoldCleared():
            changes = dict(RELEASED) if entry.over else {"trying": True}
        case Controlled():
            return _apply_control_action(graph, run, run.model_copy(update={"budget": budget}), entry)
        case Diverted():
            changes = _clear_stop_request(entry.ending)
        case PlanProposed():
            hold = Hold(reason="approval", node=run.node, detail="the plan needs approval")
            changes = {"hold": hold, "approval": "asked"}
        case ApprovalRequested() | ApprovalExpired():
            return _apply_call_approval(run.model_copy(update={"budget": budget}), entry)
        case RolledBack():
            changes = {"undone_to": entry.last_event}
        case RunResumed():
            return _apply_resumed_run(graph, run, entry)
        case WarningAdded() | NodeChosen():
            changes = {}
    return run.model_copy(update={**changes, "budget": budget})


def _build_hold_changes(run: Run, entry: Held) -> dict[str, object]:
    """Return the changes for a failed attempt; a call that waits for approval was not attempted."""
    if entry.hold.reason == "approval":
        return {"hold": entry.hold, "trying": False}
    earlier = run.tried
    since = earlier.since if earlier and earlier.tries else entry.hold.since or 0.0
    before = earlier.before if earlier else 0
    tried = FailedTries(tries=entry.hold.tries, since=since, before=before, progress=entry.progress)
    return {"hold": entry.hold, "trying": False, "tried": tried}


def _apply_call_approval(run: Run, entry: ApprovalRequested | ApprovalExpired) -> Run:
    if isinstance(entry, ApprovalExpired):
        return record_call_decision(run, entry.call, "lapsed")
    return run.model_copy(update={"calls": (*run.calls, entry.call)})  # the run's other work continues


def _apply_resumed_run(graph: ResearchGraph, run: Run, entry: RunResumed) -> Run:
    """Apply a resume. A fork has its own budget: the steps that it begins with were paid for by another run.

    A call that was to be tried again later is tried at once: resuming means that the cause was fixed.
    """
    if entry.retry_now:
        run = _retry_now(graph, run.model_copy(update={"trying": False}))
    if entry.plan is not None:
        run = run.knowing(run.state.model_copy(update={"plan": entry.plan}))
    budget = run.budget.model_copy(update={"limits": entry.limits or run.budget.limits})
    goes_on = {"pause": None, "going_back": None, **release_waiting_calls(run)}
    if run.tried is not None and run.hold is not None and run.hold.until is not None:
        goes_on["trying"] = True
    if entry.why == "forked":
        budget = budget.model_copy(update={"used": Usage(), "elapsed": 0.0})
        return run.model_copy(update={"budget": budget, "undone_to": 0, **goes_on})
    return run.model_copy(update={"budget": budget, "undone_to": entry.last_event, **goes_on})


def _retry_now(graph: ResearchGraph, run: Run) -> Run:
    """The run with its held call to be tried at once, and from there as if it had never been tried before.

    A call that is being tried continues. A step of branches has no call of its own: each branch is asked by itself, and
    it notifies its run of the outcome.
    """
    if run.tried is None or not isinstance(graph.by_id[run.node], AgentNode | ToolNode):
        return run
    waits = run.hold is not None and run.hold.reason in ("provider", "person", "store") and not run.trying
    return run.model_copy(update={"tried": run.tried.begin_anew(), **({"hold": None} if waits else {})})


def _apply_control_action(graph: ResearchGraph, earlier: Run, run: Run, entry: Controlled) -> Run:
    """Apply an action. A pause gets its date and author; its duration does not count as waiting without success."""
    run = sign_latest_decision(earlier, entry.action.apply(run), entry.by, entry.when)
    if run.pause is not None and earlier.pause is None:
        return run.model_copy(update={"pause": run.pause.model_copy(update={"since": entry.when, "by": entry.by})})
    if isinstance(entry.action, Unpause) and entry.action.retry_now:
        return _retry_now(graph, run)
    began = earlier.pause.since if earlier.pause is not None and run.pause is None else None
    if began is None or entry.when is None or run.tried is None:
        return run
    since = run.tried.since + max(0.0, entry.when - max(began, run.tried.since))
    return run.model_copy(update={"tried": run.tried.model_copy(update={"since": since})})


def _clear_stop_request(ending: Ending) -> dict[str, object]:
    """A run that was asked to stop, and does, need not be asked any more."""
    return {"stopping": None} if ending.kind == "stopped" else {}


def short_of(run: Run, ending: Ending) -> Hold:
    """Return the hold of a run whose budget is used up."""
    detail = ending.detail or ending.kind
    return Hold(reason="budget", node=run.node, type=ending.kind, detail=detail[:2_000], ending=ending)


TYPE_CHARACTERS: Final = 100
"""Maximum length of the name of an error."""


def fold_step_output(graph: ResearchGraph, run: Run, entry: StepCompleted, reading: ExpressionReader) -> Run:
    """The run with what `entry` brought in its state. What an exit writes is always kept: the report names it.

    Raises:
        ValidationError: the output, or what a state node's expressions gave, does not fit.
        InputInvalid: the state would weigh too much, or hold what cannot be written down.
    """
    state = _reduce_node_output(graph, run, entry, reading)
    if any(failure.node == run.node for failure in state.failures):  # put right
        state = state.model_copy(update={"failures": _drop_node_failures(state, run.node)})
    known, most = run.knowing(state, wrote=run.node), run.figures.state_bytes
    if (weight := sum(known.weights.values())) > most and run.node not in graph.exit_nodes:
        raise InputInvalid(
            "state", f"the state would weigh {weight:,} bytes, and {most:,} are allowed: keep less in it"
        )
    return known


def with_failure(run: Run, failure: Failure) -> Run:
    """Return the run with the failure of its node; nothing else of the node's work is kept.

    A node has one failure at most, so that all together are small compared with the limit of a state.
    """
    earlier = [known for known in run.state.failures if known.node == run.node]
    new = NodeFailure(
        node=run.node,
        type=failure.type[:TYPE_CHARACTERS],
        message=failure.message,
        attempts=failure.attempts,
        times=1 + sum(known.times for known in earlier),
    )
    return run.knowing(run.state.model_copy(update={"failures": (*_drop_node_failures(run.state, run.node), new)}))


def _drop_node_failures(state: ResearchState, node: str) -> tuple[NodeFailure, ...]:
    return tuple(failure for failure in state.failures if failure.node != node)


def record_expression_use(run: Run, reading: ExpressionReader) -> Run:
    """The run after its expressions were read: with what has to be said of them, and the work they took."""
    run = run.model_copy(update={"work": run.work + reading.work})
    return add_run_warnings(run, reading.warnings)


def add_run_warnings(run: Run, warnings: Iterable[str]) -> Run:
    """The run with `warnings` for the reader of its report, each once."""
    new = [text for text in warnings if text not in run.state.warnings]
    if not new:
        return run
    return run.knowing(run.state.model_copy(update={"warnings": (*run.state.warnings, *new)}))


def _reduce_node_output(
    graph: ResearchGraph, run: Run, entry: StepCompleted, reading: ExpressionReader
) -> ResearchState:
    """The state with the node's output in it, and folded in by the node's reducer if it names one."""
    node = graph.by_id[run.node]
    state = run.state
    if isinstance(node, StateNode):
        reducer = REDUCERS[node.reducer]
        given = build_node_input(reducer.input, node.inputs, reading)
        return reducer.apply(state, reducer.input.model_validate(given))
    if isinstance(node, DecisionNode):
        return state
    if entry.output is not None and (model := output_model(graph, node)) is not None:
        model.model_validate(entry.output)
    state = state.model_copy(update={"outputs": {**state.outputs, node.id: entry.output}})
    if node.reducer is None:
        return state
    reducer = REDUCERS[node.reducer]
    return reducer.apply(state, reducer.input.model_validate(_for_reducer(node, entry)))


def _for_reducer(node: AgentNode | ToolNode | ParallelNode, entry: StepCompleted) -> Json:
    """Reducers of tool nodes always see a list of outcomes, so that one works with and without `for_each`."""
    if isinstance(node, ToolNode) and node.for_each is None:
        return {"items": [{"index": 0, "output": entry.output}]}
    return entry.output


def output_model(graph: ResearchGraph, node: Node) -> type[Frozen] | None:
    """Return the output model of a node, stored under `outputs.<id>`; None if it has none or it is not known here."""
    match node:
        case AgentNode():
            return get_agent(graph, node.agent).output if node.agent in AGENTS or node.agent in graph.agents else None
        case ToolNode():
            if node.for_each:
                return ItemOutcomes
            return TOOLS[node.tool].output if node.tool in TOOLS else None
        case ParallelNode():
            return BranchOutcomes
        case _:
            return None
