"""Agents that write: the inputs and answers of agents that join sections.

A model sees and fills texts of Markdown with marks, and the citations that the marks stand for. The extractive model,
which quotes literally and writes nothing of its own, answers with claims instead, whose citations support them whole;
the schema that models see does not show that.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Self, TypeAlias

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from elcano.graphs.agents.envelope import EvidenceItem, Needs, SectionItem
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.report.report import Citation, Claim
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.state.plan import Contradiction, ReportForm, SectionResult
from elcano.graphs.text import ensure_list, format_count

_BETWEEN_MARKS: Final = re.compile(r"\s*[,;]\s*")

Prose: TypeAlias = str | SkipJsonSchema[tuple[Claim, ...]]
"""Markdown with marks; or claims, as they are."""

MOST_CHARACTERS: Final = 400_000
"""Maximum length of one text: some 60,000 words, more than any model writes in an answer, and readable in a few
seconds."""
_CITATIONS: Final = (
    "For each `mark`, without brackets, the key of a passage (`evidence`) and its literal words (`quote`)."
)


MOST_ADDED_CHARACTERS: Final = 200
"""Maximum length of a value without a field that is left out: a model that repeats a title or a form of its task."""


class _Answer(Frozen):
    """A model's answer, parsed leniently: a null counts as the default of its field.

    A short value without a field is left out, as another call would cost more; one that may be a text is refused.
    """

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        known = {name: one for name, one in given.items() if name in cls.model_fields or not _is_spare(one)}
        return {name: one for name, one in known.items() if one is not None}

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        """Refuses a text too long for any reader. Not in the schema: some providers want that without bounds."""
        for name in type(self).model_fields:
            text = getattr(self, name)
            if isinstance(text, str) and len(text) > MOST_CHARACTERS:
                raise ValueError(
                    f"`{name}` has {len(text):,} characters, and {MOST_CHARACTERS:,} are taken: write less"
                )
        return self


def _is_spare(value: Any) -> bool:
    """Whether a value is no text with marks, and no list or object."""
    if isinstance(value, str):
        return len(value) <= MOST_ADDED_CHARACTERS and "[" not in value
    return isinstance(value, (bool, int, float))


class SectionProse(_Answer):
    """One section of a report that is written in one answer."""

    heading: str = Field(min_length=1, description="Its heading, in plain words.")
    text: Prose = Field(default="", description="The section in Markdown with marks, without its heading.")


class ReportProse(_Answer):
    """A whole report, written in one answer."""

    title: str = Field(min_length=1)
    introduction: Prose = Field(default="", description="The answer: a paragraph or two of Markdown with marks.")
    key_findings: Prose = Field(default="", description="A Markdown list with marks; may be empty.")
    sections: tuple[SectionProse, ...] = ()
    disputed: Prose = Field(default="", description="Where passages disagree, with marks; empty if nowhere.")
    strength: Prose = Field(default="", description="How strong the evidence is and why, with marks; may be empty.")
    conclusion: Prose = Field(
        default="", description="What follows for the person who asked, with marks; may be empty."
    )
    limitations: tuple[str, ...] = Field(default=(), description="What the passages leave open, in sentences.")
    related: tuple[str, ...] = Field(default=(), description="Keys of passages worth reading that are not cited.")
    answered: bool = Field(default=True, description="False if the passages do not answer the question.")
    citations: tuple[Citation, ...] = Field(default=(), description=_CITATIONS)


class SectionText(_Answer):
    """One section of a long report, written."""

    text: Prose = Field(default="", description="The section in Markdown with marks, without its heading.")
    citations: tuple[Citation, ...] = Field(default=(), description=_CITATIONS)
    limitations: SkipJsonSchema[tuple[str, ...]] = ()
    """Its open ends, of the extractive model; others say that in the text."""


class Summary(_Answer):
    """The text above and below the sections of a long report."""

    introduction: Prose = Field(default="", description="A paragraph or two of Markdown with marks.")
    key_findings: Prose = Field(default="", description="A Markdown list with marks.")
    disputed: Prose = Field(default="", description="With marks.")
    strength: Prose = Field(default="", description="How strong the evidence is and why, with marks.")
    conclusion: Prose = Field(default="", description="What follows for the person who asked, with marks.")
    limitations: tuple[str, ...] = Field(default=(), max_length=40)
    answered: bool = True
    citations: SkipJsonSchema[tuple[Citation, ...]] = ()
    """Citations of the marks from the sections, added by code."""


class SynthesisInput(AgentInput):
    """The input of both syntheses: the sections in the plan's order, and what is missing."""

    instructions: str = ""
    form: ReportForm | Literal[""] = ""
    """The form of the report; empty: that of its sections."""
    review: bool = False
    """Whether the reviewer reads what is written."""
    title: str = ""
    sections: tuple[SectionResult, ...] = ()
    sources: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of all evidence of the sections that the synthesis may cite."""

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Disagreements found among the passages of its sections."""
        return tuple(one for section in self.sections for one in section.contradictions)


