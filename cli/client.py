"""A client of the API: requests, problems as exceptions of one line, and a stream that resumes by itself.

What changes something is sent with an idempotency key, so that it can be sent again and still happens once.
"""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from elcano import __version__
from elcano.cli.exit_codes import Exit, Failed, Refused, Unreachable
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.events import AgentEvent

GIVE_UP_SECONDS = 120.0
"""How long to keep reconnecting a stream that broke off, without one response."""
REPEAT_SECONDS = 60.0
"""How long to resend a request whose outcome is unknown."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
QUIET_SECONDS = 60.0
"""A stream that is silent for this long, heartbeats included, counts as dead."""

_TRY_LATER = {429, 502, 503, 504}
_FAILED_CHECKS = ("urn:elcano:source-check-failed", "urn:elcano:database-unavailable")
"""Problems of the source or database that the API asked; the API itself is well."""
_NOTICES = {"waiting", "unreadable"}
"""Messages about the stream itself: no worker answers, or a section's events are lost."""
_LIVE_TEXT = "streaming"
"""Messages with the text that is being written. They are no events: the next one replaces them."""


class Api:
    """A connection to the API at `base_url`. Its methods raise `Unreachable` and `Refused`."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self._http = httpx.Client(
            base_url=base_url,
            timeout=httpx.Timeout(30.0, read=QUIET_SECONDS),
            headers={"User-Agent": f"elcano/{__version__}"},
        )

    def __enter__(self) -> "Api":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, path: str, **params: str | int | list[str]) -> Any:
        """Return the JSON at `path`."""
        return self._send("GET", path, params=params).json()

    def get_text(self, path: str, media_type: str) -> str:
        """Return the text at `path`, as one of the media types that the API serves it in."""
        return self._send("GET", path, headers={"Accept": media_type}).text

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Post `body` once and return the JSON that answers it."""
        return self._send("POST", path, json=body).json()

    def delete(self, path: str) -> None:
        """Delete the resource at `path`."""
        self._send("DELETE", path)

    def post_with_key(self, path: str, body: Mapping[str, Any], say: Callable[[str], None], key: str = "") -> Any:
        """The JSON that answers `body`. It is sent again, with the same idempotency key, until its outcome is known.

        Args:
            path: Where it is sent.
            body: What is sent.
            say: Called with a sentence whenever it is sent again.
            key: The key of an earlier request with the same body; a new one if it is empty.

        Raises:
            Failed: it was refused, or nothing is known after `REPEAT_SECONDS`; the text has the key.
        """
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        pause, begun = FIRST_PAUSE, time.monotonic()
        while True:
            unknown: Failed
            try:
                response = self._http.post(path, json=body, headers=headers)
            except httpx.ConnectError as error:
                raise self._no_answer(error) from error
            except httpx.TransportError as error:
                unknown = Unreachable(f"the answer was lost ({_explain_transport_error(error)})")
            else:
                if response.is_success:
                    return response.json()
                unknown = failure_from_problem(response)
                if response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    raise unknown
            if time.monotonic() - begun >= REPEAT_SECONDS:
                again = f"repeat the command with `--key {headers['Idempotency-Key']}` to learn the outcome"
                raise Failed(f"{unknown}; {again}; it counts once", unknown.code)
            say(f"{unknown}; trying again")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def download(self, path: str, file: Path) -> None:
        """Save `path` as `file`, byte for byte, once all of it has arrived.

        Raises:
            Failed: it was refused, or it broke off; the file is then as it was.
        """
        partial = file.with_name(f"{file.name}.part")
        try:
            with self._http.stream("GET", path) as response, partial.open("wb") as out:
                if not response.is_success:
                    response.read()
                    raise failure_from_problem(response)
                for piece in response.iter_bytes():
                    out.write(piece)
            partial.replace(file)
        except httpx.ConnectError as error:
            raise self._no_answer(error) from error
        except httpx.TransportError as error:
            raise Unreachable(f"the download broke off ({_explain_transport_error(error)}): try again") from error
        finally:
            partial.unlink(missing_ok=True)

    def watch_run(
        self, run_id: str, say: Callable[[str], None], write: Callable[[JsonObject], None] | None = None
    ) -> Iterator[AgentEvent]:
        """The run's events from the first to the terminal one.

        A stream that breaks off is resumed after the last event received. `say` is called with a sentence about that,
        about a run that waits for a worker, and about sections whose events are lost. `write` gets the text that is
        being written, as the server's `streaming` messages carry it, and an empty object when none of it holds any
        longer.

        Raises:
            Failed: there is no such run, or the API was out of reach for `GIVE_UP_SECONDS`.
        """
        last_id, pause, heard = "", FIRST_PAUSE, time.monotonic()
        while True:
            try:
                for message in self._stream_events(run_id, last_id):
                    last_id, pause, heard = message.id or last_id, FIRST_PAUSE, time.monotonic()
                    if message.event in _NOTICES:
                        say(str(json.loads(message.data)["message"]))
                        continue
                    if message.event == _LIVE_TEXT:
                        if write is not None:
                            write(json.loads(message.data))
                        continue
                    event = AgentEvent.model_validate_json(message.data)
                    yield event
                    if event.terminal:
                        return
            except httpx.TransportError as error:
                say(f"the stream broke off ({_explain_transport_error(error)}); resuming")
            if write is not None:
                write({})
            if time.monotonic() - heard > GIVE_UP_SECONDS:
                raise Unreachable(f"{self.base_url} did not answer for {GIVE_UP_SECONDS:g} s")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _stream_events(self, run_id: str, last_id: str) -> Iterator[ServerSentEvent]:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_id} if last_id else {})
        with self._http.stream("GET", f"/v1/runs/{run_id}/events", headers=headers) as response:
            if response.status_code in _TRY_LATER:
                return
            if not response.is_success:
                response.read()
                raise failure_from_problem(response)
            yield from iterate_stream_events(response)

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **options)
        except httpx.TransportError as error:
            raise self._no_answer(error) from error
        if not response.is_success:
            raise failure_from_problem(response)
        return response

    def _no_answer(self, error: httpx.TransportError) -> Unreachable:
        return Unreachable(
            f"the API at {self.base_url} does not answer ({_explain_transport_error(error)}): "
            "start it with `elcano serve`, or set ELCANO_API_URL to its address"
        )


def iterate_stream_events(response: httpx.Response) -> Iterator[ServerSentEvent]:
    """The events of a stream; one that is cut off before its empty line was never sent."""
    # By the standard, a message without data is no event, but it comes as one here: a heartbeat after an id, say.
    return (event for event in EventSource(response).iter_sse() if event.data)


def failure_from_problem(response: httpx.Response) -> Refused | Unreachable:
    """A refusal of the API as one line; bad input and a server in trouble have different exit codes."""
    status, problem = response.status_code, ""
    if response.headers.get("Content-Type", "").startswith("application/problem+json"):
        body = response.json()
        problem = body["type"]
        faults = "; ".join(f"{fault['field']}: {fault['message']}" for fault in body.get("errors", ()))
        explained = faults or body.get("detail", "")
        text = f"{body['title']}: {explained}" if explained else body["title"]
    else:
        text = f"HTTP {status} from {response.url}: is that really Elcano's API?"
    failed = status == httpx.codes.INTERNAL_SERVER_ERROR or problem in _FAILED_CHECKS
    if status in _TRY_LATER and not failed:
        return Unreachable(text)
    return Refused(text, Exit.FAILED if failed else Exit.BAD_INPUT, problem=problem, status=status)


def _explain_transport_error(error: httpx.TransportError) -> str:
    return str(error) or type(error).__name__
