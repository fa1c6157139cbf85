"""The source `knowledge`: what do we know already about this? It finds what earlier runs of the tenant found.

A claim of a report is never evidence. It leads to the passages that it was proven by, and these are handed over as they
were kept, under their own ids and sources: citing one cites the document that it is from. Which runs they are
from is reported as well. What the run that asks found itself is left out.
"""

from collections import defaultdict
from typing import Final

from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import KnowledgeDisabled, SourceRefused
from elcano.settings.settings import Settings
from elcano.storage.evidence import Evidence
from elcano.storage.sql.dialect import root_of
from elcano.storage.store import TenantStore
from elcano.subjects.knowledge.graph import EdgeKind, node_id
from elcano.subjects.knowledge.knowledge_store import get_graph
from elcano.subjects.knowledge.word_index import extract_search_words

FITS: Final = 0.5
"""The share of a query's words, rare ones weighing more, that a claim or a passage has at least: half of it."""
HITS: Final = 60
"""Claims and documents that are followed to their passages."""
EDGES: Final = 50
"""Passages of one claim or document that are looked at."""
NAMED_RUNS: Final = 5
"""Runs that are named."""


class KnowledgeSource:
    """Source of the findings of earlier runs."""

    def __init__(self, spec: SourceSpec) -> None:
        self.spec = spec

    async def search(self, query: str, limit: int) -> SearchResults:
        """Refused: it has to be known whose runs are meant."""
        raise SourceRefused("what earlier runs found is searched in the store of a tenant")

    async def search_store(self, store: TenantStore, run_id: str, query: str, limit: int) -> SearchResults:
        """See `SearchesStore`."""
        try:
            found = await _find_known_passages(store, root_of(run_id), query)
        except KnowledgeDisabled as error:
            raise SourceRefused(str(error)) from error
        best = sorted(found, key=lambda id: (-found[id][0], id))
        kept = await store.evidence.get(best[: 3 * limit])
        fitting = [one for one in kept if found[one.id][0] >= FITS or _compute_word_share(query, one) >= FITS][:limit]
        runs = [run for one in fitting for run in sorted(found[one.id][1])]
        evidence = tuple(one.model_copy(update={"score": found[one.id][0]}) for one in fitting)
        return SearchResults(evidence=evidence, warnings=await _describe_earlier_runs(store, runs))

    async def close(self) -> None:
        """It has opened nothing."""


def open_source(spec: SourceSpec, settings: Settings) -> KnowledgeSource:
    """Open the source of earlier runs' findings; the graph is the store's."""
    return KnowledgeSource(spec)


async def _find_known_passages(store: TenantStore, own: str, query: str) -> dict[str, tuple[float, set[str]]]:
    """By the id of each passage how well it fits and the runs that it is from, without those of the run `own`.

    A passage that a claim cites fits as well as the claim does. Of one that no claim cites nothing is known but its
    document's title, so it comes behind these, and its own words decide.
    """
    scores: dict[str, float] = {}
    runs: dict[str, set[str]] = defaultdict(set)
    for hit in await get_graph(store).search(query, kinds=("claim", "document", "trial"), limit=HITS):
        is_claim = hit.node.kind == "claim"
        if is_claim and hit.score < FITS:
            continue
        kinds: tuple[EdgeKind, ...] = ("cites",) if is_claim else ("found",)
        for neighbour in await get_graph(store).neighbours(hit.node.id, kinds=kinds, limit=EDGES):
            edge = neighbour.edge
            if edge.run != own and edge.evidence:
                weight = hit.score if is_claim else 0.4 * hit.score
                scores[edge.evidence] = max(scores.get(edge.evidence, 0.0), weight)
                runs[edge.evidence].add(edge.run)
    return {id: (score, runs[id]) for id, score in scores.items()}


def _compute_word_share(query: str, passage: Evidence) -> float:
    """Compute the share of a query's words that a passage has, with its title."""
    asked = set(extract_search_words(query))
    return (
        len(asked & set(extract_search_words(f"{passage.title} {passage.heading} {passage.text}"))) / len(asked)
        if asked
        else 0.0
    )


async def _describe_earlier_runs(store: TenantStore, runs: list[str]) -> tuple[str, ...]:
    """Which runs passages are from, in a sentence."""
    named = list(dict.fromkeys(runs))
    if not named:
        return ()
    known = {
        one.key: one.name for one in await get_graph(store).nodes([node_id("run", run) for run in named[:NAMED_RUNS]])
    }
    said = "; ".join(f"{run} ({known[run]})" if run in known else run for run in named[:NAMED_RUNS])
    more = f"; and {len(named) - NAMED_RUNS} more" if len(named) > NAMED_RUNS else ""
    return (f"knowledge: these passages are from earlier runs: {said}{more}",)
