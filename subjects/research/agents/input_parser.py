"""The input parser agent: what a question is after, and how much research it needs."""

from collections.abc import Mapping
from typing import Final

from pydantic import Field

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import STATING
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.mode_choice import describe_modes
from elcano.graphs.state.plan import SaidForm
from elcano.graphs.state.rubric import OfferedDomain
from elcano.graphs.state.state import REASON_CHARACTERS
from elcano.graphs.text import shorten_text

MADE_PRECISE: Final = "The question, made precise:"
ABOUT: Final = "It is about:"
PARTS: Final = "Its parts:"
UNDERSTOOD: Final = (MADE_PRECISE, ABOUT, PARTS)
"""Begin the lines of a background that say how the question was understood: nobody who asked wrote them."""


class InputParserInput(AgentInput):
    """The question as it was asked, and what can be searched."""

    sources: tuple[str, ...] = ()
    ways: tuple[str, ...] = ("iterative", "deep")
    """The modes among which it chooses (see `graphs.mode_choice.list_ways`)."""
    barred: dict[str, str] = {}
    """Modes that cannot be chosen, each with the reason."""
    databases: tuple[str, ...] = ()
    """Names of the sources that are databases."""
    domains: tuple[OfferedDomain, ...] = ()
    """The rubrics among which it chooses; none: there is nothing to choose."""


class ParsedQuery(Frozen):
    """What the question is really after, and how much research it needs."""

    original_query: str
    improved_query: str = Field(min_length=1, max_length=2_000, description="The question, made precise; same meaning.")
    research_mode: str = Field(max_length=48, description="The name of one of the envelope's `ways`.")
    mode_reason: str = Field(default="", description="Why that one, in one sentence.")
    domain: str = Field(default="", max_length=48, description="The name of one of the envelope's `domains`, or empty.")
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
- Research mode: the name of the one of `given.ways` whose description fits. Where two fit, the one that stands \
first among them. `given.databases`, if it is there, tells which tables and columns databases have.
- Mode reason: one sentence on what in the question made you choose it.
- Domain: the name of the one of `given.domains` whose description fits what is asked; empty if none does or there \
are none. A word of a field does not make a question of it: what counts is what would answer it.
- Key entities: the people, products, substances, places, methods and terms that it is about, as it writes them.
- Research questions: its parts, each as a question that can be understood alone, with the proper names in it; empty \
if it has only one.
- Form: `comparison` if things are set against each other, `how_to` if somebody wants to do something, `overview` for \
a field or subject as a whole, `yes_no` if it can be answered by yes or no, `review` if it asks what studies have \
found, `timeline` if it asks what happened when, else `plain`. What the person who asked says of the form counts more.
- Language: that of the question, by its English name.
- Criteria: {STATING}
"""


def list_needs(given: InputParserInput) -> Needs:
    """The sources, described; and what databases hold, where it depends on that which way is gone."""
    tables = given.databases if "data" in (ways := open_ways(given)) and len(ways) > 1 else ()
    return Needs(offered=given.sources, weighed=given.question, searched=given.sources, tables=tables)


def open_ways(given: InputParserInput) -> dict[str, str]:
    """The ways that can be chosen, and when each fits."""
    return {name: when for name, when in describe_modes(given.ways).items() if name not in given.barred}


def build_task(given: InputParserInput, loaded: Loaded) -> TaskEnvelope:
    """The question, its background and what can be searched."""
    data: JsonObject = {"ways": {**open_ways(given)}}
    if loaded.tables or loaded.unread:
        read: JsonObject = {name: schema for name, schema in loaded.tables.items()}
        data["databases"] = {**read, **loaded.unread}
    if loaded.saved_questions:
        data["saved_questions"] = {name: [*saved] for name, saved in loaded.saved_questions.items()}
    if given.domains:
        data["domains"] = {one.name: one.description for one in given.domains}
    return loaded.envelope("input_parser", given).model_copy(update={"sources": loaded.sources, "given": data})


def resolve_answer(said: ParsedQuery, given: InputParserInput, ids: Mapping[str, str]) -> ParsedQuery:
    """Normalize the answer: an unknown domain becomes empty, and the mode is spelled as modes are."""
    domain = said.domain.strip().casefold()
    return said.model_copy(
        update={
            "research_mode": said.research_mode.strip().casefold(),
            "mode_reason": shorten_text(" ".join(said.mode_reason.split()), REASON_CHARACTERS),
            "domain": domain if domain in [one.name for one in given.domains] else "",
        }
    )


def summarize_parsed_query(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize how the question was understood."""
    mode = output.get("research_mode")
    understood = {name: value for name in ("form", "language", "criteria", "domain") if (value := output.get(name))}
    return f"Understood as {mode} research: {output.get('improved_query', '')}", {"mode": mode, **understood}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="input_parser",
    description="Says what the question is after and how much research it needs.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Say what the question in this task envelope is after.",
        answer=ParsedQuery,
        shown=build_task,
        passages=False,
    ),
    input=InputParserInput,
    output=ParsedQuery,
    starts="thinking",
    completes="thinking",
    output_tokens=400,
    needs=list_needs,
    settled=resolve_answer,
    begins=lambda given: f"reading the question: {given.get('question')}",
    summary=summarize_parsed_query,
)
