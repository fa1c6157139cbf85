"""A run that asks back: it is held, with its clock, until its questions are answered or skipped, once.

What was answered is put behind the question, so that searches have its words, and with what was asked into the
background, which every agent and every section is given.
"""

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from elcano.graphs.engine.action_base import ControlAction
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.events import EventType
from elcano.graphs.state.failures import Hold
from elcano.graphs.state.plan import ANSWER_CHARACTERS, MOST_QUESTIONS, is_waiting
from elcano.graphs.text import format_count, shorten_text

ASKED_BACK: Final = "The person who asked was asked before the research began:"
"""Begins what was answered, in the background."""
SEARCHED_CHARACTERS: Final = 80
"""Of each answer, behind the question."""


class AnswerQuestions(ControlAction):
    """Answers the questions of the run; those left out are skipped."""

    kind: Literal["answer_questions"] = "answer_questions"
    too_late: ClassVar[str] = "its questions can no longer be answered"
    answers: dict[str, Annotated[str, Field(max_length=ANSWER_CHARACTERS)]] = Field(
        default={}, max_length=MOST_QUESTIONS
    )
    """By the ids of questions; empty, as one that is missing: skipped."""

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Only questions that wait can be answered."""
        questions = run.state.questions
        if not questions:
            return "the run asks nothing: it was not to (`clarify`), had nothing to ask, or has not come to it yet"
        if not is_waiting(questions):
            return "its questions were answered or skipped already"
        if run.stopping is not None or not is_held_for_answers(run):
            return "the run was stopped and goes to its report"
        known = [one.id for one in questions]
        if unknown := sorted(self.answers.keys() - set(known)):
            return f"the run did not ask {', '.join(unknown)}: its questions are {', '.join(known)}"
        return None

    def apply(self, run: Run) -> Run:
        """The run goes on, with the answers in its background."""
        questions = tuple(
            one.model_copy(update={"answer": " ".join(self.answers.get(one.id, "").split())})
            for one in run.state.questions
        )
        said = [f"- {one.question} Answer: {one.answer}" for one in questions if one.answer]
        background = "\n".join(filter(None, (run.state.background, *([ASKED_BACK, *said] if said else ()))))
        words = "; ".join(shorten_text(one.answer, SEARCHED_CHARACTERS) for one in questions if one.answer)
        changed = {
            "questions": questions,
            "background": background,
            "question": f"{run.state.question} ({words})" if words else run.state.question,
        }
        known = run.knowing(run.state.model_copy(update=changed))
        return known.model_copy(update={"hold": None})

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        """The questions with their answers."""
        return describe_questions(run)

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `questions_answered`."""
        answered = sum(bool(one.answer) for one in run.state.questions)
        text = f"{answered} of {format_count(len(run.state.questions), 'question')} answered"
        return "questions_answered", text, describe_questions(run)


def describe_questions(run: Run) -> JsonObject:
    """The questions of a run as events and answers have them."""
    return {"questions": [one.model_dump(mode="json") for one in run.state.questions]}


def hold_for_answers(run: Run) -> Run:
    """The run after a step, held if it has just asked something."""
    if run.hold is not None or not is_waiting(run.state.questions):
        return run
    detail = f"waiting for answers to {format_count(len(run.state.questions), 'question')}"
    return run.model_copy(update={"hold": Hold(reason="answers", node=run.node, detail=detail)})


def is_held_for_answers(run: Run) -> bool:
    """Whether it waits for answers."""
    return run.hold is not None and run.hold.reason == "answers"
