"""A service as a process of its own, whose clock nobody else holds up: it notes when it is asked, and refuses once."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Noted:
    """One request."""

    at: float
    """Seconds since the epoch, by the service's clock."""
    query: str
    refused: bool


@dataclass(frozen=True)
class Counting:
    """A service that runs."""

    url: str
    notes: Path

    @property
    def asked(self) -> list[Noted]:
        """All requests so far, in the order in which they came."""
        lines = self.notes.read_text().splitlines()
        return sorted((Noted(**json.loads(line)) for line in lines), key=lambda one: one.at)


@contextmanager
def counting(notes: Path, refuse: int, retry_after: int) -> Iterator[Counting]:
    """The service; request number `refuse` is answered 429, and told to come back after so many seconds."""
    notes.touch()
    command = [sys.executable, "-S", __file__, str(notes), str(refuse), str(retry_after)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Counting(f"http://127.0.0.1:{int(process.stdout.readline())}", notes)
        finally:
            process.kill()


def serve(notes: Path, refuse: int, retry_after: str) -> None:
    """The process: it serves until it is killed."""
    lock, count = threading.Lock(), 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            nonlocal count
            at = time.time()
            query = dict(parse_qsl(urlsplit(self.path).query))["q"]
            with lock:
                count += 1
                refused = count == refuse
                with notes.open("a") as file:
                    file.write(json.dumps({"at": at, "query": query, "refused": refused}) + "\n")
            self.send_response(429 if refused else 200)
            if refused:
                self.send_header("Retry-After", retry_after)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Quietly."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
