"""What runs and requests claim of quotas, so that many at once do not pass them together.

A run that is admitted claims the part of its budget that it keeps for its report: in the transaction that admits it, so
of a hundred requests at once exactly those are admitted that there is room for. Before each request to a model the
worker claims what that is taken to use: while other claims and the ledger's true figures leave room, one transaction at
a time for each tenant. A claim goes when the ledger has what was really used; one of a worker that died expires.
"""

import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Final

from sqlalchemy import ColumnElement, and_, delete, exists, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.api.http.errors import MoneyUsedUp, QuotaUsedUp, Refusal
from elcano.graphs.contracts import AgentCall
from elcano.graphs.errors import BudgetExhausted, ModelBusy
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Estimate, Limits
from elcano.plugins.quotas.limits import QuotaFile, Quotas, QuotasUnreadable, open_quota_file
from elcano.plugins.quotas.standing import (
    RUN_CLAIM,
    SOON,
    Standing,
    list_scopes,
    period_bounds,
    quota_claims,
    read_standings,
)
from elcano.settings.settings import Settings
from elcano.storage.admission import UNENDED
from elcano.storage.ledger import find_usage_place, read_usage_sums
from elcano.storage.plugin_store import Difference, PluginTables, get_plugin_data
from elcano.storage.sql.dialect import begin_exclusive, insert_or_replace, root_of
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import runs
from elcano.storage.store import Store, TenantStore

CLAIM_SECONDS: Final = 900.0
"""How long a request is believed to be under way: an agent's call takes ten minutes at the most."""


class TenantQuotas(TenantBound):
    """The claims of one tenant, and how its quotas stand."""

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
                    connection, scope, now, "tokens", "usd", beside=(root, claim), reserves=not at_exit
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

    async def release(self, run_id: str, claims: Sequence[str]) -> None:
        """Drop claims of a run."""
        mine = (quota_claims.c.run_id == root_of(run_id), quota_claims.c.claim.in_(claims))
        await self._write(delete(quota_claims).where(self._own(quota_claims), *mine))

    async def list_standings(self, quotas: Quotas, api_key: str) -> list[Standing]:
        """How the limits of the tenant stand, and those of one of its keys."""
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
        """Those of one tenant."""
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
    """What runs claim of quotas that are not there, or that ended while a request was under way."""
    quotas = get_plugin_data(store.beside, "quotas", QuotaStore)
    for tenant, run_id in await quotas.list_stale_claims():
        text = "it is over, and a part of a quota is still claimed for it"
        mend = partial(quotas.drop_stale_claims, tenant, run_id)
        yield Difference("claim_stale", tenant, run_id, text, "drop the claim", mend)


def get_tenant_quotas(store: TenantStore) -> TenantQuotas:
    """The quotas of a tenant's store."""
    return get_plugin_data(store.beside, "quotas", TenantQuotas)


LONGEST_WAIT: Final = 3_600.0
"""Seconds after which a held run asks again at the latest: the operator may have raised the quota."""


class QuotaGuard:
    """Lets a request to a model pass if its quotas have room for it."""

    def __init__(self, file: QuotaFile) -> None:
        self._file = file

    async def claim(self, store: TenantStore, call: AgentCall, claim: str, estimate: Estimate) -> None:
        """Claim the next request.

        Raises:
            BudgetExhausted: a quota is used up, and the run does not wait.
            ModelBusy: it does, until the quota returns; or the quotas cannot be read.
        """
        try:
            quotas = self._file.read()
        except QuotasUnreadable as error:
            raise ModelBusy(str(error), SOON) from error
        if not quotas.limits_spending(store.tenant):
            return
        passed = await get_tenant_quotas(store).claim(quotas, call.run_id, claim, estimate, at_exit=call.at_exit)
        if passed is None:
            return
        text = f"a quota does not allow another request of {call.agent!r}: {passed.describe()}"
        if call.may_wait:
            raise ModelBusy(text, min(float(passed.seconds_until_reset(time.time())), LONGEST_WAIT))
        raise BudgetExhausted("cost" if passed.unit == "usd" else "tokens", text)

    async def release(self, store: TenantStore, call: AgentCall, claims: Sequence[str]) -> None:
        """Drop claims whose requests are in the ledger."""
        if claims:
            await get_tenant_quotas(store).release(call.run_id, claims)


def open_guard(settings: Settings) -> QuotaGuard | None:
    """The guard of a worker; None: there are no quotas."""
    file = open_quota_file()
    return None if file is None else QuotaGuard(file)


class QuotasBroken(Refusal, status=503, title="The quotas cannot be read", retry_after=SOON):
    """No run starts while it is not known what may be used."""


class QuotaRule:
    """Admits a run if none of its quotas is used up."""

    def __init__(self, file: QuotaFile) -> None:
        self._file = file

    async def __call__(self, connection: AsyncConnection, run: ArchivedRun, limits: Limits) -> None:
        """Judge a run, and claim what it keeps for its report.

        Raises:
            QuotaUsedUp: of runs or tokens.
            MoneyUsedUp: of money.
            QuotasBroken: they cannot be read.
        """
        try:
            quotas = self._file.read()
        except QuotasUnreadable as error:
            raise QuotasBroken(f"{error}; whoever runs this service has to correct it") from error
        now = time.time()
        scopes = list_scopes(quotas, run.tenant, run.api_key)
        standings = [
            one for scope in scopes for one in await read_standings(connection, scope, now, "runs", "tokens", "usd")
        ]
        passed = [one for one in standings if _is_passed(one)]
        if passed:
            raise _build_refusal(max(passed, key=lambda one: one.seconds_until_reset(now)), now)
        await _claim_reserve(connection, run, limits, standings)


def _is_passed(one: Standing) -> bool:
    """Whether a run that is counted among its runs already is one too many."""
    return one.used > one.limit if one.unit == "runs" else one.left == 0


def _build_refusal(one: Standing, now: float) -> Refusal:
    shown = one.model_copy(update={"used": one.used - 1}) if one.unit == "runs" else one
    error = MoneyUsedUp(shown.describe()) if one.unit == "usd" else QuotaUsedUp(shown.describe())
    error.retry_after = shown.seconds_until_reset(now)
    return error


async def _claim_reserve(
    connection: AsyncConnection, run: ArchivedRun, limits: Limits, standings: Sequence[Standing]
) -> None:
    """Claim the run's reserve for its report: that share of its budget, or of what is left if that is less."""
    tokens = [one.left for one in standings if one.unit == "tokens"]
    money = [one.left for one in standings if one.unit == "usd"]
    if not tokens and not money:
        return
    row = {
        "tenant": run.tenant,
        "run_id": run.run_id,
        "claim": RUN_CLAIM,
        "api_key": run.api_key,
        "tokens": int(min(limits.tokens, *tokens) * limits.reserve) if tokens else 0,
        "cost_microusd": int(min(limits.cost_microusd or money[0], *money) * limits.reserve) if money else 0,
        "expires_at": None,
    }
    await connection.execute(insert_or_replace(connection, quota_claims).values(row))


def open_rule(settings: Settings) -> QuotaRule | None:
    """The rule of the API; None: there are no quotas."""
    file = open_quota_file()
    return None if file is None else QuotaRule(file)
