"""How much of its quotas a tenant, or a key, has used, and when they return."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import BigInteger, Column, ColumnElement, Double, Table, and_, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.graphs.frozen import Frozen
from elcano.graphs.state.budget import Estimate, usd_from_microusd
from elcano.plugins.quotas.limits import MEANINGS, LimitName, Period, QuotaLimits, Quotas, Unit
from elcano.storage.admission import ASKED_FOR, UNENDED
from elcano.storage.ledger import UsageSums, read_usage_sums
from elcano.storage.sql.columns import Id
from elcano.storage.sql.tables import metadata, runs

quota_claims = Table(
    "quota_claims",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("run_id", Id, primary_key=True),
    Column("claim", Id, primary_key=True),
    Column("api_key", Id, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("cost_microusd", BigInteger, nullable=False),
    Column("expires_at", Double, nullable=True),
)
"""What runs and requests in flight may still use of a quota. `run_id` is the run that a person asked for; the claim of
the run itself, for its report, has an empty name and counts while the run is open."""

RUN_CLAIM: Final = ""
"""The name of what a run claims for its report."""
SOON: Final = 30
"""Seconds after which a run that is refused because of others may be asked for again."""


class Scope(Frozen):
    """The owner of limits: a tenant, or one of its keys."""

    tenant: str
    api_key: str | None = None
    limits: QuotaLimits

    @property
    def name(self) -> str:
        """As messages name it."""
        return f"the tenant {self.tenant!r}" if self.api_key is None else f"the API key {self.api_key!r}"


def list_scopes(quotas: Quotas, tenant: str, api_key: str) -> list[Scope]:
    """The scopes that a run counts in."""
    of_tenant = Scope(tenant=tenant, limits=quotas.of_tenant(tenant))
    return [
        of_tenant,
        *([Scope(tenant=tenant, api_key=api_key, limits=quotas.of_key(api_key))] if api_key else []),
    ]


class Standing(Frozen):
    """How one limit stands. Money is in millionths of a dollar."""

    scope: Scope
    name: LimitName
    limit: int
    used: int
    claimed: int = 0
    """What requests under way are taken to use, and what open runs keep for their reports."""
    resets_at: float | None
    """When it returns, in seconds since the epoch; None: when a run ends."""

    @property
    def unit(self) -> Unit:
        """The unit that it counts."""
        return MEANINGS[self.name][0]

    @property
    def period(self) -> Period:
        """For how long it counts."""
        return MEANINGS[self.name][1]

    @property
    def left(self) -> int:
        """What may still be used."""
        return max(0, self.limit - self.used - self.claimed)

    def seconds_until_reset(self, now: float) -> int:
        """After how many seconds there may be more; without a time, or if only claims stand against it, soon."""
        if self.resets_at is None or self.used < self.limit:
            return SOON
        return max(1, math.ceil(self.resets_at - now))

    def describe(self) -> str:
        """How it stands, as a clause."""
        used = f"{self._format(self.used)} are used"
        if self.claimed:
            used += f" and {self._format(self.claimed)} claimed by runs under way"
        when = "when a run ends" if self.resets_at is None else f"at {format_time(self.resets_at)}"
        return f"{self.name} of {self.scope.name} is {self._format(self.limit)}, of which {used}; it returns {when}"

    def _format(self, value: int) -> str:
        return f"${usd_from_microusd(value):,.2f}" if self.unit == "usd" else f"{value:,}"


def format_time(at: float) -> str:
    """A time for people, in UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def period_bounds(period: Period, now: float) -> tuple[str, str, float | None]:
    """The first and the last day of the period that `now` is in, and when the next one begins."""
    today = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "at_once":
        return today.date().isoformat(), today.date().isoformat(), None
    if period == "day":
        return today.date().isoformat(), today.date().isoformat(), (today + timedelta(days=1)).timestamp()
    first = today.replace(day=1)
    following = (first + timedelta(days=32)).replace(day=1)
    return first.date().isoformat(), today.date().isoformat(), following.timestamp()


async def read_standings(
    connection: AsyncConnection,
    scope: Scope,
    now: float,
    *units: Unit,
    beside: tuple[str, str] | None = None,
    reserves: bool = True,
) -> list[Standing]:
    """How the limits of a scope stand that count these units.

    Args:
        connection: within a transaction, if somebody relies on the answer.
        scope: whose.
        now: in seconds since the epoch.
        units: what is counted.
        beside: a run and the name of one of its claims, which is not counted.
        reserves: whether what open runs keep for their reports counts.
    """
    listed = scope.limits.list_set(*units)
    if not listed:
        return []
    periods = {MEANINGS[name][1] for name, _ in listed}
    used: dict[Period, UsageSums] = {}
    for period in periods - {"at_once"}:
        first, last, _ = period_bounds(period, now)
        used[period] = await read_usage_sums(connection, scope.tenant, first, last, scope.api_key)
    claimed = await _sum_claims(connection, scope, now, beside, reserves=reserves)
    standings = []
    for name, limit in listed:
        unit, period = MEANINGS[name]
        count = await count_open_runs(connection, scope) if period == "at_once" else _count_unit(used[period], unit)
        kept = {"runs": 0, "tokens": claimed.tokens, "usd": claimed.cost_microusd}[unit]
        resets_at = period_bounds(period, now)[2]
        standings.append(Standing(scope=scope, name=name, limit=limit, used=count, claimed=kept, resets_at=resets_at))
    return standings


def _count_unit(sums: UsageSums, unit: Unit) -> int:
    return {"runs": sums.runs, "tokens": sums.tokens, "usd": sums.cost_microusd}[unit]


async def count_open_runs(connection: AsyncConnection, scope: Scope) -> int:
    """The runs of a scope that have not ended."""
    mine = [runs.c.tenant == scope.tenant, ASKED_FOR, runs.c.status.in_(UNENDED)]
    if scope.api_key is not None:
        mine.append(runs.c.api_key == scope.api_key)
    return int(await connection.scalar(select(func.count()).select_from(runs).where(*mine)) or 0)


async def _sum_claims(
    connection: AsyncConnection, scope: Scope, now: float, beside: tuple[str, str] | None, *, reserves: bool
) -> Estimate:
    claims = quota_claims.c
    is_open = exists().where(runs.c.tenant == claims.tenant, runs.c.run_id == claims.run_id, runs.c.status.in_(UNENDED))
    in_flight = and_(claims.claim != RUN_CLAIM, claims.expires_at > now)
    reserve = and_(claims.claim == RUN_CLAIM, is_open)
    kinds: Sequence[ColumnElement[bool]] = [in_flight, reserve] if reserves else [in_flight]
    counted = [claims.tenant == scope.tenant, or_(*kinds)]
    if scope.api_key is not None:
        counted.append(claims.api_key == scope.api_key)
    if beside is not None:
        counted.append(or_(claims.run_id != beside[0], claims.claim != beside[1]))
    sums = [func.coalesce(func.sum(column), 0) for column in (claims.tokens, claims.cost_microusd)]
    tokens, cost = (await connection.execute(select(*sums).where(*counted))).one()
    return Estimate(tokens=int(tokens), cost_microusd=int(cost))
