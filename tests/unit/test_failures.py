"""The table: which exception Temporal retries, when, and under which name."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import ValidationError
from pydantic_ai.exceptions import (
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
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.failures import MESSAGE_CHARACTERS, classified
from graphs.budget import Usage
from graphs.contracts import FailureDetails, FailureType
from graphs.errors import InputInvalid, ModelRefused, SourceRefused, SourceUnavailable
from graphs.tools import SearchInput


def invalid_input() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        SearchInput.model_validate({"source": "a secret value " * 10, "query": "x", "limit": 0})
    return caught.value


NEVER = [
    (ModelAuthenticationError("m", "no"), FailureType.MODEL_REFUSED),
    (ModelHTTPError.for_category(ModelAuthenticationError, status_code=401, model_name="m"), FailureType.MODEL_REFUSED),
    (ModelQuotaExceededError("m", "no credit"), FailureType.MODEL_REFUSED),
    (ModelContextWindowExceededError("m", "too long"), FailureType.MODEL_REFUSED),
    (ModelNotFoundError("m", "no such model"), FailureType.MODEL_REFUSED),
    (UserError("set a key"), FailureType.MODEL_REFUSED),
    (ModelRefused("no key"), FailureType.MODEL_REFUSED),
    (SourceRefused("unknown source"), FailureType.SOURCE_REFUSED),
    (InputInvalid("question", "empty"), FailureType.INPUT_INVALID),
    (invalid_input(), FailureType.INPUT_INVALID),
    (
        FallbackExceptionGroup("all", [ModelAuthenticationError("a", "no"), ModelQuotaExceededError("b", "no")]),
        FailureType.MODEL_REFUSED,
    ),
]

AGAIN: list[tuple[Exception, str, float | None]] = [
    (ModelRateLimitError("m", "slow down", retry_after=7), "ModelRateLimitError", 7),
    (
        ModelHTTPError.for_category(ModelRateLimitError, status_code=429, model_name="m", headers={"retry-after": "3"}),
        "ModelRateLimitError",
        3,
    ),
    (ModelRateLimitError("m", "come back tomorrow", retry_after=86_400), "ModelRateLimitError", 300),
    (ModelRateLimitError("m", "never", retry_after=1e300), "ModelRateLimitError", 300),
    (ModelOverloadedError("m", "busy"), "ModelOverloadedError", None),
    (ModelServerError("m", "oops"), "ModelServerError", None),
    (ModelConnectionError("m", "refused"), "ModelConnectionError", None),
    (ModelTimeoutError("m", "slow"), "ModelTimeoutError", None),
    (ModelRequestTimeout("m", 5.0), "ModelRequestTimeout", None),
    (ModelAPIError("m", "?"), "ModelAPIError", None),
    (UnexpectedModelBehavior("no such form"), FailureType.MODEL_OUTPUT, None),
    (UsageLimitExceeded("three requests"), FailureType.MODEL_OUTPUT, None),
    (SourceUnavailable("index is locked"), "SourceUnavailable", None),
    (KeyError("a bug"), "KeyError", None),
    (
        FallbackExceptionGroup(
            "all", [ModelAuthenticationError("a", "no"), ModelRateLimitError("b", "x", retry_after=9)]
        ),
        "ModelRateLimitError",
        9,
    ),
    (
        FallbackExceptionGroup("all", [ModelServerError("a", "no"), ModelRateLimitError("b", "x", retry_after=9)]),
        "ModelServerError",
        None,
    ),
]


@pytest.mark.parametrize(("error", "kind"), NEVER, ids=lambda value: getattr(value, "__name__", str(value))[:40])
def test_what_nobody_can_mend_by_waiting_is_never_retried(error: Exception, kind: str) -> None:
    failure = classified(error)
    assert (failure.type, failure.non_retryable, failure.next_retry_delay) == (kind, True, None)


@pytest.mark.parametrize(("error", "kind", "seconds"), AGAIN, ids=lambda value: str(value)[:40])
def test_what_may_pass_is_retried_when_the_provider_says(error: Exception, kind: str, seconds: float | None) -> None:
    failure = classified(error)
    delay = None if seconds is None else timedelta(seconds=seconds)
    assert (failure.type, failure.non_retryable, failure.next_retry_delay) == (kind, False, delay)


def test_a_failure_that_is_sorted_already_stays_as_it_is() -> None:
    failure = ApplicationError("mine", type="Mine", non_retryable=True)
    assert classified(failure) is failure


def test_texts_are_cut() -> None:
    failure = classified(ValueError("x" * 5_000))
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
    assert "SECRETsecret1234" not in classified(ModelAuthenticationError("m", text)).message


def test_a_refused_input_is_explained_without_its_values() -> None:
    message = classified(invalid_input()).message
    assert "limit" in message
    assert "source" in message
    assert "a secret value" not in message


async def test_within_an_activity_a_failure_tells_its_attempt_and_what_was_used() -> None:
    used = Usage(requests=2, input_tokens=100)
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=3)
    failure = environment.run(classified, ModelRateLimitError("m", "slow down", retry_after=7), used)
    assert FailureDetails.model_validate(failure.details[0]) == FailureDetails(attempt=3, usage=used)
    assert failure.next_retry_delay == timedelta(seconds=7)
    assert classified(ValueError("x")).details == ()
