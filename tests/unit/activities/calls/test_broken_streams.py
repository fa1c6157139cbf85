"""What becomes of a call whose stream is refused, empty, garbled, cut or broken off by the provider."""

import json
import threading
from uuid import uuid4

import pytest
from temporalio.exceptions import ApplicationError

from elcano.graphs.state.budget import Allowance
from elcano.graphs.state.failures import FailureType
from elcano.storage.store import Store
from elcano.testing.provider import PIECE, Reply, make_completion, make_refusal
from tests.unit.activities.calls.streams import (
    GOOD,
    REPORT,
    STREAM,
    USED,
    Desk,
    Serve,
    asked_to_stream,
    error,
    events,
)


@pytest.mark.parametrize(
    ("reply", "came"),
    [
        (make_refusal(400, "stream_unsupported"), False),
        (make_refusal(501, "not_implemented"), False),
        (Reply(body=" " + GOOD.body), False),
        (Reply(body="", headers=STREAM), False),
        (Reply(body="data: [DONE]\n\n", headers=STREAM), False),
        (Reply(body="<html>A gateway</html>"), False),
        (events(1, "data: [DONE]\n\n"), False),
        (events(8, "data: {this is no JSON\n\n"), True),
        (events(8, 'data: {"choices": 5}\n\n'), True),
    ],
    ids=["refused", "unknown", "all at once", "empty", "only its end", "page", "nothing said", "garbled", "odd"],
)
async def test_what_cannot_be_streamed_is_asked_for_at_once(desk: Desk, serve: Serve, reply: Reply, came: bool) -> None:
    requests = serve(reply, GOOD)
    result = await desk.write()
    assert asked_to_stream(requests) == [True, False]
    assert result.model == "gpt-4o"
    again = await desk.write()
    assert asked_to_stream(requests) == [True, False, False]
    assert (again.usage.requests, again.usage.tokens) == (1, 1_100)
    assert (result.usage.requests, result.usage.estimated) == ((2, True) if came else (1, False))
    assert (result.usage.tokens > 1_100) == came
    lines = await desk.store.of("default").ledger.entries("run-1")
    assert [line.usage for line in lines] == [again.usage]  # the same attempt, written in place of the first


@pytest.mark.parametrize("count", [0, 8])
@pytest.mark.parametrize(
    ("code", "type", "kind"),
    [
        ("rate_limit_exceeded", "requests", FailureType.PROVIDER),
        ("insufficient_quota", "insufficient_quota", FailureType.MODEL_REFUSED),
        ("server_error", "server_error", FailureType.PROVIDER),
        ("invalid_api_key", "invalid_request_error", FailureType.MODEL_REFUSED),
    ],
)
async def test_an_error_within_a_stream_is_sorted_as_one_before_it(
    desk: Desk, serve: Serve, count: int, code: str, type: str, kind: str
) -> None:
    requests = serve(events(count, error(code, type)))
    with pytest.raises(ApplicationError) as caught:
        await desk.write()
    assert (caught.value.type, caught.value.non_retryable) == (kind, True)
    assert "SECRETsecret1234" not in caught.value.message
    assert asked_to_stream(requests) == [True]
    (line,) = await desk.store.of("default").ledger.entries("run-1")
    assert line.outcome == "failed"
    assert line.usage.requests == (1 if count else 0)  # what came is counted, and known to be an estimate
    assert line.usage.estimated == bool(count)
    assert caught.value.details[0]["usage"] == line.usage.model_dump(mode="json")


async def test_an_overload_within_a_stream_of_another_provider_holds_the_run_too(desk: Desk, serve: Serve) -> None:
    desk.model = f"anthropic:claude-{uuid4().hex[:8]}"
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    requests = serve(Reply(body=f"event: error\ndata: {json.dumps(overloaded)}\n\n", headers=STREAM))
    with pytest.raises(ApplicationError) as caught:
        await desk.write()
    assert caught.value.type == FailureType.PROVIDER
    assert asked_to_stream(requests) == [True]


async def test_a_stream_that_is_cut_holds_the_run(desk: Desk, serve: Serve) -> None:
    cut = Reply(body=events(8).body, headers={**STREAM, "content-length": "100000"})
    requests = serve(cut)
    with pytest.raises(ApplicationError) as caught:
        await desk.write()
    assert caught.value.type == FailureType.PROVIDER
    assert asked_to_stream(requests) == [True]


