"""Has the reviewer read a draft in batches before it is handed over; its findings travel with the draft.

It is a part of the call that wrote the draft, because a run's exit is its last step and what stands in it has to be
paid for by what the exit was left. So that nothing is paid for twice, the draft is kept before the first batch and
after each, and the heartbeat names it: an attempt that follows a crash goes on with the next batch.

What is not read stays `unchecked`: because the budget ended, or because the reviewer gave no answer that can be used.
Both are said among the draft's remarks. A provider that is busy is waited for as in any call.

Doubted blocks go back to the writer once, with the reasons and the passages they cite. A block that comes back is taken
if every quote of it stands in its passage; else the doubted one stays, and is marked.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.questions import build_question_agent
from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.usage import prompt_tokens
from elcano.activities.prose.blocks import ClaimCollector
from elcano.activities.report.checked_draft import CheckedDraft, cited_ids
from elcano.activities.report.citation_check import check_citations
from elcano.graphs.agents.envelope import AgentInput, EvidenceItem, Loaded, render_task_prompt
from elcano.graphs.agents.review import AGENT as REVIEWER
from elcano.graphs.agents.review import (
    MOST_REASON_CHARACTERS,
    REVISION,
    DoubtedBlock,
    ReviewedStatement,
    ReviewerInput,
    ReviewVerdicts,
    RevisedBlock,
    ReviserInput,
    StatementVerdict,
)
from elcano.graphs.errors import AnswerUnusable, BudgetExhausted, InputInvalid, ModelRefused, RequestRefused
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.draft import Citation, Claim
from elcano.graphs.report.report import DraftSection, ReportDraft
from elcano.graphs.report.statements import Judgement, Statement
from elcano.graphs.state.budget import Estimate
from elcano.graphs.text import format_count, shorten_text
from elcano.storage.evidence import Evidence, StoredText
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


MOST_BLOCKS: Final = 20
_PARTS: Final = ("introduction", "key_findings", "disputed", "strength", "conclusion")


async def revise_doubted_blocks(attempt: Attempt, given: AgentInput, draft: ReportDraft) -> ReportDraft:
    """`draft`, citing by ids, with its doubted blocks as the writer mended them; itself if it mended none."""
    checked = await checked_draft(attempt.store, draft, given.question)
    faults: dict[Claim, tuple[str, ...]] = {}
    for claim, found in zip(draft.claims, checked.claims, strict=True):
        told = tuple(
            f"\u201c{one.text}\u201d: {one.reason}"
            for one in found.statements
            if one.reason and one.support in ("partly", "in_passage", "not_supported")
        )
        if told:
            faults[claim] = told
    if not faults:
        return draft
    doubted = list(faults)[:MOST_BLOCKS]
    ids = list(dict.fromkeys(cited.evidence for claim in doubted for cited in claim.citations))
    passages = await attempt.store.evidence.get(ids)
    keys = {one.id: f"e{number}" for number, one in enumerate(passages, start=1)}
    task = REVISION.shown(
        ReviserInput(
            question=given.question,
            blocks=tuple(_build_doubted_block(n, one, faults[one], keys) for n, one in enumerate(doubted, start=1)),
            passages=tuple(_build_evidence_item(keys[one.id], one) for one in passages),
        ),
        Loaded(),
    )
    text = render_task_prompt(REVISION.request, task)
    answered = sum(len(one.text) for one in doubted) // 2
    if attempt.left.refuses(Estimate(tokens=prompt_tokens(text) + answered)) is not None:
        return draft
    try:
        answer = await attempt.ask(build_question_agent(task.kind, REVISION), REVISION.request, task)
    except (BudgetExhausted, AnswerUnusable, ModelRefused, RequestRefused):
        return draft
    except FallbackExceptionGroup as group:
        if not all(isinstance(one, AnswerUnusable | ModelRefused | RequestRefused) for one in group.exceptions):
            raise
        return draft
    by_key = {key: id for id, key in keys.items()}
    mended: dict[Claim, tuple[Claim, ...]] = {}
    for block in answer.output.blocks:
        if 1 <= block.id <= len(doubted):
            claims = await asyncio.to_thread(_claims_from_block, block, by_key)
            if await _has_verified_quotes(attempt, claims, given.question):
                mended[doubted[block.id - 1]] = claims
    return replace_claims(draft, mended) if mended else draft


def replace_claims(draft: ReportDraft, mended: Mapping[Claim, tuple[Claim, ...]]) -> ReportDraft:
    """`draft` with other claims in the place of some."""

    def told(claims: Sequence[Claim]) -> tuple[Claim, ...]:
        return tuple(one for claim in claims for one in mended.get(claim, (claim,)))

    sections = tuple(one.model_copy(update={"claims": told(one.claims)}) for one in draft.sections)
    parts = {name: told(getattr(draft, name)) for name in _PARTS}
    return draft.model_copy(update={**parts, "sections": sections})


async def _has_verified_quotes(attempt: Attempt, claims: tuple[Claim, ...], question: str) -> bool:
    """Return whether every quote of corrected claims stands in its passage; True if all claims were removed."""
    if not claims:
        return True
    part = ReportDraft(title="-", sections=(DraftSection(heading="-", claims=claims),))
    return not (await checked_draft(attempt.store, part, question)).unverified


def _claims_from_block(block: RevisedBlock, ids: Mapping[str, str]) -> tuple[Claim, ...]:
    cited = tuple(one.model_copy(update={"evidence": ids.get(one.evidence, one.evidence)}) for one in block.citations)
    return ClaimCollector(cited).claims(block.text)


def _build_doubted_block(number: int, claim: Claim, faults: tuple[str, ...], keys: Mapping[str, str]) -> DoubtedBlock:
    cited: tuple[Citation, ...] = tuple(
        one.model_copy(update={"evidence": keys.get(one.evidence, one.evidence)}) for one in claim.citations
    )
    return DoubtedBlock(id=number, text=claim.text, citations=cited, faults=faults)


def _build_evidence_item(key: str, passage: Evidence) -> EvidenceItem:
    return EvidenceItem(
        key=key, title=passage.title, heading=passage.heading, locator=passage.locator, text=passage.text
    )
