"""Resolves the principal of a request, in this one place, and checks that it may do what the route does.

Without an identity to look at, everyone is the same tenant and may do everything. With one, a request that does not say
whose it is is refused. All code behind it gets a `Principal`, never the request.

A route declares its one permission with `requires`, or that it is for everybody with `PUBLIC`: `create_app` refuses to
make an application with a route that does neither.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_address
from typing import Annotated, Any, Final, Protocol, TypeAlias

from fastapi import Depends, Request
from fastapi.params import Depends as Dependency
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from elcano.api.http.stream_check import repeat_check
from elcano.graphs.errors import InputInvalid
from elcano.graphs.plugin import open_part
from elcano.graphs.tenants import DEFAULT_TENANT, Tenant, fault_of, is_tenant
from elcano.measures import TENANT
from elcano.service.errors import Forbidden, Unauthenticated
from elcano.service.permissions import Permission, Principal
from elcano.settings.settings import Settings

ASK_OTHERWISE = "ask through the proxy that signs you in, which has to say it"


class Identity(Protocol):
    """One way to identify the caller; `create_app(identity=...)` takes one of your own, and plugins add some."""

    @property
    def advice(self) -> str:
        """Instruction for requests without credentials, in the imperative: how to authenticate."""
        ...

    @property
    def challenge(self) -> str:
        """The value of `WWW-Authenticate` for such a request."""
        ...

    @property
    def security_schemes(self) -> Mapping[str, Mapping[str, Any]]:
        """Its OpenAPI security schemes."""
        ...

    @property
    def security(self) -> Sequence[Mapping[str, list[str]]]:
        """Its OpenAPI security requirements, of which a request meets one."""
        ...

    async def find_principal(self, request: Request, /) -> Principal | None:
        """The principal of a request; None if the request has nothing that this identity reads.

        Raises:
            Unauthenticated: it has, and that is not valid; the text says what to do.
        """
        ...


class SingleTenant:
    """One tenant for all requests, which may do everything."""

    advice = ""
    challenge = ""
    security_schemes: Mapping[str, Mapping[str, Any]] = {}
    security: Sequence[Mapping[str, list[str]]] = [{}]

    async def find_principal(self, request: Request, /) -> Principal | None:
        """The default tenant, without a user."""
        return Principal()


class ProxyHeaderIdentity:
    """Takes tenant and user from headers that an authenticating proxy sets, and strips from all other requests.

    HTTP wants a 401 to name a scheme. This one has no credentials of its own: the proxy has.
    """

    advice = ASK_OTHERWISE
    challenge = 'Proxy realm="elcano"'

    def __init__(self, tenant_header: str, user_header: str = "") -> None:
        """Without a `tenant_header` every request is of the default tenant."""
        self._tenant_header = tenant_header
        self._user_header = user_header
        described = {"tenant": (tenant_header, "whose a request is"), "user": (user_header, "who asks")}
        named = {name: (header, what) for name, (header, what) in described.items() if header}
        self.security_schemes: Mapping[str, Mapping[str, Any]] = {
            name: {
                "type": "apiKey",
                "in": "header",
                "name": header,
                "description": f"Says {what}. The proxy in front of the API sets it, and takes it away from what "
                "clients send: sign in as the proxy wants it.",
            }
            for name, (header, what) in named.items()
        }
        tenant: dict[str, list[str]] = {name: [] for name in named if name == "tenant"}
        self.security: Sequence[Mapping[str, list[str]]] = [
            {name: [] for name in named},
            *([tenant] if user_header else []),
        ]

    async def find_principal(self, request: Request, /) -> Principal | None:
        """The tenant and the user in the headers; None if there is no tenant's header.

        Raises:
            Unauthenticated: there are several headers of a name, or one says what no tenant or user can be called.
        """
        tenant = DEFAULT_TENANT
        if self._tenant_header:
            said = request.headers.getlist(self._tenant_header)
            if not said:
                return None
            if len(said) > 1:
                raise Unauthenticated(f"the request says {len(said)} times whose it is: {ASK_OTHERWISE}, once")
            tenant = said[0]
        return Principal(tenant=_require_tenant(tenant), user=_read_user(request, self._user_header))


def _require_tenant(tenant: str) -> Tenant:
    if not is_tenant(tenant):
        raise Unauthenticated(
            f"{tenant[:50]!r} is no tenant's name (1 to 40 small letters, digits and hyphens, a hyphen neither first "
            f"nor last): {ASK_OTHERWISE}"
        )
    return tenant


def _read_user(request: Request, header: str) -> str:
    """The user that the proxy names in `header`; empty if it names none or no header is configured.

    Raises:
        Unauthenticated: it names several, or says what can be no one's name.
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


class IdentityChain:
    """Several identities, of which the first that finds something in a request identifies the caller."""

    def __init__(self, identities: Sequence[Identity]) -> None:
        self._identities = identities
        self.advice = "; or ".join(one.advice for one in identities)
        self.challenge = ", ".join(dict.fromkeys(one.challenge for one in identities))
        self.security_schemes = {name: scheme for one in identities for name, scheme in one.security_schemes.items()}
        self.security = [requirement for one in identities for requirement in one.security]

    async def find_principal(self, request: Request, /) -> Principal | None:
        """Return the principal of the first identity that recognises the request."""
        for identity in self._identities:
            if (found := await identity.find_principal(request)) is not None:
                return found
        return None


