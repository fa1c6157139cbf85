"""What a provider says of waiting is read in both forms that HTTP has for it, and kept within a day."""

from datetime import UTC, datetime

import httpx
import pytest

from elcano.activities.sources.http.answers import LONGEST_WAIT, parse_retry_after, require_answer
from elcano.graphs.errors import SourceBusy, SourceRefused

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("1.5", None),
        ("-3", None),
        ("0", 0.0),
        (" 30 ", 30.0),
        ("999999999999", LONGEST_WAIT),
        ("Thu, 01 Jan 2026 12:01:30 GMT", 90.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("Fri, 01 Jan 2027 12:00:00 GMT", LONGEST_WAIT),
        ("Thu, 01 Jan 2026 12:00:10 -0000", 10.0),
    ],
)
def test_seconds_and_dates(value: str | None, expected: float | None) -> None:
    assert parse_retry_after(value, NOW) == expected


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_who_cannot_answer_now_is_busy(status: int) -> None:
    with pytest.raises(SourceBusy, match=f"articles: HTTP {status}") as caught:
        require_answer("articles", httpx.Response(status, headers={"Retry-After": "7"}))
    assert caught.value.retry_after == 7.0
    with pytest.raises(SourceBusy) as caught:
        require_answer("articles", httpx.Response(status))
    assert caught.value.retry_after is None


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 422])
def test_what_will_never_be_answered_is_refused(status: int) -> None:
    with pytest.raises(SourceRefused, match=f"articles: HTTP {status}"):
        require_answer("articles", httpx.Response(status, headers={"Retry-After": "7"}))


def test_an_answer_is_an_answer() -> None:
    require_answer("articles", httpx.Response(200, headers={"Retry-After": "7"}))
