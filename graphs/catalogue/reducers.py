"""Folding a node's output into the state: named pure functions, `(state, output) -> state`.

Nothing here removes evidence or an iteration; a run's knowledge only grows.
"""

from collections.abc import Sequence
from typing import Final

from pydantic import Field

from elcano.graphs.agents.input_parser import ABOUT, MADE_PRECISE, PARTS, ParsedQuery
from elcano.graphs.agents.judge import JudgeAssessment
from elcano.graphs.agents.knowledge_gap import KnowledgeGapOutput
from elcano.graphs.agents.mode_choices import USUAL, instead_of
from elcano.graphs.agents.team_judge import TeamAssessment
from elcano.graphs.agents.thinking import ThinkingOutput
from elcano.graphs.agents.tool_selector import AgentSelectionPlan
from elcano.graphs.catalogue.tools import RELATED, ItemOutcomes, SearchOutput
from elcano.graphs.frozen import Frozen, Json
from elcano.graphs.shortening import shorten_text
from elcano.graphs.values.choice import REASON_CHARACTERS, Choice
from elcano.graphs.values.criteria import apply_verdicts, build_unjudged_criteria
from elcano.graphs.values.report import DraftRef
from elcano.graphs.values.state import IterationData, ResearchState, ToolCallRecord

ASKED_CHARACTERS: Final = 200
WARNED_CHARACTERS: Final = 500
"""Of a question, and of what its judge said, for a reader of the report."""


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


def record_thought(state: ResearchState, output: ThinkingOutput) -> ResearchState:
    """Begin the iteration's record with its thought; if the run has no criteria yet, take the agent's."""
    known = state if state.criteria else state.model_copy(update={"criteria": build_unjudged_criteria(output.criteria)})
    return in_this_iteration(known, thought=output.thought)


def record_gap(state: ResearchState, output: KnowledgeGapOutput) -> ResearchState:
    """The first gap is the one this iteration works on; with none named it is the question itself."""
    gap = output.outstanding_gaps[0] if output.outstanding_gaps else state.question
    return in_this_iteration(state, gap="" if output.research_complete else gap)


def record_tool_calls(state: ResearchState, output: AgentSelectionPlan) -> ResearchState:
    """Record the searches about to be made, after those that the iteration has made."""
    calls = tuple(ToolCallRecord(source=task.source, query=task.query, pending=True) for task in output.tasks)
    return in_this_iteration(state, tool_calls=(*running_iteration(state).tool_calls, *calls))


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


def record_judgement(state: ResearchState, output: JudgeAssessment) -> ResearchState:
    """Record the judge's reasoning, the criteria that are met, and the searches it suggests for the next iteration.

    What its rubric lacks stands before its reasoning, which is cut where it is shown again.
    """
    known = state.model_copy(update={"criteria": apply_verdicts(state.criteria, output.criteria)})
    lacks = f"Not enough yet: {'; '.join(output.lacking)}. " if output.lacking else ""
    return in_this_iteration(known, judgement=lacks + output.reasoning, suggested_queries=output.next_search_queries)


def record_feedback(state: ResearchState, output: TeamAssessment) -> ResearchState:
    """Record the feedback on a draft and the searches its judge suggests, as `record_judgement` does for passages.

    As long as the judge is not satisfied, its last words are among the warnings: a reader should know what is missing.
    """
    said = f"The judge of “{shorten_text(state.question, ASKED_CHARACTERS)}” was not satisfied: "
    warnings = tuple(text for text in state.warnings if not text.startswith(said))
    if not output.sufficient:
        why = output.feedback or "it did not say what is missing"
        warnings = (*warnings, said + shorten_text(why, WARNED_CHARACTERS))
    known = state.model_copy(update={"criteria": apply_verdicts(state.criteria, output.criteria), "warnings": warnings})
    return in_this_iteration(known, judgement=output.feedback, suggested_queries=output.next_search_queries)


def record_parse(state: ResearchState, output: ParsedQuery) -> ResearchState:
    """Add the interpretation of the question to the background; the question itself stays as it was asked.

    Its form, its language, the criteria of an answer and its field are kept as such; of the rubrics that of its field
    alone, once there is one.
    """
    lines = [state.background] if state.background else []
    if output.improved_query != state.question:
        lines.append(f"{MADE_PRECISE} {output.improved_query}")
    if output.key_entities:
        lines.append(f"{ABOUT} {', '.join(output.key_entities)}")
    if output.research_questions:
        lines.append(f"{PARTS} {' / '.join(output.research_questions)}")
    return state.model_copy(
        update={
            "background": "\n".join(lines),
            "form": output.form or state.form,
            "language": " ".join(output.language.split()) or state.language,
            "criteria": state.criteria or build_unjudged_criteria(output.criteria),
            **_of_field(state, output.domain),
        }
    )


def _of_field(state: ResearchState, domain: str) -> dict[str, object]:
    """The field of a question and its rubric, unless that was said, or there is none of this name."""
    rubrics = tuple(rubric for rubric in state.domains if rubric.name == domain)
    return {"domain": domain, "domains": rubrics} if rubrics and not state.domain else {}


class ModeToChoose(Frozen):
    """The input to choosing a run's mode."""

    wanted: str = ""
    """The mode that was named by whoever read the question."""
    reason: str = ""
    """Why."""
    ways: tuple[str, ...] = Field(min_length=1)
    """The modes that its graph has, the cheapest first."""


def choose_mode(state: ResearchState, output: ModeToChoose) -> ResearchState:
    """Chooses the mode that was wanted; where it is barred the one that is gone instead of it (`ways.instead_of`).

    Where none was named that there is, it is the usual one.
    """
    open_ways = [way for way in output.ways if way not in state.barred] or [*output.ways]
    wanted, said = output.wanted, [output.reason.strip()]
    if wanted not in output.ways:
        said.append(f"No mode that there is was named, so it is the usual one: {wanted!r} was." if wanted else "")
        wanted = USUAL if USUAL in output.ways else open_ways[0]
    mode = wanted
    if wanted not in open_ways:
        mode = instead_of(wanted, output.ways, state.barred)
        said.append(f"{wanted} cannot be chosen here: {state.barred[wanted]}")
    reason = shorten_text(" ".join(filter(None, said)), REASON_CHARACTERS)
    return state.model_copy(update={"choice": Choice(mode=mode, reason=reason)})


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
