"""What became of a report's citations, and which of the passages found now are new to it.

A citation still holds if its passage, or another one of the same stored text, was found again; or if its quote stands
in the newer text of its document. It is outdated if that text does not have its words. Of a document that was not
found again nothing is known: what rests on it stays as it was.

A passage is new if no known text of its document has its words, and its collection did not have it before: that a
search ranks a document higher than last time is no news.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from elcano.activities.agents.answer_drafts import map_citations
from elcano.activities.support.quotes import QuoteIndex
from elcano.graphs.report.report import Citation, ReportDraft
from elcano.storage.evidence import INDEXED_AT, Evidence, StoredText


@dataclass
class CitationChanges:
    """What became of the citations of a report."""

    moved: dict[tuple[str, str], str] = field(default_factory=dict)
    """By id of the passage and quote: the id of the newer passage in which the quote stands."""
    outdated: dict[tuple[str, str], str] = field(default_factory=dict)
    """Of those whose quote the newer text of their document does not have, by the same: a passage of that text."""
    unseen: set[str] = field(default_factory=set)
    """Ids of cited passages whose document was not found again."""

    def apply_to(self, draft: ReportDraft) -> ReportDraft:
        """`draft` with each citation, and each judgement of a statement, as it is now.

        An outdated one names the newer text of its document, so whoever looks its quote up sees that it is gone.
        """
        newer = {old: new for (old, _), new in self.moved.items()}
        judgements = (
            one.model_copy(update={"evidence": tuple(newer.get(id, id) for id in one.evidence)})
            for one in draft.judgements
        )
        return map_citations(draft, self._follow).model_copy(update={"judgements": tuple(judgements)})

    def _follow(self, cited: Citation) -> Citation:
        place = cited.evidence, cited.quote
        newer = self.moved.get(place) or self.outdated.get(place)
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
    changes = CitationChanges()
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
        elif not any(index(text).find(cited.quote) for text in whole):
            beneath = (one.id for one in now if one.heading == passage.heading)
            changes.outdated[cited.evidence, cited.quote] = next(beneath, now[0].id)
    return changes


def list_new_passages(
    found: Sequence[Evidence], known: Sequence[Evidence], texts: Mapping[str, StoredText], since: float
) -> frozenset[str]:
    """The ids of the passages that are new.

    Args:
        found: now.
        known: the passages of the run before.
        texts: the stored texts of these, by content hash.
        since: when that run began, in seconds since the epoch; 0: unknown.
    """
    before: defaultdict[str, list[str]] = defaultdict(list)
    for one in known:
        before[name_document(one)].append(one.text)
    for document, hash in {(name_document(one), one.content_hash) for one in known}:
        before[document] += [texts[hash].text] if hash in texts else []

    def is_new(passage: Evidence) -> bool:
        indexed = passage.metadata.get(INDEXED_AT)
        if isinstance(indexed, int | float) and 0 < indexed < since:
            return False
        return not any(passage.text in text for text in before[name_document(passage)])

    return frozenset(passage.id for passage in found if is_new(passage))


def name_document(passage: Evidence) -> str:
    """The document of a passage, whichever version of its text that is: ids of files end in the hash of theirs."""
    return passage.document.removesuffix(f"@{passage.content_hash[:8]}")
