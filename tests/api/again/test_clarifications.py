"""Runs that ask back before they begin: they wait for answers, once, and research with them."""

import asyncio

import httpx
import pytest
from temporalio.client import Client

from elcano.client.models import RunView
from elcano.doors.mcp_server.server import describe_task
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Json, Provider, asked, ended, log_of, until, working
from tests.api.asking import start

QUESTIONS: list[Json] = [
    {"question": "In which language?", "options": ["Python", "Go"], "recommended": "Go"},
    {"question": "  Since   when?", "options": ["always"]},
    {"question": "Since when?"},
]
WAITING = [
    {"id": "q1", "question": "In which language?", "options": ["Python", "Go"], "recommended": "Go", "answer": None},
    {"id": "q2", "question": "Since when?", "options": [], "recommended": "", "answer": None},
]


@pytest.fixture(autouse=True)
def with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "scripted")


def asking(questions: list[Json]) -> Provider:
    provider = Provider()
    provider.answers["clarifier"] = {"questions": questions}
    return provider


async def waiting(api: httpx.AsyncClient, run_id: str) -> Json:
    """The run once it waits for answers."""
    view: Json = {}

    async def holds() -> bool:
        view.update((await api.get(f"/v1/runs/{run_id}")).json())
        return view["stage"] == "answers" and bool(view["questions"])

    await until(holds)
    return view


async def refused(api: httpx.AsyncClient, run_id: str, status: int, **body: object) -> str:
    answer = await api.post(f"/v1/runs/{run_id}/clarifications", json=body)
    assert answer.status_code == status, answer.text
    return str(answer.json()["detail"])


async def test_a_run_waits_for_answers_and_researches_with_them(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = asking([*QUESTIONS])
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="simple", clarify=True, model="openai:gpt-5.1")
        view = await waiting(api, run_id)
        assert view["questions"] == WAITING
        assert (view["hold"]["reason"], view["hold"]["detail"]) == ("answers", "waiting for answers to 2 questions")
        *_, last = (await api.get(f"/v1/runs/{run_id}/steps")).json()["rows"]
        assert last["reason"] == "waiting for answers to 2 questions"
        state, task = describe_task(RunView.model_validate(view))
        form = task["inputRequests"]["questions"]["params"]["requestedSchema"]["properties"]
        assert (state, form["q1"]["title"]) == ("input_required", "In which language? (Python / Go)")
        provider.model.tasks.clear()
        assert "did not ask q9: its questions are q1, q2" in await refused(api, run_id, 409, answers={"q9": "x"})
        assert "answers.q1" in await refused(api, run_id, 422, answers={"q1": "x" * 1_001})
        both = [api.post(f"/v1/runs/{run_id}/clarifications", json={"answers": {"q1": one}}) for one in ("Go", "Rust")]
        assert sorted(one.status_code for one in await asyncio.gather(*both)) == [202, 409]
        assert (await ended(api, run_id))["status"] == "completed"
        assert "has ended" in await refused(api, run_id, 409)
        chosen = (await log_of(store, run_id)).run.state.questions[0].answer
        assert {task.kind for task in provider.model.tasks}.isdisjoint({"clarifier"})
        (told,) = (task for task in provider.model.tasks if task.kind == "writer")
        assert told.question == f"{QUESTION} ({chosen})"
        assert told.background.endswith(f"before the research began:\n- In which language? Answer: {chosen}")

        fork = (await asked(api, run_id, "fork", 201, step=2))["run_id"]  # the answers are in what it shares
        assert (await ended(api, fork))["status"] == "completed"
        stopped = (await asked(api, run_id, "fork", 201, step=1))["run_id"]
        await waiting(api, stopped)
        await asked(api, stopped, "pause")
        paused = (await api.get(f"/v1/runs/{stopped}")).json()
        assert (paused["hold"]["reason"], paused["awaits"]) == ("pause", "answers")
        await asked(api, stopped, "stop")
        assert (await ended(api, stopped))["status"] == "stopped"


async def test_a_clear_question_and_a_model_that_fails_hold_nothing_up(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = asking([])
    async with working(temporal, store, api_settings, provider):
        clear = await start(api, QUESTION, mode="auto", clarify=True, model="openai:gpt-5.1")
        assert (await ended(api, clear))["status"] == "completed"
        assert (await log_of(store, clear)).run.state.choice.mode
        provider.broken.add(("clarifier", ""))
        unclear = await start(api, QUESTION, mode="simple", clarify=True, model="openai:gpt-5.1")
        assert (await ended(api, unclear))["status"] == "completed"
        for mode in ("simple", "auto"):
            offline = await api.post("/v1/runs", json={"question": QUESTION, "mode": mode, "clarify": True})
            assert offline.status_code == 422, offline.text
            assert [one["field"] for one in offline.json()["errors"]] == ["clarify"]
