"""Where the research stands, by coverage: the weighted share of the question's words that the passages hold.

Coverage says that something speaks to a part, not that it is answered well; the texts here say no more than that.
"""

from typing import Final

from elcano.activities.text.languages import get_current_language
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.text import shorten_text
from elcano.plugins.quoting.language import in_its_language
from elcano.plugins.quoting.manuals import holds_all, is_headed, is_manual
from elcano.plugins.quoting.passages import COMPOUNDING, Material, material
from elcano.plugins.quoting.planning import (
    compared,
    gaps,
    next_queries,
    part_anchor,
    proper_names,
    sub_questions,
    unheeded,
)
from elcano.plugins.quoting.terms import Terms
from elcano.plugins.research.agents.judge import JudgeAssessment
from elcano.plugins.research.agents.knowledge_gap import KnowledgeGapOutput
from elcano.plugins.research.agents.thinking import ThinkingOutput

REASONING_CHARACTERS: Final = 2_000
COMPLETE: Final = 0.9
COMPLETE_PART: Final = 0.6
SUFFICIENT: Final = 0.75
ANSWERABLE: Final = 0.512
FEWER_WORDS: Final = 0.3
"""The best single document must hold the first share and, of a question of n telling words, an nth of the second. On
PubMedQA 90 % of fitting questions pass, 11 % of those whose document was taken away and 2 % of foreign ones; on XQuAD
80, 11 and 0 %."""
COMPOUNDED: Final = 0.88
"""Less is needed where words are compounds: a part of one counts half, though it names the same thing."""
FEW_WORDS: Final = 4
NOT_SCORED: Final = "No language model judged: rules count which words were found, and cannot score by a rubric."
STANDS_OUT: Final = 1.3
"""A word of a short question matters most if it tells so many times as much as any other."""
WHOLE_OF_PARTS: Final = 0.9
"""Of a question of n parts that is answered by one of them alone, a document must hold an nth of this share."""
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
        reasoning=shorten_text(reasoning, REASONING_CHARACTERS),
        unscored=NOT_SCORED if "rubric" in task.given else "",
    )


def answerable(question: str, given: Material) -> bool:
    """Whether one document holds enough of the question, or of one of its parts, to be quoted for it."""
    held = given.best_document(given.terms)
    if held >= _needed(given.terms) and not _lacks_what_matters(question, given):
        return True
    parts = sub_questions(question)
    return (
        len(parts) > 1
        and held >= WHOLE_OF_PARTS / len(parts)
        and any(speaks_to(question, part, given) for part in parts)
    )


def speaks_to(question: str, part: str, given: Material) -> bool:
    """Whether a passage holds enough of one part of a question; a part of one word is only a word."""
    alone = len(given.terms.of(part).weights) > 1 or bool(compared(question))
    return alone and part_coverage(question, part, given) >= ANSWERABLE_PART


def part_coverage(question: str, part: str, given: Material) -> float:
    """The share of one part of the question that the best single passage on its subject holds."""
    return given.on_subject(part_anchor(question, part, given)).best_coverage(given.terms.of(part))


def _needed(terms: Terms) -> float:
    needed = ANSWERABLE + FEWER_WORDS / max(1, len(terms.weights))
    return COMPOUNDED * needed if get_current_language() in COMPOUNDING else needed


def _lacks_what_matters(question: str, given: Material) -> bool:
    """Whether a name, or a short question's most telling word, occurs nowhere: `replication` in another manual."""
    weights = given.terms.weights
    first, *others = sorted(weights, key=lambda one: -weights[one])
    if not others:
        return False
    if is_manual(given) and len(weights) <= FEW_WORDS and weights[first] >= STANDS_OUT * weights[others[0]]:
        return not is_headed(first, given) and not holds_all(given)
    if given.mentions(first):
        return False
    if len(weights) <= FEW_WORDS and weights[first] >= STANDS_OUT * weights[others[0]]:
        return True
    return given.terms.written[first] in proper_names(question)
