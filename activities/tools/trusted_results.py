"""Holds tools to the rules of their run: what may be searched or called at all, and which of the passages found stay.

Every source's passages pass here before they are stored, so none that is refused is ever shown to a model. What was
refused is counted, with the reason.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.contact_guard import BY_EGRESS, BY_LIST, count_refusals
from elcano.graphs.allowances import list_named
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.errors import SourceRefused, ToolRefused
from elcano.graphs.host_names import parse_host
from elcano.graphs.trust import KINDS_OF_SOURCES, NO_LIMITS, OWN_KINDS, Trust
from elcano.graphs.trust_rules import explain_page_refusal, explain_passage_refusal

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
