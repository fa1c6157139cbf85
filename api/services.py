"""The dependencies of the routes: shared ones, created once per process, and a tenant's, bound for each request.

A route about runs takes `Provided`: a store and settings that are bound to the tenant that asks, so that no mistake in
a route can reach another tenant's.
"""

from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from elcano.api.http.request_identity import get_principal
from elcano.service.permissions import Principal
from elcano.service.process import Process, Services, Writable

__all__ = ["Asker", "InProcess", "Process", "Provided", "Services", "Writable"]


async def _get_process(request: Request) -> Process:
    found: Process = request.app.state.services
    return found


InProcess: TypeAlias = Annotated[Process, Depends(_get_process)]
"""For requests without a tenant: whether the service is ready."""


async def _get_services(process: InProcess, principal: Annotated[Principal, Depends(get_principal)]) -> Services:
    return process.of(principal)


Provided: TypeAlias = Annotated[Services, Depends(_get_services)]


async def _get_asker(principal: Annotated[Principal, Depends(get_principal)]) -> str:
    return principal.user


Asker: TypeAlias = Annotated[str, Depends(_get_asker)]
"""The user, for the record; empty if none is named."""
