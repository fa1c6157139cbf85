"""Decides whether a request may go to an address: before any name is resolved, and wherever it is redirected.

http and https, no user or password, the ports of the web, and a host that is a public name or a public address. What
the operator named in the settings may be anywhere. An address that carries another one within (IPv4-mapped, NAT64) is
what it carries; one that is not known to be public is refused. The networks are those of IANA's registries of
special-purpose addresses, as of 2025, less what anyone can reach by design; they are written out, because what
`ipaddress` says of them differs between releases of Python.

What a caller sends belongs to the service that it asked: to another one nothing goes along but what is asked for.
"""

import re
from collections.abc import Collection, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final, NamedTuple, TypeAlias

import httpx

from elcano.graphs.errors import SourceRefused
from elcano.graphs.host_names import is_private_name
from elcano.redaction import without_secrets

Address: TypeAlias = IPv4Address | IPv6Address

_NOT_PUBLIC_4: Final = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by a carrier's customers"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "for documentation"),
        ("192.31.196.0/24", "reserved"),
        ("192.52.193.0/24", "reserved"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "reserved"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("168.63.129.16/32", "a cloud's own"),  # Azure answers its virtual machines here, within public space
    )
)
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
"""The only part of IPv6 that is given out; everything else is private, link-local, multicast or not in use."""
_NOT_PUBLIC_6: Final = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
        ("2001::/32", "a Teredo tunnel"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "for documentation"),
        ("2002::/16", "a 6to4 tunnel"),
        ("2620:4f:8000::/48", "reserved"),
        ("3fff::/20", "for documentation"),
    )
)
_MAPPED: Final = IPv6Network("::ffff:0:0/96")
_NAT64: Final = IPv6Network("64:ff9b::/96")
"""Addresses at which a network without IPv4 finds IPv4 hosts: its resolvers return nothing else."""
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")


def kind_of(address: Address) -> str:
    """Return the kind of an address that is not public, in a word or two; empty if it is public."""
    if isinstance(address, IPv6Address):
        if address in _MAPPED or address in _NAT64:
            return kind_of(IPv4Address(int(address) & 0xFFFF_FFFF))
        kind = next((kind for network, kind in _NOT_PUBLIC_6 if address in network), "")
        return kind or ("" if address in _GLOBAL_UNICAST else "reserved")
    return next((kind for network, kind in _NOT_PUBLIC_4 if address in network), "")


def parse_literal_address(host: str) -> Address | None:
    """The address that `host` is, written in the usual way; None if it is a name.

    Raises:
        ValueError: it is a number in another spelling (`2130706433`, `0x7f.1`, `0177.0.0.1`, `127.1`), or has a zone
            (`fe80::1%eth0`). Who resolves it may make any address of it.
    """
    if "%" in host:
        raise ValueError("an address with a zone")
    if ":" in host:
        return IPv6Address(host)
    if _NUMBER.fullmatch(host.removesuffix(".").rpartition(".")[2]):
        return IPv4Address(host)
    return None


WEB_PORTS: Final = {"http": 80, "https": 443}
_LABEL: Final = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_SHOWN: Final = 100
"""Characters of a host in an error."""


class Origin(NamedTuple):
    """Scheme, host and port of a service: requests with the same origin reach the same service."""

    scheme: str
    host: str
    port: int

    @property
    def private_name(self) -> str:
        """The form in `ELCANO_PRIVATE_HOSTS`: the port only if it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if WEB_PORTS[self.scheme] == self.port else f"{host}:{self.port}"


def address_of(source: str, url: str) -> httpx.URL:
    """`url` without its fragment, and without space around it.

    Raises:
        SourceRefused: nothing can be requested from it, no matter who named it.
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
    elif is_private_name(host):
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


MOST_REDIRECTS: Final = 5
"""Redirects that are followed."""
_TAKEN_ALONG: Final = frozenset({"accept", "accept-language"})
"""Headers of a caller that hold no key, so that another host may have them."""


class Request(NamedTuple):
    """One request of a chain."""

    method: str
    address: httpx.URL
    headers: Mapping[str, str]
    """The headers of the caller."""
    body: object
    """Sent as JSON; None: nothing."""
    inside: bool
    """It may be in a private network: the operator named its host."""

    @property
    def is_for_everybody(self) -> bool:
        """Whether the request contains no key, nothing like one, and no body: then its response is not personal."""
        kinds = {name.lower() for name in self.headers}
        address = str(self.address)
        reading = self.method == "GET" and self.body is None
        return reading and kinds <= _TAKEN_ALONG and without_secrets(address) == address

    def written(self, who: str, headers: Mapping[str, str]) -> httpx.Request:
        """For a transport, without a limit of time; with `headers` of the client where the caller has none.

        Raises:
            SourceRefused: it cannot be sent.
        """
        sent = httpx.Headers(headers)
        try:
            sent.update(self.headers)
            return httpx.Request(self.method, self.address, headers=sent, json=self.body)
        except UnicodeEncodeError as error:
            raise SourceRefused(f"{who}: a header has letters that cannot be sent; is a key mistyped?") from error


def follow_redirect(
    source: str, request: Request, response: httpx.Response, private: Collection[str] = ()
) -> Request | None:
    """The request that `response` to `request` asks for; None if it is an answer.

    From outside nothing leads into a private network, not even to hosts in `private`, which the operator has named.

    Raises:
        SourceRefused: it cannot be followed.
    """
    if not response.has_redirect_location:
        return None
    target = _parse_redirect_target(source, request.address, response.headers["location"])
    method = request.method
    if response.status_code == httpx.codes.SEE_OTHER or response.status_code in (301, 302):
        method = "GET"  # as everybody does; 307 and 308 were made for the others
    body = request.body if method == request.method else None
    if _same_service(request.address, target):
        headers = request.headers
    elif body is not None:
        host = format_host(origin_from_url(target).host)
        raise SourceRefused(f"{source}: what was sent is not sent on to another host: {host}")
    else:
        headers = {name: value for name, value in request.headers.items() if name.lower() in _TAKEN_ALONG}
    inside = request.inside and (
        origin_from_url(target) == origin_from_url(request.address) or is_private(target, private)
    )
    return Request(method, target, headers, body, inside)


def _parse_redirect_target(source: str, address: httpx.URL, location: str) -> httpx.URL:
    try:
        return address_of(source, str(address.join(location)))
    except (httpx.InvalidURL, ValueError) as error:
        host = format_host(origin_from_url(address).host)
        raise SourceRefused(f"{source}: {host} redirects to what is no address") from error


def _same_service(asked: httpx.URL, target: httpx.URL) -> bool:
    """The same origin, or the same host by https instead of http."""
    before, after = origin_from_url(asked), origin_from_url(target)
    upgraded = before.host == after.host and (before.scheme, before.port) == ("http", 80)
    return before == after or (upgraded and (after.scheme, after.port) == ("https", 443))
