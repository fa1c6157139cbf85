"""Tables of the plugin, of all tenants: keys, sessions, links to runs, and the audit log.

A credential names no tenant: its row does. So these are the only reads that go across tenants, and each is by the id of
one credential.
"""

import asyncio
import json
import logging
import math
import time
from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

from pydantic import BeforeValidator, PlainSerializer
from sqlalchemy import Table, delete, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.frozen import Frozen
from elcano.graphs.tenants import Tenant
from elcano.operations.access.audit_log import AuditLog
from elcano.operations.access.credentials import Credential, new_credential
from elcano.service.permissions import Permission, Role
from elcano.settings.settings import Settings
from elcano.storage.plugin_store import PluginTables, get_plugin_data
from elcano.storage.sql.dialect import run_and_branches
from elcano.storage.sql.rows import TenantBound
from elcano.storage.sql.tables import api_keys, run_links, sessions
from elcano.storage.store import Store

USED_SECONDS: Final = 60.0
"""Minimum interval between two writes of a key's last use, in seconds."""
CLOSE_SECONDS: Final = 1.0
"""Timeout of a background write while the store is closed, in seconds."""

_log = logging.getLogger("access")

Scopes: TypeAlias = Annotated[
    frozenset[Permission],
    BeforeValidator(lambda text: json.loads(text) if isinstance(text, str) else text),
    PlainSerializer(lambda scopes: json.dumps(sorted(scopes))),
]
"""Permissions, in a column as JSON."""


class KeyRecord(Frozen):
    """An API key as it is stored."""

    tenant: Tenant
    id: str
    name: str
    secret_hash: str
    former_hash: str | None = None
    former_until: float | None = None
    role: Role
    scopes: Scopes
    created_at: float
    created_by: str
    expires_at: float | None
    revoked_at: float | None = None
    used_at: float | None = None

    def find_secret_end(self, given: Credential) -> float:
        """When the secret of a credential that is valid now stops to be, in seconds since the epoch."""
        ends = [math.inf if given.matches(self.secret_hash) else self.former_until, self.expires_at]
        return min(end for end in ends if end is not None)

    def explain_invalid(self, now: float) -> str | None:
        """Explain why the key is not valid any more; None if it is."""
        if self.revoked_at is not None:
            return "was revoked"
        return "has expired" if self.expires_at is not None and self.expires_at <= now else None


class SessionRecord(Frozen):
    """A browser's session as it is stored."""

    tenant: Tenant
    id: str
    secret_hash: str
    user: str
    role: Role
    scopes: Scopes
    key_id: str
    created_at: float
    expires_at: float


class LinkRecord(Frozen):
    """A link to a run as it is stored."""

    tenant: Tenant
    id: str
    run_id: str
    secret_hash: str
    created_at: float
    created_by: str
    expires_at: float
    revoked_at: float | None = None


