"""A connection to the API: requests, their repetition, and streams that resume by themselves.

What changes something is sent with an idempotency key, so that it can be sent again and still happens once.
"""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar
from urllib.parse import quote

import httpx
from httpx_sse import EventSource, ServerSentEvent

from elcano.client.errors import (
    OutcomeUnknown,
    Unavailable,
    Unreachable,
    explain_transport_error,
    read_problem,
)
from elcano.client.models import AgentEvent, JsonObject, Model

Found = TypeVar("Found")

PIECE = 1 << 20
"""Bytes of a file that are in memory while it is sent."""
GIVE_UP_SECONDS = 120.0
"""Seconds to keep reconnecting a broken stream, or polling, without any response."""
REPEAT_SECONDS = 60.0
"""Seconds to resend a request whose outcome is unknown."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
QUIET_SECONDS = 60.0
"""A stream that is silent for this long, heartbeats included, counts as dead."""

_CUT_OFF = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
"""The connection was cut in the middle, as gateways and idle connections that are used again do."""
_NOTICES = {"waiting", "unreadable"}
"""Messages about the stream itself: no worker answers, or a section's events are lost."""
_LIVE_TEXT = "streaming"
"""Messages with the text that is being written. They are no events: the next one replaces them."""


class Notice(Model):
    """A message about the stream, not about the run: that it was resumed, that a run waits for a worker."""

    text: str


class LiveText(Model):
    """The text that is being written, as far as it is known; the next one of its path replaces it."""

    words: JsonObject
    """As the server's `streaming` messages carry it; empty: none of the earlier text is valid any longer."""


Streamed: TypeAlias = AgentEvent | Notice | LiveText


