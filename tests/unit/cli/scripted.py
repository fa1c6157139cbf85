"""A scripted API over real HTTP, and the words in which tests say what it answers."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from elcano.cli import main
from elcano.graphs.contracts import RunStatus
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.events import AgentEvent, EventType

RUN = "run-1"
REPORT = "# Answer\n\nA claim [1].\n"
EVENTS = f"/v1/runs/{RUN}/events"


class Answer:
    """What the server sends once. A `broken` answer promises more than it sends and hangs up."""

    def __init__(self, body: object, status: int = 200, media_type: str = "application/json", broken: bool = False):
        self.body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.status = status
        self.media_type = media_type
        self.broken = broken


class Server(ThreadingHTTPServer):
    """Answers each path from its script, the last answer again and again, and keeps what was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: dict[str, list[Answer]] = {}
        self.asked: list[tuple[str, dict[str, str], bytes]] = []

    def answer(self, request: str, *answers: Answer) -> None:
        self.script[request] = list(answers)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = f"{self.command} {self.path}"
        self.server.asked.append((request, {name.lower(): value for name, value in self.headers.items()}, body))
        answers = self.server.script[request]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(answer.body) + answer.broken))
        self.end_headers()
        self.wfile.write(answer.body)

    do_POST = do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def event(seq: int, type: EventType, message: str = "", *, section: str = "", id: str = "", **data: object) -> str:
    told = AgentEvent.model_validate(
        {
            "seq": seq,
            "type": type,
            "message": message or type,
            "at": 0.0,
            "step": 0,
            "iteration": 0,
            "path": section and f"0004.{section}",
            "section": section,
            "data": data,
        }
    )
    name = "node_error" if type == "error" else type
    return f"id: {id or seq}\nevent: {name}\ndata: {told.model_dump_json()}\n\n"


def stream(*events: str, broken: bool = False) -> Answer:
    return Answer("".join(events), media_type="text/event-stream", broken=broken)


def problem(status: int, title: str, detail: str = "", errors: list[JsonObject] | None = None) -> Answer:
    body = {"type": "urn:x", "title": title, "status": status, "detail": detail, "errors": errors or []}
    return Answer(body, status, "application/problem+json")


def finished(status: RunStatus = "completed") -> str:
    return event(3, "complete", "Done", report={"title": "Answer"}, status=status)


def stands(status: RunStatus = "completed", *, report: bool = True, **more: object) -> Answer:
    """How the API shows a run."""
    shown = {"run_id": RUN, "status": status, "report": {"title": "Answer"} if report else None, "budget": {}}
    return Answer({**shown, **more})


def script_a_run(server: Server, *streams: Answer) -> None:
    server.answer("POST /v1/runs", Answer({"run_id": RUN, "status": "running", "engine": "graph"}, status=201))
    server.answer(f"GET {EVENTS}", *streams)
    server.answer(f"GET /v1/runs/{RUN}/report", Answer(REPORT, media_type="text/markdown"))
    server.answer(f"GET /v1/runs/{RUN}", stands())


def run(*arguments: str) -> int:
    """Runs a command in this process and returns its exit code, however it ends."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
