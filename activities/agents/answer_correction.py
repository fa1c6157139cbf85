"""An answer that does not hold, as far as code can tell, goes back to its model once, with what does not hold of it.

It is a turn of the conversation, not a retry, and only taken if what is left allows it. What still does not hold then
is settled by the agent's definition; if the turn ends in nothing, the first answer counts, which was paid for.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.draft_correction import can_afford_correction
from elcano.activities.agents.questions import FURTHER_TRIES, build_question_agent
from elcano.activities.calls.attempt import Answer, Attempt
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.errors import AnswerUnusable, BudgetExhausted
from elcano.graphs.frozen import Frozen

RETURNED: Final = "Some of your answer cannot be used. Give the whole answer again, with this put right:"


async def ask_agent_with_correction(
    attempt: Attempt,
    agent: AgentDefinition,
    given: Frozen,
    task: TaskEnvelope,
    order: Sequence[str],
    ids: Mapping[str, str],
) -> Answer[Any]:
    """Ask `agent`, and tell its model once what does not hold in the answer so that it can correct it.

    Args:
        attempt: by which it is asked.
        agent: whose answer is what the state holds.
        given: its input.
        task: what its model is shown.
        order: keys of the passages in `task`, those that matter most first.
        ids: evidence ids by key.

    Raises:
        BudgetExhausted: before there was any answer; as for other faults, see `Attempt.ask`.
    """
    question, faults = agent.asks, agent.faults
    if faults is None:
        return await attempt.ask(build_question_agent(task.kind, question), question.request, task, order)
    first: list[Frozen] = []

    async def held(context: RunContext[object], output: Frozen) -> Frozen:
        attempt.readable(context.messages)
        if first or context.retry >= FURTHER_TRIES or not can_afford_correction(attempt, context):
            return output
        if found := faults(output, given, ids):
            first.append(output)
            raise ModelRetry("\n- ".join((RETURNED, *found)))
        return output

    asked: Agent[object, Any] = Agent(
        name=task.kind, output_type=question.answer, instructions=question.told, retries=FURTHER_TRIES
    )
    asked.output_validator(held)
    try:
        return await attempt.ask(asked, question.request, task, order)
    except (BudgetExhausted, AnswerUnusable, FallbackExceptionGroup):
        if not first:
            raise
        attempt.credit(attempt.model, quoted=False)
        return Answer(first[0], model=attempt.model, quoted=False, task=task)
