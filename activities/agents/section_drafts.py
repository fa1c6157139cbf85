"""The sections of a report, ready to be joined: each thing said once, each passage under its key.

A section comes with a draft, or with the passages that its research found, from which it is yet to be written.

What two sections say is kept where it fits best. A quotation that is in several passages, as pages that repeat each
other have it, is cited from the first of them. Nothing else is changed: what a synthesis makes of it is its own affair.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from elcano.activities.agents.answer_drafts import UNREAD, cite_anew
from elcano.activities.agents.prompt_passages import build_evidence_item, name_passages, of_work
from elcano.activities.report.work_merge import Works
from elcano.activities.similarity.similar_passages import rank_related_passages
from elcano.graphs.agents.envelope import CriterionItem, Drafts, SectionItem, ShownPassages
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft, heading_for
from elcano.graphs.report.works import Work
from elcano.graphs.state.plan import SectionResult, resolve_contradictions
from elcano.graphs.text import shorten_text
from elcano.storage.evidence import Evidence
from elcano.text.phrases import ENGLISH, Phrases
from elcano.text.stems import list_stems
from elcano.text.words import on_one_line

TWIN: Final = 0.75
"""Two claims that share this much of the longer one's telling words say the same."""
UNKNOWN: Final = "unknown:"
"""Prefix of an evidence id that was never given: it must not be taken for the key of a passage."""
MOST_RELATED: Final = 8
BEARING: Final = 2 / 3
"""A passage is related to a section if it has this share of the words that the section asks with. Of those with any
share, half were of another article than the cited one on XQuAD; of those with 60 % and more, none of 15."""
NOTE_CHARACTERS: Final = 500
"""Maximum length of a section's notes on its passages."""
NOTHING_TO_QUOTE: Final = ENGLISH.nothing_to_quote
NOT_USED: Final = ENGLISH.nothing_used


def join_section_drafts(
    results: Sequence[SectionResult],
    drafts: Sequence[ReportDraft | None],
    known: Sequence[Evidence],
    accounts: Sequence[Work] = (),
    numbers: Mapping[str, int] | None = None,
    *,
    places: bool = True,
) -> Drafts:
    """The sections with their drafts, which are in the same order; a section that left a gap has none.

    What is said of the works of passages is said by all `accounts` of the run; `numbers` are those of its passages, of
    which the extractive model is shown the `places` too.
    """
    evidence = {passage.id: passage for passage in known}
    said = [draft.claims if draft else () for draft in drafts]
    kept = _each_once(results, said)
    homes = _Homes(evidence)
    cited = [tuple(cite_anew(claim, homes.moved) for claim in claims) for claims in kept]
    works = Works(known, accounts)
    ranked = [
        _Ranked.of_draft(draft) if draft else _Ranked.of_section(result, evidence)
        for result, draft in zip(results, drafts, strict=True)
    ]
    further_ids = [
        _list_uncited_evidence(result, best.whole, evidence, homes.cited)
        for result, best in zip(results, ranked, strict=True)
    ]
    named = dict.fromkeys((*homes.cited, *(id for ids in further_ids for id in ids)))
    keys = name_passages(tuple(named), numbers)
    shown = {
        id: build_evidence_item(key, evidence[id], of_work(works, evidence[id]), places=places, text=False)
        for id, key in keys.items()
    }
    items = [
        SectionItem(
            title=result.title,
            key_question=result.key_question,
            claims=tuple(_with_keys(claim, keys) for claim in claims),
            limitations=draft.limitations if draft else (),
            missing=_why_missing(result, draft, before),
            criteria=_number_criteria(result, keys),
            notes=tuple(shorten_text(note, NOTE_CHARACTERS) for note in result.notes),
            contradictions=resolve_contradictions(result.contradictions, keys),
        )
        for result, draft, claims, before in zip(results, drafts, cited, said, strict=True)
    ]
    return Drafts(
        sections=tuple(items),
        shown=ShownPassages(items=tuple(shown.values()), ids={key: id for id, key in keys.items()}),
        passages=tuple(
            tuple(
                shown[id].model_copy(update={"text": evidence[id].text})
                for id in dict.fromkeys((*(one.evidence for claim in claims for one in claim.citations), *further))
                if id in shown
            )
            for claims, further in zip(cited, further_ids, strict=True)
        ),
        wishes=tuple(result.wish for result in results),
        forms=tuple(result.form for result in results),
        related=_pick_related_evidence([one.bearing for one in ranked], evidence, homes.cited),
        nearest=_pick_related_evidence([one.nearest for one in ranked], evidence, homes.cited)
        if results
        else _one_each(known),
        quoted=all(draft.quoted for draft in drafts if draft),
    )


