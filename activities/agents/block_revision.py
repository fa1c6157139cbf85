"""What the reviewer doubts goes back to the writer once: the blocks alone, with the reasons and the passages they cite.

A block that comes back is taken if every quote of it stands in its passage; else the doubted one stays, and is marked.
Without the budget for it, or without an answer that can be used, all stay as they are.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.draft_review import checked_draft
from elcano.activities.agents.questions import build_question_agent
from elcano.activities.calls.admission import prompt_tokens
from elcano.activities.calls.attempt import Attempt
from elcano.activities.prose.blocks import ClaimCollector
from elcano.graphs.agents.envelope import AgentInput, EvidenceItem, Loaded, render_task_prompt
from elcano.graphs.agents.review import REVISION, DoubtedBlock, RevisedBlock, ReviserInput
from elcano.graphs.errors import AnswerUnusable, BudgetExhausted, ModelRefused, RequestRefused
from elcano.graphs.report.draft import Citation, Claim
from elcano.graphs.report.report import DraftSection, ReportDraft
from elcano.graphs.state.budget import Estimate
from elcano.storage.evidence import Evidence

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
