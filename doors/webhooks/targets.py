"""Allowed targets of messages: public addresses, and hosts that the operator named."""

from typing import Final

from elcano.activities.sources.http.allowed_addresses import address_of, origin_from_url, require_public
from elcano.doors.webhooks.settings import read_webhook_settings
from elcano.graphs.errors import SourceRefused

WHERE: Final = "webhook"
GONE: Final = 410
"""Status of a receiver that wants no further messages."""


class TargetRefused(Exception):
    """A message may not go there."""


class NotDelivered(Exception):
    """A receiver did not take a message; the text says why. `answer` is its HTTP status, if it gave one."""

    def __init__(self, text: str, answer: int | None = None) -> None:
        super().__init__(text)
        self.answer = answer


def check_target(url: str) -> bool:
    """Whether the operator named the host of a receiver; another one has to be public.

    Raises:
        TargetRefused: messages may not go there, as far as its address says so.
    """
    try:
        address = address_of(WHERE, url)
        if origin_from_url(address).private_name in read_webhook_settings().webhook_private_hosts:
            return True
        if address.scheme != "https":
            raise TargetRefused("a receiver has to be asked by https, or be named in ELCANO_WEBHOOK_PRIVATE_HOSTS")
        require_public(WHERE, address)
    except SourceRefused as error:
        raise TargetRefused(str(error).removeprefix(f"{WHERE}: ")) from error
    return False
