"""The steps of a research loop, by coverage: the weighted share of the question's words that the passages hold.

Coverage says that something speaks to a part, not that it is answered well; the texts here say no more than that.
"""

from typing import Final

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.review import ReviewedStatement, ReviewVerdicts, StatementVerdict
from elcano.graphs.text import ensure_list, format_count, shorten_text
from elcano.subjects.quoting.passages import in_question_language, read_material
from elcano.subjects.quoting.planning import list_gaps, list_unheeded, suggest_queries
from elcano.subjects.quoting.question_parts import list_answerable_parts, split_into_parts
from elcano.subjects.research.agents.judge import JudgeAssessment
from elcano.subjects.research.agents.thinking import KnowledgeGapOutput, ThinkingOutput
from elcano.text.support.missing_facts import Statement, is_foreign_language
from elcano.text.support.statement_check import judge_statement

REASONING_CHARACTERS: Final = 2_000
COMPLETE: Final = 0.9
COMPLETE_PART: Final = 0.6
SUFFICIENT: Final = 0.75
MOST_MISSING: Final = 8
NOT_SCORED: Final = "No language model judged: rules count which words were found, and cannot score by a rubric."


@in_question_language
def describe_coverage(task: TaskEnvelope) -> ThinkingOutput:
    """One or two sentences on coverage and the missing words."""
    given = read_material(task)
    if not given.passages:
        return ThinkingOutput(
            thought="Nothing has been found yet. The first searches ask for the question's own words."
        )
    titles = len({passage.item.title for passage in given.passages})
    covered = given.terms.coverage(given.found)
    found = f"{format_count(len(given.passages), 'passage')} from {format_count(titles, 'document')}"
    hold = "holds" if len(given.passages) == 1 else "hold"
    thought = f"{found} {hold} {covered:.0%} of what the question asks about, weighted by how much each word tells."
    if missing := given.terms.missing(given.found):
        thought += f" Nothing speaks yet to: {', '.join(missing[:MOST_MISSING])}."
    return ThinkingOutput(thought=thought)


@in_question_language
def find_gaps(task: TaskEnvelope) -> KnowledgeGapOutput:
    """Complete when the words of the whole question and of each of its parts are covered.

    What was said meanwhile has to be searched for first.
    """
    given = read_material(task)
    said = list_unheeded(task)
    parts = [given.terms.of(part).coverage(given.found) for part in split_into_parts(task.question)]
    covered = given.terms.coverage(given.found) >= COMPLETE and min(parts) >= COMPLETE_PART
    if not said and covered and list_answerable_parts(task.question, given):
        return KnowledgeGapOutput(research_complete=True)
    gaps = (*said, *list_gaps(task.question, given))[:5]
    return KnowledgeGapOutput(research_complete=False, outstanding_gaps=gaps or (task.question,))


@in_question_language
def judge_evidence(task: TaskEnvelope) -> JudgeAssessment:
    """Sufficient when enough is covered, one passage holds enough of it together, and nothing that was said is open."""
    given = read_material(task)
    coverage, best = given.terms.coverage(given.found), given.best_passage_coverage(given.terms)
    said = list_unheeded(task)
    sufficient = not said and coverage >= SUFFICIENT and bool(list_answerable_parts(task.question, given))
    exhausted = not said and task.new_evidence == 0
    missing = given.terms.missing(given.found)
    made = [search.query for turn in task.conversation for search in turn.searches]
    asked = f"{coverage:.0%} of what the question asks about"
    reasoning = f"The passages together hold {asked}, the best single one {best:.0%}."
    if len(given.passages) == 1:
        reasoning = f"The passage found holds {asked}."
    if missing:
        reasoning += f" Missing: {', '.join(missing[:MOST_MISSING])}."
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
        next_search_queries=() if sufficient or exhausted else suggest_queries(task.question, given, made),
        reasoning=shorten_text(reasoning, REASONING_CHARACTERS),
        unscored=NOT_SCORED if "rubric" in task.given else "",
    )


def review_statements(task: TaskEnvelope) -> ReviewVerdicts:
    """A verdict on each statement, by its figures, names and words; none on one in another language than its quotes."""
    asked = [ReviewedStatement.model_validate(one) for one in ensure_list(task.given.get("statements"))]
    verdicts = (_review_statement(one, task.question) for one in asked)
    return ReviewVerdicts(verdicts=tuple(verdict for verdict in verdicts if verdict is not None))


def _review_statement(one: ReviewedStatement, question: str) -> StatementVerdict | None:
    statement = Statement(one.statement, one.quotes, (question, one.context))
    found = judge_statement(statement)
    if found.support == "partly" or found.support == "not_supported":
        return StatementVerdict(id=one.id, support=found.support, reason="; ".join(found.reasons))
    return None if is_foreign_language(statement) else StatementVerdict(id=one.id, support="supported")
