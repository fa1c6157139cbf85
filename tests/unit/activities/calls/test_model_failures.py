"""What a refusal means: by status, by the codes in its body, and by the few sentences that nothing else tells."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UserError,
)

from elcano.activities.calls.model_failures import fault_of
from elcano.activities.calls.refusal_causes import SENTENCES, RefusalContents, Sentence, Verdict, verdict_of
from elcano.graphs.errors import (
    ActivityFault,
    AnswerDeclined,
    AnswerUnusable,
    ModelBusy,
    ModelRefused,
    PromptTooLong,
    RequestRefused,
)


def refused(status: int, body: object = None, **headers: str) -> ModelHTTPError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ModelHTTPError(status, "m", body, headers=named)


def openai(message: str = "", **fields: str | None) -> dict[str, object]:
    return {"error": {"message": message, **fields}}


def anthropic(kind: str, message: str = "", **fields: object) -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message, **fields}}


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (refused(401), "key"),
        (refused(403), "key"),
        (refused(402), "credit"),
        (refused(429, openai("no", code="billing_not_active")), "credit"),
        (refused(429, anthropic("rate_limit_error", details={"error_code": "enforced_spend_limit_reached"})), "credit"),
        (
            refused(400, anthropic("invalid_request_error", "You have reached your specified API usage limits.")),
            "credit",
        ),
        (refused(404), "model"),
        (refused(400, openai("The requested model 'x' does not exist.", param="model")), "model"),
        (refused(413), "too_long"),
        (refused(413, "<html>nginx</html>"), "too_long"),
        (refused(500, {"error": {"code": 500, "type": "exceed_context_size_error"}}), "too_long"),
        (
            refused(429, openai("Request too large for gpt-4o on TPM", type="tokens", code="rate_limit_exceeded")),
            "too_long",
        ),
        (refused(429, anthropic("rate_limit_error", "Extra usage is required for long context requests.")), "too_long"),
        (refused(429, openai("Rate limit reached for gpt-4o", type="tokens", code="rate_limit_exceeded")), "busy"),
        (refused(429), "busy"),
        (refused(408), "busy"),
        (refused(409), "busy"),
        (refused(500), "busy"),
        (refused(503), "busy"),
        (refused(529, anthropic("overloaded_error", "Overloaded")), "busy"),
        (refused(520, b"\xff\xfe<html>"), "busy"),
        (refused(400), "request"),
        (refused(422), "request"),
        (refused(418), "request"),
        (ModelConnectionError("m", "refused"), "busy"),
        (ModelAPIError("m", "?"), "busy"),
        (ModelQuotaExceededError("m", "no credit"), "credit"),
        # words alone decide nothing: not with another status, not in a kind of error that is not theirs
        (refused(500, openai("they exceed context limit")), "busy"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(getattr(value, "status_code", "none")),
)
def test_what_a_refusal_is_for(error: ModelAPIError, verdict: Verdict) -> None:
    assert verdict_of(error, RefusalContents.by(error)) == verdict
    as_text = json.dumps(error.body) if isinstance(error.body, dict) else None
    if as_text is not None and isinstance(error, ModelHTTPError):  # some SDKs hand the body on as it came
        same = refused(error.status_code, as_text)
        assert verdict_of(same, RefusalContents.by(same)) == verdict


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda one: one.words)
def test_every_sentence_of_the_table_is_needed(sentence: Sentence) -> None:
    status = min(sentence.statuses)
    said, silent = (refused(status, {"error": {"message": text}}) for text in (f"so {sentence.words.upper()}: 9", "no"))
    assert verdict_of(said, RefusalContents.by(said)) == sentence.verdict
    assert status == 413 or verdict_of(silent, RefusalContents.by(silent)) != sentence.verdict
    assert sentence.source


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (refused(401), ModelRefused, "the key was refused"),
        (refused(402), ModelRefused, "there is no credit"),
        (refused(404), ModelRefused, "there is no such model"),
        (refused(400, openai("`top_k` is odd")), RequestRefused, "`top_k` is odd"),
        (refused(429, openai("slow down"), retry_after="7"), ModelBusy, "slow down"),
        (refused(413), PromptTooLong, "too long"),
        (refused(400, openai("malformed call", code="tool_use_failed")), AnswerUnusable, "malformed call"),
        (refused(400, openai("no JSON", code="json_validate_failed")), AnswerUnusable, "no JSON"),
        (refused(400, openai("filtered", code="content_filter", param="prompt")), AnswerDeclined, "filtered"),
        (  # Azure's filter of prompts answers so under status 200
            ModelAPIError("m", "?", body=openai("filtered", code="content_filter", param="prompt")),
            AnswerDeclined,
            "filtered",
        ),
        (UserError("set a key"), ModelRefused, "set a key"),
    ],
    ids=["401", "402", "404", "400", "429", "413", "form", "json", "filter", "filter200", "user"],
)
def test_a_fault_says_what_was_said(error: Exception, kind: type[ActivityFault], told: str) -> None:
    fault = fault_of(error)
    assert type(fault) is kind
    assert told in str(fault)


def test_a_wait_is_taken_from_wherever_it_is() -> None:
    waits = [
        fault.retry_after
        for error in (
            refused(429, retry_after="7"),
            refused(429, x_ratelimit_reset_requests="6m0s"),
            refused(429, {"error": {"details": [{"retryDelay": "55s"}]}}),
            refused(503),
        )
        if isinstance(fault := fault_of(error), ModelBusy)
    ]
    assert waits == [7.0, 360.0, 55.0, None]


def test_a_quota_that_is_back_tomorrow_is_not_waited_for() -> None:
    body = {"error": {"status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "3601s"}]}}
    assert isinstance(fault_of(refused(429, body)), ModelRefused)
    body["error"]["details"] = [{"retryDelay": "3600s"}]
    assert isinstance(fault_of(refused(429, body)), ModelBusy)


def test_a_bug_is_no_fault() -> None:
    assert fault_of(KeyError("x")) is None


def test_a_long_answer_is_not_repeated_whole() -> None:
    fault = fault_of(refused(500, "<html>" + "x" * 100_000))
    assert fault is not None
    assert len(str(fault)) < 600


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
BODIES = st.recursive(
    SCALARS | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "details", "code", "type", "message", "param", "status", "x"]), inner
        )
    ),
    max_leaves=10,
)


@given(st.integers(300, 599), BODIES)
def test_whatever_a_provider_answers_is_a_fault(status: int, body: object) -> None:
    fault = fault_of(refused(status, body))
    assert isinstance(fault, ModelBusy | ModelRefused | RequestRefused)
