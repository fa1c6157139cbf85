"""Which citations of a report still hold, given the passages that its searches find now.

A citation holds if its passage, or another one of the same stored text, was found again; or if its quote stands in the
newer text of its document. It is outdated if that text does not have its words. Of a document that was not found again
nothing is known: what rests on it stays as it was.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from elcano.activities.support.quotes import QuoteIndex
from elcano.graphs.report.report import Citation, ReportDraft
from elcano.storage.evidence import Evidence, StoredText


@dataclass
class CitationChanges:
    """What became of the citations of a report."""

    moved: dict[tuple[str, str], str] = field(default_factory=dict)
    """By id of the passage and quote: the id of the newer passage in which the quote stands."""
    outdated: list[Citation] = field(default_factory=list)
    """Those whose quote the newer text of their document does not have."""
    unseen: set[str] = field(default_factory=set)
    """Ids of cited passages whose document was not found again."""
    dropped: set[str] = field(default_factory=set)
    """Ids of cited passages that may not be cited any more: nothing that they were cited for still stands."""

    def follow(self, cited: Citation) -> Citation:
        """A citation as it is now."""
        newer = self.moved.get((cited.evidence, cited.quote))
        return cited if newer is None else cited.model_copy(update={"evidence": newer})


def find_citation_changes(
    draft: ReportDraft, passages: Mapping[str, Evidence], found: Sequence[Evidence], texts: Mapping[str, StoredText]
) -> CitationChanges:
    """What became of the citations of `draft`.

    Args:
        draft: of the report.
        passages: that it cites, by id.
        found: the passages that its searches find now.
        texts: the stored texts of these, by content hash.
    """
    changes, standing = CitationChanges(), set[str]()
    index = cache(QuoteIndex.of)
    current = {(name_document(one), one.content_hash) for one in found}
    newer: defaultdict[str, list[Evidence]] = defaultdict(list)
    for one in found:
        newer[name_document(one)].append(one)
    for cited in (citation for claim in draft.claims for citation in claim.citations):
        passage = passages.get(cited.evidence)
        if passage is None or ((document := name_document(passage)), passage.content_hash) in current:
            continue
        if document not in newer:
            changes.unseen.add(passage.id)
            continue
        now = newer[document]
        whole = [texts[hash].text for hash in {one.content_hash for one in now} if hash in texts]
        place = next((one.id for one in now if index(one.text).find(cited.quote)), None)
        if place is not None:
            changes.moved[cited.evidence, cited.quote] = place
        elif any(index(text).find(cited.quote) for text in whole):
            standing.add(passage.id)
        else:
            changes.outdated.append(cited)
    changes.dropped = {one.evidence for one in changes.outdated} - standing
    return changes


def list_new_passages(known: Sequence[Evidence], found: Sequence[Evidence]) -> tuple[str, ...]:
    """The ids of the passages that say what none of the known ones of their document says."""
    before = {(name_document(one), one.text) for one in known}
    ids = {one.id for one in known}
    return tuple(one.id for one in found if one.id not in ids and (name_document(one), one.text) not in before)


def name_document(passage: Evidence) -> str:
    """The document of a passage, whichever version of its text that is: ids of files end in the hash of theirs."""
    return passage.document.removesuffix(f"@{passage.content_hash[:8]}")
