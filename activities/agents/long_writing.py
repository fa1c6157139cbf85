"""The long writer at work: one call a section, one for the key findings, and no section written twice.

A section that has no draft is written from its passages; one for which there is no budget is missing, and says why.

Before each call what is left is looked at: a section is written only if the key findings can still be paid for after
it. The sections for which that is not so stand as they were drafted, and the report says so.

A section is written in view of its passages, as many of them as can be paid for. One whose draft is longer than what
a model delivers in one answer is written in parts, each after the other. When all are written they are read and mended,
as a finished report is, as far as the key findings can still be paid for: these are written from what holds.

Each finished part is kept as an artifact and named in the heartbeat. An attempt that follows a crash begins with the
next one, so a crash costs at most one call of a model.
"""

import asyncio
from collections.abc import Iterator
from typing import Final, TypeVar

from elcano.activities.agents.answer_correction import checked_draft, move_quotes
from elcano.activities.agents.answer_drafts import (
    HEADING,
    draft_from_summary,
    drop_repeated_claims,
    estimate_section_tokens,
    first_statements,
    in_parts,
    not_rewritten,
    section_claims,
    statements_unread,
    tell_unread_passages,
    with_canonical_ids,
    without_failed_citations,
)
from elcano.activities.agents.draft_repair import list_doubted_blocks
from elcano.activities.agents.draft_review import ReviewProgress, load_draft_under_review
from elcano.activities.agents.prompt_parts import build_question_agent
from elcano.activities.agents.reviewed_draft import review_and_repair
from elcano.activities.agents.section_drafts import NOT_USED, explain_empty_section
from elcano.activities.calls.answer import Answer
from elcano.activities.calls.attempt import Attempt
from elcano.activities.calls.paused_activities import end_if_given_up, given_up
from elcano.activities.calls.usage import prompt_tokens
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, SectionItem, TaskEnvelope, render_task_prompt
from elcano.graphs.agents.writing import SectionText, Summary, SynthesisInput, share_marks
from elcano.graphs.errors import BudgetExhausted
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.report import Claim, DraftSection, Judgement, ReportDraft, heading_for, title_for
from elcano.graphs.rules import (
    PROMPT_TOKENS,
    SECTION_PASSAGES,
    SUMMARY_ANSWER_TOKENS,
    SUMMARY_TOKENS,
    get_rules,
)
from elcano.graphs.state.budget import Estimate
from elcano.storage.artifacts import ArtifactStore
from elcano.text.words import bare_words


class WrittenSection(Frozen):
    """One finished section, or a part of one, as a heartbeat names it."""

    artifact: str
    """Content hash of its `SectionText`."""
    model: str = ""
    quoted: bool = False
    left_out: int = 0
    """Statements of its draft that were too much for its model."""
    parts: int = 1
    """Number of parts in which its section is written; for one of them this is its text."""
    cut_off: bool = False
    """See `Answer`."""


class Progress(Frozen):
    """The finished sections and parts, in the order of those that have a draft. Serialized: new fields get defaults."""

    sections: tuple[WrittenSection, ...] = ()
    read: ReviewProgress | None = None
    """All sections together, once they are being read."""


MEDIA_TYPE: Final = "application/json"
LEAST_SUMMARY_TOKENS: Final = 500
"""Key findings are not written from less of a report than this, unless there is no more of it."""

Output = TypeVar("Output", bound=Frozen)


async def write_long(
    agent: AgentDefinition, given: SynthesisInput, loaded: Loaded, attempt: Attempt, artifacts: ArtifactStore
) -> tuple[ReportDraft, frozenset[Claim]]:
    """The report, its citations by key, and the blocks, citing by ids, that still do not hold after they were mended.

    Raises:
        InputInvalid: a section that an earlier attempt finished is not in the store.
    """
    writing = _Writing(agent, given, loaded, attempt, artifacts)
    for place, section in enumerate(loaded.drafts.sections):
        writing.written.append(section if section.missing else await writing.section(place))
    await writing.read_sections()
    summary = await writing.summary()
    drafted = not_rewritten(one.title for one in loaded.drafts.sections if one.claims and one.title in writing.drafted)
    sections = [DraftSection(heading=heading_for(one.title), claims=one.claims) for one in writing.adding(summary)]
    draft = summary.model_copy(
        update={
            "sections": tuple(sections),
            "limitations": (*summary.limitations, *statements_unread(writing.unread), *writing.left_open, *drafted),
            "remarks": tuple(dict.fromkeys((*summary.remarks, *writing.remarks))),
            "judgements": writing.judgements,
        }
    )
    return drop_repeated_claims(draft), writing.doubted


