"""The audit log around the API: what each request of a principal did or was refused is written, and read or exported.

Reading is not recorded, unless it was refused. A request without valid credentials is no one's, and not recorded
either: a client that sends ten thousand wrong keys writes no rows. An entry is written before the answer is sent: if it
cannot be, the answer says so, and the request can be sent again.
"""

import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Header, Query, Response
from pydantic import AwareDatetime, Field
from starlette.datastructures import Headers
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elcano.api.http.errors import NotAcceptable, problem_docs
from elcano.api.http.problems import known_problem
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.operations.access.access_store import get_access
from elcano.operations.access.audit_log import PAGE, AuditEntry, AuditLog, is_recorded
from elcano.operations.access.key_routes import get_tenant_access
from elcano.operations.access.settings import AccessSettings
from elcano.service.errors import StoreUnavailable
from elcano.service.fields import CURSOR, Described
from elcano.service.permissions import Principal
from elcano.service.reports.results import render_csv
from elcano.settings import read_plugin_settings
from elcano.settings.settings import Settings
from elcano.storage.health import STORE_ERRORS

_log = logging.getLogger("access.audit")


class AuditMiddleware:
    """ASGI middleware: writes an entry for each answer to a request that changes something, or that is refused."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._writes = read_plugin_settings(AccessSettings).is_audited

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on every request; an answer that cannot be recorded becomes a 503."""
        if scope["type"] != "http" or not self._writes:
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        replaced = False

        async def send_recorded(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and is_recorded(state, message["status"]):
                try:
                    await _write_entry(scope, state, message)
                except STORE_ERRORS:
                    _log.exception("an entry of the audit log cannot be written")
                    replaced = True
                    why = "it was answered, but the audit log cannot be written: send it again to learn its outcome"
                    await known_problem(StoreUnavailable(why), scope["path"])(scope, receive, send)
            if not replaced:
                await send(message)

        await self._app(scope, receive, send_recorded)


async def _write_entry(scope: Scope, state: dict[str, Any], start: Message) -> None:
    principal: Principal = state["principal"]
    location = Headers(raw=start["headers"]).get("location", "")
    client = scope.get("client")
    await (
        get_access(scope["app"].state.services.store)
        .of(principal.tenant)
        .audit.add(
            at=time.time(),
            user=principal.user,
            role=principal.role,
            key_id=principal.key_id,
            action=str(getattr(scope.get("endpoint"), "__name__", scope["method"])),
            target=location if location.startswith("/v1/") else scope["path"],
            outcome=start["status"],
            address=client[0] if client else "",
        )
    )


JSON: Final = "application/json"
JSON_LINES: Final = "application/jsonl"
CSV: Final = "text/csv"
COLUMNS: Final = tuple(AuditEntry.model_fields)
Writer: TypeAlias = Callable[[Sequence[AuditEntry], bool], str]
"""Formats entries; the first of a stream have a head before them, if the form has one."""


def format_as_json_lines(entries: Sequence[AuditEntry], first: bool) -> str:
    """One JSON object a line."""
    return "".join(f"{one.model_dump_json()}\n" for one in entries)


def format_as_csv(entries: Sequence[AuditEntry], first: bool) -> str:
    """One line an entry, after a line of names."""
    return render_csv([*[COLUMNS] * first, *(one.model_dump(mode="json").values() for one in entries)])


class AuditPage(Described):
    """One page of the audit log, the newest entry first."""

    entries: tuple[AuditEntry, ...]
    """The entries."""
    next: str | None = Field(default=None, examples=["01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """Pass it as `cursor` for the next page; null on the last one."""


router = APIRouter(prefix="/v1/audit", tags=["access"], dependencies=[requires("operate")])


@router.get(
    "",
    response_class=Response,
    responses={
        200: {
            "model": AuditPage,
            "description": "A page of entries; or all of them, as JSON Lines or CSV",
            "content": {JSON_LINES: {"schema": {"type": "string"}}, CSV: {"schema": {"type": "string"}}},
        },
        **problem_docs(NotAcceptable),
    },
)
async def read_audit_log(
    services: Provided,
    limit: Annotated[int, Query(ge=1, le=PAGE, description="Entries a page.")] = 50,
    cursor: Annotated[str, Query(pattern=r"^([0-9a-z]{26})?$", description=CURSOR)] = "",
    since: Annotated[AwareDatetime | None, Query(description="Only entries from then on.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Only entries before then.")] = None,
    accept: Annotated[
        str | None,
        Header(description=f"`{JSON}` (default): one page; `{JSON_LINES}` or `{CSV}`: all entries, oldest first."),
    ] = None,
) -> Response:
    """Read the audit log: who did what with your tenant's runs, keys, graphs and agents, and what was refused."""
    form = choose_media_type(accept, (JSON, JSON_LINES, CSV))
    log = get_tenant_access(services).audit
    times = (None if since is None else since.timestamp(), None if until is None else until.timestamp())
    if form != JSON:
        write = format_as_json_lines if form == JSON_LINES else format_as_csv
        name = f'attachment; filename="audit.{"jsonl" if form == JSON_LINES else "csv"}"'
        headers = {"Content-Disposition": name, "Vary": "Accept"}
        return StreamingResponse(stream_entries(log, write, *times), media_type=form, headers=headers)
    entries = await log.read(limit=limit + 1, before=cursor, since=times[0], until=times[1])
    page = AuditPage(entries=tuple(entries[:limit]), next=entries[limit - 1].id if len(entries) > limit else None)
    return Response(page.model_dump_json(), media_type=JSON, headers={"Vary": "Accept"})


async def stream_entries(log: AuditLog, write: Writer, since: float | None, until: float | None) -> AsyncIterator[str]:
    """All entries, oldest first, as text; what is read at a time is one page."""
    after, first = "0", True
    while entries := await log.read(limit=PAGE, after=after, since=since, until=until):
        yield write(entries, first)
        after, first = entries[-1].id, False
    if first:
        yield write((), True)
