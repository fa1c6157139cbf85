"""A writer that is asked for its words as they come: real client code against a server that streams, or does not."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pydantic_ai import models
from temporalio.activity import ActivityCancellationDetails
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.asking import AgentActivities
from elcano.activities.calls.streaming import Listener
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.values.budget import Allowance
from elcano.graphs.values.failures import FailureType
from elcano.graphs.values.report import ReportDraft
from elcano.graphs.values.words import SHOWN_CHARACTERS, Words
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.testing.provider import PIECE, Reply, Request, answer, in_order, refusal, scripted_provider, streamed
from tests.unit.activities.agents.material import TEMPORAL, FixedSource, call, passage, stored

ONE = passage(1, TEMPORAL)
GIVEN: JsonObject = {"question": "What happens after a crash?", "evidence": [ONE.id]}
CLAIM = {"text": "Another worker goes on.", "citations": [{"evidence": "e1", "quote": "another worker replays"}]}
REPORT = {"title": "After a crash", "key_findings": [CLAIM], "limitations": ["Costs are not spoken of."] * 20}
USED = {"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100}
GOOD = answer(REPORT, usage=USED)
STREAM = {"content-type": "text/event-stream"}


@pytest.fixture(autouse=True)
def _requests_allowed() -> Iterator[None]:
    with models.override_allow_model_requests(True):
        yield


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        await opened.of("default").evidence.add("run-1", (ONE,), [stored(ONE)])
        yield opened


class Desk:
    """A writer whose model is a server on loopback."""

    def __init__(self, store: Store, **settings: object) -> None:
        self.store = store
        self.beats: list[tuple[Any, ...]] = []
        self.model = f"openai-chat:gpt-4o-{uuid4().hex[:8]}"
        chosen = Settings.model_validate({"model_timeout_seconds": 30.0, **settings})
        self._activities = AgentActivities(store, Sources({"docs": FixedSource({})}), chosen)

    async def write(
        self, allowance: Allowance | None = None, environment: ActivityEnvironment | None = None
    ) -> AgentResult:
        environment = environment or ActivityEnvironment()
        environment.on_heartbeat = lambda *details: self.beats.append(details)
        asked = call("writer", GIVEN, model=self.model)
        asked = asked.model_copy(update={"allowance": allowance or Allowance()})
        result = await environment.run(self._activities.run_agent, asked)
        assert isinstance(result, AgentResult)
        return result

    @property
    def words(self) -> list[Words]:
        return [Words.model_validate(details[1]) for details in self.beats if len(details) == 2]

    async def until_words(self) -> Words:
        while not self.words:  # noqa: ASYNC110 - a beat is nothing that can be waited for
            await asyncio.sleep(0.01)
        return self.words[-1]


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[Request]]]:
    """Serves replies from now on; gives the list of what is asked."""
    with ExitStack() as stack:

        def served(*replies: Reply) -> list[Request]:
            provider = stack.enter_context(scripted_provider(in_order(replies)))
            for name in ("OPENAI", "ANTHROPIC"):
                monkeypatch.setenv(f"{name}_BASE_URL", provider.url)
                monkeypatch.setenv(f"{name}_API_KEY", "test")
            return provider.requests

        yield served


Serve = Callable[..., list[Request]]


def asked_to_stream(requests: list[Request]) -> list[bool]:
    return [bool(request.get("stream")) for request in requests]


async def test_beats_carry_the_words_while_they_come(desk: Desk, serve: Serve) -> None:
    rest = threading.Event()
    requests = serve(Reply(body=GOOD.body, half=rest))
    writing = asyncio.create_task(desk.write())
    first = await desk.until_words()
    assert (first.step, first.node) == (1, "writer")
    assert first.text.startswith("# After a crash\n\nAnother worker goes on.")
    assert "another worker replays" not in first.text
    assert first.characters == len(first.text)
    rest.set()
    result = await writing
    assert desk.beats[0] == ()
    assert {details[0] for details in desk.beats if details} == {None}
    assert len(requests) == 1
    assert (requests[0]["stream"], requests[0]["stream_options"]) == (True, {"include_usage": True})
    assert (result.usage.requests, result.usage.input_tokens, result.usage.output_tokens) == (1, 1_000, 100)
    assert (result.usage.cost_microusd, result.usage.estimated) == (3_500, False)
    assert result.model == "gpt-4o"


async def test_a_streamed_answer_is_the_answer(desk: Desk, serve: Serve, store: Store) -> None:
    serve(GOOD)
    streamed_result = await desk.write()
    whole = Desk(store, stream_models=False)
    requests = serve(GOOD)
    assert (await whole.write()) == streamed_result
    assert asked_to_stream(requests) == [False]
    artifact = streamed_result.output["artifact"]
    kept = ReportDraft.model_validate_json(await store.of("default").artifacts.get(str(artifact)) or "")
    assert kept.title == "After a crash"
    assert [claim.text for claim in kept.key_findings] == ["Another worker goes on."]


async def test_of_a_long_text_its_end_is_shown(desk: Desk, serve: Serve) -> None:
    rest = threading.Event()
    long = {**REPORT, "limitations": [f"Point {number} is open." for number in range(1_000)]}
    serve(Reply(body=answer(long, usage=USED).body, half=rest))
    writing = asyncio.create_task(desk.write())
    while (words := await desk.until_words()).characters < 5_000:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert len(words.text) == SHOWN_CHARACTERS
    assert "After a crash" not in words.text
    rest.set()
    await writing


async def test_a_stream_without_usage_is_estimated(desk: Desk, serve: Serve) -> None:
    serve(answer(REPORT))
    usage = (await desk.write()).usage
    assert (usage.requests, usage.estimated) == (1, True)
    assert usage.output_tokens >= len(json.dumps(REPORT, separators=(",", ":"))) // 4
    assert usage.input_tokens > 100


def events(count: int, *more: str) -> Reply:
    """The first events of the good answer, and others."""
    return Reply(body="".join([*streamed(GOOD.body)[:count], *more]), headers=STREAM)


@pytest.mark.parametrize(
    ("reply", "came"),
    [
        (refusal(400, "stream_unsupported"), False),
        (refusal(501, "not_implemented"), False),
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


def error(code: str, kind: str = "server_error") -> str:
    return f"data: {json.dumps({'error': {'message': 'key sk-proj-SECRETsecret1234', 'type': kind, 'code': code}})}\n\n"


@pytest.mark.parametrize("count", [0, 8])
@pytest.mark.parametrize(
    ("code", "type", "kind"),
    [
        ("rate_limit_exceeded", "requests", FailureType.PROVIDER),
        ("insufficient_quota", "insufficient_quota", FailureType.PROVIDER),
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


def sse(*told: JsonObject) -> Reply:
    return Reply(body="".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in told), headers=STREAM)


def messages_stream() -> Reply:
    """The report as Anthropic streams it."""
    report = json.dumps(REPORT)
    message: JsonObject = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1_000, "output_tokens": 1}}
    tool: JsonObject = {"type": "tool_use", "id": "tool_1", "name": "final_result", "input": {}}
    pieces: list[JsonObject] = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
        for piece in (report[:50], report[50:])
    ]
    return sse(
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": tool},
        *pieces,
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 100},
        },
        {"type": "message_stop"},
    )


def responses_stream() -> Reply:
    """The report as OpenAI's Responses stream it."""
    report = json.dumps(REPORT)
    call_: JsonObject = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "final_result"}
    done: JsonObject = {**call_, "arguments": report, "status": "completed"}
    response: JsonObject = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-4o", "output": []}
    response |= {"status": "in_progress", "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    usage: JsonObject = {"input_tokens": 1_000, "output_tokens": 100, "total_tokens": 1_100}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    ended: JsonObject = {**response, "status": "completed", "output": [done], "usage": usage}
    place: JsonObject = {"item_id": "fc_1", "output_index": 0}
    told: list[JsonObject] = [
        {"type": "response.created", "response": response},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**call_, "arguments": "", "status": "in_progress"},
        },
        {"type": "response.function_call_arguments.delta", **place, "delta": report[:50]},
        {"type": "response.function_call_arguments.delta", **place, "delta": report[50:]},
        {"type": "response.function_call_arguments.done", **place, "name": "final_result", "arguments": report},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": ended},
    ]
    return sse(*({**one, "sequence_number": number} for number, one in enumerate(told)))


