"""Which passages fit into a prompt: every search is heard before any is heard twice, newer ones first.

Keeping the head of the list would drop exactly what later iterations went looking for; keeping only its tail would
drop what answered the question's first part.
"""

from collections.abc import Sequence
from typing import Final

from elcano.activities.report.references import Works
from elcano.activities.similarity.related_passages import rank_related_passages
from elcano.graphs.agents.envelope import EvidenceItem, ShownPassages
from elcano.graphs.catalogue.sources import MOST_RESULTS, SOURCES
from elcano.graphs.report.reference_text import summarize_work
from elcano.graphs.report.works import Work
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.state.state import RELATED, IterationData
from elcano.storage.evidence import Evidence

FRAME_CHARACTERS: Final = 80
"""What an item takes beside its texts: key, field names, quotation marks."""


def fit_passages_to_tokens(
    evidence: Sequence[Evidence],
    conversation: Sequence[IterationData],
    tokens: int,
    accounts: Sequence[Work] = (),
) -> ShownPassages:
    """The passages to show within `tokens`, keyed `e1`, `e2`, ... in the order of their finding.

    A passage is shown whole or not at all: quotes from half a sentence would mislead. What is said of its work is said
    by all `accounts` of the run: the one that tells of a retraction may be of a copy that is not shown.
    """
    room = tokens * CHARACTERS_PER_TOKEN
    works = Works(evidence, accounts)
    chosen: dict[str, None] = {}
    for passage in _in_turn(evidence, conversation):
        size = _count_passage_characters(passage, of_work(works, passage))
        if size <= room:
            chosen[passage.id] = None
            room -= size
    kept = [passage for passage in evidence if passage.id in chosen]
    items = [
        _build_evidence_item(number, passage, of_work(works, passage)) for number, passage in enumerate(kept, start=1)
    ]
    keys = {passage.id: item.key for item, passage in zip(items, kept, strict=True)}
    return ShownPassages(
        items=tuple(items),
        ids={key: id for id, key in keys.items()},
        left_out=len(evidence) - len(kept),
        order=tuple(keys[id] for id in chosen),
    )


def of_work(works: Works, passage: Evidence) -> str:
    """Describe the work that `passage` is from, for its readers; empty if nothing is known."""
    known = works.of(passage)
    return summarize_work(known.work) if known else ""


def format_source_with_kind(source: str) -> str:
    """Name a source and its kind, so that a reader can judge how far to trust it: `pubmed (articles)`."""
    kind = SOURCES[source].kind if source in SOURCES else "documents"
    return source if kind == source else f"{source} ({kind})"


def _build_evidence_item(number: int, passage: Evidence, work: str) -> EvidenceItem:
    return EvidenceItem(
        key=f"e{number}",
        title=passage.title,
        heading=passage.heading,
        locator=passage.locator,
        source=format_source_with_kind(passage.source),
        about=work,
        text=passage.text,
    )


def _count_passage_characters(passage: Evidence, work: str) -> int:
    texts = (
        passage.title,
        passage.heading,
        passage.locator,
        format_source_with_kind(passage.source),
        work,
        passage.text,
    )
    return FRAME_CHARACTERS + sum(len(text) for text in texts)


def _in_turn(evidence: Sequence[Evidence], conversation: Sequence[IterationData]) -> list[Evidence]:
    """All passages, one of each search at a time, the newest search first and each search best first.

    What a later look into the run brought back counts as found by that, so that it is not left out again.
    """
    searches: list[list[str]] = [[]]
    for turn in conversation:
        start = 0
        for call in turn.tool_calls:
            own = turn.findings[start : start + call.new]
            start += call.new
            looked_back = call.source == RELATED and call.found
            back = (
                rank_related_passages(call.query, evidence, min(call.found, MOST_RESULTS), None) if looked_back else []
            )
            searches.append([*(passage.id for passage in back), *own])
    unplaced = {passage.id: passage for passage in evidence}
    newest_first = [[unplaced.pop(one) for one in found if one in unplaced] for found in reversed(searches)]
    newest_first[-1] = list(unplaced.values())
    longest = max(len(search) for search in newest_first)
    return [search[rank] for rank in range(longest) for search in newest_first if rank < len(search)]
