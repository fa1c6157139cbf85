"""Decides which addresses belong to the public internet. Addresses not known to belong there are refused.

An address that carries another one within (IPv4-mapped, NAT64) is what it carries. The networks are those of IANA's
registries of special-purpose addresses for IPv4 and IPv6, as of 2025, less what anybody can reach by design; they are
written out, because what `ipaddress` says of them differs between releases of Python.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

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
"""Where a network without IPv4 finds the addresses of IPv4: a resolver there answers with nothing else."""
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")


def kind_of(address: Address) -> str:
    """What an address is if it is not public, in a word or two; empty if it is public."""
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


def parse_resolved_address(text: str) -> Address:
    """Parse an address from a resolver. A zone is kept: `fe80::1%2` is link-local all the same.

    Raises:
        ValueError: it is no address.
    """
    return ip_address(text)
