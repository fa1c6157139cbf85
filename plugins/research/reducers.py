"""The reducers of the research loop: what its agents say, folded into the state."""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.reducers import ReducerSpec, in_this_iteration, running_iteration
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.mode_choice import USUAL, instead_of
from elcano.graphs.state.plan import apply_verdicts, build_unjudged_criteria
from elcano.graphs.state.state import REASON_CHARACTERS, Choice, ResearchState, ToolCallRecord
from elcano.graphs.text import shorten_text
from elcano.plugins.research.agents.input_parser import ABOUT, MADE_PRECISE, PARTS, ParsedQuery
from elcano.plugins.research.agents.judge import JudgeAssessment
from elcano.plugins.research.agents.knowledge_gap import KnowledgeGapOutput
from elcano.plugins.research.agents.thinking import ThinkingOutput
from elcano.plugins.research.agents.tool_selector import AgentSelectionPlan


def record_thought(state: ResearchState, output: ThinkingOutput) -> ResearchState:
    """Begin the iteration's record with its thought, and with the gaps and searches that it named.

    If the run has no criteria yet, the agent's are taken.
    """
    known = state if state.criteria else state.model_copy(update={"criteria": build_unjudged_criteria(output.criteria)})
    known = in_this_iteration(known, thought=output.thought, beside=_add_to_beside(known, output.beside))
    if output.research_complete is None:
        return known
    gaps = KnowledgeGapOutput(research_complete=output.research_complete, outstanding_gaps=output.outstanding_gaps)
    known = record_gap(known, gaps)
    return known if output.research_complete else record_tool_calls(known, AgentSelectionPlan(tasks=output.tasks))


def record_gap(state: ResearchState, output: KnowledgeGapOutput) -> ResearchState:
    """The gaps are what this iteration works on; with none named it is the question itself."""
    gaps = () if output.research_complete else output.outstanding_gaps or (state.question,)
    return in_this_iteration(state, gap=gaps[0] if gaps else "", gaps=gaps, complete=output.research_complete)


def record_tool_calls(state: ResearchState, output: AgentSelectionPlan) -> ResearchState:
    """Record the searches about to be made, after those that the iteration has made."""
    calls = tuple(ToolCallRecord(source=task.source, query=task.query, pending=True) for task in output.tasks)
    return in_this_iteration(state, tool_calls=(*running_iteration(state).tool_calls, *calls))


def record_judgement(state: ResearchState, output: JudgeAssessment) -> ResearchState:
    """Record the judge's reasoning, the criteria that are met, what is beside the question, and what to search next.

    What its rubric lacks stands before its reasoning, which is cut where it is shown again.
    """
    known = state.model_copy(update={"criteria": apply_verdicts(state.criteria, output.criteria)})
    lacks = f"Not enough yet: {'; '.join(output.lacking)}. " if output.lacking else ""
    return in_this_iteration(
        known,
        judgement=lacks + output.reasoning,
        suggested_queries=output.next_search_queries,
        beside=_add_to_beside(state, output.beside),
    )


def _add_to_beside(state: ResearchState, found: tuple[str, ...]) -> tuple[str, ...]:
    """Add `found` to what this iteration has found beside the question."""
    return tuple(dict.fromkeys((*running_iteration(state).beside, *found)))


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
    """Chooses the mode that was wanted; where it is barred the one that is gone instead of it (`instead_of`).

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


def _summarize_mode_choice(state: ResearchState) -> tuple[str, JsonObject]:
    return f"Chose {state.choice.mode} research. {state.choice.reason}".rstrip(), {
        "mode": state.choice.mode,
        "reason": state.choice.reason,
    }


REDUCERS: Final = (
    ReducerSpec(
        "record_thought",
        "Begins the iteration's record: its thought, gaps and searches.",
        ThinkingOutput,
        record_thought,
    ),
    ReducerSpec(
        "record_gap",
        "Notes the gaps that the iteration works on.",
        KnowledgeGapOutput,
        record_gap,
    ),
    ReducerSpec(
        "record_tool_calls",
        "Notes the searches to be made.",
        AgentSelectionPlan,
        record_tool_calls,
    ),
    ReducerSpec(
        "record_judgement",
        "Keeps the judge's reasoning and queries.",
        JudgeAssessment,
        record_judgement,
    ),
    ReducerSpec(
        "record_parse",
        "Adds what the question was understood as to the background.",
        ParsedQuery,
        record_parse,
    ),
    ReducerSpec(
        "choose_mode",
        "Chooses the mode that was named, unless it cannot be chosen here.",
        ModeToChoose,
        choose_mode,
        told=_summarize_mode_choice,
    ),
)
