"""A collector on loopback that keeps the spans it is sent."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue


@dataclass(frozen=True)
class KeptSpan:
    """One span as it arrived."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, str]
    events: tuple[str, ...]
    began: float
    ended: float
    """Seconds since the epoch."""


class Collector:
    """Keeps spans; it can be made to hang, and `close` takes it away as if it were killed."""

    def __init__(self) -> None:
        self.spans: list[KeptSpan] = []
        self.hanging = threading.Event()
        """While it is set, nothing is read or answered."""
        self.released = threading.Event()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                if collector.hanging.is_set():
                    collector.released.wait(60)
                    return
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                if self.path.endswith("/v1/traces"):
                    collector.spans += parse_spans(body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def of_run(self, run_id: str) -> list[KeptSpan]:
        """The spans of a run and its sections."""
        return [span for span in self.spans if span.attributes.get("elcano.run.id", "").startswith(run_id)]

    def close(self) -> None:
        """Stop listening; connections are refused from now on."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector for the block."""
    collector = Collector()
    try:
        yield collector
    finally:
        collector.close()


def parse_spans(body: bytes) -> Iterator[KeptSpan]:
    """Parse a request of an exporter."""
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        named = {one.key: one.value.string_value for one in resource.resource.attributes}
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield KeptSpan(
                    service=named["service.name"],
                    name=span.name,
                    trace=span.trace_id.hex(),
                    id=span.span_id.hex(),
                    parent=span.parent_span_id.hex(),
                    attributes={one.key: _read_value(one.value) for one in span.attributes},
                    events=tuple(event.name for event in span.events),
                    began=span.start_time_unix_nano / 1e9,
                    ended=span.end_time_unix_nano / 1e9,
                )


def _read_value(value: AnyValue) -> str:
    kind = value.WhichOneof("value")
    return "" if kind is None else str(getattr(value, kind))
