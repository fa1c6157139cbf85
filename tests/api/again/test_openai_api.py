"""Elcano behind OpenAI's API, asked by the `openai` package over the API as it is served.

The package takes a second to import, which only the process that runs these tests is to wait for.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, ended, until, working

if TYPE_CHECKING:
    from openai.types.responses import Response

Json = dict[str, Any]


@pytest.fixture
async def client(served: str) -> AsyncIterator[Any]:
    """A client, whose types would have each event told apart before its fields are read."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=f"{served}/openai/v1", api_key="none", max_retries=0) as made:
        yield made


async def has_ended(client: Any, id: str) -> "Response":
    found: list[Response] = []

    async def is_so() -> bool:
        found.append(await client.responses.retrieve(id))
        return found[-1].status not in ("queued", "in_progress")

    await until(is_so)
    return found[-1]


def message_of(response: "Response") -> Any:
    (message,) = (item for item in response.output if item.type == "message")
    return message


async def test_a_response_that_is_cut_off_and_goes_on_and_is_followed(
    client: Any, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    from openai import NotFoundError

    asked: Json = {
        "model": "iterative",
        "input": [
            {"role": "developer", "content": "One page."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Good day."},
            {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        ],
        "temperature": 0.2,
        "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": False}],
        "metadata": {"ticket": "4711"},
        "extra_headers": {"Idempotency-Key": "once"},
    }
    async with (
        working(temporal, store, api_settings, Provider()),
        httpx.AsyncClient(base_url=served, timeout=60) as api,
    ):
        stream = await client.responses.create(**asked, stream=True)
        first = [await anext(aiter(stream)) for _ in range(5)]
        await stream.close()
        id = first[0].response.id
        run_id = id.removeprefix("resp_")
        again = await client.responses.create(**asked, background=True)
        assert again.id == id

        rest = [event async for event in await client.responses.retrieve(id, stream=True, starting_after=4)]
        events = [*first, *rest]
        assert [event.sequence_number for event in events] == list(range(len(events)))
        kinds = [event.type for event in events]
        assert kinds[:3] == ["response.created", "response.queued", "response.in_progress"]
        assert kinds[-1] == "response.completed"
        assert kinds.count("response.web_search_call.completed") == kinds.count("response.web_search_call.searching")
        whole = [event async for event in await client.responses.retrieve(id, stream=True)]
        assert [event.to_dict() for event in whole] == [event.to_dict() for event in events]

        final = events[-1].response
        assert (await client.responses.retrieve(id)).to_dict() == final.to_dict()
        message = message_of(final)
        deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
        report = (await api.get(f"/v1/runs/{run_id}/report")).text
        assert "".join(deltas) == final.output_text == report
        (citation,) = message.to_dict()["content"][0]["annotations"]
        assert report[citation["start_index"] : citation["end_index"]] == "[1]"
        assert citation["url"].endswith(f"/v1/runs/{run_id}/evidence")
        assert {"message", "reasoning", "web_search_call"} == {item.type for item in final.output}
        assert final.metadata == {
            "ticket": "4711", "elcano_run": run_id, "elcano_status": "completed",
            "elcano_ignored": "temperature, tools", "elcano_answered": "true",
            "elcano_citations_verified": "1", "elcano_citations_unverified": "0",
            "elcano_statements_supported": "1", "elcano_statements_partly_supported": "0",
            "elcano_statements_not_supported": "0", "elcano_statements_unchecked": "0",
        }  # fmt: skip
        assert final.usage is not None
        assert final.usage.total_tokens == (await ended(api, run_id))["budget"]["used"]["tokens"]
        view = (await api.get(f"/v1/runs/{run_id}")).json()
        assert view["metadata"] == {"ticket": "4711", "elcano_ignored": "temperature, tools"}

        items = (await client.responses.input_items.list(id)).data
        assert [item.to_dict()["content"][0]["text"] for item in items] == [
            QUESTION,
            "The conversation so far:\n\nUser: Hello\n\nAssistant: Good day.",
            "One page.",
        ]
        one = await client.responses.input_items.list(id, limit=1)
        assert (one.has_more, [item.id for item in one.data]) == (True, [items[0].id])

        further = await client.responses.create(
            model="iterative", input="Since when?", previous_response_id=id, background=True
        )
        assert (further.status, further.previous_response_id) == ("queued", id)
        assert (await has_ended(client, further.id)).status == "completed"
        deleted = await client.delete(f"/responses/{further.id}", cast_to=httpx.Response)
        assert deleted.json() == {"id": further.id, "object": "response.deleted", "deleted": True}
        with pytest.raises(NotFoundError, match="there is no run"):
            await client.responses.retrieve(further.id)


async def test_a_plan_that_is_approved_and_a_response_that_is_cancelled(
    client: Any, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    from openai import APIStatusError, UnprocessableEntityError

    provider = Provider(sections=2)
    async with working(temporal, store, api_settings, provider):
        asked: Json = {"model": "deep", "input": QUESTION, "extra_body": {"elcano": {"approve_plan": True}}}
        waiting = await client.responses.create(**asked)
        assert waiting.status == "in_progress"
        request = waiting.output[-1]
        assert request.type == "mcp_approval_request"
        assert (request.server_label, request.name) == ("elcano", "approve_plan")
        assert [one["title"] for one in json.loads(request.arguments)["sections"]] == ["Section 1", "Section 2"]
        answer: Json = {"type": "mcp_approval_response", "approval_request_id": "mcpr_x/plan/1", "approve": True}
        with pytest.raises(UnprocessableEntityError, match="not the id of an approval request"):
            await client.responses.create(input=[answer], previous_response_id=waiting.id)
        answer["approval_request_id"] = request.id
        done = await client.responses.create(input=[answer], previous_response_id=waiting.id)
        assert (done.id, done.status) == (waiting.id, "completed")
        assert "Section 2" in done.output_text
        searches = [item for item in done.output if item.type == "web_search_call"]
        assert len(searches) >= 2
        streams = [[event async for event in await client.responses.retrieve(done.id, stream=True)] for _ in range(2)]
        assert [event.to_dict() for event in streams[0]] == [event.to_dict() for event in streams[1]]

        stream = [event async for event in await client.responses.create(**asked, stream=True)]
        assert stream[-1].item.type == "mcp_approval_request"  # it ends here, for somebody has to read this
        waiting = stream[0].response
        seen = [event async for event in await client.responses.retrieve(waiting.id, stream=True)]
        assert [event.to_dict() for event in seen] == [event.to_dict() for event in stream]
        later = await client.responses.retrieve(waiting.id, stream=True, starting_after=seen[-1].sequence_number)
        with pytest.raises(APIStatusError) as refused:
            await client.delete(f"/responses/{waiting.id}", cast_to=httpx.Response)
        assert (refused.value.status_code, refused.value.response.headers["x-should-retry"]) == (409, "false")
        cancelled = await client.responses.cancel(waiting.id)
        assert (cancelled.id, cancelled.status) == (waiting.id, "cancelled")
        final = await has_ended(client, waiting.id)
        assert final.status == "cancelled"
        assert final.error is not None
        assert (await client.responses.cancel(waiting.id)).to_dict() == final.to_dict()
        last = [event async for event in later][-1]
        assert (last.type, last.response.status) == ("response.failed", "cancelled")


async def test_a_chat_whose_second_question_follows_the_run_of_the_first(
    client: Any, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    async with working(temporal, store, api_settings, provider), httpx.AsyncClient(base_url=served, timeout=60) as api:
        models = [model.id async for model in client.models.list()]
        assert {"auto", "deep", "iterative", "simple"} <= {*models}
        assert (await client.models.retrieve("deep")).owned_by == "elcano"

        asking: Json = {"role": "user", "content": QUESTION}
        stream = await client.chat.completions.create(
            model="iterative",
            messages=[asking],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk.to_dict() async for chunk in stream]
        deltas: list[Json] = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
        content = "".join(delta.get("content") or "" for delta in deltas)
        assert "Searching: To whom do retries belong?" in "".join(
            delta.get("reasoning_content", "") for delta in deltas
        )
        run_id = str(chunks[0]["id"]).removeprefix("chatcmpl-")
        report = (await api.get(f"/v1/runs/{run_id}/report")).text
        assert content.startswith(report.rstrip())
        assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
        assert chunks[-1]["usage"]["total_tokens"] > 0

        conversation: list[Json] = [asking, {"role": "assistant", "content": content}]
        answer = await client.chat.completions.create(
            model="iterative",
            messages=[*conversation, {"role": "user", "content": "Since when?"}],
        )
        follower = (await api.get(f"/v1/runs/{answer.id.removeprefix('chatcmpl-')}")).json()
        assert follower["previous_run"] == run_id
        assert (answer.choices[0].message.content or "").startswith("# Since when?")


async def test_a_client_that_sends_a_request_again_by_itself_gets_the_same_run(
    served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    body = {"model": "iterative", "input": QUESTION, "background": True}
    async with httpx.AsyncClient(base_url=served, timeout=60) as api:
        ids = [
            (await api.post("/openai/v1/responses", json=body, headers={"X-Stainless-Retry-Count": str(count)})).json()[
                "id"
            ]
            for count in (0, 1, 2, 0)
        ]
        assert ids[0] == ids[1] == ids[2] != ids[3]
        other = await api.post(
            "/openai/v1/responses", json={**body, "model": "simple"}, headers={"X-Stainless-Retry-Count": "1"}
        )
        assert other.json()["id"] not in ids


async def test_a_retry_is_not_given_a_run_that_was_cancelled_before(
    served: str, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, provider = {"model": "iterative", "input": QUESTION, "background": True}, Provider()
    provider.slow["judge", ""] = 600.0
    async with (
        working(temporal, store, api_settings, provider),
        httpx.AsyncClient(base_url=f"{served}/openai/v1", timeout=60) as api,
    ):

        async def ask(retry: int) -> str:
            answer = await api.post("/responses", json=body, headers={"X-Stainless-Retry-Count": str(retry)})
            id: str = answer.json()["id"]
            return id

        first = await ask(0)
        await api.post(f"/responses/{first}/cancel")

        async def is_cancelled() -> bool:
            status: str = (await api.get(f"/responses/{first}")).json()["status"]
            return status == "cancelled"

        await until(is_cancelled)
        assert await ask(1) == first, "this one was answered with an error just now"
        monkeypatch.setattr("elcano.service.runs.repeated_requests.RETRIED_ERROR_SECONDS", 0.0)
        assert await ask(1) != first


async def test_a_request_that_is_sent_again_because_its_answer_is_slow_starts_one_run(
    served: str, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client leaves and asks again in the same words, without a mark; the answer begins with white space."""
    monkeypatch.setattr("elcano.doors.openai_api.slow_answer.PROMPT_SECONDS", 0.5)
    monkeypatch.setattr("elcano.doors.openai_api.slow_answer.SPACE_SECONDS", 0.5)
    chat = {"model": "iterative", "messages": [{"role": "user", "content": QUESTION}]}
    bodies: list[tuple[str, Json]] = [("responses", {"model": "simple", "input": QUESTION}), ("chat/completions", chat)]
    async with httpx.AsyncClient(base_url=f"{served}/openai/v1", timeout=60) as api:

        async def leave(path: str, body: Json) -> None:
            async with api.stream("POST", f"/{path}", json=body) as answer:
                assert answer.headers["content-type"] == "application/json"
                assert await anext(answer.aiter_bytes()) == b" "

        for path, body in bodies:
            await asyncio.gather(leave(path, body), leave(path, body))
            await leave(path, body)
        started = (await api.get(f"{served}/v1/runs")).json()["runs"]
        assert len(started) == 2
        async with working(temporal, store, api_settings, Provider()):
            for path, body in bodies:
                answer = await api.post(f"/{path}", json=body)
                named = answer.json()["metadata"]["elcano_run"]
                assert named in {run["run_id"] for run in started}
            monkeypatch.undo()
            other = (await api.post("/chat/completions", json=chat)).json()["metadata"]["elcano_run"]
            assert other not in {run["run_id"] for run in started}, "it was answered: who asks again wants another run"


async def test_a_failure_that_comes_late_is_in_the_answer(
    served: str, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elcano.doors.openai_api.slow_answer.PROMPT_SECONDS", 0.0)
    provider = Provider()
    provider.off.add(("thinking", ""))
    body = {"model": "iterative", "messages": [{"role": "user", "content": QUESTION}]}
    async with (
        working(temporal, store, api_settings, provider),
        httpx.AsyncClient(base_url=f"{served}/openai/v1", timeout=60) as api,
    ):
        answer = await api.post("/chat/completions", json=body)
        message = answer.json()["choices"][0]["message"]
        assert (answer.status_code, message["refusal"]) == (200, answer.json()["error"]["message"])
        assert "(run default-" in message["refusal"]


async def test_a_conversation_that_names_its_answers_by_their_ids_follows_their_run(
    client: Any, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    """As the Vercel AI SDK asks a second time: by item references, also besides `previous_response_id`."""
    async with (
        working(temporal, store, api_settings, Provider()),
        httpx.AsyncClient(base_url=served, timeout=60) as api,
    ):
        first = await client.responses.create(model="iterative", input=QUESTION)
        said: list[Json] = [
            {"role": "user", "content": QUESTION},
            *({"type": "item_reference", "id": item.id} for item in first.output),
            {"role": "user", "content": "Since when?"},
        ]
        whole = [{"role": "user", "content": QUESTION}, *(item.to_dict() for item in first.output), said[-1]]
        handed_over = [
            *said,
            {"type": "function_call", "call_id": "c", "name": "transfer_to_elcano", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "Transferred."},
        ]
        for extra in ({"input": said}, {"input": said, "previous_response_id": first.id}, {"input": whole},
                      {"input": handed_over}):  # fmt: skip
            asked = await client.responses.create(model="iterative", background=True, **extra)
            assert asked.previous_response_id == first.id
            items = (await client.responses.input_items.list(asked.id)).data
            texts = [item.to_dict()["content"][0]["text"] for item in items]
            assert texts[0] == "Since when?"
            assert ["Transferred." in text for text in texts[1:]] == ([True] if extra["input"] is handed_over else [])
        chatted = [*said, {"role": "assistant", "content": "I do not know."}, {"role": "user", "content": "And why?"}]
        asked = await client.responses.create(model="iterative", background=True, input=chatted)
        assert asked.previous_response_id is None, "the last answer is another model's"
        background = (await client.responses.input_items.list(asked.id)).data[1].to_dict()["content"][0]["text"]
        assert f"Assistant: {first.output_text[:200]}" in background
        assert (await api.get(f"/v1/runs/{asked.id.removeprefix('resp_')}")).json()["previous_run"] == ""


def attach(**file: Any) -> list[Json]:
    return [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}, {"type": "input_file", **file}]}]


FUNCTION: Json = {"type": "function", "name": "f"}
OFFLINE_SEARCH: Json = {"type": "web_search", "external_web_access": False}
REFUSED: list[tuple[Json, int, str, str]] = [
    ({"model": "telepathy"}, 404, "model_not_found", "model"),
    ({"input": ""}, 422, "request_invalid", "input"),
    ({"input": []}, 422, "request_invalid", "input"),
    ({"input": [{"role": "assistant", "content": "Hello"}]}, 422, "request_invalid", "input"),
    ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, 422, "request_invalid", "input.0.content.0"),
    ({"input": [{"role": "wizard", "content": "Hello"}]}, 422, "request_invalid", "input.0.role"),
    ({"input": [{"type": "telepathy"}]}, 422, "request_invalid", "input.0.type"),
    ({"input": [{"type": "function_call_output"}]}, 422, "request_invalid", "input"),
    (
        {"input": [{"id": "msg_default-nothing"}, {"role": "user", "content": "?"}]},
        422,
        "request_invalid",
        "input.0.id",
    ),
    ({"input": [{"role": "user", "content": 7}]}, 422, "request_invalid", "input.0.content"),
    ({"tools": [{"type": "code_interpreter"}]}, 422, "request_invalid", "tools.0"),
    ({"tools": [{**OFFLINE_SEARCH, "filters": {"type": "eq"}}]}, 422, "request_invalid", "tools.0.filters"),
    ({"tools": [{"type": "file_search", "vector_store_ids": ["v"]}]}, 422, "request_invalid", "tools.0"),
    ({"input": attach(file_id="files-none")}, 422, "request_invalid", "input.0.content.1"),
    ({"input": attach(file_data="%%%")}, 422, "request_invalid", "input.0.content.1"),
    ({"input": attach(file_data="f0VMRgIBAQ==")}, 422, "request_invalid", "input.0.content.1"),
    ({"input": attach(file_data="QQ==", filename="../x")}, 422, "request_invalid", "input.0.content.1"),
    ({"input": attach(file_url="http://93.184.216.34/a.txt")}, 422, "request_invalid", "input.0.content.1"),
    ({"input": attach(file_data="QQ==", filename=7)}, 422, "request_invalid", "input.0.content.1"),
    (
        {"input": attach(file_data="QQ=="), "elcano": {"trust": {"egress": "x"}}},
        422,
        "request_invalid",
        "elcano.trust.egress",
    ),
    ({"tools": [FUNCTION], "tool_choice": "required"}, 422, "request_invalid", "tool_choice"),
    ({"tools": [{"type": "web_search"}], "tool_choice": "required"}, 422, "request_invalid", "elcano.sources"),
    ({"tools": [{"type": "web_search"}]}, 422, "request_invalid", "elcano.sources"),
    ({"tool_choice": {"type": "function"}}, 422, "request_invalid", "tool_choice"),
    ({"text": {"format": {"type": "json_schema"}}}, 422, "request_invalid", "text.format"),
    ({"text": {"format": "json"}}, 422, "request_invalid", "text.format"),
    ({"store": False}, 422, "request_invalid", "store"),
    ({"conversation": "c"}, 422, "request_invalid", "conversation"),
    ({"previous_response_id": "resp_default-nothing"}, 422, "request_invalid", "previous_response_id"),
    ({"previous_response_id": "../keys"}, 422, "request_invalid", "previous_response_id"),
    ({"elcano": {"budget": {"tokens": 1}}}, 422, "request_invalid", "elcano.budget.tokens"),
    ({"elcano": {"question": "Why?"}}, 422, "request_invalid", "elcano.question"),
    ({"elcano": {"telepathy": True}}, 422, "request_invalid", "elcano.telepathy"),
    ({"metadata": {"name": "x" * 600}}, 422, "request_invalid", "metadata.name"),
    ({"temprature": 1}, 422, "request_invalid", "temprature"),
]


async def test_what_cannot_be_done_is_refused_as_openai_does(api: httpx.AsyncClient) -> None:
    for fields, status, code, param in REFUSED:
        answer = await api.post("/openai/v1/responses", json={"model": "iterative", "input": QUESTION, **fields})
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["param"]) == (status, code, param), (fields, error)
        assert error["type"] == "invalid_request_error"
        assert error["message"]
        assert answer.json()["detail"] == error["message"]
    for fields in list[Json](
        ({"n": 2}, {"stop": ["."]}, {"response_format": {"type": "json_object"}}, {"functions": [{}]})
    ):
        body = {"model": "iterative", "messages": [{"role": "user", "content": QUESTION}], **fields}
        answer = await api.post("/openai/v1/chat/completions", json=body)
        assert (answer.status_code, answer.json()["error"]["param"]) == (422, next(iter(fields))), fields
    for method, path, status in (
        ("GET", "/openai/v1/responses/resp_", 404),
        ("GET", "/openai/v1/responses/resp_default-nothing?stream=true", 404),
        ("GET", "/openai/v1/responses/x?starting_after=-7", 422),
        ("POST", "/openai/v1/responses/resp_default-nothing/cancel", 404),
        ("DELETE", "/openai/v1/responses/resp_default-nothing", 404),
        ("GET", "/openai/v1/models/telepathy", 404),
        ("PATCH", "/openai/v1/responses", 405),
        ("GET", "/openai/v1/responses/a/b", 404),
    ):
        answer = await api.request(method, path)
        assert (answer.status_code, "message" in answer.json()["error"]) == (status, True), path
    broken = await api.post("/openai/v1/responses", content=b"{", headers={"Content-Type": "application/json"})
    assert (broken.status_code, broken.json()["error"]["code"]) == (400, "body_unreadable")
    runs = (await api.get("/v1/runs")).json()["runs"]
    assert runs == []


async def test_a_conversation_may_have_megabytes(api: httpx.AsyncClient) -> None:
    said = {"role": "assistant", "content": "x " * 1_000_000}
    for earlier, status in (([said], 200), ([said, said, said], 413)):
        body = {"model": "simple", "input": [*earlier, {"role": "user", "content": QUESTION}], "background": True}
        assert (await api.post("/openai/v1/responses", json=body)).status_code == status


async def test_files_are_what_a_run_searches(api: httpx.AsyncClient) -> None:
    async def list_sources(**fields: Any) -> list[str]:
        asked = {"model": "simple", "input": QUESTION, "background": True, **fields}
        answer = (await api.post("/openai/v1/responses", json=asked)).json()
        sources: list[str] = (await api.get(f"/v1/runs/{answer['metadata']['elcano_run']}")).json()["sources"]
        return sources

    file = {"file_data": "data:text/markdown;base64,QQ==", "filename": "a.md"}
    (source,) = await list_sources(input=attach(**file))
    collection = (await api.get(f"/v1/collections/{source.removeprefix('uploads:')}")).json()
    assert (collection["documents"], collection["bytes"]) == (1, 1)
    assert await list_sources(input=attach(**file), elcano={"sources": ["uploads"]}) == ["uploads", source]
    assert await list_sources(tools=[OFFLINE_SEARCH], tool_choice="required") == await list_sources()


async def test_a_run_that_fails_is_an_error_of_its_chat(
    client: Any, served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    from openai import APIStatusError

    provider = Provider()
    provider.off.add(("thinking", ""))
    async with working(temporal, store, api_settings, provider):
        messages: list[Any] = [{"role": "user", "content": QUESTION}]
        with pytest.raises(APIStatusError) as failed:
            await client.chat.completions.create(model="iterative", messages=messages)
        assert (failed.value.status_code, failed.value.code) == (500, "run_failed")
        stream = await client.chat.completions.create(model="iterative", messages=messages, stream=True)
        with pytest.raises(Exception, match="run default-"):
            _ = [chunk async for chunk in stream]
        response = await client.responses.create(model="iterative", input=QUESTION)
        assert response.status == "failed"
        assert response.error is not None


async def test_a_client_that_leaves_while_it_waits_leaves_its_run_going(served: str) -> None:
    async with httpx.AsyncClient(base_url=served, timeout=60) as api:
        body = {"model": "iterative", "input": QUESTION}
        with pytest.raises(httpx.ReadTimeout):
            await api.post("/openai/v1/responses", json=body, timeout=httpx.Timeout(60, read=5))
        (run,) = (await api.get("/v1/runs")).json()["runs"]
        assert run["status"] == "running"
        found = (await api.get(f"/openai/v1/responses/{run['run_id']}")).json()
        assert (found["id"], found["status"]) == (f"resp_{run['run_id']}", "queued")
