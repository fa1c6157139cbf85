"""The planner agent: which sections a report needs, each with the one question that its research answers."""

from collections.abc import Iterable, Mapping
from operator import not_
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, WithJsonSchema

from elcano.graphs.agents.definition import AgentDefinition, Part, Question
from elcano.graphs.agents.digests import DIGESTED, digest_passages
from elcano.graphs.agents.envelope import Loaded, Needs, SectionItem, TaskEnvelope
from elcano.graphs.agents.prompt_texts import BESIDE, STATING
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.plan import Criterion, ReportForm, SaidForm, SectionPlan, normalize_criteria
from elcano.graphs.text import ensure_list
from elcano.subjects.research.agents.loop_context import number_criteria

PLANNED_CHARACTERS: Final = 200
"""Characters of a passage that a planner is shown: what it is about, for as many passages as there are."""


class PlannerInput(AgentInput):
    """The question to plan for, and the limits of the plan."""

    instructions: str = ""
    sources: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of what a first search for the question found."""
    added_sections: tuple[SectionPlan, ...] = ()
    """Sections that were added before there was a plan."""
    max_sections: int = Field(default=8, ge=1, le=200)
    form: ReportForm | Literal[""] = ""
    """Form of the report; empty: the planner chooses."""
    criteria: tuple[Criterion, ...] = ()
    """Criteria that the whole answer has to meet, as far as they are known."""


NamedForm: TypeAlias = Annotated[SaidForm, WithJsonSchema({"type": "string"})]
"""Named as the instructions list the forms; the schema does not list them again."""


class ReportPlanSection(Frozen):
    """One section: a title, and the one question that its research answers."""

    # Lenient, because a plan with a flaw is worth more than another call: `store_plan` mends what can be mended.

    title: str = Field(max_length=200)
    key_question: str = Field(default="", max_length=1_000)
    criteria: tuple[str, ...] = ()
    form: NamedForm = ""
    evidence: tuple[str, ...] = Field(default=(), description="Keys.")
    wish: str = ""


class ReportPlan(Frozen):
    """How a report is divided; each section can be researched without the others."""

    report_title: str = Field(min_length=1, max_length=300)
    background_context: str = Field(default="", max_length=4_000)
    report_outline: tuple[ReportPlanSection, ...] = ()
    form: NamedForm = Field(default="", description="The form of the whole report.")
    beside: tuple[str, ...] = Field(default=(), exclude_if=not_, description="Keys.")


NAMED_FORMS: Final = """\
`comparison` (which of several things suits whom, with one table), `how_to` (steps), `overview` (a field and its \
parts), `yes_no`, `review` (what studies find together, with one table of them), `timeline`; else `plain`"""

INSTRUCTIONS: Final = f"""\
You plan a research report on the question, from the `sources` that will be searched and the passages that a first \
search found in them. Colleagues research all sections at the same time, each beginning with the passages that you \
name for it; none sees the other sections.

- A section has a short plain title and one key question that is understood alone: repeat the subject's name in it, \
never write “it” or “the above”, and refer to no other section.
- Together the sections answer the question, all of it and nothing else: first the parts that it names, in its order, \
then what a reader needs to understand or to use the answer.
- No two sections ask the same in other words. Plan no introduction, conclusion or summary: those are written from the \
sections.
- Criteria of a section say what its research has to find. {STATING}
- Evidence of a section: the keys of all passages that bear on its key question; one may bear on several sections.
- The form of the report decides the sections; what belongs into one table is one section. The form of a section is \
that of its own question: {NAMED_FORMS}.
- Plan what the sources can answer: the passages show what they are like. A part that the question names gets its \
section even if they say nothing on it, so that its absence is found and reported.
- Take as few sections as do the work, never more than `max_sections`.
- Background context: what colleagues need to understand their key questions, in a sentence, from the passages and \
the given background alone; else empty.
- Report title: what the report is about, without “report” in it.
{BESIDE}
{DIGESTED}"""

WHOLE_CRITERIA: Final = """\
- The envelope's `criteria` are those of the whole answer: each goes to the section that can meet it.
"""
ADDED: Final = """\
- The envelope's `sections` are in the plan already, because the person who asked wants them: do not plan them again, \
and leave room for them.
"""
DIVIDING: Final = """
The envelope's `instructions` are wishes of the person who asked, on length, readers and form: the plan is made to fit \
them. Divide them: the `wish` of a section is its own part, so that all sections together keep to them, with room for \
the introduction and the conclusion: two pages for the report are not two pages for each. State a length in words. \
What holds for every section, as readers and tone do, stands in each wish.
"""


def list_needs(given: PlannerInput) -> Needs:
    """Return the data to load: the results of a first search, and descriptions of the sources."""
    return Needs(
        evidence=given.evidence,
        offered=given.sources,
        weighed=given.question,
        searched=given.sources,
        digest=PLANNED_CHARACTERS,
    )


def build_task(given: PlannerInput, loaded: Loaded) -> TaskEnvelope:
    """The question, what a first search found, and how many sections there may be."""
    criteria = number_criteria(given.criteria, loaded)
    task = loaded.envelope("planner", given).model_copy(update={"criteria": criteria})
    return digest_passages(task, PLANNED_CHARACTERS).model_copy(
        update={
            "instructions": given.instructions,
            "sources": loaded.sources,
            "max_sections": given.max_sections,
            "form": given.form,
            "sections": tuple(
                SectionItem(title=section.title, key_question=section.key_question) for section in given.added_sections
            ),
        }
    )


def resolve_answer(said: ReportPlan, given: PlannerInput, ids: Mapping[str, str]) -> ReportPlan:
    """Return the plan with ids in place of the keys of passages."""

    def by_id(keys: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(ids[key] for key in keys if key in ids))

    outline = tuple(one.model_copy(update={"evidence": by_id(one.evidence)}) for one in said.report_outline)
    named = {id for section in outline for id in section.evidence}
    beside = tuple(id for id in by_id(said.beside) if id not in named)
    return said.model_copy(update={"beside": beside, "report_outline": outline})


def summarize_report_plan(output: JsonObject) -> tuple[str, JsonObject]:
    """The titles of the sections, and what each has to find."""
    planned = [section for section in ensure_list(output.get("report_outline")) if isinstance(section, dict)]
    titles: list[Json] = [section.get("title") for section in planned]
    data: JsonObject = {"sections": titles}
    criteria: list[Json] = [
        [*normalize_criteria(map(str, ensure_list(section.get("criteria"))))] for section in planned
    ]
    if any(criteria):
        data["criteria"] = criteria
    if form := output.get("form"):
        data["form"] = form
    return f"Planned: {' · '.join(map(str, titles))}", data


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="planner",
    description="Divides the report into sections, each with its own question.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Plan the report for the question in this task envelope.",
        answer=ReportPlan,
        shown=build_task,
        ranks=False,
        parts=(
            Part(WHOLE_CRITERIA, lambda task: bool(task.criteria)),
            Part(ADDED, lambda task: bool(task.sections)),
            Part(DIVIDING, lambda task: bool(task.instructions)),
        ),
    ),
    input=PlannerInput,
    output=ReportPlan,
    starts="thinking",
    completes="thinking",
    output_tokens=1_000,
    evidence_tokens=4_000,
    needs=list_needs,
    settled=resolve_answer,
    begins=lambda given: f"planning sections for: {given.get('question')}",
    summary=summarize_report_plan,
)
