"""The servers of tools that this worker knows: what the operator named, read once, with what calls and lists them."""

from dataclasses import dataclass

from temporalio import activity

from elcano.activities.calls.failures import classify_failure
from elcano.activities.calls.heartbeat import send_heartbeats
from elcano.activities.mcp.offered_tools import Listing
from elcano.activities.mcp.tool_calls import Caller, Place
from elcano.graphs.catalogue.mcp_tools import CallToolInput, CallToolOutput, ListToolsInput, ListToolsOutput
from elcano.graphs.catalogue.tool_servers import CLOSING_SECONDS, tool_servers
from elcano.graphs.providers import LOOK_AT_TOOLS, ToolLook
from elcano.settings import Settings
from elcano.storage.store import TenantStore


@dataclass(frozen=True)
class Servers:
    """What can be done with them."""

    caller: Caller
    listing: Listing

    async def call_tool(
        self, store: TenantStore, run_id: str, given: CallToolInput, approval: str = ""
    ) -> CallToolOutput:
        """Calls one tool, within the time that this attempt of the activity has; `approval` is the id of one it has.

        Raises:
            ActivityFault: see `Caller.call`.
        """
        info = activity.info()
        longest = info.start_to_close_timeout
        attempt = f"{info.workflow_run_id}/{info.activity_id}/{info.attempt}"
        # A run that was taken up tries its call again under another id, which has a dot: it is the same call.
        place = Place(run_id, info.activity_id.partition(".")[0], attempt, approval)
        within = None if longest is None else longest.total_seconds() - CLOSING_SECONDS
        return await self.caller.call(store, place, given, within)

    async def list_tools(self, given: ListToolsInput) -> ListToolsOutput:
        """What the servers offer.

        Raises:
            ToolRefused: there is no such server.
        """
        return await self.listing.look(given)


class ToolLookActivities:
    """The activity `look_at_tools`, which belongs to no run."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    @activity.defn(name=LOOK_AT_TOOLS)
    async def look_at_tools(self, look: ToolLook) -> ListToolsOutput:
        """What the servers of this worker offer.

        Raises:
            ApplicationError: there is no such server.
        """
        async with send_heartbeats():
            try:
                return await self._servers.listing.look(look.asked, fresh=look.fresh)
            except Exception as error:
                raise classify_failure(error) from None


def open_servers(settings: Settings) -> Servers:
    """The servers of the settings. Where the extra `mcp` is not installed, each says so that is called or listed.

    Raises:
        InputInvalid: the setting has faults.
    """
    servers = tool_servers(settings.mcp_servers)
    return Servers(Caller(servers, settings.key), Listing(servers, settings.key))
