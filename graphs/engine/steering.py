"""Steering a running run, as data: a new instruction, other sources, other sections, answers to its questions.

An instruction applies to the agents that are called from now on, in the sections too. Sources and sections are changed
in the state; if sections are already being researched, the code that runs them compares the new plan with what it has
started.

A run that asks back is held, with its clock, until its questions are answered or skipped, once. What was answered is
put behind the question, so that searches have its words, and with what was asked into the background, which every agent
and every section is given.
"""

from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.engine.run import ControlAction, Run
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.graphs.spec.walks import has_sections, researches_plan, sections_ahead
from elcano.graphs.state.events import EventType
from elcano.graphs.state.failures import Hold
from elcano.graphs.state.plan import (
    ANSWER_CHARACTERS,
    MOST_QUESTIONS,
    SectionPlan,
    is_waiting,
    normalize_title,
    open_sections,
    plan_fault,
)
from elcano.graphs.state.state import ResearchState
from elcano.graphs.text import format_count, shorten_text

GUIDANCE_CHARACTERS: Final = 2_000
"""Maximum length of one instruction."""
MOST_GUIDANCE: Final = 20
"""Instructions that one run is given, each shown to every agent that is called after it."""
MOST_CHANGES: Final = 50
"""Sources, or sections, that one request adds or drops."""
SOURCE_CHARACTERS: Final = 100
TITLE_CHARACTERS: Final = 200
QUESTION_CHARACTERS: Final = 1_000

SourceName: TypeAlias = Annotated[str, Field(min_length=1, max_length=SOURCE_CHARACTERS)]
Title: TypeAlias = Annotated[str, Field(min_length=1, max_length=TITLE_CHARACTERS)]
SectionsWhen: TypeAlias = Literal["before the plan is made", "before the sections run", "while the sections run"]
"""When a change of sections comes. Before there is a plan, they are added to the one that is made."""


class Steering(Frozen):
    """The answer of a run that was steered."""

    step: int
    """Agents called in this step or later see the instruction, and searches from then on use the changed sources."""
    sections: SectionsWhen | None = None
    """When the sections were changed; None if they were not."""


