"""Where the research stands, by coverage: the weighted share of the question's words that the passages hold.

Coverage says that something speaks to a part, not that it is answered well; the texts here say no more than that.
"""

from typing import Final

from elcano.activities.offline.language import in_its_language
from elcano.activities.offline.planning import anchor, gaps, next_queries, part_anchor, sub_questions, unheeded
from elcano.activities.offline.scoring import Material, material
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.judge import JudgeAssessment
from elcano.graphs.agents.knowledge_gap import KnowledgeGapOutput
from elcano.graphs.agents.thinking import ThinkingOutput
from elcano.graphs.shortening import shortened

REASONING_CHARACTERS: Final = 2_000
COMPLETE: Final = 0.9
COMPLETE_PART: Final = 0.6
SUFFICIENT: Final = 0.75
ANSWERABLE: Final = 0.5
"""The best single passage must hold this share. Of foreign questions 0.5 to 6 % pass, of fitting ones above 90 %."""
ANSWERABLE_PART: Final = 0.75
"""A part of a question is short, so that more of it must be in one passage."""


@in_its_language
def think(task: TaskEnvelope) -> ThinkingOutput:
    """One or two sentences on coverage and the missing words."""
    given = material(task)
    if not given.passages:
        return ThinkingOutput(
            thought="Nothing has been found yet. The first searches ask for the question's own words."
        )
    titles = len({passage.item.title for passage in given.passages})
    covered = given.terms.coverage(given.found)
    thought = (
        f"{len(given.passages)} passages from {titles} documents hold {covered:.0%} of what the question asks about, "
        "weighted by how much each word tells."
    )
    missing = given.terms.missing(given.found)
    if missing:
        thought += f" Nothing speaks yet to: {', '.join(missing[:8])}."
    return ThinkingOutput(thought=thought)


@in_its_language
def evaluate(task: TaskEnvelope) -> KnowledgeGapOutput:
    """Complete when the words of the whole question and of each of its parts are covered.

    What was said meanwhile has to be searched for first.
    """
    given = material(task)
    parts = [given.terms.of(part) for part in sub_questions(task.question)]
    covered = given.terms.coverage(given.found) >= COMPLETE
    said = unheeded(task)
    if (
        not said
        and covered
        and all(part.coverage(given.found) >= COMPLETE_PART for part in parts)
        and answerable(task.question, given)
    ):
        return KnowledgeGapOutput(research_complete=True)
    open_parts = (*said, *gaps(task.question, given))[:5]
    return KnowledgeGapOutput(research_complete=False, outstanding_gaps=open_parts or (task.question,))


@in_its_language
def judge(task: TaskEnvelope) -> JudgeAssessment:
    """Sufficient when enough is covered, one passage holds enough of it together, and nothing that was said is open."""
    given = material(task)
    coverage = given.terms.coverage(given.found)
    best = given.best_coverage(given.terms)
    said = unheeded(task)
    sufficient = not said and coverage >= SUFFICIENT and answerable(task.question, given)
    exhausted = not said and task.new_evidence == 0
    missing = given.terms.missing(given.found)
    made = [search.query for turn in task.conversation for search in turn.searches]
    reasoning = (
        f"The passages together hold {coverage:.0%} of what the question asks about, the best single one {best:.0%}."
    )
    if missing:
        reasoning += f" Missing: {', '.join(missing[:8])}."
    if said:
        reasoning += f" Nobody has searched yet for what was said meanwhile: {said[0]}"
    if exhausted:
        reasoning += " The last searches brought nothing new."
    return JudgeAssessment(
        sufficient=sufficient,
        confidence=round(min(coverage, best), 3),
        coverage=round(coverage, 3),
        recommendation="synthesize" if sufficient or exhausted else "continue",
        missing=missing[:10],
        next_search_queries=() if sufficient else next_queries(task.question, given, made),
        reasoning=shortened(reasoning, REASONING_CHARACTERS),
    )


def answerable(question: str, given: Material) -> bool:
    """Whether one passage on the subject holds enough of the question, or of one of its parts, to be quoted for it."""
    if given.on_subject(anchor(question, given)).best_coverage(given.terms) >= ANSWERABLE:
        return True
    parts = sub_questions(question)
    return len(parts) > 1 and any(part_coverage(question, part, given) >= ANSWERABLE_PART for part in parts)


def part_coverage(question: str, part: str, given: Material) -> float:
    """The share of one part of the question that the best single passage on its subject holds."""
    return given.on_subject(part_anchor(question, part, given)).best_coverage(given.terms.of(part))
