"""Which passages fit into a prompt, and the key of each, which is the same in every prompt of the run.

What meets a criterion comes first. Then every search gets its turn before any gets a second one: that for the question
itself, which finds most, then the newest. Keeping the head of the list would drop exactly what later iterations went
looking for; keeping only its tail would drop what answered the question's first part.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from elcano.activities.report.work_merge import Works
from elcano.activities.similarity.similar_passages import rank_related_passages
from elcano.graphs.agents.envelope import EvidenceItem, ShownPassages
from elcano.graphs.catalogue.sources import MOST_RESULTS, SOURCES
from elcano.graphs.report.works import Work, summarize_work
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.state.state import RELATED, IterationData, ToolCallRecord
from elcano.storage.evidence import Evidence

FRAME_CHARACTERS: Final = 80
"""Size of an item besides its texts: key, field names, quotation marks."""


def fit_passages_to_tokens(
    evidence: Sequence[Evidence],
    conversation: Sequence[IterationData],
    tokens: int,
    accounts: Sequence[Work] = (),
    *,
    numbers: Mapping[str, int] | None = None,
    first: Iterable[str] = (),
    places: bool = True,
    digest: int = 0,
) -> ShownPassages:
    """The passages to show within `tokens`, in the order of their finding.

    A passage is shown whole or not at all: quotes from half a sentence would mislead. What is said of its work is said
    by all `accounts` of the run: the one with a retraction may be of a copy that is not shown.

    Args:
        evidence: the passages that may be shown.
        conversation: the searches that found them.
        tokens: what they may take.
        accounts: what is known of the run's works.
        numbers: by id the numbers that passages have in the run; None: their places here.
        first: ids of those that come before all others, as what meets a criterion does.
        places: whether it is shown where passages stand, which only the extractive model reads.
        digest: characters of each text that count, as its agent shows a digest; 0: all.
    """
    room = tokens * CHARACTERS_PER_TOKEN
    works = Works(evidence, accounts)
    keys = name_passages([passage.id for passage in evidence], numbers)
    items = {
        passage.id: build_evidence_item(keys[passage.id], passage, of_work(works, passage), places=places)
        for passage in evidence
    }
    chosen: dict[str, None] = {}
    for passage in _in_turn(evidence, conversation, first):
        item = items[passage.id]
        size = _count_item_characters(item) - (max(0, len(item.text) - digest) if digest else 0)
        if size <= room:
            chosen[passage.id] = None
            room -= size
    kept = [passage.id for passage in evidence if passage.id in chosen]
    return ShownPassages(
        items=tuple(items[id] for id in kept),
        ids={keys[id]: id for id in kept},
        left_out=len(evidence) - len(kept),
        order=tuple(keys[id] for id in chosen),
    )


def name_passages(ids: Sequence[str], numbers: Mapping[str, int] | None = None) -> dict[str, str]:
    """The key of each passage, by its id: `e` and its number in the run, or the next free one if it has none."""
    known = dict(numbers or {})
    for id in ids:
        known.setdefault(id, max(known.values(), default=0) + 1)
    return {id: f"e{known[id]}" for id in ids}


def of_work(works: Works, passage: Evidence) -> str:
    """Describe the work that `passage` is from, for its readers; empty if nothing is known."""
    known = works.of(passage)
    return summarize_work(known.work) if known else ""


def format_source_with_kind(source: str) -> str:
    """Name a source and its kind, so that a reader can judge how far to trust it: `pubmed (articles)`."""
    kind = SOURCES[source].kind if source in SOURCES else "documents"
    return source if kind == source else f"{source} ({kind})"


def build_evidence_item(
    key: str, passage: Evidence, work: str, *, places: bool = True, text: bool = True
) -> EvidenceItem:
    """A passage as a prompt shows it.

    Without `places` it lacks its place, and a heading that its title has already.
    """
    return EvidenceItem(
        key=key,
        title=passage.title,
        heading="" if not places and _is_named_in_title(passage) else passage.heading,
        locator=passage.locator if places else "",
        source=format_source_with_kind(passage.source),
        about=work,
        text=passage.text if text else "",
    )


def _is_named_in_title(passage: Evidence) -> bool:
    """Whether the title of a passage ends with its heading, or with the last part of that."""
    last = passage.heading.rpartition(" > ")[2]
    return passage.title.endswith(passage.heading) or passage.title.rpartition(" > ")[2] == last


def _count_item_characters(item: EvidenceItem) -> int:
    texts = (item.title, item.heading, item.locator, item.source, item.about, item.text)
    return FRAME_CHARACTERS + sum(len(text) for text in texts)


def _in_turn(
    evidence: Sequence[Evidence], conversation: Sequence[IterationData], first: Iterable[str] = ()
) -> list[Evidence]:
    """All passages: those in `first`, then one of each search at a time, each search best first.

    What a later look into the run brought back comes first, so that it is not left out again; then the run's first
    search, then the newest.
    """
    searches: list[tuple[ToolCallRecord, list[str]]] = []
    for turn in conversation:
        start = 0
        for call in turn.tool_calls:
            own = turn.findings[start : start + call.new]
            start += call.new
            looked_back = call.source == RELATED and call.found
            back = (
                rank_related_passages(call.query, evidence, min(call.found, MOST_RESULTS), None) if looked_back else []
            )
            searches.append((call, [*(passage.id for passage in back), *own]))
    unplaced = {passage.id: passage for passage in evidence}
    ranked = [unplaced.pop(one) for one in first if one in unplaced]
    asked = searches[0][0].query if searches else ""
    ordered = sorted(reversed(searches), key=lambda made: (made[0].source != RELATED, made[0].query != asked))
    by_search = [[unplaced.pop(one) for one in found if one in unplaced] for _, found in ordered]
    by_search.append(list(unplaced.values()))
    longest = max(len(search) for search in by_search)
    return ranked + [search[rank] for rank in range(longest) for search in by_search if rank < len(search)]
