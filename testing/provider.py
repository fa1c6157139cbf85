"""A provider on loopback that answers chat completions from a script: the real client code is what is tested."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Request: TypeAlias = dict[str, Any]
"""The body of a chat completion request."""


@dataclass(frozen=True)
class Reply:
    """One HTTP response."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


def answer(arguments: object, *, model: str = "gpt-4o", usage: dict[str, int] | None = None) -> Reply:
    """A chat completion that calls the output tool with `arguments`."""
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "final_result", "arguments": json.dumps(arguments)},
    }
    body: dict[str, object] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {"role": "assistant", "content": None, "tool_calls": [call]},
            }
        ],
    }
    if usage is not None:
        body["usage"] = usage
    return Reply(body=json.dumps(body))


def refusal(status: int, code: str, **headers: str) -> Reply:
    """An error as OpenAI words it."""
    error = {"message": "refused, key sk-proj-SECRETsecret1234", "type": code, "code": code}
    return Reply(
        status, json.dumps({"error": error}), {name.replace("_", "-"): value for name, value in headers.items()}
    )


@dataclass
class Provider:
    """The running server: where it is and what it was asked."""

    url: str
    requests: list[Request] = field(default_factory=list)


def in_order(replies: Sequence[Reply]) -> Callable[[Request], Reply]:
    """Gives `replies` one after the other; the last one is repeated."""
    left = list(replies)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


@contextmanager
def scripted_provider(replies: Sequence[Reply] | Callable[[Request], Reply]) -> Iterator[Provider]:
    """Serves `replies` in order, or what they make of the request; each request has a thread of its own."""
    reply_to = replies if callable(replies) else in_order(replies)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            request = json.loads(self.rfile.read(length))
            provider.requests.append(request)
            reply = reply_to(request)
            time.sleep(reply.delay)
            content = reply.body.encode()
            self.send_response(reply.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.send_header("connection", "close")
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                self.close_connection = True  # a client that gave up on a slow reply

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider = Provider(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
