"""Has the reviewer read a draft in batches before it is handed over; its findings travel with the draft.

It is a part of the call that wrote the draft, because a run's exit is its last step and what is in it has to be
paid for by what the exit was left. So that nothing is paid for twice, the draft is kept before the first batch and
after each, and the heartbeat names it: an attempt that follows a crash continues with what is left.

A finding belongs to a statement with its quotes and its place: what is mended or is elsewhere is read anew.

What is not read stays `unchecked`: because the budget ended, or because the reviewer gave no answer that can be used.
Both are said among the draft's remarks. A provider that is busy is waited for as in any call.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final, TypeAlias

from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.answer_correction import checked_draft
from elcano.activities.agents.prompt_parts import build_question_agent
from elcano.activities.agents.review_items import ReviewItem, iter_review_items
from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.usage import prompt_tokens
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope, render_task_prompt
from elcano.graphs.agents.review import AGENT as REVIEWER
from elcano.graphs.agents.review import (
    MOST_REASON_CHARACTERS,
    ReviewedStatement,
    ReviewedTable,
    ReviewerInput,
    ReviewVerdicts,
    StatementVerdict,
)
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.errors import AnswerUnusable, BudgetExhausted, ModelRefused, RequestRefused
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.report import Judgement, ReportDraft
from elcano.graphs.state.budget import Estimate
from elcano.graphs.text import format_count, shorten_text
from elcano.text.phrases import ENGLISH

BATCH_STATEMENTS: Final = 40
BATCH_CHARACTERS: Final = 24_000
MOST_AT_ONCE: Final = 4
"""Batches that are read side by side."""
VERDICT_TOKENS: Final = 60
"""Approximate size of one verdict in the answer."""
MEDIA_TYPE: Final = "application/json"
_WEIGHT: Final = {"not_supported": 0, "partly": 1, "supported": 2}
UNUSABLE: Final = (AnswerUnusable, ModelRefused, RequestRefused)

Batch: TypeAlias = Sequence[ReviewItem]


class ReviewProgress(Frozen):
    """A draft that was written, as a heartbeat names it. Travels: new fields get defaults."""

    draft: str
    """Content hash of the `ReportDraft`, with the judgements so far."""
    model: str = ""
    mended: bool = False
    """Its writer has had its doubted blocks back: they do not go there twice."""


Carry: TypeAlias = Callable[[ReviewProgress], JsonObject]
"""The heartbeat's data of a draft under review."""


def carry_review(progress: ReviewProgress) -> JsonObject:
    """Return the heartbeat's data while a finished draft is reviewed."""
    return {"reviewing": progress.model_dump(mode="json")}


def parse_review_progress(progress: JsonObject) -> ReviewProgress | None:
    """The draft that an earlier attempt wrote and had not read to its end; None if it was not so far."""
    kept = progress.get("reviewing")
    return None if kept is None else ReviewProgress.model_validate(kept)


async def load_draft_under_review(reviewing: ReviewProgress, attempt: Attempt) -> ReportDraft:
    """The draft that an earlier attempt wrote.

    Raises:
        InputInvalid: it is not in the store.
    """
    attempt.credit(reviewing.model, quoted=False)
    kept = await attempt.store.artifacts.require(reviewing.draft, "draft", "draft")
    return await asyncio.to_thread(ReportDraft.model_validate_json, kept)


async def review_draft(
    attempt: Attempt,
    given: AgentInput,
    draft: ReportDraft,
    *,
    mended: bool = False,
    carry: Carry = carry_review,
    reserve: Estimate | None = None,
) -> ReportDraft:
    """`draft`, citing by ids, with what the reviewer found of its statements.

    Args:
        attempt: by which the reviewer is asked.
        given: the writer's input.
        draft: what it wrote; judgements that it has already stand.
        mended: its writer has had the doubted blocks back.
        carry: what the heartbeat carries of it.
        reserve: what has to be left for what follows. What is not read for that is read later, so nothing is said.
    """
    checked = await checked_draft(attempt.store, draft, given.question)
    known = {one.key: one.support for one in draft.judgements}
    still_unread = frozenset(key for key, support in known.items() if support == "unchecked")
    batches = split_evenly(list(iter_review_items(checked, known.keys(), still_unread)))
    found: dict[int, list[Judgement]] = {}
    unread: dict[int, BaseException] = {}
    writing = asyncio.Lock()

    def with_findings() -> ReportDraft:
        read = (one for place in sorted(found) for one in found[place])
        return draft.model_copy(update={"judgements": (*draft.judgements, *read)})

    async def checkpoint() -> None:
        async with writing:
            artifact = await attempt.store.artifacts.put(
                attempt.call.run_id, with_findings().model_dump_json(), MEDIA_TYPE
            )
            await attempt.record("failed")
            attempt.pulse.carry(carry(ReviewProgress(draft=artifact, model=attempt.model, mended=mended)))

    async def read(place: int, batch: Batch, gate: asyncio.Semaphore) -> None:
        async with gate:
            try:
                found[place] = await _review_batch(attempt, given, batch, reserve or Estimate())
            except (BudgetExhausted, *UNUSABLE, FallbackExceptionGroup) as error:
                unread[place] = error
                return
        await checkpoint()

    await checkpoint()
    if batches:
        gate = asyncio.Semaphore(_count_at_once(attempt, given, batches))
        results = await asyncio.gather(
            *(read(place, batch, gate) for place, batch in enumerate(batches)), return_exceptions=True
        )
        for failure in (*unread.values(), *filter(None, results)):
            if not is_unusable(failure) and not isinstance(failure, BudgetExhausted):
                raise failure
    read_draft = with_findings()
    return read_draft if reserve else _with_unread_remarks(read_draft, batches, unread)


