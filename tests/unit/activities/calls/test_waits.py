"""Waits as providers write them, and whatever else may stand in a header or a body."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.calls.model_failures import asked_wait, seconds_of

NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.sampled_from(["error", "details"]), inner)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("55s", 55.0),
        ("6m0s", 360.0),
        ("300ms", 0.3),
        ("1h2m3.5s", 3_723.5),
        ("2m59.56s", 179.56),
        ("8.64s", 8.64),
        ("1µs", 1e-6),
        ("2026-11-22T12:01:00Z", 60.0),
        ("2026-11-22T13:01:00+01:00", 60.0),
        ("2026-11-22T11:00:00Z", 0.0),
    ],
)
def test_every_way_of_writing_a_wait_is_read(text: str, seconds: float) -> None:
    assert seconds_of(text, NOW) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "-1",
        "-5s",
        "1s later",
        "s",
        "1 m",
        "1e9",
        "nan",
        "inf",
        "٣s",
        "²",
        "9" * 200,
        "Fri, 99 Foo",
        "m6",
        "1d",
    ],
)
def test_what_is_no_wait_says_nothing(text: str) -> None:
    assert seconds_of(text, NOW) is None


@given(st.text(max_size=200))
def test_whatever_a_header_says_is_a_wait_or_nothing(text: str) -> None:
    wait = seconds_of(text, NOW)
    assert wait is None or wait >= 0


@given(
    st.integers(0, 99),
    st.integers(0, 59),
    st.floats(0, 59, allow_nan=False).map(lambda seconds: round(seconds, 3)),
)
def test_a_duration_is_the_sum_of_its_parts(hours: int, minutes: int, seconds: float) -> None:
    text = f"{hours}h{minutes}m{seconds:.3f}s"
    assert seconds_of(text, NOW) == pytest.approx(hours * 3_600 + minutes * 60 + seconds)


@given(st.integers(0, 10**7))
def test_a_date_is_the_time_until_it(seconds: int) -> None:
    moment = NOW + timedelta(seconds=seconds)
    assert seconds_of(moment.isoformat(), NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({}, None, None),
        ({"x-ratelimit-reset-requests": "300ms", "x-ratelimit-reset-tokens": "6m0s"}, None, 360.0),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "12s",
                "x-ratelimit-remaining-tokens": "399999",
                "x-ratelimit-reset-tokens": "6m0s",
            },
            None,
            12.0,
        ),
        (
            {
                "anthropic-ratelimit-input-tokens-remaining": "0",
                "anthropic-ratelimit-input-tokens-reset": "2026-11-22T12:00:20Z",
                "anthropic-ratelimit-requests-remaining": "9",
                "anthropic-ratelimit-requests-reset": "2026-11-22T12:05:00Z",
            },
            None,
            20.0,
        ),
        ({"x-ratelimit-reset-requests": "never"}, None, None),
        ({}, {"error": {"details": [{"retryDelay": "x"}, {"retryDelay": "55s"}]}}, 55.0),
        ({}, [{"error": {"details": [{"retryDelay": "55s"}]}}], 55.0),
    ],
)
def test_where_a_wait_is_looked_for(headers: dict[str, str], body: object, seconds: float | None) -> None:
    assert asked_wait(headers, body, NOW) == seconds


@given(JSON)
def test_no_body_breaks_it(body: object) -> None:
    wait = asked_wait({}, body, NOW)
    assert wait is None or wait >= 0