async def test_a_stream_that_takes_too_long_is_given_up_and_counted(store: Store, serve: Serve) -> None:
    desk, rest = Desk(store, model_timeout_seconds=1.0), threading.Event()
    serve(Reply(body=GOOD.body, half=rest))
    with pytest.raises(ApplicationError) as caught:
        await desk.write()
    rest.set()
    assert caught.value.type == FailureType.PROVIDER
    usage = caught.value.details[0]["usage"]
    assert (usage["requests"], usage["estimated"]) == (1, True)
    assert usage["output_tokens"] > 2 * PIECE // 4


@pytest.mark.parametrize("garbled", ['{"title": "unfinished', json.dumps({"claims": "none"})], ids=["cut", "form"])
async def test_a_wrong_form_is_mended_without_streaming(desk: Desk, serve: Serve, garbled: str) -> None:
    body = json.loads(GOOD.body)
    body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = garbled
    requests = serve(Reply(body=json.dumps(body)), GOOD)
    result = await desk.write()
    assert result.usage.requests == 2
    assert asked_to_stream(requests) == [True, False]
    await desk.write()
    assert asked_to_stream(requests) == [True, False, False]


async def test_one_whose_quotes_do_not_hold_has_streamed_well(desk: Desk, serve: Serve) -> None:
    claim = {"text": "Nobody goes on.", "citations": [{"evidence": "e1", "quote": "nobody replays anything"}]}
    bad, mended = {**REPORT, "key_findings": [claim]}, {"blocks": [{"id": 1, "text": "", "citations": []}]}
    requests = serve(make_completion(bad, usage=USED), make_completion(mended, usage=USED), GOOD)
    result = await desk.write()
    assert result.usage.requests == 2
    await desk.write()
    assert asked_to_stream(requests) == [True, True, True]


async def test_one_that_streams_well_is_asked_so_again_after_a_slip(desk: Desk, serve: Serve) -> None:
    requests = serve(GOOD, events(8, "data: {no JSON\n\n"), GOOD)
    for _ in range(3):
        await desk.write()
    assert asked_to_stream(requests) == [True, True, False, True]


async def test_the_next_model_of_a_list_answers_for_one_whose_stream_broke(desk: Desk, serve: Serve) -> None:
    first, second = desk.model, f"openai-chat:gpt-4o-{uuid4().hex[:8]}"
    desk.model = f"{first},{second}"
    requests = serve(events(8, error("server_error")), GOOD)
    result = await desk.write()
    assert [f"openai-chat:{request['model']}" for request in requests] == [first, second]
    assert asked_to_stream(requests) == [True, True]
    assert result.usage.requests == 2
    desk.model = f"openai-chat:gpt-4o-{uuid4().hex[:8]},offline"
    serve(make_refusal(500, "server_error"))
    assert (await desk.write()).model == "extractive-v6"


async def test_a_second_request_is_not_made_if_the_stream_took_what_was_left(desk: Desk, serve: Serve) -> None:
    requests = serve(events(8, "data: {no JSON\n\n"), GOOD)
    needed = 2_300  # for the prompt, once
    with pytest.raises(ApplicationError) as caught:
        await desk.write(Allowance(tokens=needed))
    assert caught.value.type == FailureType.BUDGET
    assert asked_to_stream(requests) == [True]


async def test_a_first_token_that_does_not_come_has_a_limit_of_its_own(store: Store, serve: Serve) -> None:
    desk = Desk(store, first_token_seconds=0.3)
    requests = serve(Reply(body=GOOD.body, delay=60.0))
    with pytest.raises(ApplicationError) as caught:
        await desk.write()
    assert caught.value.type == FailureType.PROVIDER
    assert asked_to_stream(requests) == [True]


async def test_after_the_first_token_only_the_whole_answer_is_limited(store: Store, serve: Serve) -> None:
    desk = Desk(store, first_token_seconds=2.0)
    requests = serve(Reply(body=GOOD.body, pause=0.3))
    result = await desk.write()
    assert result.usage.requests == 1
    assert asked_to_stream(requests) == [True]
