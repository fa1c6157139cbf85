"""API keys over HTTP: an administrator makes, lists, rotates and revokes those of the own tenant."""

import time
from collections.abc import Iterable
from typing import Annotated, Final, TypeAlias

from fastapi import APIRouter, Path, Response
from pydantic import Field, field_validator

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.graphs.errors import InputInvalid
from elcano.graphs.tenants import DEFAULT_TENANT, NAME_CHARACTERS, fault_of, is_tenant
from elcano.operations.access.access_store import KeyRecord, TenantAccess, get_access
from elcano.operations.access.credentials import Credential
from elcano.service.errors import FieldFault, Forbidden, Refusal, RequestInvalid
from elcano.service.fields import Described, Moment, Request, Spoken
from elcano.service.permissions import ROLES, Permission, Principal, Role
from elcano.settings.settings import Settings
from elcano.storage.plugin_store import get_plugin_data
from elcano.storage.store import open_configured

DAY: Final = 86_400.0
LONGEST_DAYS: Final = 3_650
DEFAULT_GRACE_HOURS: Final = 24.0
KEY: Final = "elc_7q2mz0v1k3xc_..."


class KeyNotFound(Refusal, kind="missing", title="No such key"):
    """The tenant has no valid API key with this id."""


class KeyView(Described):
    """An API key, without its secret."""

    id: str = Field(examples=["7q2mz0v1k3xc"])
    """Its id, which is also the middle part of the key."""
    name: str = Field(examples=["nightly-report"])
    """User of the key, a person or a program; its actions are recorded under this name."""
    role: Role
    """Role of the key."""
    scopes: tuple[Permission, ...]
    """The permissions that it is limited to; empty: all of its role."""
    state: str = Field(examples=["valid"])
    """`valid`, `expired` or `revoked`."""
    created_at: Moment
    """When it was made."""
    created_by: str
    """By whom; empty: on the server's machine."""
    expires_at: Moment | None
    """When it expires; null: never."""
    used_at: Moment | None
    """When it was last used, to the minute; null: never."""
    former_until: Moment | None
    """Until when the secret before the last rotation is accepted; null: it is not."""

    @classmethod
    def of(cls, record: KeyRecord) -> "KeyView":
        """The view of a stored key."""
        now = time.time()
        state = "revoked" if record.revoked_at is not None else "expired" if record.explain_invalid(now) else "valid"
        former = record.former_until if (record.former_until or 0.0) > now and state == "valid" else None
        return cls.from_record(record, scopes=tuple(sorted(record.scopes)), state=state, former_until=former)


class NewKey(KeyView):
    """A key that was just made, or given a new secret."""

    key: str = Field(examples=[KEY])
    """The key. It is shown this once: no one can read it again."""

    @classmethod
    def made(cls, credential: Credential, record: KeyRecord) -> "NewKey":
        """The view of a new secret."""
        return cls(**KeyView.of(record).model_dump(), key=credential.text)


class KeyRequest(Request):
    """The key to make."""

    name: Spoken = Field(max_length=NAME_CHARACTERS, examples=["nightly-report"])
    """User of the key, a person or a program."""
    role: Role = Field(examples=["researcher"])
    """Role of the key."""
    scopes: list[Permission] = Field(default=[], examples=[["read_run", "list_runs"]])
    """Permissions of the role to limit it to; left out: all of them."""
    days: float | None = Field(default=90.0, gt=0, le=LONGEST_DAYS, examples=[90])
    """In how many days it expires; null: never."""

    @field_validator("name")
    @classmethod
    def _a_name(cls, value: str) -> str:
        if (fault := fault_of(value)) is not None:
            raise ValueError(f"it is not a valid name: {fault}")
        return value

    def require_possible(self) -> None:
        """Refuse scopes that the role does not have.

        Raises:
            RequestInvalid: naming each.
        """
        strange = [scope for scope in self.scopes if scope not in ROLES[self.role]]
        if strange:
            has = ", ".join(sorted(ROLES[self.role]))
            text = f"the role {self.role!r} does not have {', '.join(strange)}: it has {has}"
            raise RequestInvalid([FieldFault(field="scopes", message=text)])


class KeyRotation(Request):
    """Options for giving a key a new secret."""

    grace_hours: float = Field(default=DEFAULT_GRACE_HOURS, ge=0, le=24 * 30, examples=[24])
    """Hours for which the former secret is also accepted; 0: no longer."""


KeyId: TypeAlias = Annotated[str, Path(max_length=40, description="The key's id.", examples=["7q2mz0v1k3xc"])]

router = APIRouter(prefix="/v1/keys", tags=["access"], dependencies=[requires("administer")])


def get_tenant_access(services: Services) -> TenantAccess:
    """The access data of the tenant that asks."""
    return get_plugin_data(services.store.plugins, "access", TenantAccess)


def _list_beyond(asks: Principal, role: Role, scopes: Iterable[Permission]) -> list[Permission]:
    """List the permissions that the new key would have and its maker has not."""
    granted = frozenset(scopes) or ROLES[role]
    return sorted(granted - asks.permissions)


@router.post("", status_code=201, responses={201: {"description": "The key, with its secret"}})
async def create_key(request: KeyRequest, services: Provided, response: Response) -> NewKey:
    """Make an API key of your tenant. The answer shows it, this once."""
    request.require_possible()
    asks = services.principal
    if beyond := _list_beyond(asks, request.role, request.scopes):
        text = f"you may not {', '.join(beyond)} yourself: limit the key with `scopes`"
        raise RequestInvalid([FieldFault(field="scopes", message=text)])
    expires_at = None if request.days is None else time.time() + request.days * DAY
    made, record = await get_tenant_access(services).create_key(
        request.name, request.role, request.scopes, expires_at, asks.user
    )
    response.headers["Location"] = f"/v1/keys/{record.id}"
    response.headers["Cache-Control"] = "no-store"
    return NewKey.made(made, record)


@router.get("")
async def list_keys(services: Provided) -> list[KeyView]:
    """List the API keys of your tenant, the newest first, those that expired or were revoked too."""
    return [KeyView.of(one) for one in await get_tenant_access(services).list_keys()]


@router.post("/{key_id}/rotate", responses=problem_docs(Forbidden, KeyNotFound))
async def rotate_key(
    key_id: KeyId, services: Provided, response: Response, request: KeyRotation | None = None
) -> NewKey:
    """Give a key a new secret. The former one is accepted for a day, or as long as you say.

    The answer shows the secret, so a key that may do more than you is not yours to rotate.
    """
    keys = await get_tenant_access(services).list_keys()
    beyond = [one for key in keys if key.id == key_id for one in _list_beyond(services.principal, key.role, key.scopes)]
    if beyond:
        raise Forbidden(f"the key {key_id!r} may {', '.join(beyond)}, which you may not: ask who may to rotate it")
    grace = (request or KeyRotation()).grace_hours * 3_600
    rotated = await get_tenant_access(services).rotate_key(key_id, grace)
    if rotated is None:
        raise KeyNotFound(f"there is no valid key {key_id[:40]!r}; `GET /v1/keys` lists them")
    response.headers["Cache-Control"] = "no-store"
    return NewKey.made(*rotated)


@router.delete("/{key_id}", status_code=204, responses=problem_docs(KeyNotFound))
async def revoke_key(key_id: KeyId, services: Provided) -> None:
    """Revoke a key at once, and end the sessions that were begun with it. It stays listed."""
    if not await get_tenant_access(services).revoke_key(key_id):
        raise KeyNotFound(f"there is no key {key_id[:40]!r}; `GET /v1/keys` lists them")


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