@dataclass(frozen=True)
class _Ranked:
    """Ids of a section's passages, the best first."""

    whole: Sequence[str]
    bearing: Sequence[str]
    """Those that bear on what the section asks."""
    nearest: Sequence[str]

    @classmethod
    def of_draft(cls, draft: ReportDraft) -> "_Ranked":
        """The passages that a draft calls related."""
        return cls(draft.related, draft.related, draft.related)

    @classmethod
    def of_section(cls, result: SectionResult, evidence: Mapping[str, Evidence]) -> "_Ranked":
        """Those that meet the section's criteria, then its others by what they have of its question."""
        meeting = [id for criterion in result.criteria for id in criterion.evidence]
        own = [evidence[id] for id in result.evidence if id in evidence]
        related = rank_related_passages(f"{result.title}\n{result.key_question}", own, len(own), None)
        asked = frozenset(list_stems(result.key_question))
        least = BEARING * len(asked)
        bearing = [one.id for one in related if len(asked & set(list_stems(one.text))) >= least]
        whole = [*meeting, *(one.id for one in related)]
        return cls(whole, [*meeting, *bearing][:MOST_RELATED], whole[:MOST_RELATED])


def _list_uncited_evidence(
    result: SectionResult, best: Sequence[str], evidence: Mapping[str, Evidence], cited: Mapping[str, str]
) -> list[str]:
    """Return a section's uncited passages, each text once: its `best` first."""
    texts = set(cited.values())
    found = []
    for id in dict.fromkeys((*best, *result.evidence)):
        if id in evidence and id not in cited and (text := on_one_line(evidence[id].text)) not in texts:
            texts.add(text)
            found.append(id)
    return found


def _number_criteria(result: SectionResult, keys: Mapping[str, str]) -> tuple[CriterionItem, ...]:
    return tuple(
        CriterionItem(
            number=number,
            text=one.text,
            met=one.met,
            evidence=tuple(keys[id] for id in one.evidence if id in keys),
        )
        for number, one in enumerate(result.criteria, start=1)
    )


def complete_draft(draft: ReportDraft, drafts: Drafts, words: Phrases = ENGLISH) -> ReportDraft:
    """Return `draft`, citing by id, with what no model may omit: missing sections, unread parts, related passages."""
    own = {NOTHING_TO_QUOTE: words.nothing_to_quote, NOT_USED: words.nothing_used}
    reasons = {heading_for(section.title): section.missing for section in drafts.sections if section.missing}
    headings = {section.heading for section in draft.sections}
    sections = [*draft.sections, *(DraftSection(heading=one) for one in reasons if one not in headings)]
    empty = {one.heading: reasons.get(one.heading, NOT_USED) for one in sections if not one.claims}
    listed = "; ".join(f"“{heading}” ({own.get(reason, reason)})" for heading, reason in empty.items())
    missing = [words.missing.format(sections=listed)] if empty else []
    cited = {cited.evidence for claim in draft.claims for cited in claim.citations}
    answered = draft.answered and bool(draft.claims)
    said = [(section.title, one) for section in drafts.sections for one in section.limitations if UNREAD in one]
    unread = [f"“{heading_for(title)}”: {one}" for title, one in said]
    return draft.model_copy(
        update={
            "sections": tuple(sections),
            "related": tuple(id for id in (drafts.related if answered else drafts.nearest) if id not in cited),
            "limitations": (*draft.limitations, *unread, *missing),
            "answered": answered,
        }
    )


def _why_missing(result: SectionResult, draft: ReportDraft | None, said: Sequence[Claim]) -> str:
    if said or (draft is None and result.to_write):
        return ""
    if result.gap is not None:
        return result.gap.reason
    return "nothing was written" if draft is None and not result.unanswered else NOTHING_TO_QUOTE


