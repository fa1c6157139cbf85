"""Drafts from answers: what a model wrote becomes blocks with citations; what is left unwritten stays as drafted.

Nothing is made up for the latter: claims are those of the sections' research, with their citations, and a limitation
says that no one has joined them. Models cite by short keys, drafts by the ids of passages.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from elcano.graphs.agents.envelope import Loaded, SectionItem, ShownPassages, TaskEnvelope
from elcano.graphs.agents.review import RevisedBlock
from elcano.graphs.agents.writing import ReportProse, SectionText, Summary, SynthesisInput
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft, heading_for, title_for
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.state.state import DraftRef
from elcano.text.prose.blocks import ClaimCollector


@dataclass(frozen=True)
class OwnDraft:
    """Text that an agent's own writer wrote."""

    draft: ReportDraft
    """It cites by ids."""
    shown: ShownPassages
    """The passages that it may cite."""
    settled: frozenset[Claim] = frozenset()
    """Blocks that are not given back to their writer, whatever is found in them."""


_LIST_MARK: Final = re.compile(r"^\s*(?:[-+*]|\d{1,9}[.)])\s+")
_MARKS: Final = re.compile(r"\s*\[(?:from )?\w{1,12}(?:, ?\w{1,12})*\]")


def draft_from_prose(answer: ReportProse, *, cut_off: bool = False) -> ReportDraft:
    """A whole report as its draft, citing by keys still; `cut_off`: see `Answer`."""
    written = ClaimCollector(answer.citations, cut_off=cut_off)
    introduction, key_findings = written.claims(answer.introduction), written.claims(answer.key_findings)
    sections: dict[str, tuple[Claim, ...]] = {}
    for one in answer.sections:
        heading = heading_for(one.heading)
        sections[heading] = (*sections.get(heading, ()), *written.claims(one.text, one.heading))
    draft = ReportDraft(
        title=title_for(answer.title),
        introduction=introduction,
        key_findings=key_findings,
        sections=tuple(DraftSection(heading=heading, claims=claims) for heading, claims in sections.items()),
        disputed=written.claims(answer.disputed),
        strength=written.claims(answer.strength),
        conclusion=written.claims(answer.conclusion),
        limitations=answer.limitations,
        related=answer.related,
        answered=answer.answered,
        remarks=written.leftover(),
    )
    return drop_repeated_claims(draft)


def section_claims(
    answer: SectionText, heading: str, *, cut_off: bool = False
) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """Return the blocks of one section under `heading`, and remarks in sentences on what was left out."""
    written = ClaimCollector(answer.citations, cut_off=cut_off)
    claims = written.claims(answer.text, heading)
    return claims, written.leftover()


def draft_from_summary(
    answer: Summary, title: str, offered: Sequence[Citation] = (), *, cut_off: bool = False
) -> ReportDraft:
    """Build a draft without sections from the text above and below the sections of the report `title`.

    `offered`: citations of the sections, under the marks that it was shown.
    """
    written = ClaimCollector(answer.citations, offered, cut_off)
    return ReportDraft(
        title=title_for(title),
        introduction=written.claims(answer.introduction),
        key_findings=written.claims(answer.key_findings),
        disputed=written.claims(answer.disputed),
        strength=written.claims(answer.strength),
        conclusion=written.claims(answer.conclusion),
        limitations=answer.limitations,
        answered=answer.answered,
        remarks=written.leftover(),
    )


def drop_repeated_claims(draft: ReportDraft) -> ReportDraft:
    """`draft` without blocks of sections that say word for word what is above, unless nothing else is left."""
    said = {
        _normalise_claim_text(line)
        for claim in (*draft.introduction, *draft.key_findings)
        for line in claim.text.splitlines()
    }
    said |= {_normalise_claim_text(claim.text) for claim in (*draft.introduction, *draft.key_findings)}
    sections: list[DraftSection] = []
    for section in draft.sections:
        new = tuple(
            claim for claim in section.claims if not claim.citations or _normalise_claim_text(claim.text) not in said
        )
        said |= {_normalise_claim_text(claim.text) for claim in section.claims if claim.citations}
        sections.append(section.model_copy(update={"claims": new}) if any(one.citations for one in new) else section)
    return draft.model_copy(update={"sections": tuple(sections)})


