"""The planner agent: which sections a report needs, each with the one question that its research answers."""

from typing import Final

from pydantic import Field

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import SectionItem, TaskEnvelope
from elcano.graphs.agents.loaded import AgentInput, Loaded, Needs
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.values.state import SectionPlan
from elcano.graphs.values.wording import listed


class PlannerInput(AgentInput):
    """What the plan is for, and how large it may be."""

    instructions: str = ""
    sources: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of what a first search for the question found."""
    added_sections: tuple[SectionPlan, ...] = ()
    """What somebody added to the plan before there was one."""
    max_sections: int = Field(default=8, ge=1, le=200)


class ReportPlanSection(Frozen):
    """One section: a title, and the one question that its research answers.

    Lenient, because a plan with a flaw is worth more than another call: `store_plan` mends what can be mended.
    """

    title: str = Field(max_length=200)
    key_question: str = Field(default="", max_length=1_000)


class ReportPlan(Frozen):
    """How a report is divided; each section can be researched without the others."""

    report_title: str = Field(min_length=1, max_length=300)
    background_context: str = Field(default="", max_length=4_000)
    report_outline: tuple[ReportPlanSection, ...] = ()


INSTRUCTIONS: Final = """\
You plan a research report. You are given the question, the sources that will be searched and a few passages that a \
first search found in them. Colleagues will research every section at the same time, each without seeing the others.

- A section has a short plain title and one key question. The key question must be understood alone: repeat the \
subject's name in it, never write "it" or "the above", and refer to no other section.
- Together the sections answer the question, all of it and nothing beside it. Parts that the question names come \
first, in its order; then what a reader needs to understand or to use the answer.
- No two sections may ask the same in other words. Leave out introductions, conclusions and summaries; those are \
written from the sections.
- Plan what the sources can answer: the passages show what they are like. Where they say nothing on a part that the \
question names, plan its section nonetheless, so that its absence is found and reported.
- The envelope's `sections`, if there are any, are in the plan already, because the person who asked wants them: do \
not plan them again, and leave room for them.
- Take as few sections as do the work, and never more than `max_sections`.
- Background context: a few sentences that every colleague should know, from the passages and the given background \
alone; empty if there is nothing to say.
- Report title: what the report is about, without "report" in it.

Heed the envelope's `instructions` on length and form. Write in the language of the question.
"""


def needs(given: PlannerInput) -> Needs:
    """What a first search found, and the sources described."""
    return Needs(evidence=given.evidence, offered=given.sources, weighed=given.question, searched=given.sources)


def shown(given: PlannerInput, loaded: Loaded) -> TaskEnvelope:
    """The question, what a first search found, and how many sections there may be."""
    return loaded.envelope("planner", given).model_copy(
        update={
            "instructions": given.instructions,
            "sources": loaded.sources,
            "max_sections": given.max_sections,
            "sections": tuple(
                SectionItem(title=section.title, key_question=section.key_question) for section in given.added_sections
            ),
        }
    )


def begins(given: JsonObject) -> str:
    """The question that it plans for."""
    return f"sections for: {given.get('question')}"


def summary(output: JsonObject) -> tuple[str, JsonObject]:
    """The titles of the sections."""
    planned = [section for section in listed(output.get("report_outline")) if isinstance(section, dict)]
    titles: list[Json] = [section.get("title") for section in planned]
    return f"Planned: {' · '.join(map(str, titles))}", {"sections": titles}


AGENT: Final = AgentDefinition(
    name="planner",
    description="Divides the report into sections, each with its own question.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Plan the report for the question in this task envelope.",
        answer=ReportPlan,
        shown=shown,
    ),
    input=PlannerInput,
    output=ReportPlan,
    starts="thinking",
    completes="thinking",
    output_tokens=1_000,
    evidence_tokens=4_000,
    needs=needs,
    begins=begins,
    summary=summary,
)
