"""Clients of the API, as patient as a client should be: they come again until they know what became of a request.

A stream is followed with `Last-Event-ID` across every break, one that the client makes itself too.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Final
from uuid import uuid4

import httpx
from httpx_sse import EventSource

from elcano.graphs.frozen import JsonObject
from tests.chaos.storm.records import Heard, Request, Transcript

PAUSE: Final = 0.25
"""Seconds before a client comes again."""
NOTICES: Final = ("waiting", "unreadable", "streaming")
BUSY: Final = (429, 502, 503, 504)
"""Answers after which a client comes again with the same request."""
BLOCKED: Final = '"urn:elcano:run-blocked"'
"""The type of a problem that is over once somebody has unpaused the run in Temporal."""
_TIMEOUT: Final = httpx.Timeout(30.0, connect=5.0)


def client(base_url: str) -> httpx.AsyncClient:
    """A client of the API, with as many connections as it needs."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    return httpx.AsyncClient(base_url=base_url, timeout=_TIMEOUT, limits=limits, trust_env=False)


async def insist(http: httpx.AsyncClient, method: str, path: str, body: JsonObject | None = None) -> httpx.Response:
    """Sends a request until it has an answer that says what became of it; it counts once, by its key."""
    headers = {"Idempotency-Key": uuid4().hex} if method == "POST" else {}
    while True:
        try:
            answer = await http.request(method, path, json=body, headers=headers)
        except httpx.TransportError:
            pass  # it is down, or was killed while it answered
        else:
            if answer.status_code not in BUSY and BLOCKED not in answer.text:
                return answer
        await asyncio.sleep(PAUSE)


async def ask(http: httpx.AsyncClient, run_id: str, action: str, body: JsonObject) -> Request:
    """Asks something of a run."""
    answer = await insist(http, "POST", f"/v1/runs/{run_id}/{action}", body)
    told = answer.json()
    return Request(
        action=action, at=time.time(), status=answer.status_code, body=told if isinstance(told, dict) else {}
    )


class Reader:
    """Follows one run."""

    def __init__(self, http: httpx.AsyncClient, run_id: str, name: str, cuts: Sequence[int] = ()) -> None:
        """`cuts`: after so many messages each it hangs up."""
        self.heard: list[Heard] = []
        self._http = http
        self._path = f"/v1/runs/{run_id}/events"
        self._name = name
        self._cuts = list(cuts)
        self._last: str | None = None
        self._connections = 0
        self._wrong: list[str] = []

    @property
    def told(self) -> int:
        """How many events it has heard."""
        return sum(one.id is not None for one in self.heard)

    @property
    def transcript(self) -> Transcript:
        """What it heard."""
        return Transcript(
            client=self._name, heard=tuple(self.heard), connections=self._connections, wrong=tuple(self._wrong)
        )

    async def follow(self) -> None:
        """Returns when it has heard the next end of the run, over any number of connections."""
        while True:
            self._connections += 1
            try:
                if await self._listen():
                    return
            except httpx.TransportError:
                pass  # the server is down, or went away in the middle
            await asyncio.sleep(PAUSE)

    async def _listen(self) -> bool:
        """One connection; whether the run ended in it."""
        headers = {} if self._last is None else {"Last-Event-ID": self._last}
        left = self._cuts.pop(0) if self._cuts else None
        async with self._http.stream("GET", self._path, headers=headers) as answer:
            if answer.status_code != 200:
                if answer.status_code not in (204, *BUSY):
                    await answer.aread()
                    self._wrong.append(f"{answer.status_code} for the events: {answer.text[:300]}")
                return False
            async for message in EventSource(answer).aiter_sse():
                if not message.data:
                    continue  # a comment that keeps the connection: httpx-sse takes it for a message without data
                notice = message.event in NOTICES
                heard = Heard(
                    at=time.time(),
                    event=message.event,
                    id=None if notice else message.id,
                    data=json.loads(message.data),
                )
                self.heard.append(heard)
                self._last = self._last if notice else message.id
                if heard.ends:
                    return True
                if left is not None and (left := left - 1) <= 0:
                    return False
        return False
