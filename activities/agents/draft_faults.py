"""Finds faults of a draft's blocks, and losses of their repairs: pure comparisons of checked blocks."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from elcano.activities.report.checked_draft import REASONS, CheckedClaim
from elcano.activities.report.table_marks import name_cell
from elcano.graphs.agents.review import RevisedBlock
from elcano.graphs.report.report import Citation, Claim, ReportDraft, Statement
from elcano.graphs.text import shorten_text
from elcano.storage.evidence import Evidence
from elcano.text.prose.markdown_parser import mark_of
from elcano.text.stems import list_stems
from elcano.text.support.missing_facts import Statement as Said
from elcano.text.support.missing_facts import find_lost_figures, list_new_units
from elcano.text.words import bare_words

TOLD_CHARACTERS: Final = 300
FAULT_CHARACTERS: Final = 120
"""How much of a statement names it in a fault: the whole of it stands in its block."""
LEAST_KIN: Final = 0.5
"""The share of a statement's telling words by which it is found again in a repair."""
LIKE_QUOTE: Final = 0.6
"""Minimum similarity of a quote that replaces another."""
LOST: Final = "Mending a sentence left out what the passages that it cited say:"
UNCITED: Final = "it cites nothing: quote a passage that says it, or leave it out"
UNCITED_TABLE: Final = (
    "No cell of the table has a mark: put behind each cell that of a quote of its row, or leave it out."
)


def list_failing(claim: Claim, found: CheckedClaim) -> list[Citation]:
    """The citations of a block that do not hold, as its writer gave them."""
    failed = list_failed([found])
    return [one for one in claim.citations if (one.evidence, one.quote) in failed]


def list_faulty_evidence(claim: Claim, found: CheckedClaim) -> list[str]:
    """The passages that the faulty sentences of a block cite; where one of those cites nothing, all of the block."""
    doubted = [one for one in found.statements if is_doubted(one)]
    if lacks_citation(found):
        return [one.evidence for one in claim.citations]
    failing = [one.evidence for one in list_failing(claim, found)]
    return [*failing, *(cited.evidence for one in doubted for cited in one.citations)]


def lacks_citation(found: CheckedClaim) -> bool:
    """Whether a sentence of a block has to cite something and does not: any citation of the block may be its own."""
    return bool(count_uncited([found])) or any(is_doubted(one) and not one.citations for one in found.statements)


def list_kept_citations(claim: Claim, found: CheckedClaim) -> list[Citation]:
    """The citations of a block that its sentences without a fault alone rest on."""
    doubted = (one for one in found.statements if is_doubted(one))
    faulty = {(cited.evidence, cited.quote) for one in doubted for cited in one.citations} | list_failed([found])
    return [one for one in claim.citations if one.mark and (one.evidence, one.quote) not in faulty]


def list_unreplaced_citations(
    claim: Claim, found: CheckedClaim, shown: Collection[Citation], repair: RevisedBlock
) -> list[Citation]:
    """The citations of a block that a repair leaves as they are.

    A mark that stands in the repair, which gives it no citation, means what it meant before: writers repeat what they
    change, not what they keep. A mark of which the writer was shown nothing may be one that it took for something else:
    it keeps its citation if its sentence stands, unless that quotes the same passage anew.

    Args:
        claim: the block as it was written.
        found: the same, checked.
        shown: its citations that the writer was shown.
        repair: what the writer made of it.
    """
    marks, known = ({mark_of(one.mark) for one in citations} for citations in (repair.citations, shown))
    anew = {(mark_of(one.mark), one.evidence) for one in repair.citations}
    said = bare_words(repair.text)
    standing = [one for one in found.statements if bare_words(one.text) in said]
    held = {(cited.evidence, cited.quote) for one in standing for cited in one.citations}
    kept = list_kept_citations(claim, found)

    def is_left(one: Citation) -> bool:
        mark = mark_of(one.mark)
        own = (one.evidence, one.quote) in held and (mark, one.evidence) not in anew
        return mark not in marks or (one in kept and one not in shown and (mark in known or own))

    return [one for one in claim.citations if mark_of(one.mark) and is_left(one)]