class TenantAccess(TenantBound):
    """The keys, sessions and links of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant: str) -> None:
        super().__init__(engine, tenant)
        self.audit = AuditLog(engine, tenant)

    async def create_key(
        self, name: str, role: Role, scopes: Sequence[Permission], expires_at: float | None, by: str
    ) -> tuple[Credential, KeyRecord]:
        """Make a key; its credential is known here and nowhere else."""
        made = new_credential("elc")
        record = KeyRecord(
            tenant=self.tenant,
            id=made.id,
            name=name,
            secret_hash=made.secret_hash,
            role=role,
            scopes=frozenset(scopes),
            created_at=time.time(),
            created_by=by,
            expires_at=expires_at,
        )
        await self._insert(api_keys, record)
        return made, record

    async def list_keys(self) -> list[KeyRecord]:
        """All keys, revoked ones too, the newest first."""
        wanted = select(api_keys).where(self._own(api_keys)).order_by(api_keys.c.created_at.desc(), api_keys.c.id)
        return await self._fetch_all(KeyRecord, wanted)

    async def rotate_key(self, id: str, grace_seconds: float) -> tuple[Credential, KeyRecord] | None:
        """Give a valid key a new secret; the former one is accepted for `grace_seconds` more. None: there is none.

        Sessions that were begun with the former one end with it.
        """
        now, made = time.time(), new_credential("elc", id)
        changed = (
            update(api_keys)
            .where(self._own(api_keys), api_keys.c.id == id, api_keys.c.revoked_at.is_(None))
            .where(api_keys.c.expires_at.is_(None) | (api_keys.c.expires_at > now))
            .values(former_hash=api_keys.c.secret_hash, former_until=now + grace_seconds, secret_hash=made.secret_hash)
            .returning(*api_keys.columns)
        )
        until = now + grace_seconds
        begun = (self._own(sessions), sessions.c.key_id == id, sessions.c.expires_at > until)
        async with self._engine.begin() as connection:
            row = (await connection.execute(changed)).one_or_none()
            if row is not None:
                await connection.execute(update(sessions).where(*begun).values(expires_at=until))
        return None if row is None else (made, KeyRecord.model_validate(dict(row._mapping)))

    async def revoke_key(self, id: str) -> bool:
        """Revoke a key, and end the sessions that were begun with it; False if there is none. Twice is as once."""
        mine = (self._own(api_keys), api_keys.c.id == id)
        async with self._engine.begin() as connection:
            revoke = update(api_keys).where(*mine, api_keys.c.revoked_at.is_(None)).values(revoked_at=time.time())
            await connection.execute(revoke)
            await connection.execute(delete(sessions).where(self._own(sessions), sessions.c.key_id == id))
            return (await connection.execute(select(api_keys.c.id).where(*mine))).first() is not None

    async def begin_session(
        self, user: str, role: Role, scopes: frozenset[Permission], key_id: str, seconds: float
    ) -> tuple[Credential, SessionRecord]:
        """Begin a session; those of the tenant that are over are removed."""
        now, made = time.time(), new_credential("els")
        record = SessionRecord(
            tenant=self.tenant,
            id=made.id,
            secret_hash=made.secret_hash,
            user=user,
            role=role,
            scopes=scopes,
            key_id=key_id,
            created_at=now,
            expires_at=now + seconds,
        )
        await self._write(delete(sessions).where(self._own(sessions), sessions.c.expires_at <= now))
        await self._insert(sessions, record)
        return made, record

    async def end_session(self, id: str) -> None:
        """End a session."""
        await self._write(delete(sessions).where(self._own(sessions), sessions.c.id == id))

    async def end_sessions(self, user: str) -> int:
        """End all sessions of a user; returns how many were open."""
        ended = delete(sessions).where(self._own(sessions), sessions.c.user == user)
        open_ones = ended.where(sessions.c.expires_at > time.time()).returning(sessions.c.id)
        async with self._engine.begin() as connection:
            found = len((await connection.execute(open_ones)).all())
            await connection.execute(ended)
        return found

    async def create_link(self, run_id: str, expires_at: float, by: str) -> tuple[Credential, LinkRecord]:
        """Make a link to a run."""
        made = new_credential("ell")
        record = LinkRecord(
            tenant=self.tenant,
            id=made.id,
            run_id=run_id,
            secret_hash=made.secret_hash,
            created_at=time.time(),
            created_by=by,
            expires_at=expires_at,
        )
        await self._insert(run_links, record)
        return made, record

    async def list_links(self, run_id: str) -> list[LinkRecord]:
        """The links to a run, the newest first."""
        wanted = select(run_links).where(self._own(run_links), run_links.c.run_id == run_id)
        return await self._fetch_all(LinkRecord, wanted.order_by(run_links.c.created_at.desc(), run_links.c.id))

    async def revoke_link(self, run_id: str, id: str) -> bool:
        """Revoke a link; False if there is none. Twice is as once."""
        mine = (self._own(run_links), run_links.c.run_id == run_id, run_links.c.id == id)
        async with self._engine.begin() as connection:
            revoke = update(run_links).where(*mine, run_links.c.revoked_at.is_(None)).values(revoked_at=time.time())
            await connection.execute(revoke)
            return (await connection.execute(select(run_links.c.id).where(*mine))).first() is not None

    async def _insert(self, table: Table, record: Frozen) -> None:
        await self._write(table.insert().values(**record.model_dump()))


class AccessStore(PluginTables):
    """The keys, sessions, links and audit logs of all tenants."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        super().__init__(engine, settings)
        self._noting: dict[str, asyncio.Task[None]] = {}

    def of(self, tenant: str) -> TenantAccess:
        """The keys, links and sessions of one tenant."""
        return TenantAccess(self._engine, tenant)

    async def delete_run(self, tenant: str, run_id: str) -> None:
        """Deletes the links to a run; what was done with it stays in the audit log."""
        mine = (run_links.c.tenant == tenant, run_and_branches(run_links.c.run_id, run_id))
        await self._write(delete(run_links).where(*mine))

    async def delete_tenant(self, tenant: str) -> None:
        """Deletes keys, sessions and links, so that no one gets in with one; the audit log stays."""
        tables = (api_keys, sessions, run_links)
        await self._write(*(delete(table).where(table.c.tenant == tenant) for table in tables))

    async def find_key(self, id: str) -> KeyRecord | None:
        """The key with this id."""
        return await self._fetch_first(KeyRecord, select(api_keys).where(api_keys.c.id == id))

    async def find_session(self, id: str) -> SessionRecord | None:
        """The session with this id."""
        return await self._fetch_first(SessionRecord, select(sessions).where(sessions.c.id == id))

    async def find_link(self, id: str) -> LinkRecord | None:
        """The link with this id."""
        return await self._fetch_first(LinkRecord, select(run_links).where(run_links.c.id == id))

    def note_use(self, key: KeyRecord, now: float) -> None:
        """Note in the background that a key was used, at most once in `USED_SECONDS`.

        So a read with a key succeeds while the store cannot be written.
        """
        if key.id in self._noting or (key.used_at is not None and now - key.used_at < USED_SECONDS):
            return
        self._noting[key.id] = asyncio.create_task(self._note_use(key, now), name=f"note use of key {key.id}")

    async def _note_use(self, key: KeyRecord, now: float) -> None:
        try:
            await self._write_use(key, now)
        except Exception:  # a later request notes it
            _log.warning("the last use of the key %s could not be noted", key.id, exc_info=True)
        finally:
            self._noting.pop(key.id, None)

    async def close(self) -> None:
        """Ends the writes in the background, which would keep connections open."""
        if pending := list(self._noting.values()):
            await asyncio.wait(pending, timeout=CLOSE_SECONDS)
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)

    async def _write_use(self, key: KeyRecord, now: float) -> None:
        mine = (api_keys.c.tenant == key.tenant, api_keys.c.id == key.id)
        fresh = api_keys.c.used_at.is_(None) | (api_keys.c.used_at <= now - USED_SECONDS)
        await self._write(update(api_keys).where(*mine, fresh).values(used_at=now))


def get_access(store: Store) -> AccessStore:
    """The access data in a store."""
    return get_plugin_data(store.plugins, "access", AccessStore)
