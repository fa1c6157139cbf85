"""The admission of a run: whether it may start, and the idempotency key that is claimed for it.

A run is admitted, then its workflow is started, then it has begun. A process that dies in between leaves a run of which
it is not known whether it was started; such a run takes a place, and is not listed. An ended run that is resumed takes
a place in the same way, before its next execution starts.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Protocol, cast

from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Limits, microusd_from_usd
from elcano.storage.idempotency_keys import KeyClaim, RequestKey, claim_key
from elcano.storage.sql.dialect import begin_exclusive, insert_new
from elcano.storage.sql.tables import idempotency_keys as keys
from elcano.storage.sql.tables import runs
from elcano.storage.usage_totals import count_run

_LISTS: Final = {"evidence", "branches", "ledger", "output_schema"}
"""Fields that grow with a run, and that no list of runs shows."""


NO_LIMITS: Final = Limits()
STARTING: Final = "starting"
"""Replaces a run's status until it has begun."""
RESUMING: Final = "resuming"
"""Replaces an ended run's status while its next execution is being started; its record still has its end."""
UNENDED: Final = (STARTING, RESUMING, "running")
"""The statuses of runs that are open."""
ASKED_FOR: Final = ~runs.c.run_id.contains(".", autoescape=True)
"""Not a branch: the id of one is its run's, a full stop and more."""


class Admission(Frozen):
    """Whether a run may be started."""

    admitted: bool
    """True of a run that is open already too."""
    new: bool = False
    """The run was not open before."""
    open: int
    """Runs of all tenants that are open, this one not counted if it was refused."""
    share: int
    """Maximum open runs of its tenant at the moment."""
    claimed: KeyClaim | None = None
    """The run that already claimed the key of this request: nothing new was stored, and that run is the answer."""


class AdmissionRule(Protocol):
    """A condition of a plugin for starting a run, such as a quota (`Plugin.admission_rules`)."""

    async def __call__(self, connection: AsyncConnection, run: ArchivedRun, limits: Limits) -> None:
        """Judge a run, which is among those that `connection` sees, and may write what it claims.

        This is within the transaction that admits the run, and all such transactions wait for each other: no two runs
        can take the same last place.

        Raises:
            ElcanoError: it may not start. Nothing of the transaction stays.
        """
        ...


