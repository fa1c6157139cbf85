"""The table: which exception Temporal retries, when, and under which name."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import ValidationError
from pydantic_ai.exceptions import (
    ContentFilterError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from sqlalchemy.exc import IntegrityError, OperationalError
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.calls.retry_classification import MESSAGE_CHARACTERS, classify_failure
from elcano.graphs.catalogue.tools import SearchInput
from elcano.graphs.errors import (
    InputInvalid,
    ModelRefused,
    SourceBusy,
    SourceRefused,
    SourceUnavailable,
    StoreUnavailable,
)
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import FailureDetails, FailureType


def invalid_input() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        SearchInput.model_validate({"source": "a secret value " * 10, "query": "x", "limit": 0})
    return caught.value


NEVER = [
    (ModelAuthenticationError("m", "no"), FailureType.MODEL_REFUSED),
    (ModelHTTPError.for_category(ModelAuthenticationError, status_code=401, model_name="m"), FailureType.MODEL_REFUSED),
    (ModelContextWindowExceededError("m", "too long"), FailureType.PROMPT_TOO_LONG),
    (ModelQuotaExceededError("m", "no credit"), FailureType.MODEL_REFUSED),
    (OutputTokenLimitExceeded("too long an answer"), FailureType.MODEL_CUT_OFF),
    (ContentFilterError("withheld"), FailureType.MODEL_DECLINED),
    (ModelNotFoundError("m", "no such model"), FailureType.MODEL_REFUSED),
    (UserError("set a key"), FailureType.MODEL_REFUSED),
    (ModelRefused("no key"), FailureType.MODEL_REFUSED),
    (SourceRefused("unknown source"), FailureType.SOURCE_REFUSED),
    (InputInvalid("question", "empty"), FailureType.INPUT_INVALID),
    (invalid_input(), FailureType.INPUT_INVALID),
    (
        FallbackExceptionGroup("all", [ModelAuthenticationError("a", "no"), ModelNotFoundError("b", "no")]),
        FailureType.MODEL_REFUSED,
    ),
    (
        FallbackExceptionGroup("all", [ModelAuthenticationError("a", "no"), ModelQuotaExceededError("b", "no")]),
        FailureType.MODEL_REFUSED,
    ),
    (
        FallbackExceptionGroup("all", [ModelAuthenticationError("a", "no"), ContentFilterError("withheld")]),
        FailureType.MODEL_DECLINED,
    ),
]

HELD: list[tuple[Exception, float | None]] = [
    (ModelRateLimitError("m", "slow down", retry_after=7), 7),
    (
        ModelHTTPError.for_category(ModelRateLimitError, status_code=429, model_name="m", headers={"retry-after": "3"}),
        3,
    ),
    (ModelRateLimitError("m", "come back next week", retry_after=7 * 86_400), 86_400),
    (ModelRateLimitError("m", "never", retry_after=1e300), 86_400),
    (ModelOverloadedError("m", "busy"), None),
    (ModelServerError("m", "oops"), None),
    (ModelConnectionError("m", "refused"), None),
    (ModelTimeoutError("m", "slow"), None),
    (ModelRequestTimeout("m", 5.0), None),
    (ModelAPIError("m", "?"), None),
    (
        FallbackExceptionGroup(
            "all", [ModelAuthenticationError("a", "no"), ModelRateLimitError("b", "x", retry_after=9)]
        ),
        9,
    ),
    (
        FallbackExceptionGroup("all", [ModelServerError("a", "no"), ModelRateLimitError("b", "x", retry_after=9)]),
        None,
    ),
]

AGAIN: list[tuple[Exception, str]] = [
    (UnexpectedModelBehavior("no such form"), FailureType.MODEL_OUTPUT),
    (UsageLimitExceeded("three requests"), FailureType.MODEL_OUTPUT),
    (SourceUnavailable("index is locked"), "SourceUnavailable"),
    (KeyError("a bug"), "KeyError"),
    (StoreUnavailable("s3://bucket cannot be used"), FailureType.STORE_DOWN),
    (OperationalError("SELECT 1", {}, Exception("connection is bad: connection refused")), FailureType.STORE_DOWN),
    (IntegrityError("INSERT", {}, Exception("twice")), "IntegrityError"),
    (
        FallbackExceptionGroup("all", [ModelAuthenticationError("a", "no"), UnexpectedModelBehavior("b")]),
        FailureType.MODEL_OUTPUT,
    ),
]


def test_an_outage_of_the_store_does_not_tell_where_it_is() -> None:
    failure = classify_failure(StoreUnavailable("http://10.0.0.7:9000/bucket cannot be used"))
    assert failure.message.startswith("the store cannot be used")
    assert "10.0.0.7" not in failure.message


@pytest.mark.parametrize(("error", "kind"), NEVER, ids=lambda value: getattr(value, "__name__", str(value))[:40])
def test_what_nobody_can_mend_by_waiting_is_never_retried(error: Exception, kind: str) -> None:
    failure = classify_failure(error)
    assert (failure.type, failure.non_retryable, failure.next_retry_delay) == (kind, True, None)


@pytest.mark.parametrize(("error", "seconds"), HELD, ids=lambda value: str(value)[:40])
def test_what_a_provider_cannot_answer_now_goes_back_to_the_run(error: Exception, seconds: float | None) -> None:
    failure = classify_failure(error)
    delay = None if seconds is None else timedelta(seconds=seconds)
    assert (failure.type, failure.non_retryable, failure.next_retry_delay) == (FailureType.PROVIDER, True, delay)


@pytest.mark.parametrize(("error", "kind"), AGAIN, ids=lambda value: str(value)[:40])
def test_what_may_go_better_at_once_is_retried(error: Exception, kind: str) -> None:
    failure = classify_failure(error)
    assert (failure.type, failure.non_retryable, failure.next_retry_delay) == (kind, False, None)


def test_a_failure_that_is_sorted_already_stays_as_it_is() -> None:
    failure = ApplicationError("mine", type="Mine", non_retryable=True)
    assert classify_failure(failure) is failure


@pytest.mark.parametrize(
    ("error", "message"),
    [(KeyError("x"), "KeyError: 'x'"), (TimeoutError(), "TimeoutError"), (SourceRefused("x"), "x")],
)
def test_a_bug_is_reported_with_its_name(error: Exception, message: str) -> None:
    assert classify_failure(error).message == message


def test_texts_are_cut() -> None:
    failure = classify_failure(ValueError("x" * 5_000))
    assert len(failure.message) == MESSAGE_CHARACTERS


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-SECRETsecret1234. Find yours in your account.",
        "headers: Authorization: Bearer SECRETsecret1234",
        "GET https://example.org/v1?key=SECRETsecret1234&x=1 failed",
        "GET https://user:SECRETsecret1234@example.org failed",
        "gsk_SECRETsecret1234 is not valid",
    ],
)
def test_texts_hold_no_key(text: str) -> None:
    assert "SECRETsecret1234" not in classify_failure(ModelAuthenticationError("m", text)).message


def test_a_refused_input_is_explained_without_its_values() -> None:
    message = classify_failure(invalid_input()).message
    assert "limit" in message
    assert "source" in message
    assert "a secret value" not in message


async def test_within_an_activity_a_failure_tells_its_attempt_and_what_was_used() -> None:
    used = Usage(requests=2, input_tokens=100)
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=3)
    failure = environment.run(classify_failure, ModelRateLimitError("m", "slow down", retry_after=7), used)
    assert FailureDetails.model_validate(failure.details[0]) == FailureDetails(attempt=3, usage=used, retry_after=7)
    assert failure.next_retry_delay == timedelta(seconds=7)
    assert classify_failure(ValueError("x")).details == ()


@pytest.mark.parametrize(
    ("after", "again", "wait"),
    [
        (None, True, None),
        (0.0, True, 0.0),
        (30.0, True, 30.0),
        (31.0, False, 31.0),
        (10_000_000.0, False, 86_400.0),
    ],
)
def test_a_busy_source_is_tried_again_soon_or_holds_the_run(
    after: float | None, again: bool, wait: float | None
) -> None:
    failure = classify_failure(SourceBusy("articles: HTTP 429", after))
    delay = failure.next_retry_delay
    assert (failure.type, failure.non_retryable) == (FailureType.PROVIDER, not again)
    assert (delay.total_seconds() if delay is not None else None) == wait
