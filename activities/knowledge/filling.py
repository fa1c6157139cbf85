"""A run that ends is taken into the knowledge graph of its tenant, before it is archived.

So whoever hears that it ended finds there what it found. Doing it again gives the same graph, so an attempt that was
cut off anywhere is finished by the next one. A graph that cannot be written is told in the log and never keeps a run
from ending: what it holds is all in the archive as well.
"""

import asyncio
import logging
from typing import Final

from elcano.activities.knowledge.gathering import gathered
from elcano.graphs.data.knowledge import node_id
from elcano.graphs.records import ArchivedRun
from elcano.graphs.values.report import Report
from elcano.storage.knowledge.off import NoKnowledge
from elcano.storage.store import TenantStore
from elcano.storage.troubles import store_trouble

SECONDS: Final = 20
"""How long the end of a run may wait for its part of the graph; the activity that archives it has a minute."""
PASSAGES: Final = 5_000
"""Of one run, in the order of finding."""

_log = logging.getLogger("knowledge")


async def update_knowledge(store: TenantStore, run: ArchivedRun) -> bool:
    """Takes a run into the graph; whether that was done. A section is taken in with its run.

    What cannot be done is told in the log, with the reason.
    """
    if run.branch_of is not None or isinstance(store.knowledge, NoKnowledge):
        return False
    try:
        async with asyncio.timeout(SECONDS):
            await _update(store, run)
    except TimeoutError:
        _log.warning("run %s is not in the knowledge graph: that took more than %d s", run.run_id, SECONDS)
        return False
    except Exception as error:
        why = store_trouble(error) or f"{type(error).__name__}: {error}"
        _log.warning("run %s is not in the knowledge graph: %s", run.run_id, why)
        return False
    return True


async def _update(store: TenantStore, run: ArchivedRun) -> None:
    kept = await store.artifacts.get(run.report.artifact) if run.report is not None else None
    report = await asyncio.to_thread(Report.model_validate_json, kept) if kept is not None else None
    evidence = await store.evidence.of_run(run.run_id, limit=PASSAGES)
    found = await asyncio.to_thread(gathered, run, report, evidence)
    if await store.knowledge.nodes([node_id("run", run.run_id)]):  # it was reset or resumed, or this is another attempt
        await store.knowledge.delete_run(run.run_id)
    await store.knowledge.upsert(list(found.nodes.values()), list(found.edges.values()))
