"""A connection goes to the address that was checked, and to no other.

A name is resolved here, once for each connection; all of its addresses are checked, and one of them is connected to by
its number. So a name that leads elsewhere a moment later (DNS rebinding) changes nothing, and a name of which only one
address is private is refused whole. The name still goes into the `Host` header and is what TLS checks the certificate
against.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import ip_address
from typing import Final, NamedTuple, TypeAlias

import httpcore
import httpx

from elcano.activities.sources.http.allowed_addresses import kind_of, parse_literal_address

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host and a port, best first; raises `OSError` if there are none."""
Connect: TypeAlias = Callable[[str, int], Awaitable[httpcore.AsyncNetworkStream]]
"""A connection to an address, written as a number, and a port."""

CONNECT_SECONDS: Final = 5.0
"""For each address of a host."""
MOST_ADDRESSES: Final = 4
"""Number of addresses of one host that are tried in turn."""
IDLE_SECONDS: Final = 5.0
"""Seconds for which an idle connection is kept."""
CONNECTIONS: Final = 100


class NotPublic(Exception):
    """A host's addresses are not all public. The text names the host and what its address is, not its number."""


async def by_the_system(host: str, port: int) -> Sequence[str]:
    """Resolve a name as this machine does."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


async def by_tcp(address: str, port: int) -> httpcore.AsyncNetworkStream:
    """Connect as this machine does."""
    return await httpcore.AnyIOBackend().connect_tcp(address, port, timeout=CONNECT_SECONDS)


class Network(NamedTuple):
    """Resolver of names and connector to addresses."""

    resolve: Resolve = by_the_system
    connect: Connect = by_tcp


THIS_MACHINE: Final = Network()


@lru_cache(maxsize=1)
def build_tls_context() -> ssl.SSLContext:
    """Return a TLS context that trusts the public authorities and this machine's (`SSL_CERT_FILE`, `SSL_CERT_DIR`)."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


def build_pinned_transport(
    network: Network, *, anywhere: bool = False, proxy: str = "", tls: ssl.SSLContext | None = None
) -> httpx.AsyncBaseTransport:
    """Build the transport of requests.

    Args:
        network: resolves and connects.
        anywhere: private addresses are allowed.
        proxy: sends everything through this proxy, which then resolves names; empty: none.
        tls: what certificates are checked against; None: `build_tls_context`.
    """
    return _Transport(
        _Pool(
            ssl_context=tls or build_tls_context(),
            proxy=_parse_proxy(proxy) if proxy else None,
            max_connections=CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
            network_backend=_Pinned(network, anywhere=anywhere or bool(proxy)),
        )
    )


class _Pool(httpcore.AsyncConnectionPool):
    """Closes connections that no request is left for.

    httpcore 1.0.9 gives a new connection to a request that waits for one. If that request is cancelled before it goes
    on, no one uses the connection, and it counts against the limit for ever: after enough of them each request waits.
    """

    def _assign_requests_to_connections(self) -> list[httpcore.AsyncConnectionInterface]:
        used = {id(request.connection) for request in self._requests}
        abandoned = [
            one for one in self._connections if id(one) not in used and not one.is_idle() and not one.is_closed()
        ]
        for one in abandoned:
            self._connections.remove(one)
        return abandoned + super()._assign_requests_to_connections()


class _Pinned(httpcore.AsyncNetworkBackend):
    """Opens connections to checked addresses."""

    def __init__(self, network: Network, *, anywhere: bool) -> None:
        self._network = network
        self._anywhere = anywhere

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  httpcore names it
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first address of `host` that takes it.

        Raises:
            NotPublic: an address of it is not public.
            httpcore.ConnectError: its name leads nowhere, or no address answers.
            httpcore.ConnectTimeout: the last address did not answer in time.
        """
        *others, last = await self._addresses(host, port)
        for address in others:
            try:
                return await self._network.connect(address, port)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._network.connect(last, port)

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        """Return one to four addresses of `host`; all are checked, those beyond four as well."""
        addresses = tuple(dict.fromkeys(await self._resolved(host, port)))
        if not addresses:
            raise httpcore.ConnectError(f"{host!r} has no address")
        if not self._anywhere:
            for address in addresses:
                _require_public(host, address)
        return addresses[:MOST_ADDRESSES]

    async def _resolved(self, host: str, port: int) -> Sequence[str]:
        try:
            if (number := parse_literal_address(host)) is not None:
                return [str(number)]
        except ValueError as error:
            if not self._anywhere:
                raise NotPublic(f"{host!r} is not how an address is written") from error
        try:
            return await self._network.resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host!r} cannot be found ({error})") from error


def _require_public(host: str, address: str) -> None:
    try:
        kind = kind_of(ip_address(address))  # with its zone, if it has one: `fe80::1%2` is link-local all the same
    except ValueError as error:
        raise NotPublic(f"{host!r} leads to what is no address") from error
    if kind:
        raise NotPublic(f"{host!r} leads to no public address: it is {kind}")


class _Transport(httpx.AsyncBaseTransport):
    """Requests of httpx over connections of httpcore; httpx's own takes no network."""

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self._pool = pool

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends one request.

        Raises:
            NotPublic: its host may not be asked.
            httpx.TransportError: no response.
        """
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _faults_of_httpx():
            answer = await self._pool.handle_async_request(asked)
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), request=request)

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _faults_of_httpx():
            async for piece in self._answer.aiter_stream():
                yield piece

    async def aclose(self) -> None:
        await self._answer.aclose()


@contextmanager
def _faults_of_httpx() -> Iterator[None]:
    """Raise errors of httpcore as those of httpx; the text begins with the name of the original class."""
    try:
        yield
    except httpcore.LocalProtocolError as error:
        # Its text repeats what could not be sent, such as a header that holds a key.
        raise httpx.LocalProtocolError("the request cannot be sent as HTTP") from error
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.ProxyError,
        httpcore.UnsupportedProtocol,
    ) as error:
        raise httpx.TransportError(f"{type(error).__name__}: {error}".removesuffix(": ")) from error


def _parse_proxy(address: str) -> httpcore.Proxy:
    named = httpx.URL(address)
    auth = (named.username, named.password) if named.username else None
    return httpcore.Proxy(url=str(named.copy_with(username=None, password=None)), auth=auth)
