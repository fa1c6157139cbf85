"""The reducers of the research loop: what its agents say, folded into the state."""

from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.reducers import ReducerSpec, in_this_iteration, running_iteration
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.mode_choice import USUAL, instead_of
from elcano.graphs.state.plan import (
    SectionPlan,
    apply_verdicts,
    build_unjudged_criteria,
    normalize_criteria,
    normalize_title,
)
from elcano.graphs.state.state import REASON_CHARACTERS, Choice, ResearchState, ToolCallRecord
from elcano.graphs.text import format_count, shorten_text
from elcano.subjects.research.agents.input_parser import ABOUT, MADE_PRECISE, PARTS, ParsedQuery
from elcano.subjects.research.agents.judge import JudgeAssessment
from elcano.subjects.research.agents.planner import ReportPlan
from elcano.subjects.research.agents.thinking import KnowledgeGapOutput, ThinkingOutput
from elcano.subjects.research.agents.tool_selector import AgentSelectionPlan


def record_thought(state: ResearchState, output: ThinkingOutput) -> ResearchState:
    """Begin the iteration's record with its thought, and with the gaps and searches that it named.

    If the run has no criteria yet, the agent's are taken.
    """
    known = state if state.criteria else state.model_copy(update={"criteria": build_unjudged_criteria(output.criteria)})
    known = in_this_iteration(
        known,
        thought=output.thought,
        beside=_add_to_beside(known, output.beside),
        contradictions=output.contradictions,
    )
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
    """Record the judge's reasoning, the criteria that are met, what is off topic, and what to search next.

    What its rubric lacks stands before its reasoning, which is cut where it is shown again.
    """
    known = state.model_copy(update={"criteria": apply_verdicts(state.criteria, output.criteria)})
    lacks = f"Not enough yet: {'; '.join(output.lacking)}. " if output.lacking else ""
    return in_this_iteration(
        known,
        judgement=lacks + output.reasoning,
        suggested_queries=output.next_search_queries,
        beside=_add_to_beside(state, output.beside),
        contradictions=(*running_iteration(state).contradictions, *output.contradictions),
    )


def _add_to_beside(state: ResearchState, found: tuple[str, ...]) -> tuple[str, ...]:
    """Add `found` to what this iteration has found off topic."""
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
    """The mode that was named by the agent that read the question."""
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
        narrate=_summarize_mode_choice,
    ),
)


WISH_CHARACTERS: Final = 1_000
"""Maximum characters of the wish for one section."""
NAMED: Final = 20
"""Maximum sections that are named as not researched."""
STEP_TOKENS: Final = 10_000
"""Step to which the sufficient number of tokens is rounded: it is an estimate."""


class PlanToStore(ReportPlan):
    """A plan, and how many of its sections may be researched."""

    max_sections: int = 8
    affordable_sections: int | None = None
    """As many of them the budget can research with the searches that they need; None: that was not measured."""
    tokens_each: int = 0
    """Tokens for one more section."""
    tokens: int = 0
    """The limit of tokens."""


def store_plan(state: ResearchState, output: PlanToStore) -> ResearchState:
    """Makes the plan fit to be run: one to `max_sections` sections, each with a question and a title of its own.

    It is cut to what the budget can research, so that none of its sections is left with a single search. Sections that
    someone added come last and are never cut.
    """
    warnings = list(state.warnings)
    sections = [
        SectionPlan(
            title=section.title.strip() or section.key_question,
            key_question=section.key_question.strip(),
            criteria=normalize_criteria(section.criteria),
            form=section.form,
            wish=shorten_text(section.wish.strip(), WISH_CHARACTERS),
            evidence=section.evidence,
        )
        for section in output.report_outline
        if section.title.strip() or section.key_question.strip()
    ]
    added = {normalize_title(section.title) for section in state.added_sections}
    sections = [section for section in sections if normalize_title(section.title) not in added]
    room = max(0, output.max_sections - len(added))
    if not sections and not added:
        warnings.append("The plan had no sections, so the question was researched as one.")
        sections = [SectionPlan(title=output.report_title, key_question=state.question)]
    if len(sections) > room:
        left_out = ", ".join(section.title for section in sections[room:][:NAMED])
        warnings.append(f"The plan had {len(sections)} sections; these are not researched: {left_out}")
        sections = sections[:room]
    if output.affordable_sections is not None:
        few = max(0 if added else 1, output.affordable_sections - len(added))
        if dropped := sections[few:]:
            warnings.append(_too_many(output, few + len(added), dropped))
            sections = sections[:few]
    planned = in_this_iteration(state, beside=output.beside) if output.beside else state
    return planned.model_copy(
        update={
            "title": output.report_title,
            "form": state.form or output.form,
            "background": "\n".join(filter(None, (state.background, output.background_context))),
            "plan": tuple(_with_own_titles((*sections, *state.added_sections))),
            "added_sections": (),
            "warnings": tuple(warnings),
        }
    )


def _too_many(output: PlanToStore, kept: int, dropped: Sequence[SectionPlan]) -> str:
    """Explain to the reader which planned sections the budget does not cover."""
    titles = ", ".join(section.title for section in dropped[:NAMED])
    enough = -(-(output.tokens + len(dropped) * output.tokens_each) // STEP_TOKENS) * STEP_TOKENS
    needed = f"; about {enough:,} tokens would do for all of them" if output.tokens_each else ""
    allowed = f"The budget of {output.tokens:,} tokens is enough to search at least twice for {kept} of the plan's "
    return f"{allowed}{kept + len(dropped)} sections; these are not researched: {titles}{needed}"


def _with_own_titles(sections: Iterable[SectionPlan]) -> Iterable[SectionPlan]:
    """A second section of the same title is numbered; a section without a question asks its title."""
    taken: set[str] = set()
    for section in sections:
        title, count = section.title, 1
        while title.casefold() in taken:
            count += 1
            title = f"{section.title} ({count})"
        taken.add(title.casefold())
        yield section.model_copy(update={"title": title, "key_question": section.key_question or section.title})


def _summarize_outline(state: ResearchState) -> tuple[str, JsonObject]:
    """Count the sections that are researched, which may be fewer than were planned."""
    return f"Outline: {format_count(len(state.plan), 'section')} to research", {"sections": len(state.plan)}


STORE_PLAN: Final = ReducerSpec(
    "store_plan", "Makes a plan fit to be run.", PlanToStore, store_plan, narrate=_summarize_outline
)
