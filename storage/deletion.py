"""A run goes with all it owns, and what others found too stays."""

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import and_, delete, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.errors import RunOpen
from elcano.storage.objects import Objects, artifacts_of, payloads_of
from elcano.storage.plugin_store import PluginStore
from elcano.storage.sql.dialect import begin_exclusive, run_and_branches
from elcano.storage.sql.tables import (
    artifacts,
    control_requests,
    events,
    evidence,
    findings,
    idempotency_keys,
    ledger,
    runs,
    texts,
)

_OWNED: Final = (events, findings, ledger, control_requests, idempotency_keys, artifacts, runs)
"""Tables whose rows belong to one run; what refers to others comes before them."""
BATCH: Final = 500
"""Ids in one statement; a database has a limit to its parameters."""


async def delete_run(
    engine: AsyncEngine, objects: Objects, tenant: str, run_id: str, beside: Iterable[PluginStore]
) -> bool:
    """Delete a run of a tenant and its branches; False if there is none.

    `beside` are the stores of plugins.

    Raises:
        RunOpen: it has not ended.
    """
    async with engine.connect() as connection:
        if not await _has_ended_run(connection, tenant, run_id):
            return False
    # Before the rows: if this breaks off, the run is still there to be deleted again.
    await objects.delete_below(artifacts_of(tenant, run_id))
    await objects.delete_below(payloads_of(run_id))
    for store in beside:
        await store.delete_run(tenant, run_id)
    async with engine.begin() as connection:
        await begin_exclusive(connection, f"evidence {tenant}")
        if not await _has_ended_run(connection, tenant, run_id):
            return False
        passages = await _list_found_passages(connection, tenant, run_id)
        for table in _OWNED:
            whole = and_(table.c.tenant == tenant, run_and_branches(table.c.run_id, run_id))
            await connection.execute(delete(table).where(whole))
        await drop_unfound(connection, tenant, passages)
    return True


async def _has_ended_run(connection: AsyncConnection, tenant: str, run_id: str) -> bool:
    """Whether there is a run, which has ended then."""
    status = select(runs.c.status).where(runs.c.tenant == tenant, runs.c.run_id == run_id)
    found = await connection.scalar(status)
    if found in ("starting", "running"):
        raise RunOpen(f"the run {run_id!r} has not ended: stop it, and delete it when it has")
    return found is not None


async def _list_found_passages(connection: AsyncConnection, tenant: str, run_id: str) -> list[str]:
    """The ids of what the run and its branches found."""
    found = select(findings.c.evidence_id).where(
        findings.c.tenant == tenant, run_and_branches(findings.c.run_id, run_id)
    )
    return list(await connection.scalars(found.distinct()))


async def drop_unfound(connection: AsyncConnection, tenant: str, passages: Sequence[str]) -> None:
    """Deletes those of the passages that no run refers to any more, and the texts that have no passage left."""
    kept = exists().where(findings.c.tenant == tenant, findings.c.evidence_id == evidence.c.id)
    used = exists().where(evidence.c.tenant == tenant, evidence.c.content_hash == texts.c.content_hash)
    for start in range(0, len(passages), BATCH):
        batch = passages[start : start + BATCH]
        unused = and_(evidence.c.tenant == tenant, evidence.c.id.in_(batch), ~kept)
        hashes = set(await connection.scalars(delete(evidence).where(unused).returning(evidence.c.content_hash)))
        await connection.execute(delete(texts).where(texts.c.tenant == tenant, texts.c.content_hash.in_(hashes), ~used))
