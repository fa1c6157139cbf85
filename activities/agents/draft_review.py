"""Has the reviewer read a draft in batches before it is handed over; its findings travel with the draft.

It is a part of the call that wrote the draft, because a run's exit is its last step and what stands in it has to be
paid for by what the exit was left. So that nothing is paid for twice, the draft is kept before the first batch and
after each, and the heartbeat names it: an attempt that follows a crash goes on with the next batch.

What is not read stays `unchecked`: because the budget ended, or because the reviewer gave no answer that can be used.
Both are said among the draft's remarks. A provider that is busy is waited for as in any call.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.questions import build_question_agent
from elcano.activities.calls.admission import prompt_tokens
from elcano.activities.calls.attempt import Attempt
from elcano.activities.report.citations import CheckedDraft, check_citations, cited_ids
from elcano.graphs.agents.envelope import AgentInput, Loaded, render_task_prompt
from elcano.graphs.agents.review import AGENT as REVIEWER
from elcano.graphs.agents.review import (
    MOST_REASON_CHARACTERS,
    ReviewedStatement,
    ReviewerInput,
    ReviewVerdicts,
    StatementVerdict,
)
from elcano.graphs.errors import AnswerUnusable, BudgetExhausted, InputInvalid, ModelRefused, RequestRefused
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.report.statements import Judgement, Statement
from elcano.graphs.state.budget import Estimate
from elcano.graphs.text import format_count, shorten_text
from elcano.storage.evidence import StoredText
from elcano.storage.store import TenantStore

BATCH_STATEMENTS: Final = 20
BATCH_CHARACTERS: Final = 12_000
VERDICT_TOKENS: Final = 60
"""What one verdict takes of the answer, about."""
MEDIA_TYPE: Final = "application/json"
_WEIGHT: Final = {"not_supported": 0, "partly": 1, "supported": 2}
_UNUSABLE: Final = (AnswerUnusable, ModelRefused, RequestRefused)

Key = tuple[str, tuple[str, ...]]
"""A statement's text and the ids of the evidence that it cites."""


class ReviewProgress(Frozen):
    """A draft that was written, as a heartbeat names it. Travels: new fields get defaults."""

    draft: str
    """Content hash of the `ReportDraft`, with the judgements so far."""
    model: str = ""
    mended: bool = False
    """Its writer has had its doubted blocks back: they do not go there twice."""


def parse_review_progress(progress: JsonObject) -> ReviewProgress | None:
    """The draft that an earlier attempt wrote and had not read to its end; None if it was not so far."""
    told = progress.get("reviewing")
    return None if told is None else ReviewProgress.model_validate(told)


async def load_draft_under_review(reviewing: ReviewProgress, attempt: Attempt) -> ReportDraft:
    """The draft that an earlier attempt wrote.

    Raises:
        InputInvalid: it is not in the store.
    """
    attempt.credit(reviewing.model, quoted=False)
    kept = await attempt.store.artifacts.get(reviewing.draft)
    if kept is None:
        fault = f"the store has no draft {reviewing.draft!r}; do all workers share one data folder?"
        raise InputInvalid("draft", fault)
    return await asyncio.to_thread(ReportDraft.model_validate_json, kept)


async def review_draft(attempt: Attempt, given: AgentInput, draft: ReportDraft, *, mended: bool = False) -> ReportDraft:
    """`draft`, citing by ids, with what the reviewer found of its statements.

    `mended`: its writer has had the doubted ones back.
    """
    checked = await checked_draft(attempt.store, draft, given.question)
    done = {(one.statement, one.evidence) for one in draft.judgements}
    asked = {key: one for key, one in _iter_cited_statements(checked) if key not in done}
    draft = await _checkpoint_draft(attempt, draft, mended=mended)
    batches = list(_batch_cited_statements(list(asked.items())))
    for place, batch in enumerate(batches):
        try:
            found = await _review_batch(attempt, given, batch)
        except BudgetExhausted:
            left = sum(len(one) for one in batches[place:])
            return _with_remark(draft, f"The budget did not allow {format_count(left, 'statement')} to be reviewed.")
        except (*_UNUSABLE, FallbackExceptionGroup) as error:
            faults = error.exceptions if isinstance(error, FallbackExceptionGroup) else (error,)
            if not all(isinstance(fault, _UNUSABLE) for fault in faults):
                raise
            told = f"The reviewer gave no answer on {format_count(len(batch), 'statement')} that can be used."
            draft = _with_remark(draft, told)
            continue
        draft = draft.model_copy(update={"judgements": (*draft.judgements, *found)})
        if place + 1 < len(batches):
            draft = await _checkpoint_draft(attempt, draft, mended=mended)
    return draft