def needs_of(given: SynthesisInput) -> Needs:
    """The drafts of the sections, and the passages that they may cite."""
    return Needs(evidence=given.evidence, sections=given.sections, weighed=given.question, searched=given.sources)


def select_fitting_claims(sections: Sequence[SectionItem], tokens: int) -> tuple[SectionItem, ...]:
    """Select as many claims as fit within `tokens`: every section contributes one before any contributes two.

    All sections stay, with the number of claims that were left out: readers must not take them for complete.
    """
    room = tokens * CHARACTERS_PER_TOKEN - sum(len(section.title) + len(section.key_question) for section in sections)
    chosen: set[tuple[int, int]] = set()
    for rank in range(max((len(section.claims) for section in sections), default=0)):
        for number in reversed(range(len(sections))):
            claims = sections[number].claims
            if rank < len(claims) and (size := claim_characters(claims[rank])) <= room:
                chosen.add((number, rank))
                room -= size
    return tuple(
        section.model_copy(
            update={
                "claims": tuple(claim for rank, claim in enumerate(section.claims) if (number, rank) in chosen),
                "left_out": sum((number, rank) not in chosen for rank in range(len(section.claims))),
            }
        )
        for number, section in enumerate(sections)
    )


def select_cited_passages(sections: Iterable[SectionItem], items: Iterable[EvidenceItem]) -> tuple[EvidenceItem, ...]:
    """The passages that `sections` cite."""
    keys = {cited.evidence for section in sections for claim in section.claims for cited in claim.citations}
    return tuple(item for item in items if item.key in keys)


def share_marks(sections: Iterable[SectionItem]) -> tuple[tuple[SectionItem, ...], dict[str, Citation]]:
    """Give each citation of `sections` one mark in all of them, such as `e5.2`, and leave quotes out.

    Claims without marks, which their citations support whole, stay as they are.

    Returns:
        The sections, and the citations by their new marks.
    """
    marks: dict[tuple[str, str], str] = {}
    counts = Counter[str]()
    by_mark: dict[str, Citation] = {}

    def share(claim: Claim) -> Claim:
        names: dict[str, list[str]] = {}
        for cited in claim.citations:
            if not cited.mark:
                return claim
            if (said := (cited.evidence, cited.quote)) not in marks:
                counts[cited.evidence] += 1
                marks[said] = f"{cited.evidence}.{counts[cited.evidence]}"
                by_mark[marks[said]] = cited.model_copy(update={"mark": marks[said]})
            names.setdefault(cited.mark.casefold(), []).append(marks[said])
        return Claim(text=rename_marks(claim.text, names))

    shared = tuple(one.model_copy(update={"claims": tuple(map(share, one.claims))}) for one in sections)
    return shared, by_mark


def rename_marks(text: str, names: Mapping[str, Sequence[str]]) -> str:
    """`text` with other `names`, by the old ones in lower case, in its brackets of marks."""
    if not names:
        return text

    def rename(found: re.Match[str]) -> str:
        renamed = (name for one in _BETWEEN_MARKS.split(found[2]) for name in names[one.casefold()])
        return f"[{found[1] or ''}{', '.join(dict.fromkeys(renamed))}]"

    return re.sub(rf"\[(from\s+)?({_list_marks(names)})\]", rename, text, flags=re.IGNORECASE)


def _list_marks(marks: Iterable[str]) -> str:
    """A pattern for the inside of a bracket that has only these marks."""
    one = "|".join(sorted(map(re.escape, marks)))
    return rf"(?:{one})(?:\s*[,;]\s*(?:{one}))*"


def strip_marks(claim: Claim) -> str:
    """The text of a claim without the marks of its citations; never empty."""
    marks = {cited.mark for cited in claim.citations if cited.mark}
    if not marks:
        return claim.text
    return re.sub(rf"\s*\[(?:from\s+)?{_list_marks(marks)}\]", "", claim.text, flags=re.IGNORECASE) or claim.text


def sections_of(given: JsonObject) -> str:
    """The sections that are joined, counted."""
    return format_count(len(ensure_list(given.get("sections"))), "section")


def summarize_draft(output: JsonObject) -> tuple[str, JsonObject]:
    """A stored draft in one sentence, and its figures."""
    claims, cited = (count if isinstance(count := output.get(name), int) else 0 for name in ("claims", "cited"))
    text = f"Drafted: {output.get('title', '')} ({format_count(claims, 'claim')} from {format_count(cited, 'passage')})"
    return text, {"claims": claims, "cited": cited, "answered": output.get("answered")}


def claim_characters(claim: Claim) -> int:
    """Return how many characters a claim takes in a prompt, citations included."""
    return len(claim.text) + sum(len(cited.evidence) + len(cited.quote) + 30 for cited in claim.citations)