def describe_faults(claim: Claim, found: CheckedClaim, texts: Mapping[Citation, str]) -> Iterable[str]:
    """Yield the faults of a block, worded for its writer; `texts` are those of its citations."""
    if count_uncited([found]) and found.kind == "table":
        yield UNCITED_TABLE
    elif count_uncited([found]):
        yield f"“{shorten_text(' '.join(claim.text.split()), FAULT_CHARACTERS)}”: {UNCITED}"
    yield from dict.fromkeys(texts[one] for one in list_failing(claim, found))
    for one in found.statements:
        if is_doubted(one) and one.reason not in REASONS.values():
            yield f"“{name_cell(shorten_text(one.text, FAULT_CHARACTERS), one.context)}”: {one.reason}"


def is_doubted(one: Statement) -> bool:
    """Whether a statement is not wholly supported by what it quotes."""
    return bool(one.reason) and one.support in ("partly", "in_passage", "not_supported")


def list_spoiled(before: CheckedClaim, found: CheckedClaim) -> list[int]:
    """The places in a repair of doubted statements that rest on the quotes of one that was right and stands no more."""
    said = {one.text for one in found.statements}
    right = [
        {cited.quote for cited in one.citations}
        for one in before.statements
        if one.citations and one.text not in said and not is_doubted(one)
    ]
    return [
        place
        for place, one in enumerate(found.statements)
        if is_doubted(one) and {cited.quote for cited in one.citations} in right
    ]


def list_failed(found: Iterable[CheckedClaim]) -> set[tuple[str, str]]:
    """The citations that do not hold, by evidence and quote."""
    return {
        (cited.evidence, cited.quote)
        for claim in found
        for cited in claim.citations
        if cited.verdict in ("quote_not_found", "unknown_evidence")
    }


def count_uncited(found: Iterable[CheckedClaim]) -> int:
    """Count statements of fact that cite nothing."""
    return sum(cited.verdict == "no_citation" for claim in found for cited in claim.citations)


def iter_statements(found: Iterable[CheckedClaim]) -> Iterator[str]:
    """The words of all statements but cells, of which many may be equal."""
    for claim in found:
        yield from filter(None, (bare_words(one.text) for one in claim.statements if not one.context))


def is_lost(statement: Statement, found: Sequence[CheckedClaim]) -> bool:
    """Return whether a statement that cites something is not said any more."""
    if statement.kind == "connecting":
        return False
    quotes = {cited.quote for cited in statement.citations}
    if quotes and quotes <= {cited.quote for claim in found for cited in claim.citations}:
        return False
    words = frozenset(list_stems(statement.text))
    said = (frozenset(list_stems(one.text)) for claim in found for one in claim.statements)
    return not any(len(words & other) >= LEAST_KIN * len(words) for other in said)


def put_back(cited: Citation, held: Sequence[Citation]) -> Citation:
    """The citation that a repair spoiled, as it stood before; itself if there was none like it."""
    same = [one for one in held if mark_of(one.mark) == mark_of(cited.mark) and one.mark]
    like = [
        one
        for one in held
        if one.evidence == cited.evidence and SequenceMatcher(None, one.quote, cited.quote).ratio() >= LIKE_QUOTE
    ]
    for one in (*same, *like):
        return cited.model_copy(update={"evidence": one.evidence, "quote": one.quote})
    return cited


def describe_losses(
    checked: Mapping[Claim, CheckedClaim],
    passages: Mapping[str, Evidence],
    repaired: Mapping[Claim, Sequence[Claim]],
    better: ReportDraft,
) -> list[str]:
    """Describe statements of `repaired` blocks that their passages support and the draft `better` has lost.

    A wrong figure for which another one in its unit came is corrected: it may be that of another column.
    """
    said = "\n".join(claim.text for claim in better.claims)
    losses: list[str] = []
    for claim, repair in repaired.items():
        corrected = list_new_units(claim.text, " ".join(one.text for one in repair))
        for statement in checked[claim].statements:
            ids = dict.fromkeys(one.evidence for one in statement.citations if one.evidence in passages)
            cited = Said(statement.text, tuple(passages[id].text for id in ids))
            if lost := find_lost_figures(cited, said, corrected if is_doubted(statement) else ()):
                figures = ", ".join(dict.fromkeys(lost))
                said_of = name_cell(shorten_text(statement.text, TOLD_CHARACTERS), statement.context)
                losses.append(f"{LOST} {figures} (“{said_of}”)")
    return losses
