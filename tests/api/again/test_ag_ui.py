"""Elcano behind AG-UI: what a client reads is valid by the protocol's own models, and each run is complete."""

import json
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from ag_ui.core import Event
from pydantic import TypeAdapter
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, working

EVENT: TypeAdapter[Any] = TypeAdapter(Event)
Json = dict[str, Any]


def asking(run_id: str, *messages: Json, thread: str = "thread-1", **more: Any) -> Json:
    spoken = messages or ({"id": "1", "role": "user", "content": QUESTION},)
    forwarded = {"elcano": {"mode": "iterative"}}
    fields = {"threadId": thread, "runId": run_id, "messages": list(spoken), "tools": [], "context": []}
    return {**fields, "state": {}, "forwardedProps": forwarded, **more}


async def follow(url: str, asked: Json, *, cut_after: int = 0) -> list[Any]:
    """The events of a request, each of them valid; the first ones alone if the client then goes."""
    found: list[Any] = []
    async with (
        httpx.AsyncClient(base_url=url, timeout=60) as client,
        client.stream("POST", "/ag-ui", json=asked) as answer,
    ):
        assert answer.status_code == 200, (await answer.aread()).decode()
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                found.append(EVENT.validate_python(json.loads(line.removeprefix("data: "))))
            if cut_after and len(found) == cut_after:
                return found
    check(found)
    return found


def check(events: Sequence[Any]) -> None:
    """One start and one end, and whatever is opened between is closed."""
    types = [event.type.value for event in events]
    assert types[0] == "RUN_STARTED"
    assert types[-1] in ("RUN_FINISHED", "RUN_ERROR")
    assert not {"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"} & set(types[1:-1])
    for opened, closed, name in (
        ("TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "message_id"),
        ("REASONING_START", "REASONING_END", "message_id"),
        ("REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "message_id"),
        ("SUBAGENT_STARTED", "SUBAGENT_FINISHED", "subagent_run_id"),
    ):
        begun = [getattr(event, name) for event in events if event.type.value == opened]
        ended = [getattr(event, name) for event in events if event.type.value == closed]
        assert sorted(begun) == sorted(ended)
        assert len(begun) == len(set(begun))


def text_of(events: Sequence[Any]) -> str:
    return "".join(event.delta for event in events if event.type.value == "TEXT_MESSAGE_CONTENT")


async def test_a_question_a_cut_connection_and_a_further_question(
    served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with (
        working(temporal, store, api_settings, Provider()),
        httpx.AsyncClient(base_url=served, timeout=60) as api,
    ):
        first = await follow(served, asking("a"), cut_after=3)
        whole = await follow(served, asking("a"))
        run_id = whole[1].snapshot["run_id"]
        assert first[1].snapshot["run_id"] == run_id, "the same run id of the client starts one run"
        told: list[Json] = [{"id": "2", "role": "reasoning", "content": "Thinking"}]
        for partial in (told, [*told, {"id": run_id, "role": "assistant", "content": "# To wh"}]):
            kept = asking("a", {"id": "1", "role": "user", "content": QUESTION}, *partial)
            again = await follow(served, kept, cut_after=2)
            assert again[1].snapshot["run_id"] == run_id, "a client of AG-UI keeps what it received before the cut"
        report = (await api.get(f"/v1/runs/{run_id}/report", headers={"Accept": "text/markdown"})).text
        assert text_of(whole).strip() == report.strip()
        assert whole[-1].outcome.type == "success"
        states = [event.snapshot for event in whole if event.type.value == "STATE_SNAPSHOT"]
        assert [state["status"] for state in states] == ["running", "completed"]
        assert states[-1] == {**states[0], "status": "completed"}
        (cited,) = (event.value for event in whole if event.type.value == "CUSTOM")
        assert cited[0]["number"] == 1
        said = {"id": run_id, "role": "assistant", "content": report}
        further = [
            {"id": "1", "role": "user", "content": QUESTION},
            said,
            {"id": "2", "role": "user", "content": "Why?"},
        ]
        again = await follow(served, asking("b", *further))
        view = (await api.get(f"/v1/runs/{again[1].snapshot['run_id']}")).json()
        assert view["previous_run"] == run_id


async def test_a_client_that_asks_again_under_another_run_id_starts_no_second_run_until_it_is_answered(
    served: str, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async def ask(run_id: str, thread: str = "thread-1", cut_after: int = 0) -> str:
        events = await follow(served, asking(run_id, thread=thread), cut_after=cut_after)
        return str(events[1].snapshot["run_id"])

    async with working(temporal, store, api_settings, Provider()):
        first = await ask("a", cut_after=3)
        assert await ask("b", cut_after=3) == first, "its answer did not arrive"
        assert await ask("c", thread="thread-2", cut_after=3) != first
        assert await ask("d") == first
        second = await ask("e")
        assert second != first, "it was answered: this is another question in the same words"
        for again in ("a", "b", "d"):
            assert await ask(again) == first
        assert await ask("e") == second


@pytest.mark.parametrize("approved", [True, False])
async def test_a_plan_is_an_interrupt(
    served: str, temporal: Client, store: Store, api_settings: Settings, approved: bool
) -> None:
    forwarded = {"elcano": {"mode": "deep", "approve_plan": True}}
    async with working(temporal, store, api_settings, Provider(sections=2)):
        stopped = await follow(served, asking("a", forwardedProps=forwarded))
        (asked,) = stopped[-1].outcome.interrupts
        assert asked.reason == "approval"
        assert asked.response_schema["required"] == ["approved"]
        told = {"interruptId": asked.id, "status": "resolved", "payload": {"approved": approved, "reason": "No."}}
        went_on = await follow(served, asking("b", resume=[told]))
        assert not [event for event in went_on if getattr(event, "delta", "") == stopped[4].delta]
        sections = [event.name for event in went_on if event.type.value == "SUBAGENT_STARTED"]
        if approved:
            assert sections == ["Section 1", "Section 2"]
            assert "## References" in text_of(went_on)
        else:
            assert sections == []
        repeated = await follow(served, asking("a", forwardedProps=forwarded))
        assert repeated[-1].outcome.type != "interrupt", "it was decided"


async def test_what_cannot_be_researched_is_refused_in_words(served: str) -> None:
    image = {"type": "image", "source": {"type": "url", "value": "https://example.org/a.png"}}
    resume = [{"interruptId": "default-nothing", "status": "resolved"}]
    bodies: list[tuple[Json, str]] = [
        ({}, "threadId"),
        (asking("a", {"id": "1", "role": "assistant", "content": "Hello"}), "the last message has to be the user's"),
        (asking("a", {"id": "1", "role": "user", "content": [image]}), "only text is researched"),
        (asking("a", {"id": "1", "role": "user", "content": ""}), "question"),
        (asking("a", forwardedProps={"elcano": {"mode": "telepathy"}}), "telepathy"),
        (asking("a", resume=resume), "is not the id of an interrupt"),
    ]
    async with httpx.AsyncClient(base_url=served, timeout=60) as api:
        for body, words in bodies:
            answer = await api.post("/ag-ui", json=body)
            assert answer.status_code == 422, answer.text
            assert words in answer.text
        gone = await api.post("/ag-ui", json=asking("a", resume=[{**resume[0], "interruptId": "default-no/plan/3"}]))
        assert gone.status_code == 404