class Steer(ControlAction):
    """Changes the course of the run: another instruction, other sources, other sections."""

    kind: Literal["steer"] = "steer"
    too_late: ClassVar[str] = "its research is over"
    instruction: str = Field(default="", max_length=GUIDANCE_CHARACTERS)
    add_sources: tuple[SourceName, ...] = Field(default=(), max_length=MOST_CHANGES)
    drop_sources: tuple[SourceName, ...] = Field(default=(), max_length=MOST_CHANGES)
    add_sections: tuple[SectionPlan, ...] = Field(default=(), max_length=MOST_CHANGES)
    drop_sections: tuple[Title, ...] = Field(default=(), max_length=MOST_CHANGES)

    @property
    def changes_sections(self) -> bool:
        """Whether other sections are to be researched."""
        return bool(self.add_sections or self.drop_sections)

    @property
    def for_branches(self) -> "tuple[Steer, ...]":
        """Returns the parts that apply to the sections under way: instruction and sources, each by itself."""
        said = Steer(instruction=self.instruction) if self.instruction else None
        elsewhere = Steer(add_sources=self.add_sources, drop_sources=self.drop_sources)
        return tuple(part for part in (said, elsewhere) if part is not None and part != Steer())

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """A branch does what its run does; a run has to be left with something to search, and to research.

        Refused are also an instruction that no agent would read, and changes to sections that have been researched.
        """
        if owner:
            return f"a section follows its run: steer {owner}"
        if not (self.instruction or self.add_sources or self.drop_sources or self.changes_sections):
            return "nothing to change: give an instruction, or name a source or a section"
        if self.instruction and len(run.state.guidance) >= MOST_GUIDANCE:
            return f"the run already has {MOST_GUIDANCE} instructions, the most it can have"
        if (refused := self._refused_sources(run.state) or self._refused_sections(run)) is not None:
            return refused
        if self.instruction and not _has_guided_agent(graph):
            return f"no agent of the graph {graph.name!r} takes `guidance` as an input, so none would see it"
        if not self.changes_sections:
            return None
        if not has_sections(graph):
            return f"the graph {graph.name!r} has no sections"
        if not sections_ahead(graph, run.node):
            way = "have been researched" if run.state.plan else "are not on its path"
            return f"it is too late to change sections: they {way}"
        if run.stopping is not None or run.ending is not None:
            return "it is too late to change sections: the run is going to its report"
        return None

    def apply(self, run: Run) -> Run:
        """The run that knows."""
        state = run.state
        changes: dict[str, object] = {}
        if self.instruction:
            changes["guidance"] = (*state.guidance, self.instruction)
        if self.add_sources or self.drop_sources:
            changes["sources"] = self._sources(state)
        if self.changes_sections:
            changes["plan" if state.plan else "added_sections"] = self._sections(state)
        return run.knowing(state.model_copy(update=changes))

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        """Return the step from which it applies, and when a change of sections comes.

        The step is the next one, or the current one if its call is retried.
        """
        when: SectionsWhen | None = None
        if self.changes_sections:
            there = researches_plan(graph.by_id[run.node])
            waits = run.hold is not None and run.approval == "asked"
            begun: SectionsWhen = "while the sections run" if there and not waits else "before the sections run"
            when = begun if run.state.plan else "before the plan is made"
        retried = run.hold is not None and not run.trying
        return Steering(step=run.step if retried else run.step + 1, sections=when).model_dump(mode="json")

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Report it as `steered`."""
        said = [f"Told: {self.instruction}"] if self.instruction else []
        for names, change in (
            (self.add_sources, "searched from now on"),
            (self.drop_sources, "no longer searched"),
            ([section.title for section in self.add_sections], "added"),
            (self.drop_sections, "left out on request"),
        ):
            said += [f"{', '.join(names)}: {change}"] if names else []
        return "steered", "; ".join(said), self.model_dump(mode="json", exclude={"kind"}, exclude_defaults=True)

    def _refused_sources(self, state: ResearchState) -> str | None:
        searched = ", ".join(state.sources) or "none"
        for name in self.add_sources:
            if name in state.sources:
                return f"the source {name!r} is already searched; the sources are: {searched}"
        for name in self.drop_sources:
            if name not in state.sources:
                return f"the source {name!r} is not searched; the sources are: {searched}"
        if self.drop_sources and not self._sources(state):
            return f"no source would be left; the sources are: {searched}"
        return None

    def _refused_sections(self, run: Run) -> str | None:
        if not self.changes_sections:
            return None
        sections = open_sections(run.state.plan or run.state.added_sections)
        known = {normalize_title(section.title) for section in sections}
        for title in self.drop_sections:
            if normalize_title(title) not in known:
                there = ", ".join(repr(section.title) for section in sections) or "none yet, because there is no plan"
                return f"there is no section {title!r}; there are: {there}"
        left = open_sections(self._sections(run.state))
        if not left and not run.state.plan:  # the plan will have some
            return None
        return plan_fault(left, run.budget.limits.sections)

    def _sources(self, state: ResearchState) -> tuple[str, ...]:
        kept = (name for name in state.sources if name not in self.drop_sources)
        return tuple(dict.fromkeys((*kept, *self.add_sources)))

    def _sections(self, state: ResearchState) -> tuple[SectionPlan, ...]:
        """Returns the plan, or what to add to it, with dropped sections marked and added ones at the end."""
        dropped = {normalize_title(title) for title in self.drop_sections}
        kept = tuple(
            section.model_copy(update={"left_out": True}) if normalize_title(section.title) in dropped else section
            for section in state.plan or state.added_sections
        )
        return (*(kept if state.plan else open_sections(kept)), *self.add_sections)


def _has_guided_agent(graph: ResearchGraph) -> bool:
    """Whether any agent of a graph, or of its branches, is given the instructions."""
    return any(isinstance(node, AgentNode) and "guidance" in node.inputs for node in graph.nodes) or any(
        map(_has_guided_agent, graph.branches.values())
    )


ASKED_BACK: Final = "The person who asked was asked before the research began:"
"""The beginning of the answers, in the background."""
SEARCHED_CHARACTERS: Final = 80
"""The beginning of each answer, behind the question."""


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
        """The run continues, with the answers in its background."""
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