class Connection:
    """A connection to the API at `base_url`, from one event loop.

    Raises, in all of its methods:
        Unreachable: there is no answer.
        Problem: the API refuses; see its kinds.
    """

    def __init__(self, base_url: str, *, headers: Mapping[str, str] | None = None, api_key: str = "") -> None:
        """`api_key` is sent with every request, and `headers` are too."""
        self.base_url = base_url
        authorization = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx.AsyncClient(
            base_url=base_url,
            timeout=httpx.Timeout(30.0, read=QUIET_SECONDS),
            headers={"User-Agent": "elcano-client", **authorization, **(headers or {})},
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def get(self, path: str, **params: str | int | list[str]) -> Any:
        """Return the JSON at `path`."""
        return (await self._send("GET", path, params=params)).json()

    async def get_text(self, path: str, media_type: str, **params: str) -> str:
        """Return the text at `path`, as one of the media types that the API serves it in."""
        return (await self._send("GET", path, headers={"Accept": media_type}, params=params)).text

    async def get_bytes(self, path: str, media_type: str, **params: str | int) -> bytes:
        """Return the bytes at `path`, such as a picture."""
        return (await self._send("GET", path, headers={"Accept": media_type}, params=params)).content

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Post `body` once and return the JSON that answers it."""
        return (await self._send("POST", path, **_write_json(body))).json()

    async def put(self, path: str, body: Mapping[str, Any]) -> Any:
        """Put `body` at `path` and return the JSON that answers it."""
        return (await self._send("PUT", path, **_write_json(body))).json()

    async def delete(self, path: str) -> None:
        """Delete the resource at `path`."""
        await self._send("DELETE", path)

    async def post_with_key(
        self, path: str, body: Mapping[str, Any], key: str = "", say: Callable[[str], None] | None = None
    ) -> Any:
        """The JSON that answers `body`. It is sent again, with the same idempotency key, until its outcome is known.

        Args:
            path: where it is sent.
            body: what is sent.
            key: that of an earlier request with the same body; a new one if it is empty.
            say: called with a sentence whenever it is sent again.

        Raises:
            OutcomeUnknown: nothing is known after `REPEAT_SECONDS`.
        """
        sent = _write_json(body)
        headers = {"Idempotency-Key": key or str(uuid.uuid4()), **sent["headers"]}
        pause, begun = FIRST_PAUSE, time.monotonic()
        while True:
            try:
                response = await self._http.post(path, content=sent["content"], headers=headers)
            except httpx.ConnectError as error:
                raise self._no_answer(error) from error
            except httpx.TransportError as error:
                unknown = f"the answer was lost ({explain_transport_error(error)})"
            else:
                if response.is_success:
                    return response.json()
                problem = read_problem(response)
                if response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    raise problem
                unknown = str(problem)
            if time.monotonic() - begun >= REPEAT_SECONDS:
                raise OutcomeUnknown(unknown, key=headers["Idempotency-Key"])
            if say is not None:
                say(f"{unknown}; trying again")
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def find_idle_reason(self) -> str:
        """Explain why no worker would take the request now; empty if one would, or if that is not known."""
        with suppress(httpx.TransportError, ValueError, LookupError):
            checks = (await self._http.get("/readyz")).json()["checks"].values()
            return next((str(check["detail"]) for check in checks if not check["ok"]), "")
        return ""

    async def poll(
        self, look: Callable[[], Awaitable[Found]], is_over: Callable[[Found], bool], *, every: float
    ) -> Found:
        """Return the finding of `look` once that is over; it looks every so many seconds, also while the API restarts.

        Raises:
            Unreachable, Unavailable: there was no answer for `GIVE_UP_SECONDS`.
        """
        answered = time.monotonic()
        while True:
            try:
                found = await look()
            except (Unreachable, Unavailable):
                if time.monotonic() - answered >= GIVE_UP_SECONDS:
                    raise
            else:
                if is_over(found):
                    return found
                answered = time.monotonic()
            await asyncio.sleep(every)

    async def download(self, path: str, file: Path) -> None:
        """Save `path` as `file`, byte for byte, once all of it has arrived; if it breaks off, the file is as it was."""
        partial = file.with_name(f"{file.name}.part")
        try:
            async with self._http.stream("GET", path) as response:
                await _require_success(response)
                with partial.open("wb") as out:
                    async for piece in response.aiter_bytes():
                        out.write(piece)
            partial.replace(file)
        except httpx.ConnectError as error:
            raise self._no_answer(error) from error
        except httpx.TransportError as error:
            raise Unreachable(f"the download broke off ({explain_transport_error(error)}): try again") from error
        finally:
            partial.unlink(missing_ok=True)

    async def upload(self, path: str, open_file: Callable[[], IO[bytes]], size: int) -> None:
        """Send a file of `size` bytes as the body of a PUT, piece by piece; doing it again changes nothing."""
        length = {"Content-Length": str(size)}  # so that what is too large is refused before it is sent
        await self._send("PUT", path, lambda: _read_pieces(open_file), headers=length)

    async def stream_run(self, run_id: str, after: str = "") -> AsyncIterator[Streamed]:
        """Stream the events of a run up to its terminal one; a broken stream is resumed after the last event.

        Args:
            run_id: the run.
            after: the id of an event's message; what came after it is streamed. Empty: from the first event.

        Raises:
            Unreachable: the API was out of reach for `GIVE_UP_SECONDS`.
        """
        last_id, pause, last_at = after, FIRST_PAUSE, time.monotonic()
        while True:
            try:
                async for message in self._stream_messages(run_id, last_id):
                    last_id, pause, last_at = message.id or last_id, FIRST_PAUSE, time.monotonic()
                    one = _read_message(message)
                    yield one
                    if isinstance(one, AgentEvent) and one.terminal:
                        return
            except httpx.TransportError as error:
                yield Notice(text=f"the stream broke off ({explain_transport_error(error)}); resuming")
            except Unavailable:
                pass  # it is asked again, as after a stream that broke off
            yield LiveText(words={})
            if time.monotonic() - last_at > GIVE_UP_SECONDS:
                raise Unreachable(f"{self.base_url} did not answer for {GIVE_UP_SECONDS:g} s")
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _stream_messages(self, run_id: str, last_id: str) -> AsyncIterator[ServerSentEvent]:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_id} if last_id else {})
        async with self._http.stream("GET", f"/v1/runs/{quote(run_id, safe='')}/events", headers=headers) as response:
            await _require_success(response)
            async for message in iterate_messages(response):
                yield message

    async def _send(
        self, method: str, path: str, read: Callable[[], AsyncIterator[bytes]] | None = None, **options: Any
    ) -> httpx.Response:
        """Send a request; one that reads, or sends a file, is sent again if its connection is cut off."""
        may_repeat = method == "GET" or read is not None
        while True:
            try:
                if read is not None:
                    options["content"] = read()
                response = await self._http.request(method, path, **options)
            except httpx.TransportError as error:
                if not may_repeat or not isinstance(error, _CUT_OFF):
                    raise self._no_answer(error) from error
                may_repeat = False
            else:
                break
        if not response.is_success:
            raise read_problem(response)
        return response

    def _no_answer(self, error: httpx.TransportError) -> Unreachable:
        return Unreachable(
            f"the API at {self.base_url} does not answer ({explain_transport_error(error)}): "
            "start it with `elcano serve`, or set ELCANO_API_URL to its address"
        )


def _write_json(body: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a request with this body.

    A character that is none, as an argument of a command has for each byte that is not UTF-8, is sent as it is: the
    API's refusal says where it is.
    """
    content = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return {"content": content.encode("utf-8", "surrogatepass"), "headers": {"Content-Type": "application/json"}}


async def _read_pieces(open_file: Callable[[], IO[bytes]]) -> AsyncIterator[bytes]:
    with open_file() as opened:
        while piece := opened.read(PIECE):
            yield piece


async def iterate_messages(response: httpx.Response) -> AsyncIterator[ServerSentEvent]:
    """The messages of a stream that have data; one that is cut off before its empty line was never sent."""
    # By the standard, a message without data is no event, but it comes as one here: a heartbeat after an id, say.
    async for message in EventSource(response).aiter_sse():
        if message.data:
            yield message


def _read_message(message: ServerSentEvent) -> Streamed:
    if message.event in _NOTICES:
        return Notice(text=str(json.loads(message.data)["message"]))
    if message.event == _LIVE_TEXT:
        return LiveText(words=json.loads(message.data))
    return AgentEvent.model_validate_json(message.data)


async def _require_success(response: httpx.Response) -> None:
    """Raise the problem that the answer is, if it is one."""
    if not response.is_success:
        await response.aread()
        raise read_problem(response)
