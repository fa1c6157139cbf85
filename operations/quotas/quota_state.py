"""State of the quotas of a tenant or a key: usage, claims of runs and requests, and when they reset."""

import math
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy import BigInteger, Column, ColumnElement, Double, Table, and_, delete, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.graphs.frozen import Frozen
from elcano.graphs.state.budget import Estimate, usd_from_microusd
from elcano.operations.quotas.limits import MEANINGS, LimitName, Period, QuotaLimits, Quotas, Unit
from elcano.service.errors import Refusal
from elcano.storage.admission import ASKED_FOR, UNENDED
from elcano.storage.plugin_store import Difference, PluginTables, get_plugin_data
from elcano.storage.sql.columns import Id
from elcano.storage.sql.dialect import begin_exclusive, insert_or_replace, root_of
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import metadata, runs
from elcano.storage.store import Store, TenantStore
from elcano.storage.usage_totals import UsageSums, find_usage_place, read_usage_sums

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
"""Amounts of a quota claimed by runs and requests in flight. `run_id` is the run that a person asked for; the claim of
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
    """State of one limit. Money is in millionths of a dollar."""

    scope: Scope
    name: LimitName
    limit: int
    used: int
    claimed: int = 0
    """Amount claimed by requests in flight, and by open runs for their reports."""
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
        """Return the remaining amount."""
        return max(0, self.limit - self.used - self.claimed)

    def seconds_until_reset(self, now: float) -> int:
        """After how many seconds there may be more; without a time, or if only claims prevent it, soon."""
        if self.resets_at is None or self.used < self.limit:
            return SOON
        return max(1, math.ceil(self.resets_at - now))

    def describe(self) -> str:
        """Describe its state, as a clause."""
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
    except_claim: tuple[str, str] | None = None,
    reserves: bool = True,
) -> list[Standing]:
    """Read the state of a scope's limits that count these units.

    Args:
        connection: within a transaction, if someone relies on the answer.
        scope: whose.
        now: in seconds since the epoch.
        units: what is counted.
        except_claim: a run and the name of one of its claims, which is not counted.
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
    claimed = await _sum_claims(connection, scope, now, except_claim, reserves=reserves)
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
    connection: AsyncConnection, scope: Scope, now: float, except_claim: tuple[str, str] | None, *, reserves: bool
) -> Estimate:
    claims = quota_claims.c
    is_open = exists().where(runs.c.tenant == claims.tenant, runs.c.run_id == claims.run_id, runs.c.status.in_(UNENDED))
    in_flight = and_(claims.claim != RUN_CLAIM, claims.expires_at > now)
    reserve = and_(claims.claim == RUN_CLAIM, is_open)
    kinds: Sequence[ColumnElement[bool]] = [in_flight, reserve] if reserves else [in_flight]
    counted = [claims.tenant == scope.tenant, or_(*kinds)]
    if scope.api_key is not None:
        counted.append(claims.api_key == scope.api_key)
    if except_claim is not None:
        counted.append(or_(claims.run_id != except_claim[0], claims.claim != except_claim[1]))
    sums = [func.coalesce(func.sum(column), 0) for column in (claims.tokens, claims.cost_microusd)]
    tokens, cost = (await connection.execute(select(*sums).where(*counted))).one()
    return Estimate(tokens=int(tokens), cost_microusd=int(cost))


CLAIM_SECONDS: Final = 900.0
"""Seconds for which a request is assumed to be in flight: an agent's call takes ten minutes at the most."""


