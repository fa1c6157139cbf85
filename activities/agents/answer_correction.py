"""Tells a model once, in the same conversation, what does not hold in its answer.

Code is sure of that without another call: quotes that do not stand in their passage, figures that no quote has, and
what an agent's definition finds in an answer for the state. It is a turn of the conversation, not a retry, and only
taken if what is left allows it; if it ends in nothing, the first answer counts, which was paid for.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.answer_drafts import with_canonical_ids
from elcano.activities.agents.prompt_parts import FURTHER_TRIES, build_question_agent
from elcano.activities.agents.quote_repair import checked_draft
from elcano.activities.calls.attempt import Answer, Attempt
from elcano.activities.calls.usage import usage_of
from elcano.activities.report.checked_draft import REASONS, CheckedDraft
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.errors import AnswerUnusable, BudgetExhausted
from elcano.graphs.frozen import Frozen
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.budget import Estimate
from elcano.graphs.text import shorten_text

MOST_FAULTS: Final = 12
TOLD_CHARACTERS: Final = 200
MEND: Final = (
    "Some of what you wrote does not hold. Copy quotes letter by letter from the passage that you cite, and say no "
    "figure that they do not have; leave out what no passage supports. Give the whole answer again, with this mended:"
)

Output = TypeVar("Output", bound=Frozen)


def nothing_else(output: object, checked: CheckedDraft) -> Sequence[str]:
    """Nothing is looked for beside quotes and figures."""
    return ()


async def ask_writer_with_correction(
    attempt: Attempt,
    question: Question[Output],
    task: TaskEnvelope,
    order: Sequence[str],
    ids: Mapping[str, str],
    as_draft: Callable[[Output], ReportDraft],
    further: Callable[[Output, CheckedDraft], Sequence[str]] = nothing_else,
) -> Answer[Output]:
    """Ask `question`, and tell the writer once what does not hold in its answer so that it can correct it.

    Args:
        attempt: by which it is asked.
        question: what is asked.
        task: what is shown.
        order: keys of the passages in `task`, those that matter most first.
        ids: evidence ids by key.
        as_draft: the draft that an answer is, citing by key.
        further: what else does not hold of an answer, in sentences for who wrote it.

    Raises:
        BudgetExhausted: before there was any answer; as for other faults, see `Attempt.ask`.
    """
    first: list[Output] = []

    async def validated(context: RunContext[object], output: Output) -> Output:
        attempt.readable(context.messages)
        if first or context.retry or context.model.system == OFFLINE or not can_afford_correction(attempt, context):
            return output
        draft = await asyncio.to_thread(as_draft, output)
        checked = await checked_draft(attempt.store, with_canonical_ids(draft, ids), task.question)
        if faults := [*await asyncio.to_thread(further, output, checked), *_find_draft_faults(checked)]:
            first.append(output)
            raise ModelRetry("\n- ".join((MEND, *faults[:MOST_FAULTS])))
        return output

    asked: Agent[object, Output] = Agent(
        name=task.kind,
        output_type=question.answer_for(task),
        instructions=question.instructions_for(task),
        retries=FURTHER_TRIES,
    )
    asked.output_validator(validated)
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


def _find_draft_faults(checked: CheckedDraft) -> Iterator[str]:
    """Yield the faults of a draft, worded for the writer."""
    for cited in dict.fromkeys(checked.unverified):
        if cited.verdict in ("quote_not_found", "unknown_evidence"):
            said = f"\u201c{shorten_text(cited.claim, TOLD_CHARACTERS)}\u201d: {REASONS[cited.verdict]}"
            yield f"{said}: \u201c{shorten_text(cited.quote, TOLD_CHARACTERS)}\u201d"
    for claim in checked.claims:
        for one in claim.statements:
            doubted = one.support in ("not_supported", "in_passage") and one.reason not in REASONS.values()
            if one.kind != "inference" and doubted:
                yield f"\u201c{shorten_text(one.text, TOLD_CHARACTERS)}\u201d: {one.reason}"


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
        return await attempt.ask(build_question_agent(question, task), question.request, task, order)
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