async def checked_draft(store: TenantStore, draft: ReportDraft, asked: str) -> CheckedDraft:
    """`draft`, citing by ids, with its citations looked up in the stored texts."""
    evidence = await store.evidence.get(cited_ids(draft))
    texts: dict[str, StoredText] = {}
    for content_hash in dict.fromkeys(passage.content_hash for passage in evidence):
        text = await store.evidence.text(content_hash)
        if text is not None:  # the store keeps no passage without its text
            texts[content_hash] = text
    return await asyncio.to_thread(check_citations, draft, evidence, texts, (), asked)


async def _review_batch(attempt: Attempt, given: AgentInput, batch: Sequence[tuple[Key, Statement]]) -> list[Judgement]:
    question = REVIEWER.asks
    statements = tuple(_build_reviewed_statement(number, one) for number, (_, one) in enumerate(batch, start=1))
    task = question.shown(ReviewerInput(question=given.question, statements=statements), Loaded())
    least = prompt_tokens(render_task_prompt(question.request, task)) + VERDICT_TOKENS * len(batch)
    if attempt.left.refuses(Estimate(tokens=least)) is not None:
        raise BudgetExhausted("tokens", "what is left does not suffice for a review")
    answer = await attempt.ask(build_question_agent(task.kind, question), question.request, task, agent_name="reviewer")
    return list(_judgements_from_verdicts(batch, answer.output))


def _judgements_from_verdicts(batch: Sequence[tuple[Key, Statement]], answer: ReviewVerdicts) -> Iterator[Judgement]:
    """Yield one judgement for each statement: the strictest verdict counts, and verdicts on other ids are ignored."""
    by_id: dict[int, StatementVerdict] = {}
    for one in answer.verdicts:
        before = by_id.get(one.id)
        if before is None or _WEIGHT[one.support] < _WEIGHT[before.support]:
            by_id[one.id] = one
    for number, ((text, evidence), _) in enumerate(batch, start=1):
        verdict = by_id.get(number)
        if verdict is None:
            yield Judgement(statement=text, support="unchecked", evidence=evidence)
            continue
        reason = shorten_text(" ".join(verdict.reason.split()), MOST_REASON_CHARACTERS)
        held = verdict.support == "supported"
        told = "" if held else reason or "the words it quotes do not say it"
        yield Judgement(statement=text, support=verdict.support, reason=told, evidence=evidence)


def _iter_cited_statements(checked: CheckedDraft) -> Iterator[tuple[Key, Statement]]:
    """The statements whose citations hold."""
    for claim in checked.claims:
        for one in claim.statements:
            if one.kind != "connecting" and any(cited.verdict == "verified" for cited in one.citations):
                yield (one.text, tuple(dict.fromkeys(cited.evidence for cited in one.citations))), one


def _batch_cited_statements(asked: Iterable[tuple[Key, Statement]]) -> Iterator[list[tuple[Key, Statement]]]:
    batch: list[tuple[Key, Statement]] = []
    size = 0
    for key, one in asked:
        characters = len(one.text) + sum(len(cited.quote) for cited in one.citations)
        if batch and (len(batch) == BATCH_STATEMENTS or size + characters > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append((key, one))
        size += characters
    if batch:
        yield batch


def _build_reviewed_statement(number: int, one: Statement) -> ReviewedStatement:
    quotes = dict.fromkeys(cited.quote for cited in one.citations if cited.verdict == "verified")
    return ReviewedStatement(
        id=number, statement=one.text, context=one.context, inferred=one.kind == "inference", quotes=tuple(quotes)
    )


async def _checkpoint_draft(attempt: Attempt, draft: ReportDraft, *, mended: bool) -> ReportDraft:
    """Return the draft after storing it, recording its usage in the ledger and naming it in the heartbeat."""
    artifact = await attempt.store.artifacts.put(attempt.call.run_id, draft.model_dump_json(), MEDIA_TYPE)
    await attempt.record("failed")
    reviewing = ReviewProgress(draft=artifact, model=attempt.model, mended=mended)
    attempt.pulse.carry({"reviewing": reviewing.model_dump(mode="json")})
    return draft


def _with_remark(draft: ReportDraft, remark: str) -> ReportDraft:
    return draft.model_copy(update={"remarks": (*draft.remarks, remark)})
