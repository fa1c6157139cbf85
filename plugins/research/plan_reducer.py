"""The reducer of a plan: makes it fit to be run. A flaw is mended, and the mending is told in the report's warnings."""

from collections.abc import Iterable, Sequence
from typing import Final

from elcano.graphs.catalogue.reducers import ReducerSpec, in_this_iteration
from elcano.graphs.state.plan import SectionPlan, normalize_criteria, normalize_title
from elcano.graphs.state.state import ResearchState
from elcano.graphs.text import shorten_text
from elcano.plugins.research.agents.planner import ReportPlan

WISH_CHARACTERS: Final = 1_000
"""Of what is wanted of one section."""
NAMED: Final = 20
"""So many sections that are not researched are named."""
STEP_TOKENS: Final = 10_000
"""What would be enough is told in such steps: it is an estimate."""


class PlanToStore(ReportPlan):
    """A plan, and how many of its sections may be researched."""

    max_sections: int = 8
    affordable_sections: int | None = None
    """As many of them the budget can research with the searches that they need; None: that was not measured."""
    tokens_each: int = 0
    """What one section more would take."""
    tokens: int = 0
    """The limit of tokens."""


def store_plan(state: ResearchState, output: PlanToStore) -> ResearchState:
    """Makes the plan fit to be run: one to `max_sections` sections, each with a question and a title of its own.

    It is cut to what the budget can research, so that none of its sections is left with a single search. Sections that
    somebody added come last and are never cut.
    """
    warnings = list(state.warnings)
    sections = [
        SectionPlan(
            title=section.title.strip() or section.key_question,
            key_question=section.key_question.strip(),
            criteria=normalize_criteria(section.criteria),
            form=section.form,
            wish=shorten_text(section.wish.strip(), WISH_CHARACTERS),
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


STORE_PLAN: Final = ReducerSpec("store_plan", "Makes a plan fit to be run.", PlanToStore, store_plan)
