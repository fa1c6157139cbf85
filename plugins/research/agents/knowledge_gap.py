"""The knowledge gap agent: decides whether the question is answered and, if not, what is missing."""

from typing import Final

from pydantic import Field

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.text import ensure_list
from elcano.plugins.research.agents.loop_context import (
    ResearchContext,
    build_research_task,
    needs_of,
    passages_of,
    turn_of,
)


class KnowledgeGapInput(ResearchContext):
    """The gap agent also knows how much of the loop is left."""

    max_iterations: int = 5


class KnowledgeGapOutput(Frozen):
    """The agent's verdict: whether the question is answered, and if not, what is missing."""

    research_complete: bool = Field(description="True only if the evidence answers the whole question.")
    outstanding_gaps: tuple[str, ...] = Field(
        default=(),
        description="What is still missing, most important first; empty if complete.",
    )


MOST_GAPS: Final = 5
GAPS: Final = """\
- Outstanding gaps: unless it is complete, one for each criterion or part of the question that lacks its passage, at \
most five, the most important first. Each is a short question or phrase that a person could look up, with the proper \
names of the subject in it. If a gap was searched for in vain, name it only if you can say it in other words. In the \
last of `max_iterations` name only gaps without which the question cannot be answered."""

INSTRUCTIONS: Final = f"""\
You decide whether a piece of research has found what it needs, and name what is missing. Only passages count, not \
what you know yourself.

- Research complete: the envelope's `criteria` are those that are not met yet; take the question apart into what else \
it asks for. It is complete if a passage answers each part and every criterion is met.
{GAPS}
"""


def build_task(given: KnowledgeGapInput, loaded: Loaded) -> TaskEnvelope:
    """The research so far, which criteria are not met, and how much of the loop is left."""
    task = build_research_task("knowledge_gap", given, loaded)
    unmet = tuple(criterion for criterion in task.criteria if not criterion.met)
    return task.model_copy(update={"max_iterations": given.max_iterations, "criteria": unmet})


def summarize_gaps(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize the gaps."""
    gaps = ensure_list(output.get("outstanding_gaps"))
    text = (
        "No gap is left to search for" if output.get("research_complete") else f"Missing: {'; '.join(map(str, gaps))}"
    )
    return text, {"complete": bool(output.get("research_complete")), "gaps": gaps}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="knowledge_gap",
    description="Says whether the question is answered and what is still missing.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Say what the research described in this task envelope still lacks.",
        answer=KnowledgeGapOutput,
        shown=build_task,
    ),
    input=KnowledgeGapInput,
    output=KnowledgeGapOutput,
    starts="judging",
    completes="judge_complete",
    output_tokens=400,
    evidence_tokens=6_000,
    needs=needs_of,
    begins=lambda given: f"what is missing beside {passages_of(given)}, {turn_of(given)}",
    summary=summarize_gaps,
)
