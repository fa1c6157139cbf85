"""How long a model's provider asks to wait: each says it in a place and a form of its own.

A wait is believed only of a refusal; providers send these headers with good answers too. What cannot be read says
nothing, as if it were not there. In the order in which they are looked at:

- `Retry-After-Ms`, `Retry-After`: seconds or a date, everybody.
- `RetryInfo.retryDelay` in the body (`"55s"`), Gemini.
- `x-ratelimit-reset-requests` and `-tokens` (`"6m0s"`, `"300ms"`), OpenAI, Groq and servers like them; Anthropic's
  `anthropic-ratelimit-*-reset`, which are times. Only the limits that are used up count, if the answer says which.
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

_UNITS: Final = {"h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)", re.ASCII)
_NUMBER: Final = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_RESET: Final = re.compile(r"(?:x|anthropic)-ratelimit-(?:reset-(?P<of>[a-z-]+)|(?P<for>[a-z-]+)-reset)")
_LONGEST_TEXT: Final = 100
"""Characters; nobody writes a wait in more."""


def seconds_of(text: str, now: datetime) -> float | None:
    """Seconds from `now` on that `text` stands for, never below 0; None if it is no wait.

    Args:
        text: a number of seconds, a duration as Go writes it (`1h2m3.5s`, `300ms`), or a date as HTTP or RFC 3339
            write it.
        now: with its zone.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST_TEXT:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    parts = list(_PART.finditer(text))
    if parts and "".join(part.group() for part in parts) == text:
        return math.fsum(float(part.group(1)) * _UNITS[part.group(2)] for part in parts)
    moment = _parse_retry_moment(text)
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def asked_wait(headers: Mapping[str, str], body: object, now: datetime) -> float | None:
    """Seconds that a refusal asks to wait; None if it does not say.

    Args:
        headers: of the refusal, names in lower case.
        body: of the refusal, as far as it could be read as JSON.
        now: with its zone.
    """
    if (milliseconds := headers.get("retry-after-ms")) and _NUMBER.fullmatch(milliseconds.strip()):
        return float(milliseconds) / 1_000
    told = seconds_of(headers.get("retry-after", ""), now)
    if told is None:
        told = next((wait for text in _iter_retry_delays(body) if (wait := seconds_of(text, now)) is not None), None)
    return _until_reset(headers, now) if told is None else told


def _parse_retry_moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if text[:1].isdecimal() else parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)


def _iter_retry_delays(body: object) -> Iterator[str]:
    """Every `retryDelay` of an error body as Google words it; its endpoint for others wraps it into a list."""
    for one in body if isinstance(body, list) else [body]:
        outer: Any = one if isinstance(one, dict) else {}
        error = outer.get("error", outer)
        details = error.get("details") if isinstance(error, dict) else None
        for detail in details if isinstance(details, list) else ():
            delay = detail.get("retryDelay") if isinstance(detail, dict) else None
            if isinstance(delay, str):
                yield delay


def _until_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    """Until the limits are back that are used up; until all of them are if none is said to be."""
    waits: dict[str, float] = {}
    spent: set[str] = set()
    for name, value in headers.items():
        if (found := _RESET.fullmatch(name)) is None or (wait := seconds_of(value, now)) is None:
            continue
        of = found["of"] or found["for"]
        waits[name] = wait
        left = headers.get(f"x-ratelimit-remaining-{of}") or headers.get(f"anthropic-ratelimit-{of}-remaining")
        if left is not None and left.strip() == "0":
            spent.add(name)
    return max((waits[name] for name in spent or waits), default=None)
