"""A run that ends is taken into the knowledge graph of its tenant, before it is archived.

So whoever hears that it ended finds there what it found. Doing it again gives the same graph, so an attempt that was
cut off anywhere is finished by the next one; what the run left there before is replaced in the same step. A graph that
cannot be written never keeps a run from ending, for the archive has all that it holds: the reason is kept with the run.
"""

import asyncio
import logging
from typing import Final

from elcano.activities.calls.retry_classification import safe_text
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Report
from elcano.plugins.knowledge.graph import NoKnowledge, node_id
from elcano.plugins.knowledge.knowledge_store import get_graph
from elcano.plugins.knowledge.run_knowledge import gather_run_knowledge
from elcano.storage.health import store_trouble
from elcano.storage.store import TenantStore

SECONDS: Final = 300
"""How long the end of a run may wait for its part of the graph, which is a fraction of what archiving it may take."""
PASSAGES: Final = 5_000
"""Maximum number of passages of one run, in the order of finding."""

_log = logging.getLogger("knowledge")


async def update_knowledge(store: TenantStore, run: ArchivedRun) -> str:
    """Takes a run into the graph; a section is taken in with its run.

    Returns:
        Why that could not be done; empty if it was, or if there is no graph.
    """
    if run.branch_of is not None or isinstance(get_graph(store), NoKnowledge):
        return ""
    try:
        async with asyncio.timeout(SECONDS):
            await _update_from_run(store, run)
    except TimeoutError:
        return _log_failed_update(run, f"writing its part took more than {SECONDS} s")
    except Exception as error:
        return _log_failed_update(run, store_trouble(error) or safe_text(f"{type(error).__name__}: {error}"))
    return ""


def _log_failed_update(run: ArchivedRun, why: str) -> str:
    _log.warning("the knowledge graph has nothing new of run %s: %s", run.run_id, why)
    return why


async def _update_from_run(store: TenantStore, run: ArchivedRun) -> None:
    kept = await store.artifacts.get(run.report.artifact) if run.report is not None else None
    report = await asyncio.to_thread(Report.model_validate_json, kept) if kept is not None else None
    evidence = await store.evidence.of_run(run.run_id, limit=PASSAGES)
    found = await asyncio.to_thread(gather_run_knowledge, run, report, evidence)
    before = await get_graph(store).nodes([node_id("run", run.run_id)])  # it was reset or resumed, or tried before
    await get_graph(store).upsert(
        list(found.nodes.values()), list(found.edges.values()), replacing=run.run_id if before else ""
    )
