"""Builds the next request: where an answer redirects to, and what may be sent along.

What a caller sends belongs to the service that it asked: to another one nothing goes along but what is asked for.
"""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

import httpx

from elcano.activities.sources.http.allowed_addresses import address_of, format_host, is_private, origin_from_url
from elcano.graphs.errors import SourceRefused
from elcano.redaction import without_secrets

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
