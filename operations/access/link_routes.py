"""Links by which a run can be read without a key: its status, its events and its report, and nothing else.

The link is a path with a secret in it. What it leads to are routes of their own, which are given the run of the link
and no other; they read as a principal that may read runs and do nothing more.
"""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from fastapi import APIRouter, Depends, Header, Path, Response
from fastapi import Request as HttpRequest
from fastapi.sse import EventSourceResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from elcano.api.events.sse import MESSAGES, event_stream, last_event_id
from elcano.api.http.errors import NotAcceptable, problem_docs
from elcano.api.http.request_identity import PUBLIC, requires
from elcano.api.http.stream_check import repeat_check
from elcano.api.reports.routes import REPORT_CONTENT, get_report
from elcano.api.runs.routes import get_run
from elcano.api.services import InProcess, Provided, Services
from elcano.operations.access.access_store import LinkRecord
from elcano.operations.access.credentials import parse_credential
from elcano.operations.access.key_identity import get_access_store
from elcano.operations.access.key_routes import DAY, get_tenant_access
from elcano.service.errors import LastEventIdInvalid, Refusal, ReportNotReady, RunNotFound
from elcano.service.events.feed import Feed
from elcano.service.events.journal_merge import Cursor
from elcano.service.fields import Described, Moment, Request
from elcano.service.permissions import Principal
from elcano.service.runs.run_status import kept_run
from elcano.service.runs.run_view import RunView

PRIVATE: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}
"""Headers of everything behind a link, for browsers and crawlers."""


class LinkNotFound(Refusal, kind="missing", title="No such link"):
    """A link is unknown, expired or revoked."""


class LinkView(Described):
    """A link to a run, without its secret."""

    id: str = Field(examples=["7q2mz0v1k3xc"])
    """Its id."""
    run_id: str
    """The run that it reads."""
    state: str = Field(examples=["valid"])
    """`valid`, `expired` or `revoked`."""
    created_at: Moment
    """When it was made."""
    created_by: str
    """By whom."""
    expires_at: Moment
    """When it expires."""

    @classmethod
    def of(cls, record: LinkRecord) -> "LinkView":
        """The view of a stored link."""
        over = record.expires_at <= time.time()
        state = "revoked" if record.revoked_at is not None else "expired" if over else "valid"
        return cls.from_record(record, state=state)


class NewLink(LinkView):
    """A link that was just made."""

    path: str = Field(examples=["/v1/shared/ell_7q2mz0v1k3xc_.../report"])
    """Path of the report; anyone who has it may read it. Shown only once."""


class LinkRequest(Request):
    """The link to make."""

    days: float = Field(default=30.0, gt=0, le=365, examples=[30])
    """In how many days it expires."""


links = APIRouter(prefix="/v1/runs/{run_id}/links", tags=["access"], dependencies=[requires("share_run")])


@links.post("", status_code=201, responses=problem_docs(RunNotFound))
async def share_run(run_id: str, services: Provided, response: Response, request: LinkRequest | None = None) -> NewLink:
    """Make a link by which everyone who has it can read the run's status, events and report, until it expires."""
    await kept_run(run_id, services.store)
    until = time.time() + (request or LinkRequest()).days * DAY
    made, record = await get_tenant_access(services).create_link(run_id, until, services.principal.user)
    response.headers["Location"] = f"/v1/runs/{run_id}/links/{record.id}"
    response.headers["Cache-Control"] = "no-store"
    return NewLink(**LinkView.of(record).model_dump(), path=f"/v1/shared/{made.text}/report")


@links.get("", responses=problem_docs(RunNotFound))
async def list_links(run_id: str, services: Provided) -> list[LinkView]:
    """List the links to a run, the newest first, those that expired or were revoked too."""
    await kept_run(run_id, services.store)
    return [LinkView.of(one) for one in await get_tenant_access(services).list_links(run_id)]


