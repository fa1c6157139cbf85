"""The lists and the egress scope in a request for a run, read into the one spelling in which they are compared."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from elcano.graphs.host_names import find_contradictions, find_matching_domain, parse_domain
from elcano.graphs.trust import MOST_ENTRIES, PassageKind, Trust
from elcano.graphs.trust_rules import looks_like_issn, parse_issn, parse_journal
from elcano.service.errors import FieldFault
from elcano.service.fields import Request, Spoken

Entries: TypeAlias = Annotated[list[Annotated[Spoken, Field(max_length=300)]], Field(max_length=MOST_ENTRIES)]
Kinds: TypeAlias = Annotated[list[PassageKind], Field(max_length=MOST_ENTRIES)]
Hosts: TypeAlias = Annotated[
    list[Annotated[Spoken, Field(max_length=300)]], Field(min_length=1, max_length=MOST_ENTRIES)
]


def _require_scope(value: object) -> object:
    """Report a single fault, whatever the type of the value."""
    if (isinstance(value, list) and value) or value in ("any", "public", "private"):
        return value
    raise PydanticCustomError("egress", "is none of `any`, `public`, `private` and a list of hosts")


class TrustRequest(Request):
    """The origins that a run may use and the hosts it may contact. Code applies it before anything reaches a model.

    It can only narrow what the server offers, and nothing changes it once the run has started.
    """

    allowed_domains: Entries = Field(default=[], examples=[["who.int", "*.gov"]])
    """Only passages from these domains, with everything below them, or from one of `allowed_journals`. `*.gov` is all
    that is below `gov`. Own documents and databases have no domain and stay."""
    blocked_domains: Entries = Field(default=[], examples=[["example.org"]])
    """Nothing from these domains, nor from below them."""
    allowed_journals: Entries = Field(default=[], examples=[["0140-6736", "Nature Medicine"]])
    """Only works in these journals, by ISSN or name, or passages from one of `allowed_domains`."""
    blocked_journals: Entries = Field(default=[], examples=[["1234-5679"]])
    """No works in these journals, by ISSN or name."""
    allowed_kinds: Kinds = Field(default=[], examples=[["article", "review"]])
    """Only passages of these kinds."""
    blocked_kinds: Kinds = Field(default=[], examples=[["preprint"]])
    """No passages of these kinds."""
    egress: Annotated[Literal["any", "public", "private"] | Hosts, BeforeValidator(_require_scope)] = Field(
        default="any", examples=["private"]
    )
    """Hosts that the run may contact. `public`: it reads nothing private, neither documents nor databases nor private
    hosts. `private`: it contacts only private hosts, for its models too. A list: only these hosts, with all below them.
    """


_JOURNAL_LISTS: Final = ("allowed_journals", "blocked_journals")
_DOMAIN_LISTS: Final = ("allowed_domains", "blocked_domains")


def read_trust(given: TrustRequest) -> tuple[Trust, list[FieldFault]]:
    """The rules that a request asks for, and the faults of its entries; the rules are without those."""
    faults: list[FieldFault] = []
    lists = {name: _parse_entries(name, getattr(given, name), parse_domain, faults) for name in _DOMAIN_LISTS}
    lists |= {name: _parse_entries(name, getattr(given, name), _parse_journal_entry, faults) for name in _JOURNAL_LISTS}
    hosts = given.egress if isinstance(given.egress, list) else ()
    trust = Trust(
        **lists,
        allowed_kinds=tuple(given.allowed_kinds),
        blocked_kinds=tuple(given.blocked_kinds),
        egress="hosts" if isinstance(given.egress, list) else given.egress,
        egress_hosts=_parse_entries("egress", hosts, parse_domain, faults),
    )
    return trust, faults


def _parse_entries(
    name: str, entries: Sequence[str], parse: Callable[[str], str], faults: list[FieldFault]
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for at, entry in enumerate(entries):
        try:
            found[parse(entry)] = None
        except ValueError as error:
            faults.append(FieldFault(field=f"trust.{name}.{at}", message=str(error)))
    return tuple(found)


def _parse_journal_entry(text: str) -> str:
    if looks_like_issn(text) and not parse_issn(text):
        raise ValueError(f"{text!r} is no ISSN: its last digit does not fit the others")
    if not (journal := parse_journal(text)):
        raise ValueError(f"{text[:100]!r} is no journal: write its name or its ISSN")
    return journal


def _find_contradictions(trust: Trust) -> Iterator[FieldFault]:
    for text in find_contradictions(trust.allowed_domains, trust.blocked_domains):
        yield FieldFault(field="trust.allowed_domains", message=text)
    for name, allowed, blocked in (
        ("journals", trust.allowed_journals, trust.blocked_journals),
        ("kinds", trust.allowed_kinds, trust.blocked_kinds),
    ):
        for one in sorted(set(allowed).intersection(blocked)):
            text = f"{one!r} is allowed and blocked: leave it out of one of the lists"
            yield FieldFault(field=f"trust.allowed_{name}", message=text)


def continue_trust(given: TrustRequest | None, before: Trust) -> tuple[Trust, list[FieldFault]]:
    """The rules of a run that follows another one, and their faults.

    What the request leaves out is as in the run before. What that one found may have been private, so its egress scope
    cannot be left: a run that follows a private one is private.
    """
    if given is None:
        return before, []
    trust, faults = read_trust(given)
    lists = {name: getattr(before, name) for name in Trust.model_fields if name not in given.model_fields_set}
    if "egress" in given.model_fields_set:
        del lists["egress_hosts"]
    trust = trust.model_copy(update=lists)
    faults += _find_contradictions(trust)
    if not _stays_within(trust, before):
        hosts = f"the hosts {', '.join(before.egress_hosts)}" if before.egress == "hosts" else repr(before.egress)
        text = f"the run that it follows has the egress scope {hosts}, which a run that follows it cannot leave"
        faults.append(FieldFault(field="trust.egress", message=text))
    return trust, faults


def _stays_within(trust: Trust, before: Trust) -> bool:
    """Whether a run contacts no host that the one before might not."""
    if before.egress == "private":
        return trust.egress == "private"
    if before.egress != "hosts":
        return True
    return trust.egress == "hosts" and all(_is_covered(one, before.egress_hosts) for one in trust.egress_hosts)


def _is_covered(entry: str, domains: Sequence[str]) -> bool:
    return entry in domains or bool(find_matching_domain(entry.removeprefix("*."), domains))