@pytest.mark.parametrize(("provider", "reply"), [("anthropic", messages_stream()), ("openai", responses_stream())])
async def test_other_ways_of_streaming_are_heard_and_counted(
    desk: Desk, serve: Serve, monkeypatch: pytest.MonkeyPatch, provider: str, reply: Reply
) -> None:
    heard: list[tuple[str, int] | None] = []
    end = Listener.end

    def ending(self: Listener) -> None:
        end(self)
        heard.append(self.written)

    monkeypatch.setattr(Listener, "end", ending)
    desk.model = f"{provider}:gpt-4o-{uuid4().hex[:8]}"
    requests = serve(reply)
    result = await desk.write()
    assert asked_to_stream(requests) == [True]
    assert (result.usage.requests, result.usage.input_tokens, result.usage.output_tokens) == (1, 1_000, 100)
    assert not result.usage.estimated
    (written,) = heard
    assert written is not None
    assert written[0].startswith("# After a crash\n\nAnother worker goes on.\n\n- Costs are not spoken of.")


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


async def test_a_call_that_is_given_up_says_what_had_come(desk: Desk, serve: Serve) -> None:
    rest, environment = threading.Event(), ActivityEnvironment()
    serve(Reply(body=GOOD.body, half=rest))
    writing = asyncio.create_task(desk.write(environment=environment))
    await desk.until_words()
    environment.cancel(ActivityCancellationDetails(cancel_requested=True))
    with pytest.raises(ApplicationError) as caught:
        await writing
    rest.set()
    assert caught.value.type == FailureType.ABANDONED
    (line,) = await desk.store.of("default").ledger.entries("run-1")
    assert (line.outcome, line.usage.requests, line.usage.estimated) == ("abandoned", 1, True)
    assert caught.value.details[0]["usage"] == line.usage.model_dump(mode="json")


