"""Decides from an address alone, before any name is resolved, whether a request may go there.

http and https, no user or password, the ports of the web, and a host that is a public name or a public address. What
the operator named in the settings may be anywhere.
"""

import re
from collections.abc import Collection
from ipaddress import IPv6Address
from typing import Final, NamedTuple

import httpx

from elcano.activities.sources.http.addresses import kind_of, parse_literal_address
from elcano.graphs.errors import SourceRefused

WEB_PORTS: Final = {"http": 80, "https": 443}
_LABEL: Final = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_NOT_PUBLIC: Final = frozenset(
    {"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "onion"}
    | {"test", "invalid", "alt"}
)
"""Last labels that no public name has: of RFC 6761, 6762, 7686, 9476, and what ICANN keeps back for private use."""
_SHOWN: Final = 100
"""Characters of a host in an error."""


class Origin(NamedTuple):
    """Scheme, host and port of a service: requests with the same origin reach the same service."""

    scheme: str
    host: str
    port: int

    @property
    def private_name(self) -> str:
        """As it is written in `ELCANO_PRIVATE_HOSTS`: the port only if it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if WEB_PORTS[self.scheme] == self.port else f"{host}:{self.port}"


def address_of(source: str, url: str) -> httpx.URL:
    """`url` without its fragment, and without space around it.

    Raises:
        SourceRefused: nothing can be asked at it, whoever named it.
    """
    try:
        address = httpx.URL(url.strip())
        # A value may be refused only when it is used.
        host, port = address.host, address.port
    except (httpx.InvalidURL, ValueError) as error:
        raise SourceRefused(f"{source}: this is no address that can be read") from error
    if address.scheme not in WEB_PORTS:
        raise SourceRefused(f"{source}: only http and https are read, not {address.scheme[:_SHOWN]!r}")
    if not host:
        raise SourceRefused(f"{source}: the address names no host")
    if address.userinfo:
        raise SourceRefused(f"{source}: {format_host(host)}: an address with a user or a password is not read")
    if port is not None and not 1 <= port <= 65_535:
        raise SourceRefused(f"{source}: {format_host(host)}: there is no port {port}")
    return address.copy_with(fragment=None)


def origin_from_url(address: httpx.URL) -> Origin:
    """Return the origin of an address from `address_of`."""
    return Origin(address.scheme, _normalize_host(address), address.port or WEB_PORTS[address.scheme])


def require_public(source: str, address: httpx.URL) -> None:
    """Returns if the address may be public; whether it is, its resolved addresses say.

    Raises:
        SourceRefused: it is not, by its port, its name or its number.
    """
    host = _normalize_host(address)
    if address.port not in (None, *WEB_PORTS.values()):
        raise SourceRefused(f"{source}: {format_host(host)}: port {address.port} is none of the web's (80, 443)")
    try:
        number = parse_literal_address(host)
    except ValueError as error:
        raise SourceRefused(f"{source}: {format_host(host)} is not how an address is written") from error
    if number is not None:
        if kind := kind_of(number):
            raise SourceRefused(f"{source}: {format_host(host)} is no public address: it is {kind}")
    elif not _NAME.fullmatch(host):
        raise SourceRefused(f"{source}: {format_host(host)} is no name of a host")
    elif "." not in host or host.rpartition(".")[2] in _NOT_PUBLIC or host.endswith(".home.arpa"):
        raise SourceRefused(f"{source}: {format_host(host)} is no public name")


def is_private(address: httpx.URL, hosts: Collection[str]) -> bool:
    """Whether the operator has named this host, and its port if that is not the usual one."""
    return origin_from_url(address).private_name in hosts


def format_host(host: str) -> str:
    """A host for an error."""
    return repr(host if len(host) <= _SHOWN else host[:_SHOWN] + "...")


def _normalize_host(address: httpx.URL) -> str:
    """Lower case, IDNA spelled out, without the dot at its end; an address of IPv6 in its one short spelling."""
    host = address.raw_host.decode("ascii").lower().removesuffix(".")
    try:
        return str(IPv6Address(host)) if ":" in host else host
    except ValueError:  # with a zone, for example: refused where it matters
        return host
