"""Which runs are watched: noted as each is admitted, in the same transaction, and again as it ends.

The second note is for runs that were resumed after their end, and for endpoints that came later: what was told before
is not told again.
"""

from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Limits
from elcano.plugins.webhooks.settings import read_webhook_settings
from elcano.plugins.webhooks.webhook_store import get_webhooks, has_endpoints, note_watch
from elcano.settings.settings import Settings
from elcano.storage.store import TenantStore


class WatchRule:
    """Refuses nothing, and notes what is to be watched."""

    async def __call__(self, connection: AsyncConnection, run: ArchivedRun, limits: Limits) -> None:
        """Note a run that somebody wants to be told of."""
        if await has_endpoints(connection, run.tenant, run.run_id):
            await note_watch(connection, run.tenant, run.run_id)


def open_rule(settings: Settings) -> WatchRule | None:
    """The rule of the API; None: no webhooks are sent."""
    return WatchRule() if read_webhook_settings().webhooks else None


async def note_ended_run(store: TenantStore, run: ArchivedRun) -> str:
    """Note a run that ends; a section is told of by its run."""
    if run.branch_of is None and read_webhook_settings().webhooks:
        await get_webhooks(store).note_watch(run.run_id)
    return ""
