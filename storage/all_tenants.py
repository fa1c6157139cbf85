"""What looks across tenants: how many runs are open, which they are, and which ended long ago."""

from sqlalchemy import func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.frozen import Frozen
from elcano.graphs.records import ArchivedRun
from elcano.storage.runs import ASKED_FOR, STARTING, UNENDED, run_row
from elcano.storage.sql.dialect import begin_exclusive, insert_new
from elcano.storage.sql.tables import runs


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


class OpenRun(Frozen):
    """A run that has not ended, as far as is known."""

    run: ArchivedRun
    begun: bool
    """False: it is not known whether its workflow was started."""


async def admit_run(engine: AsyncEngine, run: ArchivedRun, at_most: int) -> Admission:
    """Keeps a run that is about to be started, if its tenant may open one more; see `Store.admit`."""
    row = {**run_row(run, run.tenant), "status": STARTING}
    count = select(runs.c.tenant, func.count()).where(ASKED_FOR, runs.c.status.in_(UNENDED)).group_by(runs.c.tenant)
    async with engine.connect() as connection:
        await begin_exclusive(connection, "admission")
        new = (
            await connection.execute(insert_new(connection, runs).values(row).returning(runs.c.run_id))
        ).first() is not None
        by_tenant = {tenant: number for tenant, number in await connection.execute(count)}
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
