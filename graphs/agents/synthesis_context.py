"""Shared by agents that write: the input and envelope of those that join sections, and the summary of a draft."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from elcano.graphs.agents.envelope import EvidenceItem, SectionItem
from elcano.graphs.agents.loaded import AgentInput, Needs
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.draft import Claim
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.state.plan import ReportForm, SectionResult
from elcano.graphs.text import ensure_list, format_count

MARKS: Final = """\
The text is Markdown: paragraphs, `###` headings, lists, tables, code with its language, formulas in `$...$` or \
`$$...$$`, quotations. It has no links, images or HTML.
- Put a mark in brackets behind every sentence, list item and table cell that says what a passage says: `Aspirin \
lowered the rate by 12 % [a]. Both trials agree [a, b].` A mark is a short name of your own for one citation; list in \
`citations` what each mark stands for. A mark covers the sentence that it stands behind, and no other.
- What you conclude from passages yourself names what it rests on: `So the effect is likely real [from a, b].`
- A sentence without a mark may only lead the reader on; it says nothing of the matter.
- Write no numbers in brackets and no list of references; these are made from your marks. Put no marks into code or \
formulas: put them behind the sentence that introduces these.
"""

CITING: Final = f"""\
{MARKS}\
- Keep what supports each statement: a passage's key and the literal words that support it, copied letter by letter \
from the citations that you were given. Every quote is looked up; one that is not found is shown to the reader as \
unsupported. Marks of the drafts hold within their own claim only: give each of your citations a mark of its own.
- Say only what a citation supports, with its figures, dates and conditions, and smooth over no disagreement.
"""

WISHES: Final = """\
The envelope's `instructions` are wishes of the person who asked. On length, readers, tone and form they come first, \
then the form that is said above the envelope; neither changes how you cite."""


class SynthesisInput(AgentInput):
    """The input of both syntheses: the sections in the plan's order, and what is missing."""

    instructions: str = ""
    form: ReportForm | Literal[""] = ""
    """That of the report; empty: it has that of its sections."""
    review: bool = False
    """Whether the reviewer reads what is written."""
    title: str = ""
    sections: tuple[SectionResult, ...] = ()
    sources: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of all evidence of the sections that the synthesis may cite."""


def needs_of(given: SynthesisInput) -> Needs:
    """The drafts of the sections, and the passages that they may cite."""
    return Needs(evidence=given.evidence, sections=given.sections, weighed=given.question, searched=given.sources)


def select_fitting_claims(sections: Sequence[SectionItem], tokens: int) -> tuple[SectionItem, ...]:
    """As many claims as fit within `tokens`: every section is heard before any is heard twice, later ones first.

    All sections stay, with the number of claims that were left out: whoever reads must not take them for complete.
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