def is_unusable(error: BaseException) -> bool:
    """Return whether no model gave an answer that can be used; a provider that is busy did not answer yet."""
    faults = error.exceptions if isinstance(error, FallbackExceptionGroup) else (error,)
    return all(isinstance(fault, UNUSABLE) for fault in faults)


def _with_unread_remarks(
    draft: ReportDraft, batches: Sequence[Batch], unread: Mapping[int, BaseException]
) -> ReportDraft:
    """`draft`, with what was not read of it among its remarks, and why."""
    left = sum(_count_keys(batches[place]) for place, error in unread.items() if isinstance(error, BudgetExhausted))
    vain = sum(_count_keys(batches[place]) for place, error in unread.items() if not isinstance(error, BudgetExhausted))
    remarks = [
        f"The reviewer gave no answer on {format_count(vain, 'statement')} that can be used." if vain else "",
        f"The budget did not allow {format_count(left, 'statement')} to be reviewed." if left else "",
    ]
    return draft.model_copy(update={"remarks": tuple(dict.fromkeys((*draft.remarks, *filter(None, remarks))))})


def _count_keys(batch: Batch) -> int:
    return sum(len(one.keys) for one in batch)


def split_evenly(asked: Batch) -> list[Batch]:
    """Split into as few batches of about the same size as statements, cells of tables and characters allow."""
    sizes = [0, *accumulate(one.size for one in asked)]
    characters = sum(one.characters for one in asked)
    count = min(len(asked), max(-(-sizes[-1] // BATCH_STATEMENTS), -(-characters // BATCH_CHARACTERS)))
    ends = [bisect_left(sizes, sizes[-1] * number // count) for number in range(count + 1)] if count else []
    return [asked[begin:end] for begin, end in pairwise(ends) if end > begin]


def _count_at_once(attempt: Attempt, given: AgentInput, batches: Sequence[Batch]) -> int:
    """Side by side, unless the budget may end among them: then what is left is known before each."""
    all_of_them = sum(_least_tokens(_build_review(given, batch), batch) for batch in batches)
    return 1 if attempt.left.refuses(Estimate(tokens=2 * all_of_them)) is not None else MOST_AT_ONCE


def _build_review(given: AgentInput, batch: Batch) -> TaskEnvelope:
    shown = [one.show(number) for number, one in zip(_number_items(batch), batch, strict=True)]
    statements = tuple(one for one in shown if isinstance(one, ReviewedStatement))
    tables = tuple(one for one in shown if isinstance(one, ReviewedTable))
    return REVIEWER.asks.shown(ReviewerInput(question=given.question, statements=statements, tables=tables), Loaded())


def _number_items(batch: Batch) -> list[int]:
    """The number of each item: those of a table's cells follow its own."""
    return list(accumulate((one.numbers for one in batch[:-1]), initial=1))


def _least_tokens(task: TaskEnvelope, batch: Batch) -> int:
    verdicts = sum(one.size for one in batch)
    return prompt_tokens(render_task_prompt(REVIEWER.asks.request, task)) + VERDICT_TOKENS * verdicts


async def _review_batch(attempt: Attempt, given: AgentInput, batch: Batch, reserve: Estimate) -> list[Judgement]:
    question, task = REVIEWER.asks, _build_review(given, batch)
    least = Estimate(tokens=_least_tokens(task, batch) + reserve.tokens, cost_microusd=reserve.cost_microusd)
    if attempt.left.refuses(least) is not None:
        raise BudgetExhausted("tokens", "what is left does not suffice for a review")
    answer = await attempt.ask(build_question_agent(question, task), question.request, task, agent_name="reviewer")
    return list(_judgements_from_verdicts(batch, answer.output))


def _judgements_from_verdicts(batch: Batch, answer: ReviewVerdicts) -> Iterator[Judgement]:
    """Yield one judgement for each statement: the strictest verdict counts, and verdicts on other ids are ignored."""
    by_id: dict[int, StatementVerdict] = {}
    for one in answer.verdicts:
        before = by_id.get(one.id)
        if before is None or _WEIGHT[one.support] < _WEIGHT[before.support]:
            by_id[one.id] = one
    for number, item in zip(_number_items(batch), batch, strict=True):
        for key, verdict in zip(item.keys, item.find_verdicts(number, by_id), strict=True):
            judgement = Judgement(
                statement=key.text,
                support="unchecked",
                evidence=key.evidence,
                quotes=key.quotes,
                context=key.context,
                before=key.before,
            )
            if verdict is not None:
                reason = shorten_text(" ".join(verdict.reason.split()), MOST_REASON_CHARACTERS)
                reason_given = "" if verdict.support == "supported" else reason or ENGLISH.unsaid
                judgement = judgement.model_copy(update={"support": verdict.support, "reason": reason_given})
            yield judgement
