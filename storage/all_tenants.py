"""Operations across tenants: how many runs are open, which ones, and which ended long ago."""

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.frozen import Frozen
from elcano.graphs.records import ArchivedRun
from elcano.storage.runs import ASKED_FOR, STARTING, UNENDED, KeyClaim, RequestKey, run_row
from elcano.storage.sql.dialect import begin_exclusive, insert_new
from elcano.storage.sql.tables import idempotency_keys, runs


class Admission(Frozen):
    """Whether a run may be started."""

    admitted: bool
    """True of a run that is kept already too."""
    new: bool = False
    """The run was not kept before."""
    open: int
    """Runs of all tenants that are open, this one not counted if it was refused."""
    share: int
    """How many its tenant may have open at the moment."""
    claimed: KeyClaim | None = None
    """The run that already claimed the key of this request: nothing new was stored, and that run is the answer."""


class OpenRun(Frozen):
    """A run that has not ended, as far as is known."""

    run: ArchivedRun
    begun: bool
    """False: it is not known whether its workflow was started."""


async def admit_run(engine: AsyncEngine, run: ArchivedRun, at_most: int, key: RequestKey | None = None) -> Admission:
    """Store a run that is about to start, if its tenant may open one more, and claim its key for it.

    While several tenants have open runs, none of them may open more than its equal share. Concurrent processes cannot
    exceed the limit together, and of two requests with one key the second learns which run was first.
    """
    row = {**run_row(run, run.tenant), "status": STARTING}
    count = select(runs.c.tenant, func.count()).where(ASKED_FOR, runs.c.status.in_(UNENDED)).group_by(runs.c.tenant)
    async with engine.connect() as connection:
        keep = insert_new(connection, runs).values(row).returning(runs.c.run_id)
        claim = insert_new(connection, idempotency_keys)
        await begin_exclusive(connection, "admission")
        if key is not None:
            await connection.execute(claim.values(tenant=run.tenant, run_id=run.run_id, **key.model_dump()))
            named = (idempotency_keys.c.tenant == run.tenant, idempotency_keys.c.key == key.key)
            owner = (await connection.execute(select(idempotency_keys).where(*named))).one()
            if owner.run_id != run.run_id:
                claimed = KeyClaim(run_id=owner.run_id, request_hash=owner.request_hash, mine=False)
                return Admission(admitted=False, open=0, share=0, claimed=claimed)
        new = (await connection.execute(keep)).first() is not None
        by_tenant: dict[str, int] = {tenant: number for tenant, number in (await connection.execute(count)).all()}
        share = max(1, at_most // max(1, len(by_tenant)))
        everybody = sum(by_tenant.values())
        if new and (everybody > at_most or by_tenant[run.tenant] > share):
            await connection.rollback()
            return Admission(admitted=False, open=everybody - 1, share=share)
        await connection.commit()
    return Admission(admitted=True, new=new, open=everybody, share=share)


async def open_runs(engine: AsyncEngine, after: OpenRun | None, limit: int) -> list[OpenRun]:
    """Runs that have not ended, in the order of tenant and id, behind `after`."""
    place = tuple_(runs.c.tenant, runs.c.run_id)
    wanted = select(runs.c.status, runs.c.body).where(ASKED_FOR, runs.c.status.in_(UNENDED))
    if after is not None:
        wanted = wanted.where(place > tuple_(after.run.tenant, after.run.run_id))
    async with engine.connect() as connection:
        rows = (await connection.execute(wanted.order_by(runs.c.tenant, runs.c.run_id).limit(limit))).all()
    return [OpenRun(run=ArchivedRun.model_validate_json(row.body), begun=row.status != STARTING) for row in rows]


async def list_expired_runs(engine: AsyncEngine, before: float, limit: int) -> list[ArchivedRun]:
    """Return the runs that ended before a time, in the order of their ends."""
    ended = (ASKED_FOR, runs.c.status.not_in(UNENDED), runs.c.finished_at < before)
    wanted = select(runs.c.body).where(*ended).order_by(runs.c.finished_at).limit(limit)
    async with engine.connect() as connection:
        return [ArchivedRun.model_validate_json(body) for body in await connection.scalars(wanted)]
