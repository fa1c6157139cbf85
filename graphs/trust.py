"""The rules of a run on origins and hosts, as its asker chose them: code applies them before a model reads anything.

A blocked entry takes precedence over an allowed one. Allowed domains and journals are one list: a passage needs to fit
one of them. What has neither an address nor a journal (own documents, databases) is judged by its kind alone; what a
tool answers may be from anywhere, so beside such a list the kind `tool` has to be allowed by name.

Hosts and journals are compared in one spelling: lower case, IDNA decoded, without a final full stop.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.host_names import canonicalize_host, find_matching_domain, is_private_address, parse_host
from elcano.graphs.report.works import Work, WorkKind, is_preprint

PassageKind: TypeAlias = Literal[WorkKind, "database", "tool"]
"""The kinds of works, the rows of databases, and what MCP tools answer."""
OWN_KINDS: Final = frozenset({"document", "database"})
"""What is the asker's or the operator's own: it has no address on the web."""
KINDS_OF_SOURCES: Final[Mapping[str, PassageKind]] = {
    "documents": "document",
    "database": "database",
    "pages": "page",
    "encyclopedia": "encyclopedia",
    "trials": "trial",
}
"""The kind of all passages of a source, by the kind of the source; other sources say it of each work."""
_IN_JOURNALS: Final = frozenset({"article", "review", "preprint", "trial", "book", "other"})
"""Kinds whose venue a service of literature names; that of a page is what the page says of itself."""
EgressScope: TypeAlias = Literal["any", "public", "private", "hosts"]
MOST_ENTRIES: Final = 100
"""Entries of one list: the lists travel with every search."""
_ISSN: Final = re.compile(r"(\d{4})[-\u2010-\u2013]?(\d{3}[\dX])", re.ASCII)
_PLACE: Final = re.compile(r"\s*\([^()]*\)\s*$")


class Trust(Frozen):
    """The lists and the egress scope of a run, in their one spelling. It never changes once the run has started."""

    allowed_domains: tuple[str, ...] = ()
    """`example.org` with everything below it, or `*.gov`: only what is below."""
    blocked_domains: tuple[str, ...] = ()
    allowed_journals: tuple[str, ...] = ()
    """Names as of `parse_journal`, or ISSNs as `1234-567X`."""
    blocked_journals: tuple[str, ...] = ()
    allowed_kinds: tuple[PassageKind, ...] = ()
    blocked_kinds: tuple[PassageKind, ...] = ()
    egress: EgressScope = "any"
    """`public`: nothing private is read. `private`: nothing public is contacted, models included. `hosts`: only those
    of `egress_hosts` are."""
    egress_hosts: tuple[str, ...] = Field(default=(), max_length=MOST_ENTRIES)

    @property
    def names_origins(self) -> bool:
        """Whether passages have to be from an allowed domain or journal."""
        return bool(self.allowed_domains or self.allowed_journals)

    @property
    def egress_alone(self) -> "Trust":
        """The part that concerns calls of models."""
        return Trust(egress=self.egress, egress_hosts=self.egress_hosts)

    def explain_page_refusal(self, host: str) -> str:
        """Why no page of a host may be fetched, in a few words; empty if one may."""
        host = canonicalize_host(host)
        if entry := find_matching_domain(host, self.blocked_domains):
            return f"{entry} is blocked"
        if self.names_origins and not find_matching_domain(host, self.allowed_domains):
            return f"{host} is not among the allowed domains"
        return ""

    def explain_kind_refusal(self, kind: str, *, also_preprint: bool = False) -> str:
        """Why nothing of a kind may be taken in; empty if it may."""
        kinds = (kind, "preprint") if also_preprint else (kind,)
        if blocked := next((one for one in kinds if one in self.blocked_kinds), ""):
            return f"the kind {blocked!r} is blocked"
        if self.allowed_kinds and not any(one in self.allowed_kinds for one in kinds):
            return f"the kind {kind!r} is not among the allowed kinds"
        if kind == "tool" and self.names_origins and "tool" not in self.allowed_kinds:
            return "where a tool's answer is from is unknown, and the kind 'tool' is not among the allowed kinds"
        return ""

    def _explain_origin_refusal(self, kind: str, hosts: Collection[str], work: Work | None) -> str:
        """Name hosts and entries of lists alone: the words of what is refused reach nobody."""
        for host in hosts:
            if entry := find_matching_domain(host, self.blocked_domains):
                return f"{entry} is blocked"
        journal = {parse_journal(work.venue), *work.issns} - {""} if work and kind in _IN_JOURNALS else set()
        if blocked := journal.intersection(self.blocked_journals):
            return f"the journal {min(blocked)!r} is blocked"
        if not self.names_origins or (kind in OWN_KINDS and not hosts) or kind == "tool":
            return ""
        if journal.intersection(self.allowed_journals):
            return ""
        strange = [host for host in hosts if not find_matching_domain(host, self.allowed_domains)]
        if hosts and not strange:
            return ""
        place = ", ".join(dict.fromkeys(strange)) or "a passage without an address"
        return f"{place} is not among the allowed domains" + (" and journals" if self.allowed_journals else "")

    def explain_passage_refusal(
        self, kind: str, locator: str, work: Work | None, private_hosts: Collection[str]
    ) -> str:
        """Why a passage may not be taken in; empty if it may.

        Args:
            kind: of the passage, if it describes no work.
            locator: where readers find it.
            work: that it is from.
            private_hosts: those that the operator named.
        """
        kind = work.kind if work else kind
        places = (locator, *((work.url, work.identifiers.url) if work else ()))
        urls = [url for url in dict.fromkeys(places) if parse_host(url)]
        hosts = [parse_host(url) for url in urls]
        if why := self.explain_kind_refusal(kind, also_preprint=work is not None and is_preprint(work)):
            return why
        if why := self._explain_origin_refusal(kind, hosts, work):
            return why
        if self.egress == "public" and (
            (kind in OWN_KINDS and not hosts) or any(is_private_address(url, private_hosts) for url in urls)
        ):
            return "it is private, and the egress of this run is public"
        return ""

    def explain_contact_refusal(self, host: str, *, is_private: bool) -> str:
        """Why a host may not be contacted; empty if it may.

        Args:
            host: its name or address.
            is_private: it is in a private network, or the operator named it as private.
        """
        host = canonicalize_host(host)
        if self.egress == "public" and is_private:
            return f"{host} is private, and the egress of this run is public"
        if self.egress == "private" and not is_private:
            return f"{host} is public, and the egress of this run is private"
        if self.egress == "hosts" and not find_matching_domain(host, self.egress_hosts):
            return f"{host} is not among the hosts that this run may contact"
        return ""


NO_LIMITS: Final = Trust()


def find_passage_kind(source: str, kind_of_source: str) -> str:
    """The kind of passages that describe no work, by the name of their source and its kind, empty if unknown."""
    return "tool" if source.startswith("mcp:") else KINDS_OF_SOURCES.get(kind_of_source, "other")


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