def explain_empty_section(section: SectionItem, *, paid_for: bool) -> str:
    """Why a section that was to be written has no text."""
    if section.claims:
        return NOT_USED
    return NOTHING_TO_QUOTE if paid_for else "the budget did not allow it to be written"


@dataclass(frozen=True)
class _Said:
    """A claim, read once."""

    claim: Claim
    text: str
    stems: frozenset[str]

    @classmethod
    def of(cls, claim: Claim) -> "_Said":
        return cls(claim, on_one_line(claim.text), frozenset(list_stems(claim.text)))

    def same_as(self, other: "_Said") -> bool:
        """Whether both say the same: nearly the same words, or one is a part of the other."""
        longer = max(len(self.stems), len(other.stems), 1)
        return len(self.stems & other.stems) >= TWIN * longer or self.text in other.text or other.text in self.text

    def fit(self, asked: frozenset[str]) -> float:
        """The share of what a section asks about that the claim speaks of."""
        return len(self.stems & asked) / max(1, len(asked))


def _each_once(results: Sequence[SectionResult], said: Sequence[Sequence[Claim]]) -> list[list[Claim]]:
    """Return the claims of each section, without those that another section or an earlier claim already makes."""
    asked = [frozenset(list_stems(f"{result.title} {result.key_question}")) for result in results]
    kept: list[list[_Said]] = [[] for _ in results]
    for number, one in ((number, _Said.of(claim)) for number, claims in enumerate(said) for claim in claims):
        if not one.claim.citations:  # a heading, or what leads to what follows: it says nothing that could be twice
            kept[number].append(one)
            continue
        earlier = ((at, other) for at in range(number + 1) for other in kept[at] if other.claim.citations)
        twin = next(((at, other) for at, other in earlier if one.same_as(other)), None)
        if twin is None:
            kept[number].append(one)
        elif one.fit(asked[number]) > twin[1].fit(asked[twin[0]]):
            kept[twin[0]].remove(twin[1])
            kept[number].append(one)
    return [[one.claim for one in section] for section in kept]


class _Homes:
    """Which passage each quotation is cited from."""

    def __init__(self, evidence: Mapping[str, Evidence]) -> None:
        self._evidence = evidence
        self.cited: dict[str, str] = {}
        """The text of each cited passage by its id, in the order of first citing."""

    def moved(self, cited: Citation) -> Citation:
        """A quotation, cited from the first passage that holds it."""
        passage = self._evidence.get(cited.evidence)
        if passage is None:
            return cited
        if cited.evidence not in self.cited:
            quote = on_one_line(cited.quote)
            for id, text in self.cited.items():
                if quote in text:
                    return cited.model_copy(update={"evidence": id})
            self.cited[cited.evidence] = on_one_line(passage.text)
        return cited


def _with_keys(claim: Claim, keys: Mapping[str, str]) -> Claim:
    def name(cited: Citation) -> Citation:
        return cited.model_copy(update={"evidence": keys.get(cited.evidence, UNKNOWN + cited.evidence)})

    return cite_anew(claim, name)


def _pick_related_evidence(
    named: Sequence[Sequence[str]], evidence: Mapping[str, Evidence], cited: Mapping[str, str]
) -> tuple[str, ...]:
    """The first passages that each section names, in turn; a document once, no cited one."""
    used = {evidence[id].document for id in cited}
    found: dict[str, str] = {}
    for id in _in_turn(named):
        if id in evidence and (document := evidence[id].document) not in used:
            found.setdefault(document, id)
    return tuple(found.values())[:MOST_RELATED]


def _one_each(known: Iterable[Evidence]) -> tuple[str, ...]:
    """Choose the first passage of each document that was found, where nothing was drafted."""
    found: dict[str, str] = {}
    for passage in known:
        found.setdefault(passage.document, passage.id)
    return tuple(found.values())[:MOST_RELATED]


def _in_turn(lists: Sequence[Sequence[str]]) -> Iterator[str]:
    for rank in range(max(map(len, lists), default=0)):
        yield from (one[rank] for one in lists if rank < len(one))
