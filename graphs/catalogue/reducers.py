"""Folding a node's output into the state: named pure functions, `(state, output) -> state`.

Nothing here removes evidence or an iteration; a run's knowledge only grows.
"""

from collections.abc import Sequence
from typing import Final

from elcano.graphs.catalogue.registry_specs import ReducerSpec
from elcano.graphs.catalogue.tools import RELATED, ItemOutcomes, SearchOutput
from elcano.graphs.frozen import Frozen, Json
from elcano.graphs.report.draft import DraftRef
from elcano.graphs.state.state import IterationData, ResearchState, ToolCallRecord

WARNED_CHARACTERS: Final = 500
"""Of what an agent or a tool said, for a reader of the report."""


def in_this_iteration(state: ResearchState, **changes: object) -> ResearchState:
    """`state` with fields of the running iteration's record replaced; the record is begun if there is none."""
    done = state.conversation
    if done and done[-1].number == state.iteration:
        done, running = done[:-1], done[-1]
    else:
        running = IterationData(number=state.iteration)
    return state.model_copy(update={"conversation": (*done, running.model_copy(update=changes))})


def running_iteration(state: ResearchState) -> IterationData:
    """The record of the running iteration; an empty one if it has not begun."""
    if state.conversation and state.conversation[-1].number == state.iteration:
        return state.conversation[-1]
    return IterationData(number=state.iteration)


def new_evidence(grown: ResearchState, earlier: ResearchState) -> tuple[str, ...]:
    """Ids of the evidence that `grown` has beyond `earlier`, without what repeats older evidence."""
    before = set(earlier.distinct_evidence)
    return tuple(one for one in grown.distinct_evidence if one not in before)


def with_findings(grown: ResearchState, earlier: ResearchState) -> ResearchState:
    """`grown` with the evidence that it has beyond `earlier` among the findings of the running iteration."""
    found = (*running_iteration(grown).findings, *new_evidence(grown, earlier))
    return in_this_iteration(grown, findings=found)


def add_evidence(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Add the passages that the searches found, each id once, and record the outcome of each search.

    What repeats older evidence is kept, but it is no finding.
    """
    results = [None if item.output is None else SearchOutput.model_validate(item.output) for item in output.items]
    grown = state.with_evidence(ref for found in results if found for ref in found.evidence)
    unclaimed = set(new_evidence(grown, state))
    calls: list[ToolCallRecord] = []
    warnings = list(state.warnings)
    for item, found in zip(output.items, results, strict=True):
        if found is None:
            source, query = str(item.input.get("source", RELATED)), str(item.input.get("query", ""))
            calls.append(ToolCallRecord(source=source, query=query, error=item.error or "failed"))
            _append_once(warnings, [f"The search for {query!r} in {source!r} failed: {item.error}"])
            continue
        fresh = unclaimed & {ref.id for ref in found.evidence}
        unclaimed -= fresh
        calls.append(ToolCallRecord(source=found.source, query=found.query, found=len(found.evidence), new=len(fresh)))
        _append_once(warnings, found.warnings)
    grown = grown.model_copy(update={"warnings": tuple(warnings)})
    made = (*(call for call in running_iteration(state).tool_calls if not call.pending), *calls)
    return with_findings(in_this_iteration(grown, tool_calls=made), state)


class DraftToHandIn(Frozen):
    """A draft that was written before; None: there is none, and nothing is handed in."""

    draft: DraftRef | None = None


def hand_in(state: ResearchState, output: DraftToHandIn) -> ResearchState:
    """Changes nothing: an exit with this reducer ends its run with the draft that it is given."""
    return state


class Values(Frozen):
    """Values to set, by name."""

    values: dict[str, Json] = {}


def set_values(state: ResearchState, output: Values) -> ResearchState:
    """Sets `values.<name>`, leaving the others as they are."""
    return state.model_copy(update={"values": {**state.values, **output.values}})


def _append_once(into: list[str], lines: Sequence[str]) -> None:
    into.extend(line for line in lines if line not in into)


REDUCERS: Final = (
    ReducerSpec(
        "add_evidence",
        "Adds what searches found, each passage once.",
        ItemOutcomes,
        add_evidence,
        item=SearchOutput,
        adds_evidence=True,
    ),
    ReducerSpec(
        "hand_in",
        "Ends with a draft that was written before.",
        DraftToHandIn,
        hand_in,
        hands_in=True,
    ),
    ReducerSpec("set_values", "Sets values of your own.", Values, set_values),
)
