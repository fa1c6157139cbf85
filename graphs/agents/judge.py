"""The judge agent: whether a careful report can be written now, in any field of knowledge."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from elcano.graphs.agents.context import ResearchContext, for_gap, needs_of, passages_of, research
from elcano.graphs.agents.criteria import STATING
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.loaded import Loaded
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.values.criteria import MOST_CRITERIA, MOST_PASSAGES, CriterionVerdict, stated
from elcano.graphs.values.wording import counted, listed


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
    criteria: tuple[CriterionVerdict, ...] = Field(default=(), description="One verdict for each criterion.")


INSTRUCTIONS: Final = f"""\
You judge whether the passages that were found are enough to answer a question carefully, by the standards of its \
field. Judge the passages, not the subject.

- Criteria: for each of the envelope's `criteria`, by its number, whether a passage meets it that could be quoted for \
it, and the keys of those that do. What no passage meets is not met, however well known it is. If the envelope has \
none, say and judge your own. {STATING}
- Coverage: the share of the question's parts that at least one passage speaks to.
- Confidence: how sure you are that a report written from these passages alone would be right. Passages that \
contradict one another, are second-hand or speak beside the point lower it.
- Sufficient: every criterion is met, and every part of the question that matters has a passage that could be quoted.
- Recommendation: `synthesize` if that is so, or if further searching is unlikely to help because the last searches \
brought nothing new; otherwise `continue`.
- Missing: the aspects that no passage covers.
- Next search queries: if you recommend `continue`, one to three, each three to eight words as the sought text would \
use them, for what is missing; none that was made already. All of them will be searched.
- Reasoning: two or three sentences, naming passages by their keys.
"""


def shown(given: JudgeInput, loaded: Loaded) -> TaskEnvelope:
    """The research so far, this iteration's gap and how much of the evidence is new."""
    new = len(given.conversation[-1].findings) if given.conversation else 0
    return research("judge", given, loaded).model_copy(update={"gap": given.gap, "new_evidence": new})


def settled(said: JudgeAssessment, given: JudgeInput, ids: Mapping[str, str]) -> JudgeAssessment:
    """What was said, without contradictions, and with the ids of passages for their keys.

    A criterion is met only by passages that were shown. Passages suffice only if every criterion that was judged is
    met; where they suffice nothing is left to continue for, and where only the sufficiency was wrong there is.
    """
    most = len(given.criteria) or MOST_CRITERIA
    verdicts = tuple(by_ids(one, ids) for one in said.criteria if not given.criteria or 1 <= one.number <= most)[:most]
    sufficient = said.sufficient and all(one.met for one in verdicts)
    recommendation = said.recommendation
    if said.sufficient:
        recommendation = "synthesize" if sufficient else "continue"
    return said.model_copy(
        update={"criteria": verdicts, "sufficient": sufficient, "recommendation": recommendation},
    )


def by_ids(verdict: CriterionVerdict, ids: Mapping[str, str]) -> CriterionVerdict:
    """A verdict with the ids of passages for their keys; a criterion is met only by passages that were shown."""
    evidence = tuple(dict.fromkeys(ids[key] for key in verdict.evidence if key in ids))[:MOST_PASSAGES]
    text = "".join(stated([verdict.criterion]))
    return verdict.model_copy(
        update={"criterion": text, "met": verdict.met and bool(evidence), "evidence": evidence},
    )


def begins(given: JsonObject) -> str:
    """What it judges."""
    return f"whether {passages_of(given)} will do{for_gap(given)}"


def summary(output: JsonObject) -> tuple[str, JsonObject]:
    """Its reasoning, and how many criteria are met."""
    kept = ("sufficient", "confidence", "coverage", "recommendation", "missing")
    data: JsonObject = {name: output.get(name) for name in kept}
    verdicts = [one for one in listed(output.get("criteria")) if isinstance(one, dict)]
    if not verdicts:
        return f"Judged: {output.get('reasoning', '')}", data
    met = sum(one.get("met") is True for one in verdicts)
    text = f"Judged, {met} of {counted(len(verdicts), 'criterion', 'criteria')} met: {output.get('reasoning', '')}"
    return text, {**data, "criteria": [*verdicts]}


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
    settled=settled,
    begins=begins,
    summary=summary,
)