async def test_a_fault_in_showing_ends_the_showing_and_nothing_else(
    desk: Desk, serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: Listener) -> object:
        raise RecursionError("too deep")

    monkeypatch.setattr(Listener, "written", property(broken))
    serve(Reply(body=GOOD.body, pause=0.05))
    assert (await desk.write()).usage.tokens == 1_100
    assert len(desk.beats) > 1
    assert desk.words == []
    assert caplog.text.count("cannot be shown") == 1


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
    desk.model = f"{first},offline"
    serve(refusal(500, "server_error"))
    assert (await desk.write()).model == "extractive-v2"


async def test_a_second_request_is_not_made_if_the_stream_took_what_was_left(desk: Desk, serve: Serve) -> None:
    requests = serve(events(8, "data: {no JSON\n\n"), GOOD)
    needed = 1_300  # for the prompt, once
    with pytest.raises(ApplicationError) as caught:
        await desk.write(Allowance(tokens=needed))
    assert caught.value.type == FailureType.BUDGET
    assert asked_to_stream(requests) == [True]


async def test_two_calls_at_once_hear_only_their_own_words(store: Store, serve: Serve) -> None:
    one, two = Desk(store), Desk(store)
    rest = threading.Event()
    serve(Reply(body=GOOD.body, half=rest))
    first = asyncio.create_task(one.write())
    await one.until_words()
    serve(Reply(body=answer({**REPORT, "title": "Another"}, usage=USED).body, half=rest))
    second = asyncio.create_task(two.write())
    await two.until_words()
    rest.set()
    await asyncio.gather(first, second)
    assert {words.text[:9] for words in one.words} == {"# After a"}
    assert {words.text[:9] for words in two.words} == {"# Another"}


async def test_agents_that_write_nothing_for_readers_are_not_streamed(store: Store, serve: Serve) -> None:
    requests = serve(answer({"thought": "Hm."}, usage=USED))
    made = AgentActivities(store, Sources({}), Settings(_env_file=None))
    asked = call("thinking", {"question": "Why?"}, model=f"openai-chat:gpt-4o-{uuid4().hex[:8]}")
    await ActivityEnvironment().run(made.run_agent, asked)
    assert asked_to_stream(requests) == [False]