class TenantQuotas(TenantBound):
    """The claims of one tenant, and the state of its quotas."""

    async def claim(
        self, quotas: Quotas, run_id: str, claim: str, estimate: Estimate, *, at_exit: bool
    ) -> Standing | None:
        """Claim `estimate` for the next request of a run; the limit that it would pass, if there is one.

        Except `at_exit`, what open runs keep for their reports is left to them.
        """
        root, now = root_of(run_id), time.time()
        async with self._engine.connect() as connection:
            await begin_exclusive(connection, f"quota {self._tenant}")
            place = await find_usage_place(connection, self._tenant, root, now)
            estimate = await self._with_price(connection, estimate, now)
            for scope in list_scopes(quotas, self._tenant, place.api_key):
                standings = await read_standings(
                    connection, scope, now, "tokens", "usd", except_claim=(root, claim), reserves=not at_exit
                )
                for one in standings:
                    if one.left < max(1, estimate.tokens if one.unit == "tokens" else estimate.cost_microusd):
                        return one
            row = self._row(
                run_id=root,
                claim=claim,
                api_key=place.api_key,
                tokens=estimate.tokens,
                cost_microusd=estimate.cost_microusd,
                expires_at=now + CLAIM_SECONDS,
            )
            await connection.execute(insert_or_replace(connection, quota_claims).values(row))
            await connection.commit()
        return None

    async def limits_money(self, quotas: Quotas, run_id: str) -> bool:
        """Whether a quota of a run limits money."""
        async with self._engine.connect() as connection:
            place = await find_usage_place(connection, self._tenant, root_of(run_id), time.time())
        return any(scope.limits.list_set("usd") for scope in list_scopes(quotas, self._tenant, place.api_key))

    async def release(self, run_id: str, claims: Sequence[str]) -> None:
        """Drop claims of a run."""
        mine = (quota_claims.c.run_id == root_of(run_id), quota_claims.c.claim.in_(claims))
        await self._write(delete(quota_claims).where(self._own(quota_claims), *mine))

    async def list_standings(self, quotas: Quotas, api_key: str) -> list[Standing]:
        """List the state of the tenant's limits, and of those of one of its keys."""
        now = time.time()
        async with self._engine.connect() as connection:
            return [
                one
                for scope in list_scopes(quotas, self._tenant, api_key)
                for one in await read_standings(connection, scope, now, "runs", "tokens", "usd")
            ]

    async def _with_price(self, connection: AsyncConnection, estimate: Estimate, now: float) -> Estimate:
        """The estimate, at least at the average price that the tenant paid this month."""
        first, last, _ = period_bounds("month", now)
        used = await read_usage_sums(connection, self._tenant, first, last)
        usual = -(-estimate.tokens * used.cost_microusd // used.tokens) if used.tokens else 0
        return estimate.model_copy(update={"cost_microusd": max(estimate.cost_microusd, usual)})


class QuotaStore(PluginTables):
    """The claims of all tenants."""

    def of(self, tenant: str) -> TenantQuotas:
        """Return the quotas of one tenant."""
        return TenantQuotas(self._engine, tenant)

    async def delete_run(self, tenant: str, run_id: str) -> None:
        """Drops the claims of a run."""
        mine = (quota_claims.c.tenant == tenant, quota_claims.c.run_id == run_id)
        await self._write(delete(quota_claims).where(*mine))

    async def list_stale_claims(self) -> list[tuple[str, str]]:
        """Tenant and run of each claim that can be of no use any more."""
        wanted = select(quota_claims.c.tenant, quota_claims.c.run_id).where(self._is_stale()).distinct()
        async with self._engine.connect() as connection:
            return [(row.tenant, row.run_id) for row in await connection.execute(wanted)]

    async def drop_stale_claims(self, tenant: str, run_id: str) -> None:
        """Drops them, of one run."""
        mine = (quota_claims.c.tenant == tenant, quota_claims.c.run_id == run_id)
        await self._write(delete(quota_claims).where(*mine, self._is_stale()))

    def _is_stale(self) -> ColumnElement[bool]:
        """Whether a claim is of a run that does not exist, or of a request under way when its run ended."""
        claims = quota_claims.c
        of_run = (runs.c.tenant == claims.tenant, runs.c.run_id == claims.run_id)
        is_known, is_open = exists().where(*of_run), exists().where(*of_run, runs.c.status.in_(UNENDED))
        return or_(~is_known, and_(claims.claim != RUN_CLAIM, claims.expires_at <= time.time(), ~is_open))


async def find_stale_claims(store: Store) -> AsyncIterator[Difference]:
    """Find claims on quotas of runs that do not exist, or that ended while a request was in flight."""
    quotas = get_plugin_data(store.plugins, "quotas", QuotaStore)
    for tenant, run_id in await quotas.list_stale_claims():
        text = "it is over, and a part of a quota is still claimed for it"
        mend = partial(quotas.drop_stale_claims, tenant, run_id)
        yield Difference("claim_stale", tenant, run_id, text, "drop the claim", mend)


def get_tenant_quotas(store: TenantStore) -> TenantQuotas:
    """The quotas of a tenant's store."""
    return get_plugin_data(store.plugins, "quotas", TenantQuotas)


class QuotasBroken(Refusal, kind="unavailable", title="The quotas cannot be read", retry_after=SOON):
    """No run starts while it is not known what may be used."""
