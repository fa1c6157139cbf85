"""Claims of runs and requests on quotas, so that many at once do not pass them together.

A run that is admitted claims the part of its budget that it keeps for its report: in the transaction that admits it, so
of a hundred requests at once exactly those are admitted that there is room for. Before each request to a model the
worker claims what that is taken to use: while other claims and the ledger's true figures leave room, one transaction at
a time for each tenant. A claim goes when the ledger has what was really used; one of a worker that died expires.
"""

import time
from collections.abc import Sequence
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.activities.calls.model_prices import ModelPrice
from elcano.graphs.contracts import AgentCall
from elcano.graphs.errors import BudgetExhausted, ModelBusy
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Allowance, Estimate, Limits
from elcano.operations.quotas.limits import QuotaFile, QuotasUnreadable, open_quota_file
from elcano.operations.quotas.quota_state import (
    RUN_CLAIM,
    SOON,
    QuotasBroken,
    Standing,
    get_tenant_quotas,
    list_scopes,
    quota_claims,
    read_standings,
)
from elcano.service.errors import MoneyUsedUp, QuotaUsedUp, Refusal
from elcano.settings.settings import Settings
from elcano.storage.sql.dialect import insert_or_replace
from elcano.storage.store import TenantStore

LONGEST_WAIT: Final = 3_600.0
"""Seconds after which a held run asks again at the latest: the operator may have raised the quota."""


class QuotaGuard:
    """Lets a request to a model pass if its quotas have room for it."""

    def __init__(self, file: QuotaFile) -> None:
        self._file = file

    async def claim(
        self, store: TenantStore, call: AgentCall, claim: str, estimate: Estimate, price: ModelPrice
    ) -> None:
        """Claim the next request.

        Raises:
            ModelRefused: a quota limits money, and the model has no known price.
            BudgetExhausted: a quota is used up, and the run does not wait.
            ModelBusy: it does, until the quota returns; or the quotas cannot be read.
        """
        try:
            quotas = self._file.read()
        except QuotasUnreadable as error:
            raise ModelBusy(str(error), SOON) from error
        if not quotas.limits_spending(store.tenant):
            return
        mine = get_tenant_quotas(store)
        if price.price is None and await mine.limits_money(quotas, call.run_id):
            price.require_known(Allowance(cost_microusd=0))
        passed = await mine.claim(quotas, call.run_id, claim, estimate, at_exit=call.at_exit)
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
            raise QuotasBroken(f"{error}; the operator has to correct it") from error
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
    """Whether a run that is counted among its runs already is one too many. A resumed one began on an earlier day."""
    return (one.used > one.limit or one.limit == 0) if one.unit == "runs" else one.left == 0


def _build_refusal(one: Standing, now: float) -> Refusal:
    shown = one.model_copy(update={"used": max(0, one.used - 1)}) if one.unit == "runs" else one
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
