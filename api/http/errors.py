"""Refusals over HTTP: the status of each kind of problem, problem documents (RFC 9457), and what only HTTP refuses.

A route never builds an error response: it raises. `problems` writes the documents.
"""

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.service.errors import PROBLEMS, FieldFault, Kind, ProblemKind, Refusal

PROBLEM_MEDIA_TYPE = "application/problem+json"
STATUSES: Final[Mapping[Kind, int]] = {
    "malformed": 400,
    "unauthenticated": 401,
    "unpaid": 402,
    "forbidden": 403,
    "missing": 404,
    "not_acceptable": 406,
    "conflict": 409,
    "gone": 410,
    "too_large": 413,
    "unsupported": 415,
    "misdirected": 421,
    "invalid": 422,
    "exhausted": 429,
    "broken": 500,
    "not_installed": 501,
    "upstream": 502,
    "unavailable": 503,
}


class Problem(Frozen):
    """Why a request was not done (RFC 9457)."""

    type: str = Field(description="Names the kind of problem, for programs.", examples=["urn:elcano:run-not-found"])
    title: str = Field(description="The kind of problem in words.", examples=["No such run"])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(default="", description="What happened here and what to do about it.")
    instance: str = Field(default="", description="The path that was asked for.", examples=["/v1/runs/run-1"])
    errors: tuple[FieldFault, ...] = Field(default=(), description="Every part of the request that cannot work.")


class HostRefused(Refusal, kind="misdirected", title="Unknown host name"):
    """A request was meant for a name that this server does not have."""


class CrossOriginRefused(Refusal, kind="forbidden", title="Cross-origin request refused"):
    """A page of another site asked for a change."""


class BodyUnreadable(Refusal, kind="malformed", title="The body cannot be read"):
    """A body is not JSON, or JSON that cannot be read."""


class MediaTypeUnsupported(Refusal, kind="unsupported", title="The body must be JSON"):
    """A body says that it is something else than JSON."""


class BodyTooLarge(Refusal, kind="too_large", title="The body is too large"):
    """A body is over the size that the API reads."""


class NotAcceptable(Refusal, kind="not_acceptable", title="No acceptable representation"):
    """None of the forms that the client accepts can be made."""


class PathNotFound(Refusal, kind="missing", title="No such path"):
    """There is nothing at the path of a request."""


RETRY_AFTER: Mapping[str, Any] = {
    "Retry-After": {
        "description": "Seconds after which the same request is worth another try.",
        "schema": {"type": "integer", "minimum": 1},
    }
}


def problem_docs(*errors: type[Exception]) -> dict[int | str, dict[str, Any]]:
    """Build the `responses` of a route: the problems that it can respond with, by status."""
    docs: dict[int | str, dict[str, Any]] = {}
    content = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status, kinds in groupby(sorted((PROBLEMS[error] for error in errors), key=get_status), key=get_status):
        alike = tuple(dict.fromkeys(kinds))
        described = "; ".join(f"{kind.title} (`{kind.type}`)" for kind in alike)
        docs[status] = {"description": described, "content": content}
        if any(kind.retry_after is not None for kind in alike):
            docs[status]["headers"] = dict(RETRY_AFTER)
    return docs


def get_status(kind: ProblemKind) -> int:
    """Return the HTTP status of a problem."""
    return STATUSES[kind.kind]
