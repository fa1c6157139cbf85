"""The knowledge gap agent: decides whether the question is answered and, if not, what is missing."""

from typing import Final

from pydantic import Field

from elcano.graphs.agents.context import ResearchContext, build_research_task, needs_of, passages_of, turn_of
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.text import ensure_list


class KnowledgeGapInput(ResearchContext):
    """The gap agent also knows how much of the loop is left."""

    max_iterations: int = 5


class KnowledgeGapOutput(Frozen):
    """The agent's verdict: whether the question is answered, and if not, what is missing."""

    research_complete: bool = Field(description="True only if the evidence answers the whole question.")
    outstanding_gaps: tuple[str, ...] = Field(
        default=(),
        max_length=5,
        description="What is still missing, most important first; empty if complete.",
    )


INSTRUCTIONS: Final = """\
You decide whether a piece of research has found what it needs, and name what is missing. Only passages count.

The envelope's `criteria` are those that are not met yet. Take the question apart into what else it asks for, and look \
for a passage that answers each part. The research is complete if every part has its passage and every criterion is \
met. Otherwise:
- one gap for each criterion or part that lacks its passage, at most five, the most important first;
- each as a short question or phrase that a person could look up, with the proper names of the subject in it;
- one that was searched for in vain again only in other words.

When the last of `max_iterations` is near, name only gaps without which the question cannot be answered.
"""


def build_task(given: KnowledgeGapInput, loaded: Loaded) -> TaskEnvelope:
    """The research so far, which criteria are not met, and how much of the loop is left."""
    task = build_research_task("knowledge_gap", given, loaded)
    unmet = tuple(criterion for criterion in task.criteria if not criterion.met)
    return task.model_copy(update={"max_iterations": given.max_iterations, "criteria": unmet})


def describe_start(given: JsonObject) -> str:
    """Describe what the agent looks at."""
    return f"what is missing beside {passages_of(given)}, {turn_of(given)}"


def summarize_gaps(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize what is missing."""
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
    begins=describe_start,
    summary=summarize_gaps,
)
