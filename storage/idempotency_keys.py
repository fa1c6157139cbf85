"""Idempotency keys: which run a client's key was claimed for, and by which request.

A key that comes again with the same request means the same run; with another request it is refused. The request that
inserts the row of a key owns it, so of two requests that come at once only one does. `AdmissionStore` claims a key with
its run.
"""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.graphs.frozen import Frozen
from elcano.storage.sql.dialect import insert_new
from elcano.storage.sql.tables import idempotency_keys as keys


class RequestKey(Frozen):
    """An idempotency key of a client, and the hash of the request that it came with."""

    key: str
    request_hash: str


class KeyClaim(Frozen):
    """The owner of an idempotency key."""

    run_id: str
    request_hash: str
    mine: bool
    """The key was free and is now this caller's."""


async def claim_key(connection: AsyncConnection, tenant: str, key: RequestKey, run_id: str) -> KeyClaim:
    """Claim an idempotency key for `run_id` within a transaction, or say who has it. Two callers cannot both own it."""
    claim = insert_new(connection, keys).values(tenant=tenant, run_id=run_id, **key.model_dump())
    mine = (await connection.execute(claim.returning(keys.c.key))).first() is not None
    named = select(keys).where(keys.c.tenant == tenant, keys.c.key == key.key)
    kept = (await connection.execute(named)).one()
    return KeyClaim(run_id=kept.run_id, request_hash=kept.request_hash, mine=mine)
