"""Makes API keys in the store itself, on a machine that can open it: the first key of a tenant."""

import time

from elcano.graphs.errors import InputInvalid
from elcano.graphs.tenant_identity import DEFAULT_TENANT, is_tenant
from elcano.plugins.access.access_store import get_access
from elcano.plugins.access.key_routes import DAY, KeyRequest, NewKey
from elcano.settings.settings import Settings
from elcano.storage.store import open_configured


async def create_key_in_store(request: KeyRequest, tenant: str, settings: Settings) -> NewKey:
    """Make a key of `tenant`, empty for the default one, and note it in the audit log.

    Raises:
        InputInvalid: no tenant can have this name.
        StoreUnavailable, StoreDamaged, StoreIncompatible: the store cannot be opened.
    """
    owner = tenant or DEFAULT_TENANT
    if not is_tenant(owner):
        text = f"{owner[:50]!r} is no tenant's name: 1 to 40 small letters, digits and hyphens, none first or last"
        raise InputInvalid("tenant", text)
    expires_at = None if request.days is None else time.time() + request.days * DAY
    async with open_configured(settings) as store:
        access = get_access(store).of(owner)
        made, record = await access.create_key(request.name, request.role, request.scopes, expires_at, "")
        await access.audit.add(
            at=time.time(),
            user="",
            role="",
            key_id="",
            action="create_key",
            target=f"/v1/keys/{record.id}",
            outcome=201,
            address="the server's machine",
        )
    return NewKey.made(made, record)
