"""The tool `consensus`: results of parallel paths become one, kept like any other; a path without one is a gap."""

import asyncio

from elcano.activities.answering.consensus import Path, merge_path_tables, told_of
from elcano.activities.answering.result_store import load_result_tables, store_result_table
from elcano.activities.tools.evidence_reference import build_evidence_ref
from elcano.graphs.catalogue.database_tools import MergedResults
from elcano.graphs.data.consensus import MOST_DISAGREEMENTS, ConsensusInput
from elcano.storage.store import TenantStore


async def merge_path_results(store: TenantStore, run_id: str, given: ConsensusInput) -> MergedResults:
    """The paths' results as one.

    Raises:
        InputInvalid: a result is not in the store, or a key is no column of every path.
    """
    gaps = tuple(
        f"The path {one.name!r} has no result: {one.gap.rstrip('.') or 'nobody said why'}."
        for one in given.paths
        if one.result is None
    )
    digests = [(one.name, one.result) for one in given.paths if one.result is not None]
    if not digests:
        return MergedResults(gaps=gaps, told=" ".join(("No path has a result.", *gaps)))
    tables = await load_result_tables(store, [digest for _, digest in digests])
    paths = [Path(name, table, digest.artifact) for (name, digest), table in zip(digests, tables, strict=True)]
    found = await asyncio.to_thread(merge_path_tables, paths, given.keys)
    digest = await store_result_table(store, run_id, found.table)
    return MergedResults(
        result=digest,
        evidence=tuple(map(build_evidence_ref, await store.evidence.get([digest.evidence]))),
        disagreements=tuple(found.disagreements[:MOST_DISAGREEMENTS]),
        disagreement_count=len(found.disagreements),
        gaps=gaps,
        told=told_of(found, list(dict.fromkeys(path.name for path in paths)), gaps),
    )
