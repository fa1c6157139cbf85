"""The guard that a worker asks before each request to a model: no quota is passed while runs go on."""

import time
from collections.abc import Sequence
from typing import Final

from elcano.graphs.contracts import AgentCall
from elcano.graphs.errors import BudgetExhausted, ModelBusy
from elcano.graphs.state.budget import Estimate
from elcano.plugins.quotas.claims import get_tenant_quotas
from elcano.plugins.quotas.limits import QuotaFile, QuotasUnreadable, open_quota_file
from elcano.plugins.quotas.standing import SOON
from elcano.settings.settings import Settings
from elcano.storage.store import TenantStore

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
