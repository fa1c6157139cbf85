"""Writes the audit log: around the API, what each request of a principal did or was refused.

Reading is not recorded, unless it was refused. A request without valid credentials is nobody's, and not recorded
either: whoever sends ten thousand wrong keys writes no rows. An entry is written before the answer is sent: if it
cannot be, the answer says so, and the request can be sent again.
"""

import logging
import time
from typing import Any, Final

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elcano.api.http.errors import StoreUnavailable
from elcano.api.http.permissions import Permission, Principal
from elcano.api.http.problems import known_problem
from elcano.plugins.access.access_store import get_access
from elcano.plugins.access.settings import AccessSettings
from elcano.settings import read_plugin_settings
from elcano.settings.settings import Settings
from elcano.storage.health import STORE_ERRORS

UNRECORDED: Final[frozenset[Permission]] = frozenset(
    {"read_run", "inspect_run", "list_runs", "read_catalogue", "read_knowledge", "read_usage", "operate"}
)
"""What only reads."""
REFUSED: Final = 403
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


def is_recorded(state: dict[str, Any], status: int) -> bool:
    """Whether a request of this state is recorded, once it is answered so."""
    if "principal" not in state:
        return False
    changes = "permission" in state and state["permission"] not in UNRECORDED
    return changes or status == REFUSED or "login" in state


def record_login(request: Request, principal: Principal) -> None:
    """Have the answer to a request recorded as a login."""
    request.state.principal = principal
    request.state.login = True


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
