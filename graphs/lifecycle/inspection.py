"""One step in detail: the input and output of its call, and what it changed in the run's state. Pure.

The engine rebuilds the input from the run at that point, as it was built then. Expressions that read the remaining time
see that of the end of the step before. States are compared field by field, in few words. Lists of a state grow at their
end, so two lists are compared position by position, and the rest of the longer one was appended or cut off. The output
of a node is one value: it is replaced, not edited.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, Literal, TypeAlias

from pydantic import ConfigDict, ValidationError

from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.engine.budget_check import update_budget_forecast
from elcano.graphs.engine.entries import CallAgent, CallTool, RunBranches, StepAbandoned, StepCompleted, StepFailed
from elcano.graphs.engine.inputs import ExpressionReader, build_command, build_node_input
from elcano.graphs.engine.run import Run
from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen, Json
from elcano.graphs.lifecycle.step_history import Passage, iter_passages
from elcano.graphs.lifecycle.step_rows import BetweenRow, StepRow
from elcano.graphs.records import RunLog
from elcano.graphs.spec.graph import ResearchGraph, StateNode
from elcano.graphs.state.budget import Budget
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.state import ResearchState
from elcano.graphs.text import shorten_text

MOST_CHANGES: Final = 200
"""Maximum number of changes reported for one step, and of parts reported for one change."""


VALUE_CHARACTERS: Final = 300
"""A longer text is cut; any other larger value is described by its size."""


_WHOLE: Final = ("outputs", "values", "sections")
"""Fields each of whose parts is one value."""


How: TypeAlias = Literal["set", "removed", "appended", "cut_off"]


class Change(Frozen):
    """One difference that a step made to what the run knows."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    field: str
    """Where: `evidence`, `outputs.judge`, `conversation[0].gap`."""
    how: How
    """`set`: it has another value; `appended` and `cut_off`: of a list."""
    before: Json = None
    """The old value in short; null if there was none."""
    after: Json = None
    """The new value in short; null if there is none."""
    items: tuple[Json, ...] = ()
    """For a list the items that were appended or cut off, each in short: evidence by its id and title."""
    count: int = 1
    """The number of these items; `items` may list fewer."""


class Changes(Frozen):
    """All differences, or the first of them."""

    changes: tuple[Change, ...]
    more: bool = False
    """There are further ones."""


class StepInspection(Frozen):
    """A step from the inside."""

    row: StepRow
    between: tuple[BetweenRow, ...] = ()
    """Events before the step and during it."""
    input: Json = None
    """The input of an agent or a state node; for a tool a list, and for a parallel node a list of each branch's input;
    null for a decision."""
    no_input: str = ""
    """Why there is none: what its expressions gave did not fit."""
    output: Json = None
    """Null if it brought nothing; the row says why."""
    before: ResearchState
    """The run from which its call was made."""
    after: ResearchState | None = None
    """None while it is in progress."""
    changed: Changes
    budget_before: Budget
    budget_after: Budget | None = None


def inspect_step(log: RunLog, events: Iterable[AgentEvent], number: int, *, going_on: bool) -> StepInspection | None:
    """The step with this number; None if the run has none. Arguments as for `iter_passages`."""
    between: list[BetweenRow] = []
    for one in iter_passages(log, events, going_on=going_on):
        if isinstance(one, BetweenRow):
            if one.before == number:
                between.append(one)
        elif one.row.number == number:
            return _build_inspection(log.asked.graph, one, between)
    return None


def count_steps(log: RunLog, *, going_on: bool) -> int:
    """Count the steps, including the one in progress."""
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
    """Return the input of the node that `run` is at, or why it could not be built."""
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


def compare_states(before: ResearchState, after: ResearchState) -> Changes:
    """List the differences between the states `before` and `after`."""
    found = tuple(islice(_of_states(before, after), MOST_CHANGES + 1))
    return Changes(changes=found[:MOST_CHANGES], more=len(found) > MOST_CHANGES)


def _of_states(before: ResearchState, after: ResearchState) -> Iterator[Change]:
    for name in ResearchState.model_fields:
        if getattr(before, name) is not getattr(after, name):  # what was not replaced needs no writing out
            one, other = (state.model_dump(mode="json", include={name})[name] for state in (before, after))
            yield from _iter_value_changes(name, one, other)


def _iter_value_changes(field: str, before: Json, after: Json) -> Iterator[Change]:
    if before == after:
        return
    whole = field.partition(".")[0].partition("[")[0] in _WHOLE and field not in _WHOLE
    if isinstance(before, dict) and isinstance(after, dict) and not whole:
        for name in dict.fromkeys((*before, *after)):
            inner = f"{field}.{name}"
            if name not in after:
                yield Change(field=inner, how="removed", before=shorten_value(before[name]))
            elif name not in before:
                yield Change(field=inner, how="set", after=shorten_value(after[name]))
            else:
                yield from _iter_value_changes(inner, before[name], after[name])
    elif isinstance(before, list) and isinstance(after, list) and not whole:
        for place, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from _iter_value_changes(f"{field}[{place}]", one, other)
        yield from _iter_extra_items(field, "appended", after[len(before) :])
        yield from _iter_extra_items(field, "cut_off", before[len(after) :])
    else:
        yield Change(field=field, how="set", before=shorten_value(before), after=shorten_value(after))


def _iter_extra_items(field: str, how: How, parts: list[Json]) -> Iterator[Change]:
    if parts:
        items = tuple(shorten_value(part) for part in parts[:MOST_CHANGES])
        yield Change(field=field, how=how, items=items, count=len(parts))


def shorten_value(value: Json) -> Json:
    """A value as it is shown in a list: evidence by its id and title, long texts cut, large parts by their size."""
    match value:
        case str():
            return shorten_text(value, VALUE_CHARACTERS)
        case dict() if value.keys() >= {"id", "title", "excerpt"}:
            return {name: value[name] for name in ("id", "title", "source", "duplicate_of") if value.get(name)}
        case dict():
            return {
                shorten_text(name, VALUE_CHARACTERS): _shorten_part(part) for name, part in islice(value.items(), 20)
            }
        case list():
            return [_shorten_part(part) for part in value] if len(value) <= 5 else f"{len(value):,} parts"
        case _:
            return value


def _shorten_part(value: Json) -> Json:
    """A part of a value, itself if it is small."""
    match value:
        case str():
            return shorten_text(value, VALUE_CHARACTERS)
        case dict() | list() if value:
            return f"{len(value):,} {'part' if len(value) == 1 else 'parts'}"
        case _:
            return value
