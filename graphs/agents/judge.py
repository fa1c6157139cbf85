"""The judge agent: whether a careful report can be written now, in any field of knowledge."""

from typing import Final, Literal

from pydantic import Field

from elcano.graphs.agents.context import ResearchContext, for_gap, needs_of, passages_of, research
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.loaded import Loaded
from elcano.graphs.frozen import Frozen, JsonObject


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


INSTRUCTIONS: Final = """\
You judge whether the passages that were found are enough to answer a question carefully. The question may come from \
any field; apply the standards of that field.

- Coverage: the share of the question's parts that at least one passage speaks to.
- Confidence: how sure you are that a report written from these passages alone would be right. Passages that \
contradict one another, are second-hand or speak only beside the point lower it; so do those of preprints, as `about` \
says, and those of retracted work support nothing.
- Sufficient: every part that matters is covered by a passage that could be quoted for it.
- Recommendation: `synthesize` if the passages suffice, or if further searching is unlikely to help because the last \
searches brought nothing new; otherwise `continue`.
- Missing: the aspects that no passage covers.
- Next search queries: three to eight words each, as the sought text would use them; none that was made already.
- Reasoning: two or three sentences, naming passages by their keys.

Judge the passages, not the subject: what you remember of it does not count.
"""


def shown(given: JudgeInput, loaded: Loaded) -> TaskEnvelope:
    """The research so far, this iteration's gap and how much of the evidence is new."""
    new = len(given.conversation[-1].findings) if given.conversation else 0
    return research("judge", given, loaded).model_copy(update={"gap": given.gap, "new_evidence": new})


def begins(given: JsonObject) -> str:
    """What it judges."""
    return f"whether {passages_of(given)} will do{for_gap(given)}"


def summary(output: JsonObject) -> tuple[str, JsonObject]:
    """Its reasoning."""
    kept = ("sufficient", "confidence", "coverage", "recommendation", "missing")
    return f"Judged: {output.get('reasoning', '')}", {name: output.get(name) for name in kept}


AGENT: Final = AgentDefinition(
    name="judge",
    description="Judges whether the evidence is enough to answer.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Judge the evidence in this task envelope.",
        answer=JudgeAssessment,
        shown=shown,
    ),
    input=JudgeInput,
    output=JudgeAssessment,
    starts="judging",
    completes="judge_complete",
    output_tokens=600,
    evidence_tokens=8_000,
    needs=needs_of,
    begins=begins,
    summary=summary,
)
