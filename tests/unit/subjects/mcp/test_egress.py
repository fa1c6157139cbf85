"""Which tool servers a run may contact within its egress scope."""

from pathlib import Path

import pytest

from elcano.activities.sources.http.trust_guard import apply_trust
from elcano.graphs.errors import ToolRefused
from elcano.graphs.trust import Trust
from elcano.storage.store import open_store
from elcano.subjects.mcp.mcp_tools import CallToolInput, ListToolsInput
from elcano.subjects.mcp.offered_tools import Listing
from elcano.subjects.mcp.server_connection import explain_server_refusal
from elcano.subjects.mcp.tool_calls import Caller, CallPlace
from elcano.subjects.mcp.tool_servers import ToolServer

SERVERS = {
    "program": ToolServer(command="tools"),
    "inner": ToolServer(url="http://tools.internal:9000/mcp"),
    "outer": ToolServer(url="https://tools.example.org/mcp"),
}


@pytest.mark.parametrize(
    ("trust", "open_to"),
    [
        (Trust(blocked_kinds=("page",)), {"program", "inner", "outer"}),
        (Trust(egress="private"), {"inner"}),
        (Trust(egress="public"), {"outer"}),
        (Trust(egress="hosts", egress_hosts=("example.org",)), {"outer"}),
    ],
)
def test_a_program_may_contact_anyone_so_no_scope_lets_it(trust: Trust, open_to: set[str]) -> None:
    with apply_trust(trust, ()):
        assert {name for name, server in SERVERS.items() if not explain_server_refusal(name, server)} == open_to


async def test_servers_out_of_reach_are_neither_called_nor_asked_for_their_tools(tmp_path: Path) -> None:
    with apply_trust(Trust(egress="private"), ()):
        listed = await Listing(SERVERS, str).look(ListToolsInput(servers=("program", "outer")))
        assert [(one.answers, "egress" in one.error) for one in listed.servers] == [(False, True)] * 2
        given = CallToolInput(server="outer", tool="search")
        async with open_store(tmp_path) as store:
            with pytest.raises(ToolRefused, match="outside the egress scope"):
                await Caller(SERVERS, str).call(store.of("default"), CallPlace("run", "1", "1"), given, None)
