"""Tenants over HTTP: an admin deletes the own tenant; admins of the tenant that runs the service, any."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Path
from pydantic import Field

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import InProcess, Provided, Services
from elcano.graphs.tenants import is_tenant
from elcano.operations.tenants.deletion_store import (
    DeletionNotFound,
    TenantDeletion,
    TenantNotFound,
    get_deletion_store,
    has_rows,
)
from elcano.service.errors import FieldFault, RequestInvalid
from elcano.service.fields import Described, Moment, Request
from elcano.storage.store import TenantStore


class DeletionView(Described):
    """The deletion of a tenant."""

    tenant: str = Field(examples=["acme"])
    """The tenant."""
    state: str = Field(examples=["going_on"])
    """`going_on` or `finished`."""
    begun_at: Moment
    """When it was asked for."""
    begun_by: str = Field(examples=["alice"])
    """User that began it; empty: no one was named."""
    begun_in: str = Field(examples=["acme"])
    """The tenant of that user."""
    finished_at: Moment | None
    """When everything was deleted; null: it continues."""
    histories: int = Field(examples=[12])
    """Executions of workflows that were deleted in Temporal so far."""
    objects: int = Field(examples=[340])
    """Objects that were deleted: drafts, reports, logs, large payloads."""
    rows: int = Field(examples=[5_210])
    """Rows of the database that were deleted."""
    waiting: str = Field(examples=[""])
    """Why it does not get on, and is tried again; empty: it does."""

    @classmethod
    def of(cls, deletion: TenantDeletion) -> "DeletionView":
        """The view of a stored deletion."""
        return cls.from_record(deletion, state="going_on" if deletion.finished_at is None else "finished")


class DeletionRequest(Request):
    """The tenant to delete, named twice."""

    confirm: str = Field(examples=["acme"])
    """The name of the tenant, as in the path."""


router = APIRouter(prefix="/v1/tenants/{tenant}", tags=["operations"], dependencies=[requires("administer")])


async def _get_managed_store(
    tenant: Annotated[str, Path(max_length=100, description="The tenant.", examples=["acme"])],
    services: Provided,
    process: InProcess,
) -> TenantStore:
    """The store of the tenant in the path.

    Raises:
        TenantNotFound: it is not the own tenant, and the own one does not run the service.
        RequestInvalid: no tenant can have this name.
    """
    if not is_tenant(tenant):
        text = "is no tenant's name: 1 to 40 small letters, digits and hyphens, a hyphen neither first nor last"
        raise RequestInvalid([FieldFault(field="tenant", message=text)])
    _require_managed(tenant, services)
    return process.store.of(tenant)


Managed: TypeAlias = Annotated[TenantStore, Depends(_get_managed_store)]


def _require_managed(tenant: str, services: Services) -> None:
    allowed = services.settings.operator_tenant
    if tenant != services.tenant and services.tenant != allowed:
        others = f"admins of {allowed!r} manage others" if allowed else "ELCANO_OPERATOR_TENANT names no one else"
        raise TenantNotFound(f"there is no tenant {tenant!r} that you manage: yours is {services.tenant!r}; {others}")


@router.post("/deletion", status_code=202, responses=problem_docs(TenantNotFound))
async def delete_tenant(
    managed: Managed, request: DeletionRequest, services: Provided, process: InProcess
) -> DeletionView:
    """Delete a tenant with everything it owns: runs, objects, histories in Temporal, knowledge, keys, usage.

    Its keys, sessions and links are invalid at once, its open runs are ended, and no run starts until all is deleted,
    which continues in the background and survives the death of any process. Only the audit log and the record of this
    deletion stay. Asking twice is as asking once. Nothing can be brought back.
    """
    tenant = managed.tenant
    if request.confirm != tenant:
        text = f"must be the name of the tenant in the path, {tenant!r}: everything that it owns will be deleted"
        raise RequestInvalid([FieldFault(field="confirm", message=text)])
    store = get_deletion_store(process.store)
    own = store.of(tenant)
    if await own.find() is None and not await has_rows(store.engine, tenant):
        raise TenantNotFound(f"nothing is stored of a tenant {tenant!r}")
    deletion = await own.begin(services.principal.user, services.tenant)
    store.begun.set()
    return DeletionView.of(deletion)


@router.get("/deletion", responses=problem_docs(TenantNotFound, DeletionNotFound))
async def get_deletion(managed: Managed, process: InProcess) -> DeletionView:
    """See how far the deletion of a tenant is; the record of a finished one stays."""
    found = await get_deletion_store(process.store).of(managed.tenant).find()
    if found is None:
        raise DeletionNotFound(f"the deletion of the tenant {managed.tenant!r} was not asked for")
    return DeletionView.of(found)
