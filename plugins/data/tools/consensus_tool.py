"""The tool `consensus`: results of parallel paths become one, kept like any other; a path without one is a gap."""

import asyncio

from elcano.activities.query_results import load_result_tables, store_result_table
from elcano.activities.tools.tool_work import ToolWork, build_evidence_ref
from elcano.plugins.data.answering.consensus import Path, merge_path_tables, told_of
from elcano.plugins.data.database_tools import MergedResults
from elcano.plugins.data.models.consensus import MOST_DISAGREEMENTS, ConsensusInput


async def merge_path_results(work: ToolWork, given: ConsensusInput) -> MergedResults:
    """The paths' results as one.

    Raises:
        InputInvalid: a result is not in the store, or a key is no column of every path.
    """
    store, run_id = work.store, work.run_id
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
