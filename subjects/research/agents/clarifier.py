"""The clarifier agent: what a question leaves open that only the person who asked can say; and where that is kept."""

from typing import Final

from pydantic import Field

from elcano.graphs.added_steps import CLARIFIER
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.catalogue.reducers import ReducerSpec
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.plan import (
    MOST_OPTIONS,
    MOST_QUESTIONS,
    OPTION_CHARACTERS,
    QUESTION_CHARACTERS,
    ClarifyingQuestion,
)
from elcano.graphs.state.state import ResearchState
from elcano.graphs.text import ensure_list, format_count, shorten_text


class ClarifierInput(AgentInput):
    """The question as it was asked, and what can be searched."""

    instructions: str = ""
    sources: tuple[str, ...] = ()


class QuestionBack(Frozen):
    """One question to the person who asked."""

    question: str = Field(min_length=1, description="One short question, understood without the others.")
    options: tuple[str, ...] = Field(default=(), description="Two to five answers to choose from; none: any words.")
    recommended: str = Field(default="", description="The one of `options` that you would take, word for word.")


class QuestionsBack(Frozen):
    """The questions to the asker; none if the question is clear."""

    questions: tuple[QuestionBack, ...] = ()


INSTRUCTIONS: Final = f"""\
You read a question before anybody researches it, and ask the person who asked what only they can say. You do not \
answer it.

- Ask only where two readers would research different things, and the answer changes what is searched or what the \
report says: which of several meanings, which population, country, period or version, for what purpose, by which \
measure. What research can find out, or what the question, its background or `instructions` say, is not asked.
- None is best where the question is clear, which most are. Never more than {MOST_QUESTIONS}, the one that changes \
most first.
- Where the likely answers are known, give two to {MOST_OPTIONS} `options`, short and different from each other, and \
in `recommended` the one that most who ask this mean; else leave `options` empty. “Other” is no option: other words \
are taken in any case.
- Do not ask about length, tone or form unless the question cannot be answered without.
"""


def list_needs(given: ClarifierInput) -> Needs:
    """The sources, described."""
    return Needs(offered=given.sources)


def build_task(given: ClarifierInput, loaded: Loaded) -> TaskEnvelope:
    """The question, its background and what can be searched."""
    shown = {"sources": loaded.sources, "instructions": given.instructions}
    return loaded.envelope(CLARIFIER, given).model_copy(update=shown)


def summarize_questions(output: JsonObject) -> tuple[str, JsonObject]:
    """Count the questions."""
    count = len(ensure_list(output.get("questions")))
    return f"{format_count(count, 'question')} to ask back" if count else "The question is clear", {"questions": count}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name=CLARIFIER,
    description="Asks back what a question leaves open, before the research begins.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Say what has to be asked back on the question in this task envelope.",
        answer=QuestionsBack,
        shown=build_task,
        passages=False,
    ),
    input=ClarifierInput,
    output=QuestionsBack,
    starts="thinking",
    completes="thinking",
    output_tokens=500,
    needs=list_needs,
    begins=lambda given: f"reading what is left open by: {given.get('question')}",
    summary=summarize_questions,
)


def ask_back(state: ResearchState, output: QuestionsBack) -> ResearchState:
    """Keeps the first questions, each once, in a form that can be answered; one option alone is no choice."""
    texts: dict[str, QuestionBack] = {}
    for one in output.questions:
        texts.setdefault(shorten_text(" ".join(one.question.split()), QUESTION_CHARACTERS), one)
    texts.pop("", None)
    questions = []
    for number, (text, one) in enumerate([*texts.items()][:MOST_QUESTIONS], start=1):
        shortened = (shorten_text(" ".join(option.split()), OPTION_CHARACTERS) for option in one.options)
        options = tuple(dict.fromkeys(filter(None, shortened)))[:MOST_OPTIONS]
        options = options if len(options) > 1 else ()
        wanted = shorten_text(" ".join(one.recommended.split()), OPTION_CHARACTERS)
        recommended = wanted if wanted in options else next(iter(options), "")
        questions.append(ClarifyingQuestion(id=f"q{number}", question=text, options=options, recommended=recommended))
    return state.model_copy(update={"questions": tuple(questions)})


ASK_BACK: Final = ReducerSpec(
    "ask_back", "Keeps what is asked back; the run waits for the answers.", QuestionsBack, ask_back
)