@links.delete("/{link_id}", status_code=204, responses=problem_docs(RunNotFound, LinkNotFound))
async def revoke_link(run_id: str, link_id: Annotated[str, Path(max_length=40)], services: Provided) -> None:
    """Revoke a link at once. It stays listed."""
    await kept_run(run_id, services.store)
    if not await get_tenant_access(services).revoke_link(run_id, link_id):
        raise LinkNotFound(f"the run {run_id!r} has no link {link_id[:40]!r}; `GET /v1/runs/{run_id}/links` lists them")


@dataclass(frozen=True)
class SharedRun:
    """The run of a link, and what reads it."""

    run_id: str
    services: Services


async def find_shared_run(
    link: Annotated[str, Path(max_length=100, description="The secret part of the link.")],
    request: HttpRequest,
    response: Response,
    process: InProcess,
) -> SharedRun:
    """The run of a link, for its tenant, read only. Unknown, expired and revoked links are alike.

    Raises:
        LinkNotFound: it leads nowhere.
    """
    found = await _find_valid_link(link, request)
    if found is None:
        raise LinkNotFound("this link leads nowhere: it expired, was revoked, or is not complete; ask for a new one")

    async def is_valid() -> bool:
        return await _find_valid_link(link, request) is not None

    repeat_check(request, is_valid)
    response.headers.update(PRIVATE)
    reader = Principal(tenant=found.tenant, role="reader", scopes=frozenset({"read_run"}))
    return SharedRun(found.run_id, process.of(reader))


async def _find_valid_link(text: str, request: HttpRequest) -> LinkRecord | None:
    given = parse_credential(text, "ell")
    found = None if given is None else await get_access_store(request).find_link(given.id)
    if given is None or not given.matches(found.secret_hash if found else None) or found is None:
        return None
    return found if found.revoked_at is None and found.expires_at > time.time() else None


Shared: TypeAlias = Annotated[SharedRun, Depends(find_shared_run)]

shared = APIRouter(
    prefix="/v1/shared/{link}", tags=["access"], dependencies=[PUBLIC], responses=problem_docs(LinkNotFound)
)


@shared.get("")
async def get_shared_run(run: Shared) -> RunView:
    """Get the status of the run of a link."""
    return (await get_run(run.run_id, run.services, pending=False)).model_copy(update={"api_key": ""})


@shared.get(
    "/report",
    response_class=Response,
    responses={
        200: {
            "description": "The report, in the form that `Accept` asks for, as `GET /v1/runs/{run_id}/report`",
            "content": dict(REPORT_CONTENT),
        },
        **problem_docs(NotAcceptable, ReportNotReady),
    },
)
async def get_shared_report(
    run: Shared, accept: Annotated[str | None, Header(description="As for a run's report.")] = None
) -> Response:
    """Read the report of the run of a link: Markdown, or HTML with its pictures, or JSON."""
    answer = await get_report(run.run_id, run.services, accept)
    answer.headers.update(PRIVATE)
    return answer


async def open_shared_feed(
    run: Shared, since: Annotated[Cursor, Depends(last_event_id)], request: HttpRequest
) -> AsyncIterator[Feed]:
    """The feed of a link's run, open as long as the response is being sent."""
    async with request.app.state.feeds.open(run.services.tenant, run.run_id) as feed:
        if feed.exhausted(since):
            raise HTTPException(204)
        yield feed


@shared.get(
    "/events",
    response_class=Response,
    responses={
        200: {"description": "The events, each as it comes", "content": {"text/event-stream": dict(MESSAGES)}},
        204: {"description": "The run has ended and you have its last event"},
        **problem_docs(LastEventIdInvalid),
    },
)
async def follow_shared_run(
    feed: Annotated[Feed, Depends(open_shared_feed)], since: Annotated[Cursor, Depends(last_event_id)]
) -> EventSourceResponse:
    """Follow the run of a link, as `GET /v1/runs/{run_id}/events` does."""
    return event_stream(feed, since)
