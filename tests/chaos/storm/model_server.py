"""The scripted model as a program of its own: chat completions on loopback, each request noted, some answered wrongly.

It keeps nothing in memory that a kill could lose: which request of its run one is, is counted from the notes.
"""

import json
import select
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from pydantic import TypeAdapter

from elcano.graphs.agents.envelope import TaskEnvelope, parse_envelope
from elcano.testing.provider import Reply, list_stream_events, make_completion, make_refusal
from tests.chaos.storm.answers import output, tokens
from tests.chaos.storm.notes import Note, note, read_notes
from tests.chaos.storm.schedule import Fault, FaultKind
from tests.chaos.storm.tables import repair

HANGS: Final = 60.0
"""Seconds that a request is held that is never answered; whoever asked hangs up long before."""
SLOW: Final = 2.5
FAULTS: Final = TypeAdapter(dict[str, tuple[Fault, ...]])
"""By run."""


class Scripted:
    """What is asked and what was noted."""

    def __init__(self, path: Path, faults: Mapping[str, tuple[Fault, ...]]) -> None:
        self._path = path
        self._faults = faults
        self._lock = threading.Lock()
        self._counted = Counter(one.run for one in read_notes(path) if one.what == "asked")

    def reply(self, request: dict[str, Any], connection: socket.socket) -> Reply | None:
        """The reply to one request; None: nobody waits for it any more, or none is ever given."""
        messages = request["messages"]
        prompts = [text for one in messages if one["role"] == "user" for text in _texts(one["content"])]
        envelope = next(found for text in prompts if (found := parse_envelope(text)) is not None)
        if _hung_up(connection):
            return None
        asked = self._asked(request["model"], envelope, json.dumps(messages, sort_keys=True))
        given = output(envelope, request["model"])
        used, written = tokens(json.dumps(messages), json.dumps(given))
        usage = {"prompt_tokens": used, "completion_tokens": written, "total_tokens": used + written}
        fault = self._fault(asked)
        if fault == "slow":
            time.sleep(SLOW)
        elif fault is not None:
            paid = used + written if fault == "unparsable" else 0
            self._note(asked, "disturbed", fault=fault, tokens=paid)
            return _wrong(fault, connection, usage)
        if _hung_up(connection):
            self._note(asked, "gone")
            return None
        self._note(asked, "answered", fault=fault or "", tokens=used + written)
        return make_completion(given, usage=usage)

    def _asked(self, run: str, envelope: TaskEnvelope, conversation: str) -> Note:
        with self._lock:
            self._counted[run] += 1
            number = self._counted[run]
        asked = Note(
            what="asked",
            at=time.time(),
            request=uuid4().hex,
            run=run,
            number=number,
            agent=envelope.kind,
            question=envelope.question,
            iteration=turn(envelope),
            prompt=sha256(conversation.encode()).hexdigest()[:16],
        )
        note(self._path, asked)
        return asked

    def _fault(self, asked: Note) -> FaultKind | None:
        return next((one.kind for one in self._faults.get(asked.run, ()) if one.request == asked.number), None)

    def _note(self, asked: Note, what: str, *, fault: str = "", tokens: int = 0) -> None:
        changed = {"what": what, "at": time.time(), "fault": fault, "tokens": tokens}
        note(self._path, asked.model_copy(update=changed))


def turn(envelope: TaskEnvelope) -> int:
    """Its iteration; of a repair of a query which repair it is, for that tells one from another."""
    return repair(envelope.given) if envelope.kind == "sql_repairer" else envelope.iteration


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    assert isinstance(content, list)
    return [part["text"] for part in content if part.get("type") == "text"]


def _hung_up(connection: socket.socket) -> bool:
    """Whether the other end is closed: a client that waits for its answer sends nothing, and leaves nothing to read."""
    readable, _, _ = select.select([connection], [], [], 0)
    if not readable:
        return False
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True


def _wrong(fault: FaultKind, connection: socket.socket, usage: dict[str, int]) -> Reply | None:
    match fault:
        case "429":
            return make_refusal(429, "rate_limit_exceeded", retry_after="1")
        case "500":
            return make_refusal(500, "server_error")
        case "garbage":
            return Reply(body="<html>Bad gateway</html>")
        case "unparsable":
            told = json.loads(make_completion({}, usage=usage).body)
            told["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = '{"title": "unfinished'
            return Reply(body=json.dumps(told))
        case "hang":
            until = time.monotonic() + HANGS
            while time.monotonic() < until and not _hung_up(connection):
                time.sleep(0.05)
            return None
        case _:
            return None  # cut: the connection ends without an answer


def serve(port: int, path: Path, faults: Mapping[str, tuple[Fault, ...]]) -> None:
    """Serves until it is killed; each request has a thread of its own."""
    scripted = Scripted(path, faults)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = scripted.reply(request, self.connection)
            self.close_connection = True
            if reply is None:
                return
            streaming = list_stream_events(request, reply)
            content = "".join(streaming).encode() or reply.body.encode()
            kind = "text/event-stream" if streaming else "application/json"
            self.send_response(reply.status)
            for name, value in {"content-type": kind, "connection": "close", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet: the notes say it."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that hung up is nothing; all else is."""
            if not isinstance(sys.exception(), ConnectionError):
                super().handle_error(request, client_address)  # type: ignore[arg-type]

    Server(("127.0.0.1", port), Handler).serve_forever(poll_interval=0.05)


def main() -> None:
    """The program: a port, the file of notes, the file of faults."""
    port, notes, faults = sys.argv[1:]
    serve(int(port), Path(notes), FAULTS.validate_json(Path(faults).read_bytes()))


if __name__ == "__main__":
    main()
