"""Applies the rules of a run to pages, passages and hosts: each refusal in a few words, empty if there is none.

Hosts and journals are compared in one spelling: lower case, IDNA decoded, without a final full stop.
"""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from elcano.graphs.host_names import canonicalize_host, find_matching_domain, is_private_address, parse_host
from elcano.graphs.report.works import Work, is_preprint
from elcano.graphs.trust import OWN_KINDS, Trust

_IN_JOURNALS: Final = frozenset({"article", "review", "preprint", "trial", "book", "other"})
"""Kinds whose venue a service of literature names; that of a page is what the page says of itself."""
_ISSN: Final = re.compile(r"(\d{4})[-\u2010-\u2013]?(\d{3}[\dX])", re.ASCII)
_PLACE: Final = re.compile(r"\s*\([^()]*\)\s*$")


def explain_page_refusal(trust: Trust, host: str) -> str:
    """Why no page of a host may be fetched, in a few words; empty if one may."""
    host = canonicalize_host(host)
    if entry := find_matching_domain(host, trust.blocked_domains):
        return f"{entry} is blocked"
    if trust.names_origins and not find_matching_domain(host, trust.allowed_domains):
        return f"{host} is not among the allowed domains"
    return ""


def explain_passage_refusal(
    trust: Trust, kind: str, locator: str, work: Work | None, private_hosts: Collection[str]
) -> str:
    """Why a passage may not be taken in; empty if it may.

    Args:
        trust: the rules of the run.
        kind: of the passage, if it describes no work.
        locator: where readers find it.
        work: that it is from.
        private_hosts: those that the operator named.
    """
    kind = work.kind if work else kind
    places = (locator, *((work.url, work.identifiers.url) if work else ()))
    urls = [url for url in dict.fromkeys(places) if parse_host(url)]
    hosts = [parse_host(url) for url in urls]
    if why := trust.explain_kind_refusal(kind, also_preprint=work is not None and is_preprint(work)):
        return why
    if why := _explain_origin_refusal(trust, kind, hosts, work):
        return why
    if trust.egress == "public" and (
        (kind in OWN_KINDS and not hosts) or any(is_private_address(url, private_hosts) for url in urls)
    ):
        return "it is private, and the egress of this run is public"
    return ""


def _explain_origin_refusal(trust: Trust, kind: str, hosts: Collection[str], work: Work | None) -> str:
    """Name hosts and entries of lists alone: the words of what is refused reach no one."""
    for host in hosts:
        if entry := find_matching_domain(host, trust.blocked_domains):
            return f"{entry} is blocked"
    journal = {parse_journal(work.venue), *work.issns} - {""} if work and kind in _IN_JOURNALS else set()
    if blocked := journal.intersection(trust.blocked_journals):
        return f"the journal {min(blocked)!r} is blocked"
    if not trust.names_origins or (kind in OWN_KINDS and not hosts) or kind == "tool":
        return ""
    if journal.intersection(trust.allowed_journals):
        return ""
    strange = [host for host in hosts if not find_matching_domain(host, trust.allowed_domains)]
    if hosts and not strange:
        return ""
    place = ", ".join(dict.fromkeys(strange)) or "a passage without an address"
    return f"{place} is not among the allowed domains" + (" and journals" if trust.allowed_journals else "")


def explain_contact_refusal(trust: Trust, host: str, *, is_private: bool) -> str:
    """Why a host may not be contacted; empty if it may.

    Args:
        trust: the rules of the run.
        host: its name or address.
        is_private: it is in a private network, or the operator named it as private.
    """
    host = canonicalize_host(host)
    if trust.egress == "public" and is_private:
        return f"{host} is private, and the egress of this run is public"
    if trust.egress == "private" and not is_private:
        return f"{host} is public, and the egress of this run is private"
    if trust.egress == "hosts" and not find_matching_domain(host, trust.egress_hosts):
        return f"{host} is not among the hosts that this run may contact"
    return ""


def parse_issn(text: str) -> str:
    """An ISSN as `1234-567X`; empty if it is none, or its last digit does not fit the others."""
    found = _ISSN.fullmatch(text.strip().upper())
    if not found:
        return ""
    digits = found[1] + found[2]
    total = sum((8 - at) * (10 if sign == "X" else int(sign)) for at, sign in enumerate(digits))
    return f"{found[1]}-{found[2]}" if total % 11 == 0 else ""


def parse_journal(text: str) -> str:
    """A journal in its one spelling: an ISSN, or the words of its name without `The` and a place in brackets.

    It is empty if there is no word in it. A number with the form of an ISSN whose last digit is wrong stays one.
    """
    if issn := parse_issn(text):
        return issn
    plain = unicodedata.normalize("NFKC", _PLACE.sub("", text)).casefold().replace("&", " and ")
    words = re.findall(r"\w+", plain)
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


def looks_like_issn(text: str) -> bool:
    """Whether a text has the form of an ISSN, right or wrong."""
    return _ISSN.fullmatch(text.strip().upper()) is not None
