"""A writer that is asked for its words as they come: real client code against a server that streams, or does not."""

import asyncio
import json
import threading
from uuid import uuid4

import pytest
from temporalio.activity import ActivityCancellationDetails
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.calls.live_words import Listener
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import SHOWN_CHARACTERS
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.failures import FailureType
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing.provider import Reply, make_completion
from tests.unit.activities.agents.material import call
from tests.unit.activities.calls.streams import (
    GOOD,
    REPORT,
    USED,
    Desk,
    Serve,
    asked_to_stream,
    messages_stream,
    responses_stream,
)


async def test_beats_carry_the_words_while_they_come(desk: Desk, serve: Serve) -> None:
    rest = threading.Event()
    requests = serve(Reply(body=GOOD.body, half=rest))
    writing = asyncio.create_task(desk.write())
    while "goes on." not in (first := await desk.until_words()).text:  # noqa: ASYNC110 - its heading may come first
        await asyncio.sleep(0.01)
    assert (first.step, first.node) == (1, "writer")
    assert first.text.startswith("# After a crash\n\nAnother worker goes on.")
    assert "another worker replays" not in first.text
    assert first.characters == len(first.text)
    rest.set()
    result = await writing
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
    serve(Reply(body=make_completion(long, usage=USED).body, half=rest))
    writing = asyncio.create_task(desk.write())
    while (words := await desk.until_words()).characters < 5_000:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert len(words.text) == SHOWN_CHARACTERS
    assert "After a crash" not in words.text
    rest.set()
    await writing


async def test_a_stream_without_usage_is_estimated(desk: Desk, serve: Serve) -> None:
    serve(make_completion(REPORT))
    usage = (await desk.write()).usage
    assert (usage.requests, usage.estimated) == (1, True)
    assert usage.output_tokens >= len(json.dumps(REPORT, separators=(",", ":"))) // 4
    assert usage.input_tokens > 100


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


async def test_two_calls_at_once_hear_only_their_own_words(store: Store, serve: Serve) -> None:
    one, two = Desk(store), Desk(store)
    rest = threading.Event()
    serve(Reply(body=GOOD.body, half=rest))
    first = asyncio.create_task(one.write())
    await one.until_words()
    serve(Reply(body=make_completion({**REPORT, "title": "Another"}, usage=USED).body, half=rest))
    second = asyncio.create_task(two.write())
    await two.until_words()
    rest.set()
    await asyncio.gather(first, second)
    assert {words.text[:9] for words in one.words} == {"# After a"}
    assert {words.text[:9] for words in two.words} == {"# Another"}


async def test_agents_that_write_nothing_for_readers_are_not_streamed(store: Store, serve: Serve) -> None:
    requests = serve(make_completion({"thought": "Hm."}, usage=USED))
    made = AgentActivities(store, Sources({}), Settings(_env_file=None))
    asked = call("thinking", {"question": "Why?"}, model=f"openai-chat:gpt-4o-{uuid4().hex[:8]}")
    await ActivityEnvironment().run(made.run_agent, asked)
    assert asked_to_stream(requests) == [False]
