"""Resolves the tenant and user of a request, in this one place. All code behind it gets names, not the request.

Without a header to look at everyone is the same tenant. Nobody who cannot be told becomes that one: a request that has
to say whose it is and does not is refused. Who asks is only written down, and decides nothing: a request may leave it
out.
"""

from typing import Protocol

from fastapi import Request

from elcano.api.http.errors import Unauthenticated
from elcano.graphs.tenant_identity import DEFAULT_TENANT, Tenant, fault_of, is_tenant
from elcano.measures import TENANT
from elcano.settings.settings import Settings

ASK_OTHERWISE = "ask through the proxy that signs you in, which has to say it"


class Identity(Protocol):
    """Tells whose a request is; `create_app(tenant_of=...)` takes one of your own."""

    async def __call__(self, request: Request, /) -> Tenant:
        """The tenant that asks.

        Raises:
            Unauthenticated: it cannot be told; the text says what to do.
        """
        ...


class SingleTenant:
    """One tenant for all requests."""

    async def __call__(self, request: Request, /) -> Tenant:
        """The default tenant."""
        return DEFAULT_TENANT


class ProxyHeaderIdentity:
    """Takes the tenant from a header that an authenticating proxy sets, and strips from all other requests."""

    def __init__(self, header: str) -> None:
        self._header = header

    async def __call__(self, request: Request, /) -> Tenant:
        """The tenant in the header.

        Raises:
            Unauthenticated: there is no such header, or several, or what it says is no tenant's name.
        """
        said = request.headers.getlist(self._header)
        if not said:
            raise Unauthenticated(f"the request does not say whose it is: {ASK_OTHERWISE}")
        if len(said) > 1:
            raise Unauthenticated(f"the request says {len(said)} times whose it is: {ASK_OTHERWISE}, once")
        return said[0]


def build_identity(settings: Settings) -> Identity:
    """The identity that the settings ask for."""
    return ProxyHeaderIdentity(settings.tenant_header) if settings.tenant_header else SingleTenant()


async def tenant_of(request: Request) -> Tenant:
    """A dependency: the tenant that asks, by the identity that the application was made with.

    Raises:
        Unauthenticated: it cannot be told, or has a name that no tenant can have.
    """
    ask: Identity = request.app.state.identity
    tenant = await ask(request)
    if not is_tenant(tenant):
        raise Unauthenticated(
            f"{tenant[:50]!r} is no tenant's name (1 to 40 small letters, digits and hyphens, a hyphen neither first "
            f"nor last): {ASK_OTHERWISE}"
        )
    TENANT.set(tenant)
    return tenant


def asker_of(request: Request, header: str) -> str:
    """Return the user that the proxy names in `header`; empty if it names none or no header is configured.

    Raises:
        Unauthenticated: it names several, or says what can be nobody's name.
    """
    said = request.headers.getlist(header) if header else []
    if len(said) > 1:
        raise Unauthenticated(f"the request says {len(said)} times who asks: {ASK_OTHERWISE}, once")
    if not said:
        return ""
    try:
        name = said[0].encode("latin-1").decode()  # headers are read byte by byte, and names are UTF-8
    except UnicodeDecodeError as error:
        raise Unauthenticated(f"who asks is no UTF-8 text (byte {error.start}): {ASK_OTHERWISE}") from error
    if (fault := fault_of(name)) is not None:
        raise Unauthenticated(f"{name[:50]!r} is not a valid name, {fault}: {ASK_OTHERWISE}")
    return name
