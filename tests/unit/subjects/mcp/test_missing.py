"""Without the extra `mcp` a worker starts all the same; each server that is asked for says what to install."""

from collections.abc import Mapping

import pytest

from elcano.graphs.errors import ToolRefused
from elcano.settings import Settings
from elcano.subjects.mcp import server_connection
from elcano.subjects.mcp.checks import open_servers
from elcano.subjects.mcp.mcp_tools import ListToolsInput
from elcano.subjects.mcp.server_connection import run_with_client
from elcano.subjects.mcp.tool_servers import ToolServer

SERVERS: Mapping[str, dict[str, object]] = {"time": {"command": "mcp-server-time"}, "far": {"url": "https://far.test/"}}
INSTALL = "its extra `mcp`"


@pytest.fixture(autouse=True)
def _without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_connection, "missing_extras", lambda: frozenset({"mcp"}))


async def test_servers_are_opened_and_listed_with_what_is_missing() -> None:
    servers = open_servers(Settings.model_validate({"mcp_servers": SERVERS}))
    listed = (await servers.listing.look(ListToolsInput())).servers
    assert [(one.server, one.answers) for one in listed] == [("time", False), ("far", False)]
    assert all(INSTALL in one.error for one in listed)


async def test_a_call_is_refused_with_what_to_install() -> None:
    async def work(client: object) -> None:
        raise AssertionError("there is nothing to call it with")

    with pytest.raises(ToolRefused, match=INSTALL):
        await run_with_client("time", ToolServer(command="mcp-server-time"), lambda name: "", 5.0, work)
