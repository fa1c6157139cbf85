"""Tables of the plugin, and the transactions in which the budget of a batch is shared out."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Executable, RowMapping, and_, case, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.doors.batches.batch_tables import (
    DONE,
    MOST_ROUNDS,
    OPEN,
    ROUND,
    Batch,
    BatchQuestion,
    BatchSpending,
    QuestionState,
    batch_questions,
    batches,
    share_out,
)
from elcano.doors.batches.contracts import WORKFLOW, BatchState, BatchWork
from elcano.graphs.state.budget import Limits, TopUp
from elcano.service.runs.submission import require_same_request
from elcano.storage.admission import RESUMING, STARTING
from elcano.storage.idempotency_keys import KeyClaim, RequestKey, claim_key
from elcano.storage.outbox import add_notice
from elcano.storage.plugin_store import PluginTables, get_plugin_data
from elcano.storage.sql.dialect import begin_exclusive
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import idempotency_keys, runs
from elcano.storage.store import Store, TenantStore

_Q: Final = batch_questions.c


class TenantBatches(TenantBound):
    """The batches of one tenant."""

    async def create(
        self,
        batch: Batch,
        questions: Sequence[BatchQuestion],
        key: RequestKey | None,
        together_with: Sequence[Executable] = (),
    ) -> str:
        """Keep a batch, and claim its key for it; returns its id, or that of the batch that claimed the key before.

        Args:
            batch: It.
            questions: At least one.
            key: Of the request; None: it had none.
            together_with: Statements that are executed in the same transaction.

        Raises:
            KeyReused: the key came with another request before.
        """
        rows = [self._row(batch_id=batch.id, **one.model_dump(exclude={"status"})) for one in questions]
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"batches {self._tenant}")
            if key is not None and not (claim := await self._claim(connection, key, batch.id)).mine:
                return claim.run_id
            await connection.execute(batches.insert().values(self._row(**batch.model_dump())))
            await connection.execute(batch_questions.insert(), rows)
            if batch.state not in DONE:
                await connection.execute(_wake_batch(self._tenant, batch.id))
            for statement in together_with:
                await connection.execute(statement)
            await connection.commit()
        return batch.id

    async def _claim(self, connection: AsyncConnection, key: RequestKey, id: str) -> KeyClaim:
        found = await claim_key(connection, self._tenant, key, id)
        require_same_request(found, key)
        return found

    async def find(self, id: str) -> Batch | None:
        """One batch; None: there is none of this id."""
        found = await self._list(batches.c.id == id, 1)
        return found[0] if found else None

    async def page(self, limit: int, before: str | None = None) -> list[Batch]:
        """Batches, the newest first, those older than `before`."""
        return await self._list(True if before is None else batches.c.id < before, limit)

    async def _list(self, wanted: Any, limit: int) -> list[Batch]:
        chosen = self._select(batches).where(wanted).order_by(batches.c.id.desc()).limit(limit)
        return await self._fetch_all(Batch, chosen)

    async def questions(self, id: str, *, after: int = -1, limit: int = 1_000, state: str = "") -> list[BatchQuestion]:
        """Questions in their order, those behind the number `after`, all or those in one state of their own."""
        status = _select_status().label("status")
        wanted = self._select(batch_questions).add_columns(status).select_from(_join_runs()).where(self._of(id))
        wanted = wanted.where(_Q.number > after, *([_Q.state == state] if state else ()))
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted.order_by(_Q.number).limit(limit))).mappings()
            return [_parse_question(row) for row in rows]

    async def list_rounds(self, id: str, first: int, last: int) -> list[BatchQuestion]:
        """Questions whose places are between `first` and `last`, and those added for these places, in their order."""
        status = _select_status().label("status")
        wanted = self._select(batch_questions).add_columns(status).select_from(_join_runs()).where(self._of(id))
        wanted = wanted.where((_Q.number % ROUND).between(first, last)).order_by(_Q.number)
        async with self._engine.connect() as connection:
            return [_parse_question(row) for row in (await connection.execute(wanted)).mappings()]

    async def list_statuses(self, id: str) -> list[tuple[int, str]]:
        """Number and status of every question, in their order."""
        wanted = select(_Q.number, _select_status()).select_from(_join_runs()).where(self._of(id)).order_by(_Q.number)
        async with self._engine.connect() as connection:
            return [(int(number), str(status)) for number, status in (await connection.execute(wanted)).all()]

    async def count(self, id: str) -> dict[str, int]:
        """Count questions by status."""
        status = _select_status().label("status")
        wanted = select(status, func.count()).select_from(_join_runs()).where(self._of(id)).group_by(status)
        async with self._engine.connect() as connection:
            return {str(name): int(number) for name, number in (await connection.execute(wanted)).all()}

    async def spending(self, id: str) -> BatchSpending:
        """Sum the usage of the runs of a batch, and the amounts that they may use."""
        async with self._engine.connect() as connection:
            return await self._sum(connection, id)

    async def _sum(self, connection: AsyncConnection, id: str) -> BatchSpending:
        is_open = case((_Q.state.in_(OPEN), 1), else_=0)
        has_ended = case((_Q.state.in_(("ended", "replaced")), 1), else_=0)
        sums: Mapping[str, Any] = {
            "tokens": _Q.tokens,
            "cost_microusd": _Q.cost_microusd,
            "ended": has_ended,
            "granted_tokens": _Q.granted_tokens * is_open,
            "granted_microusd": _Q.granted_microusd * is_open,
            "open": is_open,
        }
        wanted = select(*(func.coalesce(func.sum(one), 0).label(name) for name, one in sums.items()))
        row = (await connection.execute(wanted.where(self._of(id)))).one()
        return BatchSpending.model_validate({name: int(value) for name, value in row._mapping.items()})

    async def grant(self, id: str, number: int, own: Limits) -> BatchQuestion | str:
        """Give a waiting question its part of the budget; returns it, or what the budget lacks.

        Empty: it waits no more, or as many runs are open as may be.
        """
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"batch {self._tenant} {id}")
            wanted = and_(self._of(id), _Q.number == number, _Q.state == "waiting")
            found = (await connection.execute(self._select(batches).where(self._named(id)))).mappings().first()
            row = (await connection.execute(self._select(batch_questions).where(wanted))).mappings().first()
            if found is None or row is None or found["state"] == "cancelling":
                return ""
            batch, spent = Batch.model_validate(dict(found)), await self._sum(connection, id)
            if spent.open >= batch.at_once:
                return ""
            places, least = batch.at_once - spent.open, row["least_tokens"]
            limits = share_out(own, batch.limits_at(time.time()), spent, places, least)
            if isinstance(limits, str):
                return limits
            values = {
                "state": "starting",
                "granted_tokens": limits.tokens,
                "granted_microusd": limits.cost_microusd or 0,
                "granted_seconds": limits.seconds,
            }
            await connection.execute(update(batch_questions).where(wanted).values(values))
            await connection.commit()
        return _parse_question({**row, **values})

    async def note(self, id: str, number: int, state: QuestionState, **values: Any) -> None:
        """Note the state of a question that is not done."""
        mine = and_(self._of(id), _Q.number == number, _Q.state.in_(("waiting", *OPEN)))
        await self._write(update(batch_questions).where(mine).values(state=state, **values))

    async def drop_waiting(self, id: str) -> None:
        """Start none of the questions that wait: the batch was cancelled."""
        mine = and_(self._of(id), _Q.state == "waiting")
        await self._write(update(batch_questions).where(mine).values(state="cancelled"))

    async def note_state(self, batch: Batch, state: BatchState, reason: str = "") -> None:
        """Note the status of a batch, unless it was cancelled or topped up since it was read."""
        b = batches.c
        limits = zip((b.tokens, b.cost_microusd, b.deadline), batch.budget, strict=True)
        same = and_(b.state == batch.state, *(column.is_not_distinct_from(value) for column, value in limits))
        if state in DONE:  # unless questions were added since
            same &= ~exists().where(self._of(batch.id), _Q.state.in_(("waiting", *OPEN)))
        since = batch.since if state == batch.state else time.time()
        change = update(batches).where(self._named(batch.id), same)
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"batch {self._tenant} {batch.id}")
            await connection.execute(change.values(state=state, reason=reason, since=since))
            await connection.commit()

    async def add_questions(
        self,
        id: str,
        questions: Sequence[BatchQuestion],
        key: RequestKey | None,
        *,
        last: int,
        replaced: Sequence[int] = (),
        together_with: Sequence[Executable] = (),
    ) -> bool:
        """Add questions to a batch, which then continues; once for each key. Returns False if it changed meanwhile.

        Args:
            id: of the batch.
            questions: each under the number of its place, below `ROUND`.
            key: of the request; None: it had none.
            last: the highest number when the batch was read; if there is a higher one by now, nothing is added.
            replaced: numbers of questions that these are asked in place of.
            together_with: statements that are executed in the same transaction.

        Raises:
            KeyReused: the key came with another request before.
        """
        base = (last // ROUND + 1) * ROUND
        rows = [
            self._row(batch_id=id, **one.model_dump(exclude={"status", "number"}), number=base + one.number)
            for one in questions
        ]
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"batch {self._tenant} {id}")
            if key is not None and not (await self._claim(connection, key, id)).mine:
                return True
            found = (await connection.execute(self._select(batches).where(self._named(id)))).mappings().first()
            highest = (await connection.execute(select(func.max(_Q.number)).where(self._of(id)))).scalar()
            if found is None or found["state"] == "cancelling" or highest != last or base > MOST_ROUNDS * ROUND:
                return False
            batch, now = Batch.model_validate(dict(found)), time.time()
            values: dict[str, Any] = {"state": "running", "reason": "", "since": now}
            if batch.deadline is not None and batch.state in (*DONE, "out_of_budget"):
                values["deadline"] = max(batch.deadline + now - batch.since, now)
            mine = and_(self._of(id), _Q.number.in_(replaced), _Q.state.not_in(("waiting", *OPEN)))
            await connection.execute(update(batch_questions).where(mine).values(state="replaced"))
            if rows:
                await connection.execute(batch_questions.insert(), rows)
                await connection.execute(update(batches).where(self._named(id)).values(values))
                await connection.execute(_wake_batch(self._tenant, id))
            for statement in together_with:
                await connection.execute(statement)
            await connection.commit()
        return True

    async def cancel(self, id: str, by: str) -> None:
        """Have an open batch cancelled."""
        mine, now = and_(self._named(id), batches.c.state.not_in((*DONE, "cancelling"))), time.time()
        values = {"state": "cancelling", "reason": "", "cancelled_by": by, "since": now}
        await self._write(update(batches).where(mine).values(values), _wake_batch(self._tenant, id))

    async def top_up(self, id: str, added: TopUp, key: RequestKey | None) -> None:
        """Raise the limits that a batch has, once for each key. Its time stops while it is out of budget.

        Raises:
            KeyReused: the key came with another request before.
        """
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"batch {self._tenant} {id}")
            if key is not None and not (await self._claim(connection, key, id)).mine:
                return
            found = (await connection.execute(self._select(batches).where(self._named(id)))).mappings().one()
            batch, now = Batch.model_validate(dict(found)), time.time()
            values: dict[str, Any] = {}
            if batch.tokens is not None:
                values["tokens"] = batch.tokens + added.tokens
            if batch.cost_microusd is not None:
                values["cost_microusd"] = batch.cost_microusd + added.cost_microusd
            stood = now - batch.since if batch.state == "out_of_budget" else 0.0
            if batch.deadline is not None:
                values["deadline"] = max(batch.deadline + stood, now) + added.seconds
            if batch.state == "out_of_budget":
                values |= {"state": "running", "reason": "", "since": now}
            if values:
                await connection.execute(update(batches).where(self._named(id)).values(values))
            await connection.execute(_wake_batch(self._tenant, id))
            await connection.commit()

    async def delete(self, id: str) -> None:
        """Forget a batch; its runs stay."""
        keys = and_(self._own(idempotency_keys), idempotency_keys.c.run_id == id)
        await self._write(
            delete(batch_questions).where(self._of(id)),
            delete(batches).where(self._named(id)),
            delete(idempotency_keys).where(keys),
        )

    def _named(self, id: str) -> Any:
        return and_(self._own(batches), batches.c.id == id)

    def _of(self, id: str) -> Any:
        return and_(self._own(batch_questions), _Q.batch_id == id)


def _parse_question(row: RowMapping | dict[str, Any]) -> BatchQuestion:
    return BatchQuestion.model_validate({name: value for name, value in row.items() if name != "batch_id"})


def _join_runs() -> Any:
    return batch_questions.outerjoin(runs, and_(runs.c.tenant == _Q.tenant, runs.c.run_id == _Q.run_id))


def _select_status() -> Any:
    known = case((runs.c.status.in_((STARTING, RESUMING)), "running"), else_=func.coalesce(runs.c.status, "deleted"))
    replaced, starting = (_Q.state == "replaced", "replaced"), (_Q.state == "starting", "waiting")
    return case(replaced, (_Q.run_id != "", known), starting, else_=_Q.state)


class BatchStore(PluginTables):
    """The batches of all tenants; of a run a batch has nothing but its id, and is notified when it is deleted."""

    def of(self, tenant: str) -> TenantBatches:
        """Return the store of one tenant."""
        return TenantBatches(self._engine, tenant)

    async def wake_open(self) -> None:
        """Have the workflows of all open batches started or signalled, should one be lost."""
        await self._write(*(_wake_batch(work.tenant, work.batch) for work in await self.list_open()))

    async def list_open(self) -> list[BatchWork]:
        """Return the batches of all tenants that have not ended."""
        wanted = select(batches.c.tenant, batches.c.id).where(batches.c.state.not_in(DONE))
        return [BatchWork(tenant=row.tenant, batch=row.id) for row in await self._fetch_rows(wanted)]


def _wake_batch(tenant: str, id: str) -> Executable:
    """The statement that has the workflow of a batch started or signalled."""
    work = BatchWork(tenant=tenant, batch=id)
    return add_notice(tenant, work.workflow_id, WORKFLOW, work, f"Batch {id}")


def get_batch_store(store: Store) -> BatchStore:
    """The batches in a store."""
    return get_plugin_data(store.plugins, "batches", BatchStore)


def get_batches(store: TenantStore) -> TenantBatches:
    """The batches in a tenant's store."""
    return get_plugin_data(store.plugins, "batches", TenantBatches)
