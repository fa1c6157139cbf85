"""The reviewer without a model: figures, names and words of each statement are looked for in what it quotes."""

from elcano.activities.support.missing_facts import Statement, is_foreign_language
from elcano.activities.support.statement_check import judge_statement
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.review import ReviewedStatement, ReviewVerdicts, StatementVerdict
from elcano.graphs.text import ensure_list


def review(task: TaskEnvelope) -> ReviewVerdicts:
    """A verdict on each statement; none on one in another language than its quotes."""
    asked = [ReviewedStatement.model_validate(one) for one in ensure_list(task.given.get("statements"))]
    found = ((one, _verdict(one, task.question)) for one in asked)
    return ReviewVerdicts(verdicts=tuple(verdict for _, verdict in found if verdict is not None))


def _verdict(one: ReviewedStatement, question: str) -> StatementVerdict | None:
    statement = Statement(one.statement, one.quotes, (question, one.context))
    found = judge_statement(statement)
    if found.support == "partly" or found.support == "not_supported":
        return StatementVerdict(id=one.id, support=found.support, reason="; ".join(found.reasons))
    return None if is_foreign_language(statement) else StatementVerdict(id=one.id, support="supported")
