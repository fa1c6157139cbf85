"""The reviewer without a model: figures, names and words of each statement are looked for in what it quotes."""

from elcano.activities.support.saying import Statement, unquoted
from elcano.activities.support.speaking import CLOSE, spoken
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.reviewer import ReviewedStatement, ReviewVerdicts, StatementVerdict
from elcano.graphs.values.wording import listed


def review(task: TaskEnvelope) -> ReviewVerdicts:
    """A verdict on each statement; none on one in another language than its quotes."""
    asked = [ReviewedStatement.model_validate(one) for one in listed(task.given.get("statements"))]
    found = ((one, _verdict(one, task.question)) for one in asked)
    return ReviewVerdicts(verdicts=tuple(verdict for _, verdict in found if verdict is not None))


def _verdict(one: ReviewedStatement, question: str) -> StatementVerdict | None:
    statement = Statement(one.statement, one.quotes, (question, one.context))
    told = spoken(statement)
    if not told.comparable:
        return None
    if told.reasons:
        return StatementVerdict(id=one.id, support="not_supported", reason="; ".join(told.reasons))
    if missing := unquoted(statement):
        return StatementVerdict(id=one.id, support="partly", reason="; ".join(missing))
    if told.share < CLOSE:
        return StatementVerdict(id=one.id, support="partly", reason="the words it quotes speak of some of it only")
    return StatementVerdict(id=one.id, support="supported")
