"""The guard between a call and the network: which hosts its run may contact, and whose pages it may fetch.

The rules of the run travel in the context of its activity, so whoever asks on its behalf (a source, the reader of
robots.txt, a tool) is held to them, and to each step of a redirect. Caches are behind the guard: a page that an earlier
run has left there is not handed to one that may not fetch it.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

import httpx

from elcano.activities.sources.http.allowed_addresses import origin_from_url
from elcano.graphs.errors import SourceRefused
from elcano.graphs.host_names import is_private_address
from elcano.graphs.text import format_count
from elcano.graphs.trust import NO_LIMITS, Trust
from elcano.graphs.trust_rules import explain_contact_refusal, explain_page_refusal

BY_LIST: Final = "refused by the asker's list"
BY_EGRESS: Final = "outside the egress scope"
_TOLD: Final = 5
"""Reasons that are told, the most frequent first."""


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
