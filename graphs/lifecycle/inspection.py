"""One step, looked into: what its call was given, what came out, and what the run knew before and after. Pure.

What went in is built again by the engine from the run as it stood, as it was built then. Expressions that read how much
time is left see that of the end of the step before.
"""

from collections.abc import Iterable

from pydantic import ValidationError

from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.engine.commands import CallAgent, CallTool, RunBranches
from elcano.graphs.engine.entries import StepAbandoned, StepCompleted, StepFailed
from elcano.graphs.engine.estimates import update_budget_forecast
from elcano.graphs.engine.inputs import ExpressionReader, build_command, build_node_input
from elcano.graphs.engine.run import Run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen, Json
from elcano.graphs.lifecycle.rows import BetweenRow, StepRow
from elcano.graphs.lifecycle.state_diff import Changes, compare_states
from elcano.graphs.lifecycle.step_history import Passage, iter_passages
from elcano.graphs.records import RunLog
from elcano.graphs.spec.graph import ResearchGraph, StateNode
from elcano.graphs.state.budget import Budget
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.state import ResearchState


class StepInspection(Frozen):
    """A step from the inside."""

    row: StepRow
    between: tuple[BetweenRow, ...] = ()
    """What happened before it and while it was under way."""
    input: Json = None
    """Of an agent and of a state node what it was given; of a tool a list, and of a parallel node a list of what each
    branch was given; null for a decision."""
    no_input: str = ""
    """Why there is none: what its expressions gave did not fit."""
    output: Json = None
    """Null if it brought nothing; the row says why."""
    before: ResearchState
    """As its call was made from it."""
    after: ResearchState | None = None
    """None while it goes on."""
    changed: Changes
    budget_before: Budget
    budget_after: Budget | None = None


def inspect_step(log: RunLog, events: Iterable[AgentEvent], number: int, *, going_on: bool) -> StepInspection | None:
    """The step with this number; None if the run has none. Arguments as for `list_step_rows`."""
    between: list[BetweenRow] = []
    for one in iter_passages(log, events, going_on=going_on):
        if isinstance(one, BetweenRow):
            if one.before == number:
                between.append(one)
        elif one.row.number == number:
            return _build_inspection(log.asked.graph, one, between)
    return None


def count_steps(log: RunLog, *, going_on: bool) -> int:
    """How many steps there are, the one that is under way included."""
    ended = sum(isinstance(entry, StepCompleted | StepFailed | StepAbandoned) for entry in log.entries)
    return ended + (going_on and not log.run.finished and not log.run.choosing)


def _build_inspection(graph: ResearchGraph, step: Passage, between: Iterable[BetweenRow]) -> StepInspection:
    given, why_not = (None, "") if step.row.kind is None else _build_node_input(graph, step.before)
    after = step.after.state if step.after is not None else None
    return StepInspection(
        row=step.row,
        between=tuple(between),
        input=given,
        no_input=why_not,
        output=step.entry.output if isinstance(step.entry, StepCompleted) else None,
        before=step.before.state,
        after=after,
        changed=compare_states(step.before.state, after) if after is not None else Changes(changes=()),
        budget_before=step.before.budget,
        budget_after=step.after.budget if step.after is not None else None,
    )


def _build_node_input(graph: ResearchGraph, run: Run) -> tuple[Json, str]:
    """What the node that `run` is at is given, or why it could not be."""
    run = update_budget_forecast(graph, run)
    node = graph.by_id[run.node]
    reading = ExpressionReader(run)
    try:
        if isinstance(node, StateNode):
            return build_node_input(REDUCERS[node.reducer].input, node.inputs, reading), ""
        match build_command(graph, run, reading):
            case CallAgent(input=given):
                return given, ""
            case CallTool(inputs=given_each):
                return list(given_each), ""
            case RunBranches(branches=branches):
                return [
                    {"path": start.parallel_path_id, "branch": start.branch, **start.input.model_dump(mode="json")}
                    for start in branches
                ], ""
            case _:
                return None, ""
    except (ValidationError, InputInvalid) as error:
        return None, str(error)
