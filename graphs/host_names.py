"""Names of hosts in one spelling, and lists of domains that they are compared with.

The spelling is lower case, IDNA decoded, without a full stop at the end. An IDNA label that represents what is written
otherwise (ASCII, capitals, letters of full width) is left as it is, so that it can pass for no other name.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

_IPV4: Final = re.compile(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}", re.ASCII)
_PORTS: Final = {"http": 80, "https": 443}
_NOT_PUBLIC: Final = frozenset(
    {"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "onion"}
    | {"test", "invalid", "alt"}
)
"""Last labels that no public name has: of RFC 6761, 6762, 7686, 9476, and what ICANN keeps back for private use."""


def canonicalize_host(host: str) -> str:
    """A host in its one spelling."""
    text = unicodedata.normalize("NFKC", host).lower().replace("\u3002", ".").strip("[]").rstrip(".")
    return ".".join(map(_decode_label, text.split(".")))


def _decode_label(label: str) -> str:
    """An IDNA label as Unicode; as it is if it is none, or represents what is written otherwise, such as ASCII."""
    if not label.startswith("xn--"):
        return label
    try:
        decoded = label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError):
        return label
    is_canonical = not decoded.isascii() and unicodedata.normalize("NFKC", decoded).lower() == decoded
    return decoded if is_canonical and "." not in decoded and "\u3002" not in decoded else label


def find_matching_domain(host: str, domains: Collection[str]) -> str:
    """The entry that a host, in its one spelling, fits; empty if none."""
    labels = host.split(".")
    for at in range(len(labels)):
        name = ".".join(labels[at:])
        for entry in (name, f"*.{name}") if at else (name,):
            if entry in domains:
                return entry
    return ""


def parse_domain(text: str) -> str:
    """An entry of a list of domains in its one spelling.

    Raises:
        ValueError: it is none; the text says what to write.
    """
    given = text.strip()
    shown = repr(given[:100])
    if any(sign in given for sign in "/?#@\\"):
        host = given.rpartition("://")[2]
        host = re.split(r"[/?#\\]", host, maxsplit=1)[0].rpartition("@")[2].partition(":")[0]
        raise ValueError(
            f"{shown} is an address: write the domain alone"
            + (f", {host[:100]!r}" if host else ", such as 'example.org'")
        )
    if ":" in given:
        raise ValueError(f"{shown} has a port, or is an address of IPv6: write a domain, such as 'example.org'")
    wildcard, name = ("*.", given[2:]) if given.startswith("*.") else ("", given)
    if given.startswith("."):
        raise ValueError(f"{shown} begins with a full stop: write {'*' + given[:100]!r} for all that is below")
    if "*" in name:
        raise ValueError(f"{shown}: an asterisk is allowed only at the beginning and for whole names, as in '*.gov'")
    name = canonicalize_host(name)
    if not name or len(name) > 253 or not all(map(_is_label, name.split("."))):
        raise ValueError(f"{shown} is no domain: write one such as 'example.org' or '*.gov'")
    if name.rpartition(".")[2].isdecimal() and (wildcard or not _IPV4.fullmatch(name)):
        raise ValueError(f"{shown} ends in a number: write a domain, or a whole address such as '192.0.2.1'")
    return wildcard + name


def _is_label(label: str) -> bool:
    letters = all(sign.isalnum() or sign in "-_" or unicodedata.category(sign).startswith("M") for sign in label)
    return 0 < len(label) <= 63 and letters and not label.startswith("-") and not label.endswith("-")


def parse_host(url: str) -> str:
    """The host of an address of http or https, in its one spelling; empty if it has none, or is no such address."""
    return _split_origin(url)[1]


def _split_origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address; a host that is empty if it is none of http or https, or cannot be read."""
    try:
        parts = urlsplit(url.strip())
        host = canonicalize_host(parts.hostname or "") if parts.scheme in _PORTS else ""
    except ValueError:
        return "", "", 0
    try:
        return parts.scheme, host, parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:  # there is no such port
        return parts.scheme, host, 0


def is_private_name(host: str) -> bool:
    """Whether a host's name, in lower case, is none that is public."""
    return "." not in host or host.rpartition(".")[2] in _NOT_PUBLIC or host.endswith(".home.arpa")


def is_private_address(url: str, private_hosts: Collection[str]) -> bool:
    """Whether an address of http or https is in a private network by its host, or by the operator's word.

    Args:
        url: the address.
        private_hosts: as of `ELCANO_PRIVATE_HOSTS`: with the port unless it is 80 or 443.
    """
    scheme, host, port = _split_origin(url)
    written = f"[{host}]" if ":" in host else host
    name = written if port == _PORTS.get(scheme) else f"{written}:{port}"
    if name in {_canonicalize_origin(one) for one in private_hosts}:
        return True
    try:
        number = ip_address(host)
        return not (getattr(number, "ipv4_mapped", None) or number).is_global
    except ValueError:
        return bool(host) and is_private_name(host)


def _canonicalize_origin(text: str) -> str:
    """A host with its port, if that is written, in the spelling of hosts."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal():
        return text.lower() if text.startswith("[") else canonicalize_host(text)
    return f"{host.lower() if host.startswith('[') else canonicalize_host(host)}:{port}"


def find_contradictions(allowed: Iterable[str], blocked: Collection[str]) -> list[str]:
    """Allowed domains of which everything is blocked, each in a sentence."""
    faults = []
    for entry in dict.fromkeys(allowed):
        name = entry.removeprefix("*.")
        # What fits `*.gov` is below `gov`: only an entry for `gov` and above, or the same one, covers it.
        by = entry if entry in blocked else find_matching_domain(name, blocked)
        if by:
            faults.append(f"{entry!r} is allowed, and {by!r} blocks all of it: leave one of them out")
    return faults
