"""Holds calls to the rules of their run: hosts, sources and tools that it may ask, and passages that it may take in.

The rules of the run travel in the context of its activity, so code that asks on its behalf (a source, the reader of
robots.txt, a tool) is held to them, and to each step of a redirect. Caches are behind the guard: a page that an earlier
run has left there is not handed to one that may not fetch it.

Every source's passages pass here before they are stored, so none that is refused is ever shown to a model. What was
refused is counted, with the reason.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

import httpx

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.allowed_addresses import origin_from_url
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused, ToolRefused
from elcano.graphs.host_names import is_private_address, parse_host
from elcano.graphs.tenants import list_named
from elcano.graphs.text import format_count
from elcano.graphs.trust import KINDS_OF_SOURCES, NO_LIMITS, OWN_KINDS, Trust
from elcano.graphs.trust_rules import explain_contact_refusal, explain_page_refusal, explain_passage_refusal

BY_LIST: Final = "refused by the asker's list"
BY_EGRESS: Final = "outside the egress scope"
_TOLD: Final = 5
"""Reasons that are reported, the most frequent first."""


class _Rules(NamedTuple):
    trust: Trust = NO_LIMITS
    private_hosts: Collection[str] = ()


_NO_RULES: Final = _Rules()
_RULES: Final[ContextVar[_Rules]] = ContextVar("rules", default=_NO_RULES)


@contextmanager
def apply_trust(trust: Trust, private_hosts: Collection[str]) -> Iterator[None]:
    """Apply the rules of a run to all that is done within; `private_hosts` are those that the operator named."""
    token = _RULES.set(_Rules(trust, frozenset(host.lower() for host in private_hosts)))
    try:
        yield
    finally:
        _RULES.reset(token)


def get_trust() -> Trust:
    """The rules of the run on whose behalf this is done."""
    return _RULES.get().trust


def require_contact(who: str, address: httpx.URL, *, is_page: bool = False, inside: bool = True) -> None:
    """Return if the address may be contacted.

    Args:
        who: who asks, for the error.
        address: http or https.
        is_page: what is there becomes content of the run; otherwise it is a service that lists works and pages of
            others, to which the lists of domains do not apply.
        inside: it may be in a private network; otherwise it is reached only if it is public, whatever it is called.

    Raises:
        SourceRefused: it may not; the text says by which rule.
    """
    trust, private_hosts = _RULES.get()
    if trust == NO_LIMITS:
        return
    host = origin_from_url(address).host
    if is_page and (why := explain_page_refusal(trust, host)):
        raise SourceRefused(f"{who}: {BY_LIST}: {why}")
    if why := explain_contact_refusal(
        trust, host, is_private=inside and is_private_address(str(address), private_hosts)
    ):
        raise SourceRefused(f"{who}: {BY_EGRESS}: {why}")


def count_refusals(source: str, what: str, refused: Counter[str]) -> str:
    """Say how many passages or pages (`what`) of a source were refused, by reason."""
    reasons = [f"{why} ({count})" for why, count in refused.most_common(_TOLD)]
    if len(refused) > _TOLD:
        reasons.append(f"and {len(refused) - _TOLD} more reasons")
    return f"{source}: {format_count(refused.total(), what)} {BY_LIST}: {'; '.join(reasons)}"


_KINDS_OF_INPUTS: Final[Mapping[str, str]] = {"databases": "database", "tools": "tool"}


def require_allowed_tool(trust: Trust, given: Mapping[str, Any]) -> None:
    """Return if a tool may be called with this input, whatever it answers.

    Raises:
        ToolRefused: it asks a database or a tool server, and the run takes nothing in from these; or an address in its
            input is on a domain that is refused.
    """
    for kind in dict.fromkeys(_KINDS_OF_INPUTS.get(kind, "") for _, kind, _ in list_named(given)):
        if kind and (why := trust.explain_kind_refusal(kind)):
            raise ToolRefused(f"{BY_LIST}: {why}")
        if kind == "database" and trust.egress == "public":
            raise ToolRefused(f"{BY_EGRESS}: databases are private, and the egress of this run is public")
    for host in _list_hosts(given):
        if why := explain_page_refusal(trust, host):
            raise ToolRefused(f"{BY_LIST}: its input names an address: {why}")


def require_allowed_source(trust: Trust, source: SourceSpec) -> None:
    """Return if a source may be searched, whatever it finds.

    Raises:
        SourceRefused: its passages are all of a kind that is refused, or private and the run is public.
    """
    if not (kind := KINDS_OF_SOURCES.get(source.kind)):
        return
    if why := trust.explain_kind_refusal(kind):
        raise SourceRefused(f"{source.name}: {BY_LIST}: {why}")
    if kind in OWN_KINDS and trust.egress == "public":
        raise SourceRefused(f"{source.name}: {BY_EGRESS}: it is private, and the egress of this run is public")


def keep_trusted(
    trust: Trust, found: SearchResults, kind_of: Callable[[str], str], source: str, private_hosts: Collection[str]
) -> SearchResults:
    """The passages that a run may take in, with a warning that counts the others by reason.

    Args:
        trust: the rules of the run.
        found: by the search.
        kind_of: from the name of a source to the kind of those of its passages that describe no work.
        source: that was searched, for the warning.
        private_hosts: those that the operator named.
    """
    if trust == NO_LIMITS:
        return found
    refused, kept = Counter[str](), []
    for one in found.evidence:
        why = explain_passage_refusal(trust, kind_of(one.source), one.locator, one.work, private_hosts)
        if why:
            refused[why] += 1
        else:
            kept.append(one)
    if not refused:
        return found
    hashes = {passage.content_hash for passage in kept}
    return SearchResults(
        evidence=tuple(kept),
        texts=tuple(text for text in found.texts if text.content_hash in hashes),
        warnings=(*found.warnings, count_refusals(source, "passage", refused)),
        refused=found.refused + refused.total(),
    )


def _list_hosts(given: Any) -> Iterator[str]:
    """The hosts of the addresses with which texts in a tool's input begin."""
    if isinstance(given, Mapping):
        for value in given.values():
            yield from _list_hosts(value)
    elif isinstance(given, list | tuple):
        for value in given:
            yield from _list_hosts(value)
    elif isinstance(given, str) and (host := parse_host(given.strip())):
        yield host
