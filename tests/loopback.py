"""A service on loopback for tests of what asks over HTTP: it answers what a function says, and keeps what it was asked.

Recorded answers of real services lie beside the checkout; tests that play them are skipped where they are not.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlsplit

import pytest

RECORDED: Final = Path(__file__).parents[2] / "shared" / "data" / "http"


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    """Without its query, decoded by nobody."""
    query: dict[str, str]
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    at: float
    """Seconds since the epoch."""

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """One answer."""

    body: bytes | str = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before it begins."""


Answering: TypeAlias = Callable[[Asked], Reply]


@dataclass
class Loopback:
    """A server that runs; `url` ends without a slash."""

    url: str
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def loopback(answering: Answering) -> Iterator[Loopback]:
    """Serves until the block is left, several requests at once."""
    running = Loopback("")

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            parts = urlsplit(self.path)
            asked = Asked(
                method=self.command,
                path=parts.path,
                query=dict(parse_qsl(parts.query, keep_blank_values=True)),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(int(self.headers.get("content-length", 0))),
                at=time.time(),
            )
            running.asked.append(asked)
            reply = answering(asked)
            time.sleep(reply.delay)
            content = reply.body.encode() if isinstance(reply.body, str) else reply.body
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if "content-length" not in {name.lower() for name in reply.headers}:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                pass  # the client has gone, as some tests have it

        do_GET = do_POST = do_HEAD = _answer

        def log_message(self, format: str, *args: object) -> None:
            """Quietly."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    running.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def recorded(name: str) -> Reply:
    """The recorded answer `name`, such as `openai/error_404_model.json`, with its status and its headers."""
    if not RECORDED.is_dir():
        pytest.skip("there are no recorded answers beside this checkout")
    rows = json.loads((RECORDED / "manifest.json").read_text(encoding="utf-8"))
    row = next(row for row in rows if row["file"] == name)
    kept = {key: value for key, value in (row.get("headers") or {}).items() if key.lower() not in _NOT_REPLAYED}
    return Reply((RECORDED / name).read_bytes(), status=row.get("status") or 200, headers=kept)


_NOT_REPLAYED: Final = {"content-encoding", "content-length", "transfer-encoding", "connection"}
