"""Texts that no one can have meant, at every door: each refuses them alike, or removes the same from them.

Seen: half a character in an answer to a run's question was answered 500, and an agent that sent one over MCP was told
nothing; a question of zero-width spaces began a run.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from mcp.client import Client as McpClient
from mcp_types import TextContent

from elcano.cli import main
from elcano.client import AsyncElcano
from elcano.doors.mcp_server.server import build_server
from elcano.settings import get_settings
from tests.api.asking import start
from tests.api.serving import speaking

Json = dict[str, Any]
Ask = Callable[[str, Json], Awaitable[str]]

CONTROL = "control character"
HALF = "half of a character"
REFUSED = {
    "escape sequence": ("Why \x1b[31mred?", CONTROL),
    "NUL": ("Why \x00 not?", CONTROL),
    "C1 control": ("Why \x9b31m?", CONTROL),
    "reversed": ("Why \u202egnol?", CONTROL),
    "isolated": ("Why \u2066x\u2069?", CONTROL),
    "half a character": ("Why \ud800?", HALF),
    "a byte that is not UTF-8": ("Why \udcff?", HALF),
}
QUESTIONS = {"unseen": ("\u200b\u2060", "is empty"), "2 MB": ("Why? " * 400_000, "at most")}


def over(api: httpx.AsyncClient) -> Ask:
    async def ask(path: str, body: Json) -> str:
        headers = {"Content-Type": "application/json"}
        answer = await api.post(path, content=json.dumps(body).encode(), headers=headers)
        assert 400 <= answer.status_code < 500, f"{path}: {answer.status_code}"
        found = answer.json()
        return str(found.get("detail") or found["error"]["message"])

    return ask


async def ask_over_mcp(served: str, text: str) -> str:
    async with McpClient(build_server(lambda _: AsyncElcano(served))) as client:
        answer = await client.call_tool("start_research", {"question": text})
    assert answer.is_error
    (said,) = answer.content
    assert isinstance(said, TextContent)
    return said.text


@pytest.mark.parametrize(("text", "fault"), [*REFUSED.values(), *QUESTIONS.values()], ids=[*REFUSED, *QUESTIONS])
async def test_every_door_refuses_a_question_alike(text: str, fault: str, api: httpx.AsyncClient, served: str) -> None:
    ask, spoken = over(api), [{"role": "user", "content": text}]
    said = [{"id": "1", **spoken[0]}]
    agent = {"threadId": "t", "runId": "r", "messages": said, "tools": [], "context": [], "state": {}}
    found = [
        await ask("/v1/runs", {"question": text}),
        await ask("/v1/batches", {"questions": [{"question": text}]}),
        await ask("/v1/schedules", {"cron": ["0 7 * * 1"], "run": {"question": text}}),
        await ask("/openai/v1/responses", {"model": "iterative", "input": text}),
        await ask(
            "/openai/v1/chat/completions", {"model": "iterative", "messages": [{"role": "user", "content": text}]}
        ),
        await ask("/ag-ui", {**agent, "forwardedProps": {}}),
        await ask_over_mcp(served, text),
    ]
    assert [one for one in found if fault not in one] == []


@pytest.mark.parametrize(("text", "fault"), REFUSED.values(), ids=REFUSED)
async def test_every_control_action_refuses_a_text_alike(
    text: str,
    fault: str,
    api: httpx.AsyncClient,
    served: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_id, ask = await start(api), over(api)
    bodies: dict[str, Json] = {
        "steer": {"instruction": text},
        "pause": {"reason": text},
        "stop": {"reason": text},
        "cancel": {"reason": text},
        "refuse": {"reason": text},
        "approve": {"sections": [{"title": "Costs", "question": text}]},
        "clarifications": {"answers": {"q1": text}},
        "approve-call": {"call": text},
    }
    found = [await ask(f"/v1/runs/{run_id}/{action}", body) for action, body in bodies.items()]
    assert [one for one in found if fault not in one] == []
    if "\x00" in text:
        return  # no argument of a program has one
    monkeypatch.setenv("ELCANO_API_URL", served)
    get_settings.cache_clear()
    for command in (("steer", run_id, text), ("stop", run_id, "--reason", text), ("clarify", run_id, f"q1={text}")):
        code = await asyncio.to_thread(main, command)
        assert code != 0
        assert fault in " ".join(capsys.readouterr().err.split())


async def test_marks_that_texts_copied_from_a_pdf_have_are_removed_alike(api: httpx.AsyncClient, app: Any) -> None:
    answer = await api.post("/v1/runs", json={"question": "So com\ufffepetent?"})
    assert answer.json()["question"] == "So competent?"
    async with speaking(app) as other:
        body = {"model": "iterative", "input": "So com\ufffepetent again?", "background": True}
        assert (await other.post("/openai/v1/responses", json=body)).status_code == 200
    asked = [one["question"] for one in (await api.get("/v1/runs")).json()["runs"]]
    assert asked == ["So competent again?", "So competent?"]
