"""The long writer at work: one call a section, one for the key findings, and no section written twice.

Each finished section is kept as an artifact and named in the heartbeat. An attempt that follows a crash begins with the
next section, so a crash costs at most one call of a model.
"""

from collections.abc import Sequence
from typing import Final

from activities.agents.drafts import NOT_USED
from activities.agents.envelope import SectionItem
from activities.agents.loaded import Loaded
from activities.agents.long_writer import SectionText, section_agent, show_section, show_summary, summary_agent
from activities.attempt import Attempt
from graphs.agents import SynthesisInput
from graphs.errors import InputInvalid
from graphs.frozen import Frozen
from graphs.report import Claim, DraftSection, ReportDraft, heading_for, title_for
from storage.artifacts import ArtifactStore

MEDIA_TYPE: Final = "application/json"


class WrittenSection(Frozen):
    """One finished section, as a heartbeat names it."""

    artifact: str
    """Content hash of its `SectionText`."""
    model: str = ""
    quoted: bool = False


class Progress(Frozen):
    """The finished sections, in the order of those that have a draft. Travels: new fields get defaults."""

    sections: tuple[WrittenSection, ...] = ()


async def write_long(given: SynthesisInput, loaded: Loaded, attempt: Attempt, artifacts: ArtifactStore) -> ReportDraft:
    """The report, its citations by key.

    Raises:
        InputInvalid: a section that an earlier attempt finished is not in the store.
    """
    progress = Progress.model_validate(attempt.progress)
    before = iter(progress.sections)
    written: list[SectionItem] = []
    for section in loaded.drafts.sections:
        if section.missing:
            written.append(section)
        elif (finished := next(before, None)) is not None:
            attempt.credit(finished.model, quoted=finished.quoted)
            written.append(_as_written(section, await _kept(finished, artifacts)))
        else:
            answer = await attempt.ask(section_agent, show_section(given, loaded, section, tuple(written)))
            artifact = await artifacts.put(answer.output.model_dump_json(), MEDIA_TYPE)
            finished = WrittenSection(artifact=artifact, model=answer.model, quoted=answer.quoted)
            progress = Progress(sections=(*progress.sections, finished))
            attempt.pulse.carry(progress.model_dump(mode="json"))
            await attempt.record("failed")  # a worker that is killed from here on cannot say what it used
            written.append(_as_written(section, answer.output))
    summary = (await attempt.ask(summary_agent, show_summary(given, loaded, tuple(written)))).output
    return ReportDraft(
        title=given.title or title_for(given.question),
        key_findings=summary.key_findings,
        sections=tuple(_beneath(summary.key_findings, section) for section in written),
        limitations=summary.limitations,
        answered=summary.answered,
    )


def _as_written(section: SectionItem, text: SectionText) -> SectionItem:
    return SectionItem(
        title=section.title,
        key_question=section.key_question,
        claims=text.claims,
        limitations=section.limitations,
        missing="" if text.claims else NOT_USED,
    )


def _beneath(findings: Sequence[Claim], section: SectionItem) -> DraftSection:
    """A section without what the key findings above it say word for word, unless it would be empty then."""
    said = {claim.text for claim in findings}
    others = tuple(claim for claim in section.claims if claim.text not in said)
    return DraftSection(heading=heading_for(section.title), claims=others or section.claims)


async def _kept(finished: WrittenSection, artifacts: ArtifactStore) -> SectionText:
    stored = await artifacts.get(finished.artifact)
    if stored is None:
        fault = f"the store has no section {finished.artifact!r}; do all workers share one data folder?"
        raise InputInvalid("sections", fault)
    return SectionText.model_validate_json(stored)
