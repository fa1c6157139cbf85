"""Steering and plans over HTTP: what is sent is judged before the run hears of it, and answered as it answers."""

from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.service.control.approvals import SectionBody
from elcano.storage.store import Store
from elcano.testing.script import Script
from tests.api.asking import start
from tests.api.sse import read_events
from tests.api.test_deep import researching


async def faults(api: httpx.AsyncClient, path: str, body: Any) -> list[tuple[str, str]]:
    answer = await api.post(path, json=body)
    assert answer.status_code == 422, answer.text
    told = answer.json()
    return [(fault["field"], fault["message"]) for fault in told.get("errors", ())] or [("", told["detail"])]


@pytest.mark.usefixtures("worker")
async def test_what_a_server_cannot_do_is_refused_with_what_there_is(api: httpx.AsyncClient) -> None:
    run_id = await start(api)
    path = f"/v1/runs/{run_id}/steer"
    ((field, said),) = await faults(api, path, {"add_sources": ["handbok"]})
    assert field == "add_sources"
    assert "handbook" in said
    ((_, said),) = await faults(api, path, {})
    assert "nothing to change" in said
    ((field, _),) = await faults(api, path, {"add_sections": [{"title": " "}]})
    assert field == "add_sections.0.title"
    ((field, _),) = await faults(api, path, {"instruction": "a" * 2_001})
    assert field == "instruction"
    accepted = await api.post(path, json={"instruction": "Be brief.", "add_sources": ["handbook"]})
    assert (accepted.status_code, accepted.json()) == (202, {"run_id": run_id, "step": 8, "sections": None})
    assert (await api.post("/v1/runs/default-nothing/steer", json={"add_sources": ["no"]})).status_code == 404


@pytest.mark.usefixtures("worker")
async def test_an_edited_plan_is_judged_before_the_run_hears_of_it(api: httpx.AsyncClient) -> None:
    path = f"/v1/runs/{await start(api)}/approve"
    twice = [{"title": "Law"}, {"title": "law "}]
    ((_, said),) = await faults(api, path, {"sections": twice})
    assert "two sections would be called" in said
    assert (await faults(api, path, {"sections": []}))[0][0] == "sections"
    ((field, _),) = await faults(api, path, {"sections": [{"title": "Law", "criteria": [*"abcde"]}]})
    assert field == "sections.0.criteria"
    (section,) = (await api.post(path)).json()["sections"]
    assert section == {"title": "Costs", "question": "What of costs?", "criteria": []}
    assert (await faults(api, path.replace("approve", "refuse"), {"reason": " "}))[0][0] == "reason"


def test_a_section_may_say_what_its_answer_has_to_have() -> None:
    section = SectionBody(title="Law", criteria=["names the act", "names  the act", "names the year"]).planned()
    assert (section.key_question, section.criteria) == ("Law", ("names the act", "names the year"))
    assert SectionBody(title="Law").planned().criteria == ()


async def test_only_what_plans_sections_waits_for_its_plan(api: httpx.AsyncClient) -> None:
    ((field, said),) = await faults(api, "/v1/runs", {"question": "Why?", "mode": "iterative", "approve_plan": True})
    assert field == "approve_plan"
    assert said == "the graph 'iterative' plans no sections; these modes do: auto, deep, deep_brief, hierarchical"


async def test_a_plan_is_proposed_edited_and_researched(
    served: str, temporal: Client, store: Store, task_queue: str
) -> None:
    script = Script()
    asked = {"question": "What is it?", "mode": "deep", "approve_plan": True}
    async with researching(temporal, store, task_queue, script), httpx.AsyncClient(base_url=served, timeout=60) as api:
        run_id = (await api.post("/v1/runs", json=asked)).json()["run_id"]
        path = f"/v1/runs/{run_id}"
        early = await api.post(f"{path}/top-up", json={"steps": 1})
        assert early.status_code == 202
        while (run := (await api.get(path)).json())["stage"] != "approval":
            assert run["status"] == "running"
        assert run["hold"]["reason"] == "approval"
        assert [section["title"] for section in run["plan"]] == list(script.sections)
        law = {"title": "Law", "question": "What may they do?", "criteria": ["names the act"]}
        edited = [law, run["plan"][2]]
        approved = await api.post(f"{path}/approve", json={"sections": edited, "by": "Elvira"})
        assert approved.status_code == 202
        assert approved.json() == {"run_id": run_id, "title": "A plan", "sections": edited}
        again = await api.post(f"{path}/approve")
        assert again.status_code == 409
        assert again.json()["detail"].startswith("the plan was approved already")
        messages = await read_events(f"{served}{path}/events")
        late = await api.post(f"{path}/steer", json={"instruction": "Be brief."})
        assert late.status_code == 409
    kinds = [message.event for message in messages]
    assert kinds.count("plan_proposed") == kinds.count("plan_approved") == 1
    assert kinds.index("plan_proposed") < kinds.index("plan_approved") < kinds.index("branch_started")
    started = [message.data["section"] for message in messages if message.event == "branch_started"]
    assert started == ["Law", "cost"]
