"""The input parser agent: what a question is after, and how much research it needs."""

from typing import Final, Literal

from pydantic import Field

from elcano.graphs.agents.criteria import STATING
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.loaded import AgentInput, Loaded, Needs
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.values.form import SaidForm


class InputParserInput(AgentInput):
    """The question as it was asked, and what can be searched."""

    sources: tuple[str, ...] = ()


class ParsedQuery(Frozen):
    """What the question is really after, and how much research it needs."""

    original_query: str
    improved_query: str = Field(min_length=1, max_length=2_000, description="The question, made precise; same meaning.")
    research_mode: Literal["iterative", "deep"] = Field(
        description="deep for a question with several parts or a wide field; iterative for one point."
    )
    key_entities: tuple[str, ...] = Field(default=(), max_length=20)
    research_questions: tuple[str, ...] = Field(default=(), max_length=10, description="Its parts, if it has several.")
    form: SaidForm = Field(default="", description="The form of report that it asks for.")
    language: str = Field(default="", max_length=40, description="Its language, by the English name: `German`.")
    criteria: tuple[str, ...] = Field(default=(), description="One to four criteria of a good answer.")


INSTRUCTIONS: Final = f"""\
You read a question before anybody researches it. You do not answer it.

- Original query: the question, unchanged.
- Improved query: the same question, precise enough to be researched: name what “it” and “this” stand for where the \
background says so, put dates for “now” and “last year”, write out abbreviations whose meaning is certain, mend slips \
of the pen. Never narrow it, widen it or add a condition that nobody stated. If it is clear already, repeat it.
- Research mode: `deep` if a careful answer needs several sections that can be researched separately, because the \
question has several parts, compares things, or asks for an overview, a report or an analysis of a field. `iterative` \
if it is after one point, however hard that is to find.
- Key entities: the people, products, substances, places, methods and terms that it is about, as it writes them.
- Research questions: its parts, each as a question that can be understood alone, with the proper names in it; empty \
if it has only one.
- Form: `comparison` if things are set against each other, `how_to` if somebody wants to do something, `overview` for \
a field or subject as a whole, `yes_no` if it can be answered by yes or no, `review` if it asks what studies have \
found, `timeline` if it asks what happened when, else `plain`. What the person who asked says of the form counts more.
- Language: that of the question, by its English name.
- Criteria: {STATING}
"""


def needs(given: InputParserInput) -> Needs:
    """The sources, described."""
    return Needs(offered=given.sources, weighed=given.question, searched=given.sources)


def shown(given: InputParserInput, loaded: Loaded) -> TaskEnvelope:
    """The question, its background and what can be searched."""
    return loaded.envelope("input_parser", given).model_copy(update={"sources": loaded.sources})


def begins(given: JsonObject) -> str:
    """The question that it reads."""
    return f"what is asked by: {given.get('question')}"


def summary(output: JsonObject) -> tuple[str, JsonObject]:
    """How the question was understood."""
    mode = output.get("research_mode")
    understood = {name: value for name in ("form", "language", "criteria") if (value := output.get(name))}
    return f"Understood as {mode} research: {output.get('improved_query', '')}", {"mode": mode, **understood}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="input_parser",
    description="Says what the question is after and how much research it needs.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Say what the question in this task envelope is after.",
        answer=ParsedQuery,
        shown=shown,
        passages=False,
    ),
    input=InputParserInput,
    output=ParsedQuery,
    starts="thinking",
    completes="thinking",
    output_tokens=400,
    needs=needs,
    begins=begins,
    summary=summary,
)
