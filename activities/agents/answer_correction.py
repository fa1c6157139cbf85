"""Tells a model once, in the same conversation, what does not hold in its answer.

Code is sure of that without another call: what an agent's definition finds in an answer for the state, or a plugin's
writer in its draft. It is a turn of the conversation, not a retry, and only taken if what is left allows it; if it ends
in nothing, the first answer counts, which was paid for.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.prompt_parts import FURTHER_TRIES, build_question_agent
from elcano.activities.calls.attempt import Answer, Attempt
from elcano.activities.calls.usage import usage_of
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.errors import AnswerUnusable, BudgetExhausted
from elcano.graphs.frozen import Frozen
from elcano.graphs.state.budget import Estimate

RETURNED: Final = "Some of your answer cannot be used. Give the whole answer again, with this put right:"

Output = TypeVar("Output", bound=Frozen)


async def ask_with_correction(
    attempt: Attempt,
    question: Question[Output],
    task: TaskEnvelope,
    order: Sequence[str],
    find_faults: Callable[[RunContext[object], Output], Awaitable[Sequence[str]]],
    notice: str,
    tries: int = FURTHER_TRIES,
) -> Answer[Output]:
    """Ask `question`, and tell the model once what does not hold in its answer so that it can correct it.

    Args:
        attempt: by which it is asked.
        question: what is asked.
        task: what is shown.
        order: keys of the passages in `task`, those that matter most first.
        find_faults: the faults of an answer, in sentences for the model.
        notice: the sentence above them.
        tries: an answer in the wrong form that was corrected so often is taken as it is.

    Raises:
        BudgetExhausted: before there was any answer; as for other faults, see `Attempt.ask`.
    """
    first: list[Output] = []

    async def held(context: RunContext[object], output: Output) -> Output:
        attempt.readable(context.messages)
        if first or context.retry >= tries or not can_afford_correction(attempt, context):
            return output
        if faults := await find_faults(context, output):
            first.append(output)
            raise ModelRetry("\n- ".join((notice, *faults)))
        return output

    asked: Agent[object, Output] = Agent(
        name=task.kind,
        output_type=question.answer_for(task),
        instructions=question.instructions_for(task),
        retries=FURTHER_TRIES,
    )
    asked.output_validator(held)
    try:
        return await attempt.ask(asked, question.request, task, order)
    except (BudgetExhausted, AnswerUnusable, FallbackExceptionGroup):
        if not first:
            raise
        attempt.credit(attempt.model, quoted=False)
        return Answer(first[0], model=attempt.model, quoted=False, task=task)


def can_afford_correction(attempt: Attempt, context: RunContext[object]) -> bool:
    """Whether as much again as the conversation took so far, and its answer once more, may still be used."""
    used = usage_of(context.messages)
    again = Estimate(tokens=2 * used.tokens, cost_microusd=2 * used.cost_microusd)
    return attempt.left.less(used).refuses(again) is None


async def ask_agent_with_correction(
    attempt: Attempt,
    agent: AgentDefinition,
    given: Frozen,
    task: TaskEnvelope,
    order: Sequence[str],
    ids: Mapping[str, str],
) -> Answer[Any]:
    """Ask an agent whose answer the state holds, given its input and evidence ids by key; see `ask_with_correction`."""
    check = agent.faults
    if check is None:
        return await attempt.ask(build_question_agent(agent.asks, task), agent.asks.request, task, order)

    async def find_faults(_: RunContext[object], output: Frozen) -> Sequence[str]:
        return check(output, given, ids)

    return await ask_with_correction(attempt, agent.asks, task, order, find_faults, RETURNED)