def build_identity(settings: Settings) -> Identity:
    """The identity that the settings ask for: those of a plugin that are set up, then the proxy's headers."""
    found: list[Identity] = [*(open_part("identities", settings) or ())]
    if settings.tenant_header or (settings.user_header and not found):
        found.append(ProxyHeaderIdentity(settings.tenant_header, settings.user_header))
    if not found:
        return SingleTenant()
    return found[0] if len(found) == 1 else IdentityChain(found)


def require_identity(settings: Settings) -> None:
    """Refuse to listen where others reach the API while it lets everybody do everything.

    Raises:
        InputInvalid: the address is not this machine's own, and a request need not say whose it is.
    """
    if {} in build_identity(settings).security and not is_loopback(settings.api_host):
        raise InputInvalid(
            "api_host",
            f"at ELCANO_API_HOST={settings.api_host} others reach the API, and could do everything: set up "
            "API keys or OpenID Connect (docs/access.md), or name in ELCANO_TENANT_HEADER the header in which your "
            "proxy says whose a request is, or listen on 127.0.0.1",
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens at `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def get_principal(request: Request) -> Principal:
    """A dependency: the principal of the request, resolved once by the identity that the application was made with.

    Middleware finds it in the state of the request, as `principal`, and what the route takes as `permission`.

    Raises:
        Unauthenticated: the request does not say whose it is, or says it wrongly.
    """
    identity: Identity = request.app.state.identity
    found = await identity.find_principal(request)
    if found is None:
        raise Unauthenticated(f"the request does not say whose it is: {identity.advice}", identity.challenge)
    request.state.principal = found
    TENANT.set(found.tenant)

    async def is_unchanged() -> bool:
        try:
            return await identity.find_principal(request) == found
        except (Unauthenticated, Forbidden):
            return False

    repeat_check(request, is_unchanged)
    return found


class RequiredPermission:
    """A dependency of routes: the principal of the request has `permission`."""

    def __init__(self, permission: Permission) -> None:
        self.permission = permission

    async def __call__(self, request: Request, principal: Annotated[Principal, Depends(get_principal)]) -> None:
        """Refuses a principal that may not.

        Raises:
            Forbidden: the text says why.
        """
        request.state.permission = self.permission
        if (why := principal.explain_refusal(self.permission)) is not None:
            raise Forbidden(why)


def requires(permission: Permission) -> Any:
    """Declare the permission of a route or a router: one of its `dependencies`."""
    return Depends(RequiredPermission(permission))


async def _admit_everybody() -> None:
    """Marks a route that needs no principal."""


PUBLIC: Final[Any] = Depends(_admit_everybody)
"""Declares a route that answers everybody: one of its `dependencies`."""


def find_declared_permissions(dependencies: Iterable[Any]) -> list[Permission | None]:
    """The permissions among dependencies, None for `PUBLIC`; a route has exactly one."""
    calls = [one.dependency for one in dependencies if isinstance(one, Dependency)]
    marks = [one for one in calls if isinstance(one, RequiredPermission) or one is _admit_everybody]
    return [one.permission if isinstance(one, RequiredPermission) else None for one in marks]


RoutePermissions: TypeAlias = Mapping[tuple[str, str], Permission | None]
"""The permission of each route, by method and path as in the OpenAPI document (`get`, `/v1/runs/{run_id}`)."""


def map_route_permissions(routes: Sequence[BaseRoute]) -> dict[tuple[str, str], Permission | None]:
    """Map every route to its permission, or None if it is public.

    Raises:
        InputInvalid: a route declares no permission, or several.
    """
    found: dict[tuple[str, str], Permission | None] = {}
    for route, path, dependencies in _walk_routes(routes, "", ()):
        declared = find_declared_permissions(dependencies)
        if len(declared) != 1:
            text = f"{path} ({route.name}) declares {len(declared)} permissions; it has to have one"
            raise InputInvalid("routes", f"{text} of `requires(PERMISSION)` and `PUBLIC` among its dependencies")
        found |= {(method.lower(), path): declared[0] for method in route.methods or ()}
    return found


def _walk_routes(
    routes: Sequence[BaseRoute], prefix: str, inherited: Sequence[Any]
) -> Iterator[tuple[APIRoute, str, Sequence[Any]]]:
    """Every route with its whole path and all dependencies, those of routers within routers too."""
    for route in routes:
        router = getattr(route, "original_router", None)
        if router is not None:
            including: Any = route.include_context  # type: ignore[attr-defined]  # FastAPI exports no type for it
            yield from _walk_routes(router.routes, prefix + including.prefix, [*inherited, *including.dependencies])
        elif isinstance(route, APIRoute):
            yield route, prefix + route.path_format, [*inherited, *route.dependencies]
