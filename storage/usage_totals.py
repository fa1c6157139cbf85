"""Usage of tenants, day by day: sums that grow with the ledger and with each admitted run, and outlive both.

A line of the ledger and the sums change in one transaction, so they agree to the token. All that was paid for counts:
attempts that failed, and work that a rollback undid.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import ColumnElement, Insert, and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.frozen import Frozen
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Usage
from elcano.storage.sql.dialect import insert_or_add, root_of
from elcano.storage.sql.tables import runs, usage_totals

UsageGroup: TypeAlias = Literal["day", "tenant", "key", "mode", "model", "source"]
"""Keys by which sums are grouped."""
_COLUMNS: Final[Mapping[UsageGroup, ColumnElement[str]]] = {
    "key": usage_totals.c.api_key,
    **{name: usage_totals.c[name] for name in ("day", "tenant", "mode", "model", "source")},
}


class UsagePlace(Frozen):
    """Group in which usage counts."""

    day: str
    """In UTC, as `2026-11-26`."""
    api_key: str = ""
    """The id of the key that the run was asked for with; empty: none."""
    mode: str = ""
    """The mode that the run was asked for in."""
    model: str = ""
    source: str = ""
    """The source of a search; empty: no search of a source."""


class UsageSums(Frozen):
    """Usage, summed."""

    runs: int = 0
    """Runs that were admitted."""
    calls: int = 0
    """Attempts of calls of agents and tools."""
    requests: int = 0
    """Requests to models."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_microusd: int = 0
    """Millionths of a US dollar."""
    unpriced_requests: int = 0
    """Requests to models without a known price: the cost is too low by theirs."""

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    @classmethod
    def of_call(cls, usage: Usage) -> "UsageSums":
        """One call that used `usage`."""
        return cls(calls=1, **usage.model_dump(exclude={"estimated"}))

    def __add__(self, other: "UsageSums") -> "UsageSums":
        return UsageSums(**{name: value + getattr(other, name) for name, value in self.model_dump().items()})

    def __neg__(self) -> "UsageSums":
        return UsageSums(**{name: -value for name, value in self.model_dump().items()})


_SUMS: Final = tuple(UsageSums.model_fields)


class UsageRow(Frozen):
    """The usage of one group."""

    group: dict[UsageGroup, str]
    used: UsageSums


def day_of(at: float) -> str:
    """The day in UTC of a time in seconds since the epoch."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


async def find_usage_place(connection: AsyncConnection, tenant: str, run_id: str, at: float) -> UsagePlace:
    """Find the group in which a call of a run counts; a branch counts as its run, an unknown run by day."""
    kept = select(runs.c.api_key, runs.c.mode).where(runs.c.tenant == tenant, runs.c.run_id == root_of(run_id))
    run = (await connection.execute(kept)).first()
    return UsagePlace(day=day_of(at)) if run is None else UsagePlace(day=day_of(at), api_key=run.api_key, mode=run.mode)


async def add_usage(connection: AsyncConnection, tenant: str, changes: Iterable[tuple[UsagePlace, UsageSums]]) -> None:
    """Add to the sums of a tenant. Places are changed in one order, so that no two transactions wait for each other."""
    by_place: dict[UsagePlace, UsageSums] = {}
    for place, sums in changes:
        by_place[place] = by_place.get(place, UsageSums()) + sums
    for place, sums in sorted(by_place.items(), key=lambda one: tuple(one[0].model_dump().values())):
        if sums != UsageSums():
            row = {"tenant": tenant, **place.model_dump(), **sums.model_dump()}
            await connection.execute(insert_or_add(connection, usage_totals).values(row))


def count_run(connection: AsyncConnection, run: ArchivedRun, count: int = 1) -> Insert:
    """Counts a run that is admitted, or with -1 one that was and is withdrawn."""
    place = UsagePlace(day=day_of(run.started_at), api_key=run.api_key, mode=run.mode)
    row = {"tenant": run.tenant, **place.model_dump(), **UsageSums(runs=count).model_dump()}
    return insert_or_add(connection, usage_totals).values(row)


async def read_usage_sums(
    connection: AsyncConnection, tenant: str, first: str, last: str, api_key: str | None = None
) -> UsageSums:
    """The sums of a tenant, or of one of its keys, from one day to another, both included."""
    wanted = select(*_sum_columns()).where(usage_totals.c.tenant == tenant, _is_within(first, last))
    if api_key is not None:
        wanted = wanted.where(usage_totals.c.api_key == api_key)
    found = (await connection.execute(wanted)).mappings().one()
    return UsageSums.model_validate(dict(found))


class UsageStore:
    """The sums of one tenant, or of all (None)."""

    def __init__(self, engine: AsyncEngine, tenant: str | None) -> None:
        self._engine = engine
        self._tenant = tenant

    async def summarize(self, by: Sequence[UsageGroup], first: date, last: date) -> list[UsageRow]:
        """Return the usage from one day to another, both included, for each group; without `by` all together."""
        columns = [_COLUMNS[name].label(f"by_{name}") for name in by]
        wanted = select(*columns, *_sum_columns()).where(_is_within(first.isoformat(), last.isoformat()))
        if self._tenant is not None:
            wanted = wanted.where(usage_totals.c.tenant == self._tenant)
        if columns:
            wanted = wanted.group_by(*columns).order_by(*columns)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted)).mappings().all()
        return [
            UsageRow(
                group={name: row[f"by_{name}"] for name in by},
                used=UsageSums.model_validate({name: row[name] for name in _SUMS}),
            )
            for row in rows
        ]


def _is_within(first: str, last: str) -> ColumnElement[bool]:
    return and_(usage_totals.c.day >= first, usage_totals.c.day <= last)


def _sum_columns() -> list[ColumnElement[Any]]:
    return [func.coalesce(func.sum(usage_totals.c[name]), 0).label(name) for name in _SUMS]
