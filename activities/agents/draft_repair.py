"""Has the writer mend, once, the blocks of its draft that do not hold, and answer the contradictions that it left out.

Only these are asked for, never the whole answer again. It gets what code is sure of (false quotes, figures that no
quote has, blocks that cite nothing) and what the reviewer doubts, with the passages that its faulty sentences cite.

A repair is taken citation by citation: a quote that it spoils is put back as it stood, one that stands in another
passage is moved there. So are sentences of a paragraph that had no fault and that it drops. A block is left as it was
if its repair cites more that does not hold than before, loses another statement without a fault, says what another
block says, or is in another language. What is left as it was is marked in the report; a figure that a repair drops
though a cited passage has it is named among the remarks.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic_ai.exceptions import FallbackExceptionGroup

from elcano.activities.agents.answer_correction import (
    NearestWords,
    checked_draft,
    describe_quote_fault,
    draft_of_claims,
    find_nearest_words_of_each,
    move_quotes,
)
from elcano.activities.agents.answer_drafts import cite_anew, map_claims
from elcano.activities.agents.draft_contradictions import describe_contradiction, describe_dropped, list_unanswered
from elcano.activities.agents.draft_faults import (
    count_uncited,
    describe_faults,
    describe_losses,
    is_doubted,
    is_lost,
    iter_statements,
    lacks_citation,
    list_failed,
    list_failing,
    list_faulty_evidence,
    list_kept_citations,
    list_unreplaced_citations,
    put_back,
)
from elcano.activities.agents.draft_review import UNUSABLE, is_unusable
from elcano.activities.agents.prompt_parts import build_question_agent
from elcano.activities.agents.prompt_passages import build_evidence_item, name_passages
from elcano.activities.agents.sentence_merge import restore_lost
from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.usage import prompt_tokens
from elcano.activities.report.checked_draft import CheckedClaim
from elcano.activities.similarity.similar_passages import rank_related_passages
from elcano.graphs.agents.digests import digest_passage
from elcano.graphs.agents.envelope import Loaded, render_task_prompt
from elcano.graphs.agents.review import REVISION, DoubtedBlock, RevisedBlock, ReviserInput
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.errors import BudgetExhausted
from elcano.graphs.report.report import Citation, Claim, ReportDraft
from elcano.graphs.state.budget import Estimate
from elcano.graphs.state.plan import Contradiction
from elcano.storage.evidence import Evidence
from elcano.text.languages import possible_languages
from elcano.text.prose.blocks import ClaimCollector

MOST_BLOCKS: Final = 20
MOST_SPARE_PASSAGES: Final = 3
"""Passages shown to fix blocks that cite nothing: those closest to them."""
PASSAGE_CHARACTERS: Final = 400
"""How much of a passage is shown: the sentences closest to the blocks and their faults that no citation shows."""
MOST_GROWTH: Final = 2
"""A repair may be so many times as long as its block, and `SLACK_CHARACTERS` more: it adds nothing new."""
SLACK_CHARACTERS: Final = 300
DISCUSSION_TOKENS: Final = 150
"""Approximate size of what answers one contradiction."""
DISCUSSION_CHARACTERS: Final = 3_000
"""Maximum length of what answers one: more is no sentence or two."""


async def repair_draft(
    attempt: Attempt,
    given: AgentInput,
    draft: ReportDraft,
    best: Sequence[str] = (),
    *,
    already: frozenset[Claim] = frozenset(),
    reserve: Estimate | None = None,
) -> ReportDraft:
    """`draft`, citing by ids, with the blocks that do not hold as the writer mended them; itself if it mended none.

    Args:
        attempt: by which the writer is asked.
        given: its input.
        draft: what it wrote, reviewed or not.
        best: ids of the passages that it was shown, those that matter most first.
        already: blocks that it has had back before.
        reserve: what has to be left for what follows.
    """
    desk = await _Desk.of(attempt, given, draft, best)
    doubted = [claim for claim in desk.faults if claim not in already][:MOST_BLOCKS]
    unanswered = [] if reserve else desk.unanswered
    if not doubted and not unanswered:
        return draft
    answer = await desk.ask(doubted, unanswered, reserve or Estimate())
    repaired = await desk.take(doubted, answer)
    added, dropped = await desk.take_discussions(unanswered, len(doubted) + 1, answer)
    better = map_claims(draft, lambda claim: repaired.get(claim, (claim,))) if repaired else draft
    lost = await asyncio.to_thread(describe_losses, desk.checked, desk.passages, repaired, better)
    remarks = dict.fromkeys((*draft.remarks, *lost, *dropped))
    if not repaired and not added and not dropped:
        return draft
    return better.model_copy(update={"disputed": (*better.disputed, *added), "remarks": tuple(remarks)})


async def list_doubted_blocks(attempt: Attempt, given: AgentInput, draft: ReportDraft) -> frozenset[Claim]:
    """The blocks of `draft` that do not hold."""
    return frozenset((await _Desk.of(attempt, given, draft, ())).faults)


@dataclass(frozen=True)
class _Desk:
    """A draft with what does not hold in it."""

    attempt: Attempt
    question: str
    checked: Mapping[Claim, CheckedClaim]
    faults: Mapping[Claim, tuple[str, ...]]
    unanswered: Sequence[Contradiction]
    """Contradictions among passages that the writer was shown, and that the draft does not discuss."""
    passages: Mapping[str, Evidence]
    """Passages that the writer was shown, by id."""
    nearest: Mapping[Citation, NearestWords]
    """For each citation that does not hold the words most like it."""
    spare: tuple[Evidence, ...]
    """Passages for blocks that cite nothing."""
    keys: Mapping[str, str]
    """Keys of the passages by id, as all agents of the run name them."""

    @classmethod
    async def of(cls, attempt: Attempt, given: AgentInput, draft: ReportDraft, best: Sequence[str]) -> "_Desk":
        checked = await checked_draft(attempt.store, draft, given.question)
        passages = {one.id: one for one in (*checked.given, *await attempt.store.evidence.get(list(best)))}
        by_claim = dict(zip(draft.claims, checked.claims, strict=True))
        failed = [one for claim, found in by_claim.items() for one in list_failing(claim, found)]
        nearest = await asyncio.to_thread(find_nearest_words_of_each, failed, passages)
        numbers = await attempt.store.evidence.numbers_of_run(attempt.call.run_id)
        keys = name_passages(list(passages), numbers)
        described = {
            one: describe_quote_fault(one, near, keys, known=one.evidence in passages) for one, near in nearest.items()
        }
        faults = {claim: tuple(describe_faults(claim, found, described)) for claim, found in by_claim.items()}
        return cls(
            attempt,
            given.question,
            by_claim,
            {claim: found for claim, found in faults.items() if found},
            [one for one in list_unanswered(given.contradictions, checked.claims) if {*one.evidence} <= {*passages}],
            passages,
            nearest,
            tuple(passages[id] for id in best if id in passages),
            keys,
        )

    async def ask(
        self, doubted: Sequence[Claim], unanswered: Sequence[Contradiction], reserve: Estimate
    ) -> Sequence[RevisedBlock]:
        """The blocks that came back whole; none if there is no budget for it, or the answer cannot be used.

        What answers a contradiction is a block that is new, numbered after those that are doubted.
        """
        needed = dict.fromkeys(id for claim in doubted for id in list_faulty_evidence(claim, self.checked[claim]))
        failed = [one for claim in doubted for one in list_failing(claim, self.checked[claim])]
        needed |= dict.fromkeys(self.nearest[one].passage for one in failed if self.nearest[one].words)
        if bare := [claim.text for claim in doubted if not claim.citations]:
            text, most = "\n".join(bare), MOST_SPARE_PASSAGES
            spare = await asyncio.to_thread(rank_related_passages, text, self.spare, most, None)
            needed |= dict.fromkeys(one.id for one in spare)
        needed |= dict.fromkeys(id for one in unanswered for id in one.evidence)
        shown_of = {claim: self._list_shown_citations(claim) for claim in doubted}
        cited = dict.fromkeys(one.evidence for citations in shown_of.values() for one in citations)
        keys = {id: self.keys[id] for id in (needed | cited) if id in self.keys}
        blocks = tuple(
            DoubtedBlock(
                id=number,
                text=claim.text,
                citations=tuple(_cite_passage(one, keys.get(one.evidence, "unknown")) for one in citations),
                faults=self.faults[claim],
            )
            for number, (claim, citations) in enumerate(shown_of.items(), start=1)
        )
        blocks += tuple(
            DoubtedBlock(id=number, text="", faults=(describe_contradiction(one, keys),))
            for number, one in enumerate(unanswered, start=len(doubted) + 1)
        )
        items = (
            build_evidence_item(key, self.passages[id], "", places=False) for id, key in keys.items() if id in needed
        )
        asked = " ".join(text for one in blocks for text in (one.text, *one.faults))
        quoted = {cited.quote for one in blocks for cited in one.citations}
        shown = tuple(digest_passage(item, asked, PASSAGE_CHARACTERS, quoted) for item in items)
        task = REVISION.shown(ReviserInput(question=self.question, blocks=blocks, passages=shown), Loaded())
        answered = sum(len(one.text) for one in doubted) // 2 + DISCUSSION_TOKENS * len(unanswered)
        least = prompt_tokens(render_task_prompt(REVISION.request, task)) + answered + reserve.tokens
        if self.attempt.left.refuses(Estimate(tokens=least, cost_microusd=reserve.cost_microusd)) is not None:
            return ()
        try:
            answer = await self.attempt.ask(build_question_agent(REVISION, task), REVISION.request, task)
        except (BudgetExhausted, *UNUSABLE, FallbackExceptionGroup) as error:
            if not isinstance(error, BudgetExhausted) and not is_unusable(error):
                raise
            return ()
        by_key = {key: id for id, key in self.keys.items()}
        return [
            cite_anew(block, lambda one: _cite_passage(one, by_key.get(one.evidence, one.evidence)))
            for block in answer.output.blocks[: -1 if answer.cut_off else None]
        ]

    def _list_shown_citations(self, claim: Claim) -> list[Citation]:
        """The citations that the writer is shown again; of sentences without a fault it keeps the marks alone."""
        found = self.checked[claim]
        kept = [] if lacks_citation(found) else list_kept_citations(claim, found)
        return [one for one in claim.citations if one not in kept]

    async def take(self, doubted: Sequence[Claim], answer: Iterable[RevisedBlock]) -> dict[Claim, tuple[Claim, ...]]:
        """The repairs that are taken; of two for one block the first counts."""
        taken: dict[Claim, tuple[Claim, ...]] = {}
        said = {claim: set(iter_statements([found])) for claim, found in self.checked.items()}
        for block in answer:
            if not 1 <= block.id <= len(doubted) or (claim := doubted[block.id - 1]) in taken:
                continue
            others = {one for other, texts in said.items() if other != claim for one in texts}
            kept = list_unreplaced_citations(claim, self.checked[claim], self._list_shown_citations(claim), block)
            mended = await asyncio.to_thread(ClaimCollector(block.citations, kept).claims, block.text)
            repair, found = await self._restore(claim, await self._settle(claim, mended))
            if self._is_better(claim, repair, found, others):
                taken[claim] = repair
                said[claim] = set(iter_statements(found))
        return taken

    async def _restore(
        self, claim: Claim, repair: tuple[Claim, ...]
    ) -> tuple[tuple[Claim, ...], Sequence[CheckedClaim]]:
        """The repair with the sentences that it dropped or spoiled, as far as that can be, and its checks."""
        found = await self._check(repair)
        if len(repair) > 1:
            return repair, found
        checked = found[0] if found else CheckedClaim(text="", citations=())
        whole = await asyncio.to_thread(
            restore_lost, claim, self.checked[claim], repair[0] if repair else None, checked
        )
        return (repair, found) if whole is None else ((whole,), await self._check((whole,)))

    async def take_discussions(
        self, unanswered: Sequence[Contradiction], first: int, answer: Iterable[RevisedBlock]
    ) -> tuple[list[Claim], list[str]]:
        """Take the answers to contradictions, to be added to the draft, and remarks on those that are not answered.

        Args:
            unanswered: what was asked.
            first: the number under which the first of them was asked.
            answer: all blocks that came back.
        """
        added: list[Claim] = []
        texts = {block.id: block for block in reversed(list(answer))}
        dropped: list[str] = []
        titles = {id: passage.title for id, passage in self.passages.items()}
        for number, one in enumerate(unanswered, start=first):
            written = await self._discussion(texts[number]) if number in texts else ()
            found = await self._check(written)
            long = sum(len(claim.text) for claim in written) > DISCUSSION_CHARACTERS
            if long or list_failed(found) or count_uncited(found) or list_unanswered([one], found):
                dropped.append(describe_dropped(one, self.keys, titles))
            else:
                added += (claim for claim in written if claim not in added)
        return added, dropped

    async def _discussion(self, block: RevisedBlock) -> tuple[Claim, ...]:
        claims = await asyncio.to_thread(ClaimCollector(block.citations).claims, block.text)
        if not claims:
            return ()
        moved = await move_quotes(self.attempt.store, draft_of_claims(claims), self.passages)
        return moved.claims

    async def _settle(self, claim: Claim, mended: tuple[Claim, ...]) -> tuple[Claim, ...]:
        """A repair with its quotes in the passages that have them; what it spoiled is as it was."""
        if not mended:
            return ()
        part = await move_quotes(self.attempt.store, draft_of_claims(mended), self.passages)
        checked = await checked_draft(self.attempt.store, part, self.question)
        failed = list_failed(checked.claims)
        failing = list_failing(claim, self.checked[claim])
        held = [one for one in claim.citations if one not in failing]

        def settle(cited: Citation) -> Citation:
            return put_back(cited, held) if (cited.evidence, cited.quote) in failed else cited

        settled = (cite_anew(one, settle) for one in part.claims)
        return tuple(one.model_copy(update={"citations": tuple(dict.fromkeys(one.citations))}) for one in settled)

    async def _check(self, repair: tuple[Claim, ...]) -> tuple[CheckedClaim, ...]:
        draft = draft_of_claims(repair)
        return (await checked_draft(self.attempt.store, draft, self.question)).claims if repair else ()

    def _is_better(
        self, claim: Claim, repair: tuple[Claim, ...], found: Sequence[CheckedClaim], others: set[str]
    ) -> bool:
        before = self.checked[claim]
        if len(list_failed(found)) > len(list_failed([before])) or count_uncited(found) > count_uncited([before]):
            return False
        if any(is_lost(one, found) for one in before.statements if not is_doubted(one)):
            return False
        earlier, now = Counter(iter_statements([before])), Counter(iter_statements(found))
        if any(count > max(1, earlier[text]) for text, count in now.items()):
            return False
        said = set(now - earlier)
        length = sum(len(one.text) for one in repair)
        if said & others or length > MOST_GROWTH * len(claim.text) + SLACK_CHARACTERS:
            return False
        own, other = possible_languages(claim.text), possible_languages(" ".join(one.text for one in repair))
        return not (repair and own and other and own.isdisjoint(other))


def _cite_passage(cited: Citation, evidence: str) -> Citation:
    return cited.model_copy(update={"evidence": evidence})
