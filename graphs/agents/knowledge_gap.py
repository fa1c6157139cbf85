"""The knowledge gap agent: whether the question is answered and, if not, what is missing."""

from typing import Final

from pydantic import Field

from elcano.graphs.agents.context import ResearchContext, needs_of, passages_of, research, turn_of
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.loaded import Loaded
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.values.wording import listed


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


INSTRUCTIONS: Final = """\
You decide whether a piece of research has found what it needs. You are given the question, what was searched so far \
and the passages that were found.

Take the question apart into everything it asks for. For each part, look for a passage that answers it. What you \
remember of the subject does not count; only passages do.

The research is complete only if every part has its passage. Otherwise name what is missing:
- one gap for each missing part, at most five, the most important first;
- each as a short question or phrase that a person could look up, with the proper names of the subject in it;
- nothing that was searched for repeatedly without result, unless you can ask for it in other words.

When few iterations are left, name only gaps without which the question cannot be answered.
"""


def shown(given: KnowledgeGapInput, loaded: Loaded) -> TaskEnvelope:
    """The research so far, and how much of the loop is left."""
    task = research("knowledge_gap", given, loaded)
    return task.model_copy(update={"max_iterations": given.max_iterations})


def begins(given: JsonObject) -> str:
    """What it looks at."""
    return f"what is missing beside {passages_of(given)}, {turn_of(given)}"


def summary(output: JsonObject) -> tuple[str, JsonObject]:
    """What is missing."""
    gaps = listed(output.get("outstanding_gaps"))
    text = "Nothing is missing" if output.get("research_complete") else f"Missing: {'; '.join(map(str, gaps))}"
    return text, {"complete": bool(output.get("research_complete")), "gaps": gaps}


AGENT: Final = AgentDefinition(
    name="knowledge_gap",
    description="Says whether the question is answered and what is still missing.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Say what the research described in this task envelope still lacks.",
        answer=KnowledgeGapOutput,
        shown=shown,
    ),
    input=KnowledgeGapInput,
    output=KnowledgeGapOutput,
    starts="judging",
    completes="judge_complete",
    output_tokens=400,
    evidence_tokens=6_000,
    needs=needs_of,
    begins=begins,
    summary=summary,
)
