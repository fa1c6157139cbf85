"""Errors of requests to the API: problems that it reports, and no answer at all."""

from collections.abc import Mapping
from typing import Any, Final

import httpx


class ClientError(Exception):
    """A request that was not answered as it was meant to be; the text says what is wrong and what to do."""


class InvalidFiles(ClientError, ValueError):
    """Files on this machine cannot be used as they are; nothing was sent."""


class Unreachable(ClientError):
    """The API does not answer."""


class Problem(ClientError):
    """The API answered with a problem document (RFC 9457)."""

    def __init__(self, message: str, *, status: int, type: str, document: Mapping[str, Any]) -> None:
        self.status = status
        """The HTTP status."""
        self.type = type
        """The URN of the kind of problem; empty if the answer was no problem document."""
        self.document = document
        """The whole document, with `title`, `detail`, and `errors` by field; empty if it was none."""
        super().__init__(message)


class InvalidRequest(Problem):
    """The request cannot work as it was made; nothing was done."""


class NotFound(Problem):
    """There is no such run, report, graph or agent."""


class Conflict(Problem):
    """The request cannot be fulfilled as things stand: the run has ended, or is paused already."""


class Unavailable(Problem):
    """The API, or what it needs, cannot work right now: the same request may be answered later."""


class ServerFailed(Problem):
    """The server failed over the request; its log says why."""


class OutcomeUnknown(ClientError):
    """Whether the request was done could not be learned. Sent again with the same key, it counts once."""

    def __init__(self, message: str, *, key: str) -> None:
        self.key = key
        """Its idempotency key."""
        super().__init__(message)


UNAVAILABLE: Final = frozenset({429, 502, 503, 504})
_KINDS: Final[Mapping[int, type[Problem]]] = {
    404: NotFound,
    409: Conflict,
    500: ServerFailed,
    **dict.fromkeys(UNAVAILABLE, Unavailable),
}


def read_problem(response: httpx.Response) -> Problem:
    """Read an answer that is no success, as one line of text; of a stream the body must have been read."""
    document: dict[str, Any] = {}
    if response.headers.get("Content-Type", "").startswith("application/problem+json"):
        document = response.json()
        faults = "; ".join(f"{fault['field']}: {fault['message']}" for fault in document.get("errors", ()))
        explained = faults or document.get("detail", "")
        text = f"{document['title']}: {explained}" if explained else document["title"]
    else:
        text = f"HTTP {response.status_code} from {response.url}: is that really Elcano's API?"
    kind = _KINDS.get(response.status_code, InvalidRequest)
    return kind(text, status=response.status_code, type=document.get("type", ""), document=document)


def explain_transport_error(error: httpx.TransportError) -> str:
    """Explain in a few words why a request was not answered."""
    return str(error) or type(error).__name__
