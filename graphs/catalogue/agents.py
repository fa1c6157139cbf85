"""What each agent is given and what it answers: the typed contract between a graph and the agents' room.

Inputs are explicit: a graph says for every field where its value comes from. Evidence is passed as ids; the activity
reads the passages from the store. Field descriptions are part of what a language model is shown of its output.
"""

from typing import Literal

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.values.state import IterationData, SectionResult


class ResearchContext(Frozen):
    """What every agent of a research loop is told."""

    question: str
    background: str = ""
    iteration: int = 1
    conversation: tuple[IterationData, ...] = ()
    """The iterations so far; agents show the model a digest of them."""
    evidence: tuple[str, ...] = ()
    """Ids of the evidence to show; empty: what the iterations found, which need not be named twice."""

    @property
    def shown(self) -> tuple[str, ...]:
        """Ids of the evidence that the agent is shown."""
        return self.evidence or tuple(found for turn in self.conversation for found in turn.findings)


class ThinkingOutput(Frozen):
    """Where the research stands and where it should go; never a draft of the answer."""

    thought: str = Field(
        min_length=1,
        max_length=4_000,
        description="A short reflection: what is known, what contradicts, what to look at next.",
    )


class KnowledgeGapInput(ResearchContext):
    """The gap agent also knows how much of the loop is left."""

    max_iterations: int = 5


class KnowledgeGapOutput(Frozen):
    """Whether the question is answered, and if not, what is missing."""

    research_complete: bool = Field(description="True only if the evidence answers the whole question.")
    outstanding_gaps: tuple[str, ...] = Field(
        default=(),
        max_length=5,
        description="What is still missing, most important first; empty if complete.",
    )


class ToolSelectorInput(ResearchContext):
    """The selector knows the gap to close and the sources it may name."""

    gap: str = ""
    """Null or empty: the question itself."""
    sources: tuple[str, ...] = ()
    suggested_queries: tuple[str, ...] = ()
    """What the judge of the last iteration would search."""


class AgentTask(Frozen):
    """One search to make."""

    source: str = Field(description="The name of one of the given sources.")
    query: str = Field(min_length=1, max_length=300, description="Three to eight words to search for.")
    gap: str = Field(default="", max_length=500, description="The gap that it closes.")


class AgentSelectionPlan(Frozen):
    """The searches of one iteration; all of them run at once."""

    tasks: tuple[AgentTask, ...] = Field(default=(), max_length=8)


class JudgeInput(ResearchContext):
    """The judge also sees what this iteration was after."""

    gap: str = ""


class JudgeAssessment(Frozen):
    """Whether the evidence is enough to answer, for any field of knowledge."""

    sufficient: bool = Field(description="True if a careful report that answers the question can be written now.")
    confidence: float = Field(ge=0, le=1)
    coverage: float = Field(
        default=0.0, ge=0, le=1, description="The share of the question's parts that the evidence speaks to."
    )
    recommendation: Literal["continue", "synthesize"]
    missing: tuple[str, ...] = Field(default=(), max_length=10, description="Words or aspects that no evidence covers.")
    next_search_queries: tuple[str, ...] = Field(default=(), max_length=5)
    reasoning: str = Field(min_length=1, max_length=2_000)


class WriterInput(ResearchContext):
    """The writer may use only the evidence it is given here."""

    instructions: str = ""
    """What the person who asked wants of length, tone or form."""
    sources: tuple[str, ...] = ()


class InputParserInput(Frozen):
    """The question as it was asked, and what can be searched."""

    question: str
    background: str = ""
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


class PlannerInput(Frozen):
    """What the plan is for, and how large it may be."""

    question: str
    background: str = ""
    instructions: str = ""
    sources: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of what a first search for the question found."""
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


class SynthesisInput(Frozen):
    """What both syntheses join: the sections in the plan's order, with what is missing."""

    question: str
    background: str = ""
    instructions: str = ""
    title: str = ""
    sections: tuple[SectionResult, ...] = ()
    sources: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of all evidence of the sections that the synthesis may cite."""
