"""Tools of MCP servers: listed through a worker, called by nodes of a graph, and once only where they write."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.worker import provider_worker
from tests.api.again import going_on
from tests.api.again.going_on import Provider, ended, log_of
from tests.api.asking import start
from tests.api.handbook import handbook_settings

PROGRAM = Path(__file__).parents[2] / "tool_program.py"


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    program = {"command": sys.executable, "args": [str(PROGRAM), str(tmp_path)], "seconds": 60}
    servers: dict[str, dict[str, Any]] = {
        "tests": {**program, "writes": ["write_and_die"]},
        "time": {"command": sys.executable, "args": ["-m", "mcp_server_time"]},
        "down": {"command": "/no/such/program"},
    }
    return handbook_settings(tmp_path).model_copy(update={"mcp_servers": servers})


@asynccontextmanager
async def working(temporal: Client, store: Store, settings: Settings) -> AsyncIterator[None]:
    async with going_on.working(temporal, store, settings, Provider()), provider_worker(temporal, store, settings):
        yield


def calling(server: str, tool: str, arguments: str) -> dict[str, Any]:
    """A graph that calls one tool, and writes by what it said; by what the handbook says if that failed."""
    passages = {"question": "question", "evidence": "evidence[].id"}
    given = {"server": f"'{server}'", "tool": f"'{tool}'", "arguments": arguments, "as_evidence": "`true`"}
    return {
        "name": "calling",
        "nodes": [
            {"id": "call", "kind": "tool", "tool": "call_tool", "inputs": given},
            {
                "id": "keep",
                "kind": "state",
                "reducer": "add_tool_evidence",
                "inputs": {"items": "[{index: `0`, output: outputs.call}]"},
            },
            {
                "id": "search",
                "kind": "tool",
                "tool": "search",
                "for_each": "sources",
                "reducer": "add_evidence",
                "inputs": {"source": "item", "query": "question"},
            },
            {"id": "writer", "kind": "agent", "agent": "writer", "inputs": passages},
        ],
        "edges": [
            {"kind": "sequential", "from_node": "call", "to_node": "keep"},
            {"kind": "sequential", "from_node": "keep", "to_node": "writer"},
            {"kind": "on_error", "from_node": "call", "to_node": "search"},
            {"kind": "sequential", "from_node": "search", "to_node": "writer"},
        ],
        "entry_node": "call",
        "exit_nodes": ["writer"],
    }


@pytest.mark.long
async def test_tools_are_listed_and_each_server_says_how_it_stands(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with working(temporal, store, api_settings):
        listed = (await api.get("/v1/tools")).json()
        servers = {one["name"]: one for one in listed["servers"]}
        assert list(servers) == ["tests", "time", "down"]
        assert {tool["name"] for tool in servers["time"]["tools"]} == {"get_current_time", "convert_time"}
        assert "cannot be started" in servers["down"]["error"]
        kinds = {tool["name"]: (tool["kind"], tool["needs_approval"]) for tool in servers["tests"]["tools"]}
        assert kinds["echo"] == ("reads", False)
        assert kinds["write"] == ("writes", True)
        assert kinds["write_and_die"] == ("writes", False)
        one = (await api.get("/v1/tools/time")).json()
        assert one["tools"][0]["input_schema"]["type"] == "object"
        missing = await api.get("/v1/tools/nobody")
        assert (missing.status_code, missing.json()["type"]) == (404, "urn:elcano:tool-server-not-found")
        assert "there are: tests, time, down" in missing.json()["detail"]


async def test_a_node_calls_a_tool_that_dies_once_and_its_words_are_cited(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, tmp_path: Path
) -> None:
    async with working(temporal, store, api_settings):
        run_id = await start(api, graph=calling("tests", "flaky", "`{}`"))
        view = await ended(api, run_id)
        state = (await log_of(store, run_id)).run.state
    assert view["status"] == "completed"
    assert [ref.source for ref in state.evidence] == ["mcp:tests"]
    assert view["report"]["references"] == 1
    assert len((tmp_path / "flaky").read_text().splitlines()) == 2
    (told,) = [one for one in await store.of("default").ledger.entries(run_id) if one.name == "call_tool"][-1:]
    assert (told.outcome, told.attempt) == ("completed", 2)


@pytest.mark.parametrize(
    ("tool", "arguments", "error", "written"),
    [
        ("write_and_die", "{line: question}", "OutcomeUnknown", 1),
        ("write", "{line: question}", "ApprovalNeeded", 0),
        ("add", "{a: question}", "ToolRefused", 0),
    ],
)
async def test_a_node_whose_call_fails_is_left_by_its_error(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    tmp_path: Path,
    tool: str,
    arguments: str,
    error: str,
    written: int,
) -> None:
    async with working(temporal, store, api_settings):
        run_id = await start(api, graph=calling("tests", tool, arguments), approvals="refuse")
        view = await ended(api, run_id)
        (failed,) = (await log_of(store, run_id)).run.state.failures
    assert view["status"] == "completed"
    assert (failed.node, failed.type, failed.attempts) == ("call", error, 1)
    lines = tmp_path / "written"
    assert (len(lines.read_text().splitlines()) if lines.exists() else 0) == written
