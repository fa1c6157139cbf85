"""Reducers: pure functions by name that fold a node's output into the state, `(state, output) -> state`.

Nothing here removes evidence or an iteration; a run's knowledge only grows. A branch that failed leaves a gap, never a
hole.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from elcano.graphs.catalogue.tools import RELATED, ItemOutcomes, SearchOutput
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.plugin import Registry
from elcano.graphs.state.branches import BranchOutcomes
from elcano.graphs.state.plan import Contradiction, Criterion, SectionResult
from elcano.graphs.state.state import DraftRef, IterationData, ResearchState, ToolCallRecord
from elcano.graphs.text import format_count


@dataclass(frozen=True)
class ReducerSpec:
    """One pure change of the state."""

    name: str
    description: str
    input: type[Frozen]
    apply: Callable[[ResearchState, Any], ResearchState]
    item: type[Frozen] | None = None
    """For a reducer that takes `ItemOutcomes`: the model of each item's output. None for the others."""
    adds_evidence: bool = False
    """Whether it can put evidence into the state."""
    narrate: Callable[[ResearchState], tuple[str, JsonObject]] | None = None
    """For a change with an event of its own: its sentence and figures, from the changed state."""
    hands_over: bool = False
    """Whether an exit that has it ends research without a draft: another writes from the passages that were found."""
    hands_in: bool = False
    """Whether an exit that has it ends its run with the draft that it is given, as one does that writes."""


REDUCERS: Final[Registry[ReducerSpec]] = Registry("reducers", ReducerSpec)


WARNED_CHARACTERS: Final = 500
"""Maximum length of an agent's or tool's text in a warning."""


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
        calls.append(
            ToolCallRecord(
                source=found.source,
                query=found.query,
                found=len(found.evidence),
                new=len(fresh),
                refused=found.refused,
            )
        )
        _append_once(warnings, found.warnings)
    grown = grown.model_copy(update={"warnings": tuple(warnings)})
    before = running_iteration(state).tool_calls
    if any(call.pending for call in before):
        calls = [call.model_copy(update={"chosen": True}) for call in calls]
    made = (*(call for call in before if not call.pending), *calls)
    return with_findings(in_this_iteration(grown, tool_calls=made), state)


class DraftToHandIn(Frozen):
    """A draft that was written before; None: there is none, and nothing is handed in."""

    draft: DraftRef | None = None


def hand_in(state: ResearchState, output: DraftToHandIn) -> ResearchState:
    """Changes nothing: an exit with this reducer ends its run with the draft that it is given."""
    return state


class Nothing(Frozen):
    """The input of a reducer that needs none."""


def hand_over(state: ResearchState, output: Nothing) -> ResearchState:
    """Changes nothing: an exit with this reducer ends research whose passages another writes from."""
    return state


class Values(Frozen):
    """Values to set, by name."""

    values: dict[str, Json] = {}


def set_values(state: ResearchState, output: Values) -> ResearchState:
    """Sets `values.<name>`, leaving the others as they are."""
    return state.model_copy(update={"values": {**state.values, **output.values}})


def _append_once(into: list[str], lines: Sequence[str]) -> None:
    into.extend(line for line in lines if line not in into)


class SectionNotes(Frozen):
    """Declared result of research without a writer, so that another can write from it."""

    criteria: tuple[Criterion, ...] = ()
    notes: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


def collect_drafts(state: ResearchState, output: BranchOutcomes) -> ResearchState:
    """Merges the branches: sections in the plan's order, each passage handed over once, every warning once."""
    warnings = dict.fromkeys(state.warnings)
    planned = {section.title: section for section in state.plan}
    sections = []
    for branch in output.branches:
        warnings.update(dict.fromkeys(branch.warnings))
        section = planned.get(branch.title)
        sections.append(
            SectionResult.from_record(
                branch,
                key_question=branch.question,
                evidence=tuple(ref.id for ref in branch.evidence),
                ended_by=branch.ended_by or (branch.gap.type if branch.gap else ""),
                tokens=branch.usage.tokens,
                wish=section.wish if section else "",
                form=section.form if section and not branch.draft else "",
                **_read_notes(branch.values),
            )
        )
    grown = state.with_evidence(ref for branch in output.branches for ref in branch.evidence)
    return grown.model_copy(update={"sections": tuple(sections), "warnings": tuple(warnings)})


def _read_notes(values: JsonObject) -> dict[str, Any]:
    """Return the notes of a section without a draft, for the agent that writes it; nothing if its values are others."""
    try:
        read = SectionNotes.model_validate({name: values[name] for name in SectionNotes.model_fields if name in values})
    except ValidationError:
        return {}
    return {name: getattr(read, name) for name in SectionNotes.model_fields}


def collect_results(state: ResearchState, output: BranchOutcomes) -> ResearchState:
    """As `collect_drafts`; new evidence is a finding of the running iteration too, and values can be read by name.

    `values.<name>` becomes the list of what the branches declare under this name, in the plan's order, with null for a
    branch that hands over no such value.
    """
    grown = collect_drafts(state, output)
    names = dict.fromkeys(name for branch in output.branches for name in branch.values)
    listed: JsonObject = {name: [branch.values.get(name) for branch in output.branches] for name in names}
    return with_findings(grown.model_copy(update={"values": {**state.values, **listed}}), state)


def _count_passages(state: ResearchState) -> tuple[str, JsonObject]:
    return f"Research ends with {format_count(len(state.evidence), 'passage')}", {"passages": len(state.evidence)}


def _count_sections(state: ResearchState) -> tuple[str, JsonObject]:
    counted = format_count(len(state.sections), "section")
    found = format_count(len(state.evidence), "passage")
    return f"{counted} with {found} for the report", {"sections": len(state.sections)}


KERNEL_REDUCERS: Final = (
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
    ReducerSpec(
        "hand_over",
        "Ends research without a draft: its passages and values are handed over.",
        Nothing,
        hand_over,
        narrate=_count_passages,
        hands_over=True,
    ),
    ReducerSpec("set_values", "Sets values of your own.", Values, set_values),
    ReducerSpec(
        "collect_drafts",
        "Merges the sections that the branches drafted, in the plan's order.",
        BranchOutcomes,
        collect_drafts,
        narrate=_count_sections,
        adds_evidence=True,
    ),
    ReducerSpec(
        "collect_results",
        "Merges what the branches found as findings, and lists the values that they declare, in the plan's order.",
        BranchOutcomes,
        collect_results,
        adds_evidence=True,
    ),
)
