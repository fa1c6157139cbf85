"""Servers that have an address: asked with headers from variables, bounded, and as they are now."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

from elcano.graphs.errors import OutcomeUnknown, ToolRefused, ToolUnavailable
from elcano.graphs.frozen import Json
from elcano.storage.store import TenantStore, open_store
from elcano.subjects.mcp.mcp_tools import CallToolInput, CallToolOutput, ListToolsInput
from elcano.subjects.mcp.offered_tools import Listing
from elcano.subjects.mcp.server_connection import RESPONSE_BYTES
from elcano.subjects.mcp.tool_calls import Caller, CallPlace
from elcano.subjects.mcp.tool_servers import ToolServer
from tests.api.serving import serving
from tests.loopback import Asked, Loopback, Reply, loopback

READS = ToolAnnotations(read_only_hint=True)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[TenantStore]:
    async with open_store(tmp_path / "store") as opened:
        yield opened.of("default")


@asynccontextmanager
async def served(server: MCPServer) -> AsyncIterator[str]:
    async with serving(server.streamable_http_app()) as url:  # type: ignore[arg-type]
        yield f"{url}/mcp"


async def call(store: TenantStore, server: ToolServer, tool: str, attempt: str = "1", **given: Json) -> CallToolOutput:
    caller = Caller({"tests": server}, {"TOKEN": "a-secret-token"}.get)  # type: ignore[arg-type]
    place = CallPlace("default-1", "0001-use", attempt)
    return await caller.call(store, place, CallToolInput(server="tests", tool=tool, arguments=given), None)


def settled(url: str, **more: object) -> ToolServer:
    return ToolServer.model_validate({"url": url, "seconds": 20, **more})


async def test_a_tool_is_called_as_it_is_now(store: TenantStore) -> None:
    server = MCPServer("tests")

    def add(a: int, b: int) -> int:
        return a + b

    def added(terms: list[int]) -> int:
        return sum(terms)

    server.add_tool(add, name="add", annotations=READS)
    async with served(server) as url:
        assert (await call(store, settled(url), "add", a=1, b=2)).structured == {"result": 3}
        server.remove_tool("add")
        server.add_tool(added, name="add")
        with pytest.raises(ToolRefused, match="/arguments: 'terms' is a required property"):
            await call(store, settled(url), "add", a=1, b=2)
        with pytest.raises(ToolRefused, match="writes, or does not say"):  # nor does it say any more that it reads
            await call(store, settled(url), "add", terms=[1])
        server.remove_tool("add")
        with pytest.raises(ToolRefused, match="unknown tool"):
            await call(store, settled(url), "add", a=1, b=2)


async def test_a_thousand_tools_are_listed_in_part(store: TenantStore) -> None:
    server = MCPServer("tests")
    for number in range(1_000):
        server.add_tool(lambda: "x", name=f"tool_{number}", annotations=READS, structured_output=False)
    async with served(server) as url:
        found = await Listing({"tests": settled(url)}, lambda name: "").look(ListToolsInput(limit=200))
        assert (found.servers[0].count, len(found.servers[0].tools), found.truncated) == (1_000, 200, True)
        assert len(found.model_dump_json()) < 200_000
        assert (await call(store, settled(url), "tool_999")).text == "x"


class Speaking:
    """Speaks the protocol by hand, as far as a test needs it, and answers a call as it is told to."""

    def __init__(self, answer: Reply | Json, *, reads: bool = True) -> None:
        self.answer = answer
        self.reads = reads
        self.calls = 0

    def __call__(self, asked: Asked) -> Reply:
        if asked.method != "POST":
            return Reply(status=405)
        message = asked.json()
        match message.get("method"):
            case "initialize":
                return self._result(
                    message,
                    {
                        "protocolVersion": "2025-06-18",
                        "capabilities": {"tools": {}},
                        "serverInfo": {"name": "tests", "version": "1"},
                    },
                )
            case "tools/list":
                hints: Json = {"readOnlyHint": self.reads}
                return self._result(
                    message, {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "annotations": hints}]}
                )
            case "tools/call":
                self.calls += 1
                return self.answer if isinstance(self.answer, Reply) else self._result(message, self.answer)
            case method if message.get("id") is not None:
                error = {"code": -32601, "message": f"no {method}"}
                return _json({"jsonrpc": "2.0", "id": message["id"], "error": error})
            case _:
                return Reply(status=202)

    def _result(self, message: dict[str, Json], result: Json) -> Reply:
        return _json({"jsonrpc": "2.0", "id": message["id"], "result": result})


def _json(body: object) -> Reply:
    return Reply(json.dumps(body), headers={"Content-Type": "application/json"})


def allowed(speaking: Loopback, **more: object) -> ToolServer:
    return settled(f"{speaking.url}/mcp", writes=["t"], **more)


def text(said: str) -> Json:
    return {"content": [{"type": "text", "text": said}]}


async def test_a_header_has_the_value_of_its_variable(store: TenantStore) -> None:
    with loopback(Speaking(text("hello"))) as speaking:
        server = settled(f"{speaking.url}/mcp", headers={"Authorization": "Bearer ${TOKEN}"})
        assert (await call(store, server, "t")).text == "hello"
    assert {one.headers.get("authorization") for one in speaking.asked} == {"Bearer a-secret-token"}


BROKEN = [
    (Reply("x" * (RESPONSE_BYTES + 1), headers={"Content-Type": "application/json"}), "more than 20,000,000 bytes"),
    (Reply("nonsense", headers={"Content-Type": "application/json"}), "failed: Failed to parse JSON"),
    (Reply("<html>", headers={"Content-Type": "text/html"}), "Unexpected content type"),
    (Reply(status=503), "failed: "),
    (Reply(delay=30.0), "did not answer within 3 s"),
    ({"content": "nonsense"}, "answered what it may not"),
    ({"content": [{"type": "hologram", "data": "x"}]}, "answered what it may not"),
]


def patience(answer: Reply | Json) -> int:
    """How many seconds a server has: few only where it is to have too few."""
    return 3 if isinstance(answer, Reply) and answer.delay else 60


@pytest.mark.parametrize(("answer", "said"), BROKEN)
async def test_what_writes_and_answers_nonsense_is_called_once(
    store: TenantStore, answer: Reply | Json, said: str
) -> None:
    speaker = Speaking(answer, reads=False)
    with loopback(speaker) as speaking:
        for attempt in ("1", "2"):
            with pytest.raises(OutcomeUnknown, match=said if attempt == "1" else "called before"):
                await call(store, allowed(speaking, seconds=patience(answer)), "t", attempt)
    assert speaker.calls == 1


@pytest.mark.parametrize(("answer", "said"), BROKEN)
async def test_what_reads_and_answers_nonsense_is_none(store: TenantStore, answer: Reply | Json, said: str) -> None:
    with (
        loopback(Speaking(answer)) as speaking,
        pytest.raises((ToolUnavailable, ToolRefused), match=said),
    ):
        await call(store, allowed(speaking, seconds=patience(answer)), "t")


async def test_ten_megabytes_are_kept_in_part(store: TenantStore) -> None:
    with loopback(Speaking(text("a" * 10_000_000))) as speaking:
        answered = await call(store, allowed(speaking), "t")
    assert answered.truncated
    assert "10,000,000 characters" in answered.left_out[0]


async def test_what_a_server_says_is_made_sayable(store: TenantStore) -> None:
    with loopback(Speaking(text("a\x1b[31m\x00b"))) as speaking:
        answered = await call(store, allowed(speaking), "t")
    assert "\x1b" not in answered.text
    answered.model_dump_json().encode()


async def test_calls_side_by_side(store: TenantStore) -> None:
    with loopback(Speaking(text("hello"))) as speaking:
        said = await asyncio.gather(*(call(store, allowed(speaking), "t", str(number)) for number in range(4)))
    assert {one.text for one in said} == {"hello"}