def _normalise_claim_text(text: str) -> str:
    """A text as it is compared: without marks, list marks, white space and the stop at its end."""
    return " ".join(_LIST_MARK.sub("", _MARKS.sub("", text)).split()).rstrip(".").strip()


HEADING: Final = "### "
"""Beginning of a block that is a heading."""
PART_CHARACTERS: Final = 6_000
"""Text of a draft that is written out in one answer: models deliver some thousand words, whatever they are asked."""


def in_parts(section: SectionItem) -> list[SectionItem]:
    """`section` in as many parts as its draft has answers' worth of text, about as long as each other."""
    sizes = [len(claim.text) for claim in section.claims]
    count = min(len(sizes), -(-sum(sizes) // PART_CHARACTERS))
    if count < 2:
        return [section]
    parts: list[list[Claim]] = [[] for _ in range(count)]
    before = 0
    for claim, size in zip(section.claims, sizes, strict=True):
        parts[min(count - 1, before * count // sum(sizes))].append(claim)
        before += size
    return [section.model_copy(update={"claims": tuple(claims)}) for claims in parts if claims]


MOST_FINDINGS: Final = 8
MOST_LIMITATIONS: Final = 30
NOT_RESEARCHED: Final = "No section was researched. The results of the first search are listed; no agent has read them."
UNREAD: Final = "did not fit into what the model takes at once; it has not read them."
NOT_SUMMARISED: Final = (
    "The budget did not allow the key findings to be written: the first statement of each section stands for them."
)


def as_drafted(given: SynthesisInput, loaded: Loaded) -> ReportDraft:
    """Build the report from sections as they were drafted, because no model could join them."""
    sections = loaded.drafts.sections
    summary = first_statements(given.title or title_for(given.question), sections)
    return summary.model_copy(
        update={
            "sections": tuple(DraftSection(heading=heading_for(one.title), claims=one.claims) for one in sections),
            "limitations": (*summary.limitations, *not_rewritten(one.title for one in sections if one.claims)),
        }
    )


def without_sections(given: SynthesisInput) -> ReportDraft:
    """Build the report of a run that ended before any section was researched: its passages appear as related ones."""
    return ReportDraft(title=given.title or title_for(given.question), limitations=(NOT_RESEARCHED,), answered=False)


def with_omissions(draft: ReportDraft, shown: Sequence[SectionItem]) -> ReportDraft:
    """`draft`, with a word among its limitations on drafts that were too long to be shown whole."""
    notes = statements_unread(sum(section.left_out for section in shown))
    return draft.model_copy(update={"limitations": (*draft.limitations, *notes)}) if notes else draft


def statements_unread(count: int) -> tuple[str, ...]:
    """Return the limitation of a report whose writer has not read some statements of its sections' drafts."""
    if not count:
        return ()
    return (f"{count} statements of the sections' drafts did not fit into one pass and were left out.",)


def note_unread(draft: ReportDraft, passages: int) -> ReportDraft:
    """`draft`, with a word among its limitations on passages that were too much for the model that wrote it."""
    if not passages:
        return draft
    note = f"{passages} of the passages found {UNREAD}"
    return draft.model_copy(update={"limitations": (*draft.limitations, note)})


def first_statements(title: str, sections: Sequence[SectionItem]) -> ReportDraft:
    """Draft a summary: the first cited claim of each section, and what the sections themselves say is left open."""
    firsts = (next((claim for claim in one.claims if claim.citations), None) for one in sections)
    findings = tuple(claim for claim in firsts if claim is not None)
    open_ends = dict.fromkeys(one for section in sections for one in section.limitations)
    return ReportDraft(
        title=title,
        key_findings=findings[:MOST_FINDINGS],
        limitations=(*tuple(open_ends)[:MOST_LIMITATIONS], NOT_SUMMARISED),
        answered=bool(findings),
    )


def not_rewritten(titles: Iterable[str]) -> tuple[str, ...]:
    """The limitation of a report whose last sections are drafts; none if none is."""
    if not (named := "; ".join(f"“{title}”" for title in titles)):
        return ()
    return (f"The budget did not allow these sections to be written out; they stand as they were drafted: {named}.",)


def tell_unread_passages(section: SectionItem, task: TaskEnvelope | None, read: TaskEnvelope) -> tuple[str, ...]:
    """The limitation of a section without a draft whose writer has `read` less of its passages than its `task` has."""
    wanted = sum(bool(item.text) for item in task.evidence) if task is not None else 0
    missing = wanted - sum(bool(item.text) for item in read.evidence)
    if section.claims or missing <= 0:
        return ()
    return (f"“{heading_for(section.title)}”: {missing} of the passages found {UNREAD}",)


def estimate_section_tokens(sections: Sequence[SectionItem]) -> int:
    """Estimate the tokens of `sections` in a prompt, or as an answer."""
    return sum(len(section.model_dump_json()) for section in sections) // CHARACTERS_PER_TOKEN


def without_failed_citations(section: SectionItem, failed: Collection[tuple[str, str]]) -> SectionItem:
    """Return `section` without the citations that do not hold, by key and quote, so that they are not cited again."""

    def holding(claim: Claim) -> Claim:
        kept = tuple(one for one in claim.citations if (one.evidence, one.quote) not in failed)
        return claim.model_copy(update={"citations": kept})

    return section.model_copy(update={"claims": tuple(map(holding, section.claims))}) if failed else section


BESIDE: Final = 4
"""Number of uncited passages that are passed on with a draft."""


def with_canonical_ids(draft: ReportDraft, ids: Mapping[str, str]) -> ReportDraft:
    """`draft` with evidence ids for keys. A key that was never given stays, so that the check reports it."""

    def name(cited: Citation) -> Citation:
        return cited.model_copy(update={"evidence": ids.get(cited.evidence, cited.evidence)})

    related = tuple(ids[key] for key in draft.related if key in ids)
    return map_citations(draft, name).model_copy(update={"related": related})


def map_citations(draft: ReportDraft, change: Callable[[Citation], Citation]) -> ReportDraft:
    """`draft` with each citation of its claims changed."""
    return map_claims(draft, lambda claim: (cite_anew(claim, change),))


Citing = TypeVar("Citing", Claim, RevisedBlock)


def cite_anew(claim: Citing, change: Callable[[Citation], Citation]) -> Citing:
    """`claim` with each of its citations changed."""
    return claim.model_copy(update={"citations": tuple(map(change, claim.citations))})


PARTS: Final = ("introduction", "key_findings", "disputed", "strength", "conclusion")
"""The parts of a draft besides its sections."""


def map_claims(draft: ReportDraft, change: Callable[[Claim], Iterable[Claim]]) -> ReportDraft:
    """`draft` with what `change` makes of each of its claims in the place of that."""

    def put(claims: Iterable[Claim]) -> tuple[Claim, ...]:
        return tuple(one for claim in claims for one in change(claim))

    sections = tuple(one.model_copy(update={"claims": put(one.claims)}) for one in draft.sections)
    return draft.model_copy(update={**{name: put(getattr(draft, name)) for name in PARTS}, "sections": sections})


def build_draft_ref(draft: ReportDraft, artifact: str, given: Iterable[str], best: Iterable[str] = ()) -> DraftRef:
    """Build the state's reference to `draft`, which is stored as `artifact`.

    `given` are the ids of the passages that it was written from, `best` the most important of them, in this order.
    """
    claims, known = draft.claims, set(given)
    cited = dict.fromkeys(one.evidence for claim in claims for one in claim.citations if one.evidence in known)
    named = dict.fromkeys((*cited, *draft.related))
    others = [one for one in best if one not in named]
    return DraftRef(
        artifact=artifact,
        title=draft.title,
        answered=draft.answered,
        claims=len(claims),
        cited=len(cited),
        evidence=tuple(named),
        beside=tuple(others[:BESIDE]),
    )
