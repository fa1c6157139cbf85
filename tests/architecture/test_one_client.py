"""Sources and tools read over HTTP by the guarded client alone: whatever else connects goes around the guard."""

import ast

import pytest

from tests.architecture.test_rooms import ROOT, imported_names, within

CLIENT = ROOT / "activities" / "sources" / "http"
FOLDERS = (ROOT / "activities" / "sources", ROOT / "activities" / "tools")
CONNECTING = {
    *("aiohttp", "ftplib", "http.client", "httpcore", "requests", "smtplib", "socket", "socketserver", "telnetlib"),
    *("urllib.request", "urllib3", "websockets", "asyncio.open_connection"),
}
"""What opens connections; of httpx what is in `HTTPX`."""
HTTPX = {
    *("AsyncClient", "Client", "AsyncHTTPTransport", "HTTPTransport"),
    *("delete", "get", "head", "options", "patch", "post", "put", "request", "stream"),
}


def connects(source: str) -> list[str]:
    """Every name in `source` by which a connection could be opened."""
    tree = ast.parse(source)
    found = [name for _, name in imported_names(tree) if within(name, CONNECTING | {f"httpx.{name}" for name in HTTPX})]
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="httpx"), attr=name) if name in HTTPX:
                found.append(f"httpx.{name}")
            case ast.Attribute(value=ast.Name(id="asyncio"), attr="open_connection"):
                found.append("asyncio.open_connection")
    return found


def test_sources_and_tools_connect_by_the_guarded_client_alone() -> None:
    files = [file for folder in FOLDERS for file in folder.rglob("*.py") if CLIENT not in file.parents]
    assert files
    found = {
        str(file.relative_to(ROOT)): names for file in files if (names := connects(file.read_text(encoding="utf-8")))
    }
    assert not found, f"read by activities/sources/http/fetching.py: {found}"


@pytest.mark.parametrize(
    "source",
    [
        "import httpx\nhttpx.get('http://x')",
        "async def f():\n    async with httpx.AsyncClient() as client: ...",
        "from httpx import AsyncClient",
        "import urllib.request",
        "from urllib.request import urlopen",
        "import socket",
        "from asyncio import open_connection",
        "import asyncio\nasyncio.open_connection('x', 1)",
    ],
)
def test_another_way_out_is_found(source: str) -> None:
    assert connects(source)


def test_the_client_itself_is_found_to_connect() -> None:
    assert any(connects(file.read_text(encoding="utf-8")) for file in CLIENT.glob("*.py"))
    assert not connects("import httpx\nhttpx.Response(200)\nhttpx.Headers()\nfrom urllib.parse import quote")
