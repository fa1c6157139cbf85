"""A provider on loopback that answers chat completions from a script, so that the real client code is tested.

It streams if the request asks for a stream. A body that is no chat completion is sent as it is.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, TypeAlias

Request: TypeAlias = dict[str, Any]
"""The body of a chat completion request."""

PIECE: Final = 40
"""Number of characters per streamed piece of an answer."""


@dataclass(frozen=True)
class Reply:
    """One HTTP response."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the response begins."""
    pause: float = 0.0
    """Seconds between the pieces of a streamed answer."""
    half: threading.Event | None = None
    """Half of a streamed answer is sent, and the rest once this event is set."""


def make_completion(arguments: object, *, model: str = "gpt-4o", usage: dict[str, int] | None = None) -> Reply:
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


def make_refusal(status: int, code: str, **headers: str) -> Reply:
    """An error as OpenAI words it."""
    error = {"message": "refused, key sk-proj-SECRETsecret1234", "type": code, "code": code}
    return Reply(
        status, json.dumps({"error": error}), {name.replace("_", "-"): value for name, value in headers.items()}
    )


def completion_to_stream(body: str, *, usage: bool = True) -> Sequence[str]:
    """Convert a chat completion to events of a stream; its `usage`, if it has any, is in the last one but `[DONE]`."""
    whole = json.loads(body)
    head = {**{name: whole[name] for name in ("id", "created", "model")}, "object": "chat.completion.chunk"}

    def event(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"

    (choice,) = whole["choices"]
    lines = [event({"role": "assistant", "content": choice["message"].get("content")})]
    for index, call in enumerate(choice["message"].get("tool_calls") or ()):
        named = {"id": call["id"], "type": "function", "function": {**call["function"], "arguments": ""}}
        lines.append(event({"tool_calls": [{"index": index, **named}]}))
        arguments = call["function"]["arguments"]
        pieces = [arguments[first : first + PIECE] for first in range(0, len(arguments), PIECE)]
        lines += [event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for piece in pieces]
    lines.append(event({}, choice["finish_reason"]))
    if usage and "usage" in whole:
        lines.append(f"data: {json.dumps({**head, 'choices': [], 'usage': whole['usage']})}\n\n")
    return [*lines, "data: [DONE]\n\n"]


def list_stream_events(request: Request, reply: Reply) -> Sequence[str]:
    """List the events of a reply that is to be streamed; none if it is sent as it is."""
    if not request.get("stream") or not reply.body.startswith('{"id": '):
        return ()
    return completion_to_stream(reply.body, usage=bool((request.get("stream_options") or {}).get("include_usage")))


@dataclass
class Provider:
    """The running server: its address and the requests it received."""

    url: str
    requests: list[Request] = field(default_factory=list)


def in_order(replies: Sequence[Reply]) -> Callable[[Request], Reply]:
    """Return `replies` one after the other; the last one is repeated."""
    left = list(replies)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


@contextmanager
def scripted_provider(replies: Sequence[Reply] | Callable[[Request], Reply]) -> Iterator[Provider]:
    """Serve `replies` in order, or the results of a function of the request; each request has a thread of its own."""
    reply_to = replies if callable(replies) else in_order(replies)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            request = json.loads(self.rfile.read(length))
            provider.requests.append(request)
            reply = reply_to(request)
            time.sleep(reply.delay)
            streaming = list_stream_events(request, reply)
            content = reply.body.encode()
            sized = {} if streaming else {"content-length": str(len(content))}
            kind = "text/event-stream" if streaming else "application/json"
            self.send_response(reply.status)
            for name, value in {"content-type": kind, **sized, "connection": "close", **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if not streaming:
                self.wfile.write(content)
            for place, event in enumerate(streaming):
                if reply.half is not None and place == len(streaming) // 2:
                    reply.half.wait()
                self.wfile.write(event.encode())
                time.sleep(reply.pause)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

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
