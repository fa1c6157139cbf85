"""The API as the command line uses it: requests, problems as one clear line, and a stream that resumes by itself.

What changes something is sent with a key of its own, so that it can be sent again: it is done once.
"""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from elcano import __version__
from elcano.cli.exits import Exit, Failed
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.events import AgentEvent

GIVE_UP_SECONDS = 120.0
"""How long a stream that broke off is tried again without one answer."""
REPEAT_SECONDS = 60.0
"""How long a request whose outcome is not known is sent again."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
QUIET_SECONDS = 60.0
"""A stream that is silent for so long, heartbeats included, is taken for dead."""

_TRY_LATER = {429, 502, 503, 504}
UNANSWERED = ("urn:elcano:source-check-failed", "urn:elcano:database-unavailable")
"""The API is well, and the source or the database that it asked is not."""
_NOTICES = {"waiting", "unreadable"}
"""Messages about the stream itself: nobody answers, or a section's events are lost."""

_WORDS = "streaming"
"""Messages that show what is being written: no events, and gone with the next one."""


class Api:
    """A connection to the API at `base_url`."""

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
        """The JSON at `path`."""
        return self._send("GET", path, params=params).json()

    def ask(self, path: str, body: JsonObject) -> Any:
        """The JSON that answers `body`, where nothing is changed by asking."""
        return self._send("POST", path, json=body).json()

    def post(self, path: str, body: JsonObject, say: Callable[[str], None], key: str = "") -> Any:
        """The JSON that answers `body`. It is sent again, with the same key, as long as its outcome is not known.

        Args:
            path: What is asked.
            body: Its words.
            say: Is told when it is sent again.
            key: Of an earlier request with the same words; a new one if it is empty.

        Raises:
            Failed: it was refused, or nothing is known after `REPEAT_SECONDS`; the text has the key.
        """
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        pause, begun = FIRST_PAUSE, time.monotonic()
        while True:
            try:
                response = self._http.post(path, json=body, headers=headers)
            except httpx.ConnectError as error:
                raise self._out_of_reach(error) from error
            except httpx.TransportError as error:
                unknown = Failed(f"the answer was lost ({_explain_transport_error(error)})", Exit.NOT_REACHABLE)
            else:
                if response.is_success:
                    return response.json()
                unknown = failure_from_problem(response)
                if response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    raise unknown
            if time.monotonic() - begun >= REPEAT_SECONDS:
                again = f"the same command with `--key {headers['Idempotency-Key']}` asks again, and counts once"
                raise Failed(f"{unknown}; {again}", unknown.code)
            say(f"{unknown}; asking again")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def report(self, run_id: str, media_type: str) -> str:
        """A run's report as one of the media types that the API serves it in."""
        return self.text(f"/v1/runs/{run_id}/report", media_type)

    def text(self, path: str, media_type: str) -> str:
        """Fetches the text at `path` as one of the media types that the API serves it in."""
        return self._send("GET", path, headers={"Accept": media_type}).text

    def save(self, path: str, file: Path) -> None:
        """Downloads `path` into `file`, byte for byte, once all of it has arrived.

        Raises:
            Failed: it was refused, or it broke off; the file is then as it was.
        """
        partly = file.with_name(f"{file.name}.part")
        try:
            with self._http.stream("GET", path) as response, partly.open("wb") as out:
                if not response.is_success:
                    response.read()
                    raise failure_from_problem(response)
                for piece in response.iter_bytes():
                    out.write(piece)
            partly.replace(file)
        except httpx.ConnectError as error:
            raise self._out_of_reach(error) from error
        except httpx.TransportError as error:
            raise Failed(f"it broke off ({_explain_transport_error(error)}): ask again", Exit.NOT_REACHABLE) from error
        finally:
            partly.unlink(missing_ok=True)

    def delete(self, path: str) -> None:
        """Deletes the resource at `path`."""
        self._send("DELETE", path)

    def watch(
        self, run_id: str, say: Callable[[str], None], write: Callable[[JsonObject], None] | None = None
    ) -> Iterator[AgentEvent]:
        """The run's events from the first to the terminal one.

        A stream that breaks off is resumed after the last event that came; `say` is told about it, about a run
        that waits for a worker, and about sections whose events are lost. `write` gets what is being written, as the
        server's `streaming` messages say it, and an empty object when none of that holds any longer.

        Raises:
            Failed: there is no such run, or the API was out of reach for `GIVE_UP_SECONDS`.
        """
        last_id, pause, heard = "", FIRST_PAUSE, time.monotonic()
        while True:
            try:
                for event in self._stream(run_id, last_id):
                    last_id, pause, heard = event.id or last_id, FIRST_PAUSE, time.monotonic()
                    if event.event in _NOTICES:
                        say(_read_notice(event))
                        continue
                    if event.event == _WORDS:
                        if write is not None:
                            write(json.loads(event.data))
                        continue
                    told = AgentEvent.model_validate_json(event.data)
                    yield told
                    if told.terminal:
                        return
            except httpx.TransportError as error:
                say(f"the stream broke off ({_explain_transport_error(error)}); resuming")
            if write is not None:
                write({})
            if time.monotonic() - heard > GIVE_UP_SECONDS:
                raise Failed(f"{self.base_url} did not answer for {GIVE_UP_SECONDS:g} s", Exit.NOT_REACHABLE)
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _stream(self, run_id: str, last_id: str) -> Iterator[ServerSentEvent]:
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
            raise self._out_of_reach(error) from error
        if not response.is_success:
            raise failure_from_problem(response)
        return response

    def _out_of_reach(self, error: httpx.TransportError) -> Failed:
        return Failed(
            f"the API at {self.base_url} does not answer ({_explain_transport_error(error)}): "
            "start it with `elcano serve`, or set ELCANO_API_URL to where it is",
            Exit.NOT_REACHABLE,
        )


def iterate_stream_events(response: httpx.Response) -> Iterator[ServerSentEvent]:
    """The events of a stream; one that is cut off before its empty line was never sent."""
    # What has no data is no event by the standard, but comes as one here: every heartbeat behind an id, for example.
    return (event for event in EventSource(response).iter_sse() if event.data)


def failure_from_problem(response: httpx.Response) -> Failed:
    """A refusal of the API as one line; bad input and a server in trouble have different exit codes."""
    code = Exit.NOT_REACHABLE if response.status_code in _TRY_LATER else Exit.BAD_INPUT
    if response.status_code == httpx.codes.INTERNAL_SERVER_ERROR:
        code = Exit.FAILED
    if not response.headers.get("Content-Type", "").startswith("application/problem+json"):
        return Failed(f"HTTP {response.status_code} from {response.url}: is that really Elcano's API?", code)
    body = response.json()
    if body["type"] in UNANSWERED:
        code = Exit.FAILED
    faults = "; ".join(f"{fault['field']}: {fault['message']}" for fault in body.get("errors", ()))
    explained = faults or body.get("detail", "")
    return Failed(f"{body['title']}: {explained}" if explained else body["title"], code)


def _read_notice(event: ServerSentEvent) -> str:
    message: str = json.loads(event.data)["message"]
    return message


def _explain_transport_error(error: httpx.TransportError) -> str:
    return str(error) or type(error).__name__