class _Writing:
    """One report in the making, and what its calls take."""

    def __init__(
        self,
        agent: AgentDefinition,
        given: SynthesisInput,
        loaded: Loaded,
        attempt: Attempt,
        artifacts: ArtifactStore,
    ) -> None:
        assert agent.closing is not None
        self._section: Question[SectionText] = agent.asks
        self._closing: Question[Summary] = agent.closing
        self.written: list[SectionItem] = []
        self.drafted: list[str] = []
        """Titles of the sections that stay as they were drafted: once one does, all that follow."""
        self.unread = 0
        """Statements of the drafts that the writing agent has not read."""
        self.left_open: list[str] = []
        """Limitations of sections that were written from passages, in sentences."""
        self.remarks: list[str] = []
        """Omissions from answers, in sentences."""
        self.judgements: tuple[Judgement, ...] = ()
        """The reviewer's verdicts on the sections."""
        self.doubted: frozenset[Claim] = frozenset()
        """Blocks of the sections, citing by ids, that do not hold though their writer had them back."""
        self._failed: frozenset[tuple[str, str]] = frozenset()
        """Citations of the sections that do not hold, by key and quote."""
        self._given = given
        self._loaded = loaded
        self._attempt = attempt
        self._artifacts = artifacts
        self._progress = Progress.model_validate(attempt.progress)
        self._summarised = False
        self._next = 0
        """The place among what earlier attempts finished."""
        self._headings = {bare_words(section.title) for section in loaded.drafts.sections}
        self._dearest = Estimate()
        """The usage of the most expensive call so far: the next is assumed to need as much, whatever its size."""

    def adding(self, summary: ReportDraft) -> Iterator[SectionItem]:
        """The sections that stand below `summary`.

        A section of quotations that all stand among the key findings, or of which none is left, adds nothing. Where
        no one summarised, the key findings are the sections' own.
        """
        chosen = self._attempt.quoted and self._loaded.drafts.quoted and self._summarised
        said = {claim.text for claim in summary.key_findings}
        for drafted, one in zip(self._loaded.drafts.sections, self.written, strict=True):
            if drafted.missing or not chosen or any(claim.text not in said for claim in one.claims):
                yield one

    async def section(self, place: int) -> SectionItem:
        """The section at `place`, written before or now, or its draft as far as the budget does not allow that."""
        section = self._loaded.drafts.sections[place]
        parts = in_parts(section)
        if (done := self._peek()) is not None and done.parts != len(parts):  # an older program wrote it in one
            parts = [section]
        claims: list[Claim] = []
        self._left_open: list[str] = []
        for number, part in enumerate(parts, start=1):
            claims += await self._part(place, number, len(parts), part, tuple(claims))
        missing = "" if claims else explain_empty_section(section, paid_for=section.title not in self.drafted)
        limitations = (*section.limitations, *self._left_open)
        written = {"claims": tuple(claims), "missing": missing, "left_out": 0, "limitations": limitations}
        return section.model_copy(update=written)

    async def _part(
        self, place: int, number: int, of: int, part: SectionItem, before: tuple[Claim, ...]
    ) -> tuple[Claim, ...]:
        """One part of the section at `place`, after what was written `before`; its draft if there is no budget."""
        finished = self._peek()
        if finished is not None:
            self._next += 1
            self._attempt.credit(finished.model, quoted=finished.quoted)
            self.unread += finished.left_out
            return await self._as_written(part, await self._kept(finished), cut_off=finished.cut_off)
        if of > 1:
            part = part.model_copy(update={"part": f"{number} of {of}"})
        begun = (*self.written, part.model_copy(update={"claims": before})) if before else tuple(self.written)
        task = self._affordable(place, part, begun)
        answer = None if task is None else await self._asked(self._section, task)
        if answer is None:
            if part.title not in self.drafted:
                self.drafted.append(part.title)  # also of one without a draft: nothing after it is written either
            return part.claims
        artifact = await self._artifacts.put(self._attempt.call.run_id, answer.output.model_dump_json(), MEDIA_TYPE)
        left_out = sum(one.left_out for one in answer.task.sections)
        self.left_open += tell_unread_passages(part, task, answer.task)
        fields = {"model": answer.model, "quoted": answer.quoted, "left_out": left_out, "parts": of}
        finished = WrittenSection.model_validate({"artifact": artifact, "cut_off": answer.cut_off, **fields})
        self.unread += left_out
        self._progress = self._progress.model_copy(update={"sections": (*self._progress.sections, finished)})
        self._next += 1
        # In this order: a worker that is killed from here on cannot say what it used, and what the next attempt
        # continues with has to be in the ledger by then.
        await self._attempt.record("failed")
        self._attempt.pulse.carry(self._progress.model_dump(mode="json"))
        return await self._as_written(part, answer.output, cut_off=answer.cut_off)

    def _peek(self) -> WrittenSection | None:
        """Return the next part that an earlier attempt finished."""
        return self._progress.sections[self._next] if self._next < len(self._progress.sections) else None

    def _affordable(self, place: int, part: SectionItem, begun: tuple[SectionItem, ...]) -> TaskEnvelope | None:
        """Return the task for `part` with its passages, half of them or none, as the budget allows; else None."""
        for room in (SECTION_PASSAGES, SECTION_PASSAGES // 2, 0 if part.claims else SECTION_PASSAGES // 4):
            known = {"section": part, "place": place, "written": begun, "passages_room": room}
            if self._affords(place, part, task := self._shown(self._section, **known)):
                return task
        return None

    async def summary(self) -> ReportDraft:
        """Write the text above and below the sections; the first statement of each if the budget allows no more."""
        room = SUMMARY_TOKENS
        if (tokens := self._attempt.left.tokens) is not None:
            empty = render_task_prompt(self._closing.request, self._shown(self._closing, written=()))
            needed = prompt_tokens(empty) + SUMMARY_ANSWER_TOKENS
            room = min(room, tokens - needed)
        title = self._given.title or title_for(self._given.question)
        answer = None
        cost = Estimate(cost_microusd=self._dearest.cost_microusd)
        enough = room >= min(LEAST_SUMMARY_TOKENS, estimate_section_tokens(self.written))
        if enough and self._attempt.left.refuses(cost) is None:
            answer = await self._asked(self._closing, self._shown(self._closing, room=room))
        if answer is None:
            return first_statements(title, self.written)
        self._summarised = True
        _, by_mark = share_marks(self._list_written())
        offered = tuple(by_mark.values())
        return await asyncio.to_thread(draft_from_summary, answer.output, title, offered, cut_off=answer.cut_off)

    async def read_sections(self) -> None:
        """Has the sections reviewed, if that is wanted, and mended: the key findings are written from what holds."""
        if self._attempt.quoted or not any(one.claims for one in self.written):
            return
        store, ids, known = self._attempt.store, self._loaded.drafts.shown.ids, self._progress.read
        title = title_for(self._given.question)
        if known is None:
            sections = tuple(DraftSection(heading=heading_for(one.title), claims=one.claims) for one in self.written)
            draft = with_canonical_ids(ReportDraft(title=title, sections=sections), ids)
            draft = await move_quotes(store, draft, ids.values())
        else:
            draft = await load_draft_under_review(known, self._attempt)
        draft = await review_and_repair(
            self._attempt,
            self._given,
            draft,
            tuple(ids.values()),
            mended=known is not None and known.mended,
            carry=self._carry,
            reserve=self._estimate_summary(),
        )
        checked = await checked_draft(store, draft, self._given.question)
        self.judgements = draft.judgements
        self.remarks.extend(draft.remarks)
        self.doubted = await list_doubted_blocks(self._attempt, self._given, draft)
        keys = {id: key for key, id in ids.items()}
        self._failed = frozenset((keys.get(one.evidence, one.evidence), one.quote) for one in checked.unverified)
        by_key = with_canonical_ids(draft, keys)
        self.written = [
            one.model_copy(
                update={"claims": section.claims, "missing": one.missing or ("" if section.claims else NOT_USED)}
            )
            for one, section in zip(self.written, by_key.sections, strict=True)
        ]

    def _carry(self, read: ReviewProgress) -> JsonObject:
        self._progress = self._progress.model_copy(update={"read": read})
        return self._progress.model_dump(mode="json")

    def _estimate_summary(self) -> Estimate:
        """Estimate the cost of the key findings, written from the current sections."""
        report = min(SUMMARY_TOKENS, estimate_section_tokens(self.written))
        tokens = max(PROMPT_TOKENS + report + SUMMARY_ANSWER_TOKENS, self._dearest.tokens)
        return Estimate(tokens=tokens, cost_microusd=self._dearest.cost_microusd)

    async def _as_written(self, section: SectionItem, text: SectionText, *, cut_off: bool) -> tuple[Claim, ...]:
        """Return the blocks of a written text, without headings that the report already has."""
        claims, remarks = await asyncio.to_thread(section_claims, text, section.title, cut_off=cut_off)
        self.remarks.extend(remarks)
        self._left_open.extend(text.limitations)
        kept: list[Claim] = []
        for claim in claims:
            if claim.text.startswith(HEADING):
                if (words := bare_words(claim.text)) in self._headings:
                    continue
                self._headings.add(words)
            kept.append(claim)
        return tuple(kept)

    def _shown(self, question: Question[Output], **loaded: object) -> TaskEnvelope:
        """Return the parts of the report that `question` shows."""
        known = {"written": self._list_written(), **loaded}
        return question.shown(self._given, self._loaded.model_copy(update=known))

    def _list_written(self) -> tuple[SectionItem, ...]:
        """The sections so far, without citations that do not hold."""
        return tuple(without_failed_citations(one, self._failed) for one in self.written)

    def _affords(self, place: int, part: SectionItem, task: TaskEnvelope) -> bool:
        """Whether `part` of the section at `place` and the summary after it can be paid for."""
        if self.drafted:
            return False
        ahead = self._loaded.drafts.sections[place:]
        answer = estimate_section_tokens([part]) if part.claims else get_rules().section_tokens
        report = min(SUMMARY_TOKENS, estimate_section_tokens(self.written) + estimate_section_tokens(ahead))
        section = max(prompt_tokens(render_task_prompt(self._section.request, task)) + answer, self._dearest.tokens)
        summary = max(PROMPT_TOKENS + report + SUMMARY_ANSWER_TOKENS, self._dearest.tokens)
        both = Estimate(tokens=section + summary, cost_microusd=2 * self._dearest.cost_microusd)
        return self._attempt.left.refuses(both) is None

    async def _asked(self, question: Question[Output], task: TaskEnvelope) -> Answer[Output] | None:
        """Return the answer; None if the rest of the budget did not suffice for one, or the run waits for none."""
        before = self._attempt.usage
        if given_up():
            return None
        try:
            with end_if_given_up():
                return await self._attempt.ask(build_question_agent(question, task), question.request, task)
        except BudgetExhausted:
            pass
        finally:
            used = self._attempt.usage
            self._dearest = Estimate(
                tokens=max(self._dearest.tokens, used.tokens - before.tokens),
                cost_microusd=max(self._dearest.cost_microusd, used.cost_microusd - before.cost_microusd),
            )
        return None

    async def _kept(self, finished: WrittenSection) -> SectionText:
        return SectionText.model_validate_json(await self._artifacts.require(finished.artifact, "sections", "section"))
