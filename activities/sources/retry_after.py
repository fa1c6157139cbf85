"""Reads how long a provider asks HTTP clients to wait: `Retry-After`, in seconds or as a date."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from elcano.graphs.errors import SourceBusy, SourceRefused

LONGEST_WAIT: Final = 86_400.0
"""Seconds; a provider that asks for more is asked again after a day."""
_BUSY: Final = {408, 425, 429}
"""Refusals that a later try may not meet; those from 500 on are others."""


def require_answer(source: str, response: httpx.Response) -> None:
    """Returns if `response` is an answer.

    Raises:
        SourceBusy: the provider is down, overloaded, or asks to wait.
        SourceRefused: the same request will never be answered.
    """
    if response.is_success:
        return
    said = f"{source}: HTTP {response.status_code} {response.reason_phrase}".rstrip()
    if response.status_code in _BUSY or response.is_server_error:
        raise SourceBusy(said, parse_retry_after(response.headers.get("Retry-After"), datetime.now(UTC)))
    raise SourceRefused(said)


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds that `Retry-After: value` asks to wait, from 0 to a day; None if it says nothing that can be read.

    Args:
        value: seconds, or a date as HTTP writes it.
        now: with its zone.
    """
    if value is None:
        return None
    if value.strip().isdecimal():
        asked = float(value)
    else:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:  # it says nothing, as if it were not there
            return None
        asked = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
    return min(max(asked, 0.0), LONGEST_WAIT)
