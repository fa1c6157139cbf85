"""The long writer at work: one call a section, one for the key findings, and no section written twice.

Before each call what is left is looked at: a section is written only if the key findings can still be paid for after
it. The sections for which that is not so stand as they were drafted, and the report says so.

Each finished section is kept as an artifact and named in the heartbeat. An attempt that follows a crash begins with the
next section, so a crash costs at most one call of a model.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

from elcano.activities.agents.answers import section_claims, summarised, unrepeated
from elcano.activities.agents.drafts import NOT_USED
from elcano.activities.agents.questions import asking
from elcano.activities.agents.unwritten import first_statements, not_rewritten, statements_unread
from elcano.activities.calls.admission import prompt_tokens
from elcano.activities.calls.attempt import Answer, Attempt
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.drafting import SynthesisInput
from elcano.graphs.agents.envelope import SectionItem, TaskEnvelope, prompt
from elcano.graphs.agents.loaded import Loaded
from elcano.graphs.agents.prose import SectionText, Summary
from elcano.graphs.errors import BudgetExhausted, InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.values.budget import Estimate
from elcano.graphs.values.report import DraftSection, ReportDraft, heading_for, title_for
from elcano.graphs.values.tokens import CHARACTERS_PER_TOKEN, PROMPT_TOKENS, SUMMARY_ANSWER_TOKENS, SUMMARY_TOKENS
from elcano.storage.artifacts import ArtifactStore

MEDIA_TYPE: Final = "application/json"
LEAST_SUMMARY_TOKENS: Final = 500
"""Key findings are not written from less of a report than this, unless there is no more of it."""

Output = TypeVar("Output", bound=Frozen)


class WrittenSection(Frozen):
    """One finished section, as a heartbeat names it."""

    artifact: str
    """Content hash of its `SectionText`."""
    model: str = ""
    quoted: bool = False
    left_out: int = 0
    """Statements of its draft that were too much for its model."""


class Progress(Frozen):
    """The finished sections, in the order of those that have a draft. Travels: new fields get defaults."""

    sections: tuple[WrittenSection, ...] = ()


async def write_long(
    agent: AgentDefinition, given: SynthesisInput, loaded: Loaded, attempt: Attempt, artifacts: ArtifactStore
) -> ReportDraft:
    """The report, its citations by key.

    Raises:
        InputInvalid: a section that an earlier attempt finished is not in the store.
    """
    writing = _Writing(agent, given, loaded, attempt, artifacts)
    for place, section in enumerate(loaded.drafts.sections):
        writing.written.append(section if section.missing else await writing.section(place))
    summary = await writing.summary()
    drafted = (not_rewritten(writing.drafted),) if writing.drafted else ()
    sections = [DraftSection(heading=heading_for(one.title), claims=one.claims) for one in writing.written]
    return unrepeated(
        summary.model_copy(
            update={
                "sections": tuple(sections),
                "limitations": (*summary.limitations, *statements_unread(writing.unread), *drafted),
                "remarks": tuple(dict.fromkeys((*summary.remarks, *writing.remarks))),
            }
        )
    )


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
        """Statements of the drafts that whoever wrote them out has not read."""
        self.remarks: list[str] = []
        """What was left out of answers, in sentences."""
        self._given = given
        self._loaded = loaded
        self._attempt = attempt
        self._artifacts = artifacts
        self._progress = Progress.model_validate(attempt.progress)
        self._before = iter(self._progress.sections)
        self._dearest = Estimate()
        """What the dearest call so far took: the next is taken to need as much, whatever its size says."""

    async def section(self, place: int) -> SectionItem:
        """The section at `place`, written before or now, or its draft if the budget does not allow that."""
        section = self._loaded.drafts.sections[place]
        if (finished := next(self._before, None)) is not None:
            self._attempt.credit(finished.model, quoted=finished.quoted)
            self.unread += finished.left_out
            return self._as_written(section, await self._kept(finished))
        task = self._shown(self._section, section=section)
        answer = await self._asked(self._section, task) if self._affords(place, task) else None
        if answer is None:
            self.drafted.append(section.title)
            return section
        artifact = await self._artifacts.put(self._attempt.call.run_id, answer.output.model_dump_json(), MEDIA_TYPE)
        left_out = sum(one.left_out for one in answer.task.sections)
        finished = WrittenSection(artifact=artifact, model=answer.model, quoted=answer.quoted, left_out=left_out)
        self.unread += left_out
        self._progress = Progress(sections=(*self._progress.sections, finished))
        # In this order: a worker that is killed from here on cannot say what it used, and what the next attempt goes on
        # with has to be in the ledger by then.
        await self._attempt.record("failed")
        self._attempt.pulse.carry(self._progress.model_dump(mode="json"))
        return self._as_written(section, answer.output)

    async def summary(self) -> ReportDraft:
        """What stands above and below the sections; the first statement of each if the budget does not allow more."""
        room = SUMMARY_TOKENS
        if (tokens := self._attempt.left.tokens) is not None:
            empty = prompt(self._closing.request, self._shown(self._closing, written=()))
            beside = prompt_tokens(empty) + SUMMARY_ANSWER_TOKENS
            room = min(room, tokens - beside)
        answer = None
        if room >= min(LEAST_SUMMARY_TOKENS, _tokens(self.written)) and self._pays(self._dearest.cost_microusd):
            answer = await self._asked(self._closing, self._shown(self._closing, room=room))
        title = self._given.title or title_for(self._given.question)
        return first_statements(title, self.written) if answer is None else summarised(answer.output, title)

    def _as_written(self, section: SectionItem, text: SectionText) -> SectionItem:
        claims, remarks = section_claims(text, section.title)
        self.remarks.extend(remarks)
        return SectionItem(
            title=section.title,
            key_question=section.key_question,
            claims=claims,
            limitations=section.limitations,
            missing="" if claims else NOT_USED,
        )

    def _shown(self, question: Question[Output], **loaded: object) -> TaskEnvelope:
        """What `question` shows of the report as it stands."""
        known = {"written": tuple(self.written), **loaded}
        return question.shown(self._given, self._loaded.model_copy(update=known))

    def _affords(self, place: int, task: TaskEnvelope) -> bool:
        """Whether the section at `place` and the summary after it can be paid for."""
        if self.drafted:
            return False
        ahead = self._loaded.drafts.sections[place:]
        answer = _tokens(ahead[:1])
        report = min(SUMMARY_TOKENS, _tokens(self.written) + _tokens(ahead))
        section = max(prompt_tokens(prompt(self._section.request, task)) + answer, self._dearest.tokens)
        summary = max(PROMPT_TOKENS + report + SUMMARY_ANSWER_TOKENS, self._dearest.tokens)
        both = Estimate(tokens=section + summary, cost_microusd=2 * self._dearest.cost_microusd)
        return self._attempt.left.refuses(both) is None

    def _pays(self, cost_microusd: int) -> bool:
        return self._attempt.left.refuses(Estimate(cost_microusd=cost_microusd)) is None

    async def _asked(self, question: Question[Output], task: TaskEnvelope) -> Answer[Output] | None:
        """The answer; None if what is left did not suffice to come to one."""
        before = self._attempt.usage
        try:
            return await self._attempt.ask(asking(task.kind, question), question.request, task)
        except BudgetExhausted:
            return None
        finally:
            used = self._attempt.usage
            self._dearest = Estimate(
                tokens=max(self._dearest.tokens, used.tokens - before.tokens),
                cost_microusd=max(self._dearest.cost_microusd, used.cost_microusd - before.cost_microusd),
            )

    async def _kept(self, finished: WrittenSection) -> SectionText:
        stored = await self._artifacts.get(finished.artifact)
        if stored is None:
            fault = f"the store has no section {finished.artifact!r}; do all workers share one data folder?"
            raise InputInvalid("sections", fault)
        return SectionText.model_validate_json(stored)


def _tokens(sections: Sequence[SectionItem]) -> int:
    """What `sections` take in a prompt, or to be written."""
    return sum(len(section.model_dump_json()) for section in sections) // CHARACTERS_PER_TOKEN