class AdmissionStore:
    """The admission of one tenant's runs, among those of all, and the idempotency keys that it has claimed."""

    def __init__(self, engine: AsyncEngine, tenant: str, admitting: asyncio.Lock) -> None:
        """Runs that this process admits wait for each other at `admitting`, and not with a connection in hand."""
        self._engine = engine
        self._tenant = tenant
        self._admitting = admitting

    async def admit(
        self,
        run: ArchivedRun,
        at_most: int,
        key: RequestKey | None = None,
        *,
        limits: Limits = NO_LIMITS,
        rules: Sequence[AdmissionRule] = (),
    ) -> Admission:
        """Keep a run that is about to start, if fewer than `at_most` are open, and claim its key for it.

        While several tenants have open runs, none of them may open more than its equal share. Concurrent processes
        cannot exceed the limit together, and of two requests with one key the second learns which run was first.
        The run is not listed until it has begun.

        Args:
            run: it.
            at_most: runs of all tenants that may be open.
            key: the idempotency key to claim.
            limits: the run's budget, for the rules.
            rules: further conditions.

        Raises:
            ElcanoError: one of the rules refuses.
        """
        row = {**run_row(run, self._tenant), "status": STARTING}
        named = None if key is None else self._named(key.key)
        async with self._admitting, self._engine.connect() as connection:
            counted = count_run(connection, run)
            keep = insert_new(connection, runs).values(row).returning(runs.c.run_id)
            claim = insert_new(connection, keys)
            await begin_exclusive(connection, "admission")
            if key is not None and named is not None:  # as `claim_key`, but all is ready before the transaction
                await connection.execute(claim.values(tenant=self._tenant, run_id=run.run_id, **key.model_dump()))
                owner = (await connection.execute(select(keys).where(named))).one()
                if owner.run_id != run.run_id:
                    claimed = KeyClaim(run_id=owner.run_id, request_hash=owner.request_hash, mine=False)
                    return Admission(admitted=False, open=0, share=0, claimed=claimed)
            new = (await connection.execute(keep)).first() is not None
            if new:
                await connection.execute(counted)
            return await self._judge_place(connection, run, at_most, limits, rules, new=new)

    async def readmit(
        self,
        run: ArchivedRun,
        at_most: int,
        *,
        limits: Limits = NO_LIMITS,
        rules: Sequence[AdmissionRule] = (),
    ) -> Admission | None:
        """Take a place for an ended run whose next execution is about to start, as `admit` does for a new one.

        Its record stays as it is until `RunStore.reopen`; `release` gives the place back. A run that is open already
        has its place. None: there is no such run.

        Raises:
            ElcanoError: one of the rules refuses.
        """
        mine = (runs.c.tenant == self._tenant, runs.c.run_id == run.run_id)
        async with self._admitting, self._engine.connect() as connection:
            await begin_exclusive(connection, "admission")
            status = await connection.scalar(select(runs.c.status).where(*mine))
            if status is None:
                return None
            new = status not in UNENDED
            if new:
                await connection.execute(update(runs).where(*mine).values(status=RESUMING))
            return await self._judge_place(connection, run, at_most, limits, rules, new=new)

    async def _judge_place(
        self,
        connection: AsyncConnection,
        run: ArchivedRun,
        at_most: int,
        limits: Limits,
        rules: Sequence[AdmissionRule],
        *,
        new: bool,
    ) -> Admission:
        """End the transaction in which a run became open: commit if there is room for it, else roll back."""
        count = select(runs.c.tenant, func.count()).where(ASKED_FOR, runs.c.status.in_(UNENDED)).group_by(runs.c.tenant)
        by_tenant: dict[str, int] = dict(cast("Any", (await connection.execute(count)).all()))
        share = max(1, at_most // max(1, len(by_tenant)))
        everybody = sum(by_tenant.values())
        if new and (everybody > at_most or by_tenant[self._tenant] > share):
            await connection.rollback()
            return Admission(admitted=False, open=everybody - 1, share=share)
        for rule in rules if new else ():
            await rule(connection, run, limits)
        await connection.commit()
        return Admission(admitted=True, new=new, open=everybody, share=share)

    async def release(self, run: ArchivedRun) -> None:
        """Gives back the place of a run whose next execution was not started; one that was reopened stays open."""
        resuming = (runs.c.tenant == self._tenant, runs.c.run_id == run.run_id, runs.c.status == RESUMING)
        async with self._engine.begin() as connection:
            await connection.execute(update(runs).where(*resuming).values(status=run.status))

    async def withdraw(self, run_id: str) -> None:
        """Removes a run whose workflow was not started; one that has begun stays."""
        unstarted = (runs.c.tenant == self._tenant, runs.c.run_id == run_id, runs.c.status == STARTING)
        async with self._engine.begin() as connection:
            body = await connection.scalar(delete(runs).where(*unstarted).returning(runs.c.body))
            if body is not None:
                await connection.execute(count_run(connection, ArchivedRun.model_validate_json(body), -1))

    async def claim(self, key: str, request_hash: str, run_id: str) -> KeyClaim:
        """Claims an idempotency key for `run_id`, or says which run has it. Two callers cannot both own it."""
        async with self._engine.begin() as connection:
            return await claim_key(connection, self._tenant, RequestKey(key=key, request_hash=request_hash), run_id)

    async def find_claim(self, key: str) -> KeyClaim | None:
        """Return the run that has an idempotency key; None if it is free."""
        owner = select(keys.c.run_id, keys.c.request_hash).where(self._named(key))
        async with self._engine.connect() as connection:
            kept = (await connection.execute(owner)).first()
        return None if kept is None else KeyClaim(run_id=kept.run_id, request_hash=kept.request_hash, mine=False)

    async def give_back(self, key: str, run_id: str) -> None:
        """Frees an idempotency key of `run_id`, unless that run is kept."""
        is_kept = select(runs.c.run_id).where(runs.c.tenant == self._tenant, runs.c.run_id == run_id).exists()
        async with self._engine.begin() as connection:
            await connection.execute(delete(keys).where(self._named(key), keys.c.run_id == run_id, ~is_kept))

    async def release_key(self, key: str, run_id: str) -> None:
        """Frees an idempotency key of `run_id`, which stays."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(keys).where(self._named(key), keys.c.run_id == run_id))

    def _named(self, key: str) -> ColumnElement[bool]:
        return and_(keys.c.tenant == self._tenant, keys.c.key == key)


def run_row(run: ArchivedRun, tenant: str) -> dict[str, Any]:
    """A run as a row of its tenant.

    Raises:
        ValueError: it is another tenant's.
    """
    if run.tenant != tenant:
        raise ValueError(f"run {run.run_id!r} belongs to {run.tenant!r} and cannot be kept for {tenant!r}")
    return {
        "tenant": tenant,
        "run_id": run.run_id,
        "status": run.status,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "mode": run.mode,
        "api_key": run.api_key,
        "chosen_mode": run.choice.mode,
        "cost_microusd": _find_cost(run.budget),
        "question": run.question,
        "body": run.model_dump_json(exclude=_LISTS),
        "evidence": len(run.evidence),
        "lists": run.model_dump_json(include=_LISTS),
    }


def _find_cost(budget: JsonObject) -> int:
    gauge = budget.get("cost_usd")
    used = gauge.get("used") if isinstance(gauge, dict) else None
    return microusd_from_usd(used) if isinstance(used, int | float) else 0
