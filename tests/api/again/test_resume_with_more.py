"""Runs that were cut short are completed by more budget: what was cut and what ended early, and nothing twice."""

from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import JOINING, QUESTION, Provider, asked, ended, log_of, tokens, working
from tests.api.asking import start

RESEARCH = frozenset({"thinking", "knowledge_gap", "tool_selector", "judge"})
ENOUGH = {"sufficient": True, "confidence": 0.9, "recommendation": "synthesize", "reasoning": "It is there."}
MORE = {"tokens": 400_000}


async def test_sections_that_were_cut_from_the_plan_are_researched_with_more(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=3)
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep", budget={"tokens": 40_000})
        first = await ended(api, run_id)
        kept = [branch["section"] for branch in first["branches"]]
        assert first["status"] == "completed", first
        assert 0 < len(kept) < 3
        for body in ({}, {"add": {"tokens": 10}}, {"add": {"iterations": 1}}):
            refused = await api.post(f"/v1/runs/{run_id}/resume", json=body)
            assert refused.status_code == 409, refused.text
            assert "not enough for" in refused.json()["detail"]
            assert "raise its limit" in refused.json()["detail"]
        before = provider.calls()
        answer = await asked(api, run_id, "resume", add=MORE)
        assert (answer["node"], answer["kept"]["sections"]) == ("parallel_loops", len(kept))
        view = await ended(api, run_id)
        text = (await api.get(f"/v1/runs/{run_id}/report", headers={"accept": "text/markdown"})).text
        over = await api.post(f"/v1/runs/{run_id}/resume", json={"add": MORE})
    assert view["status"] == "completed", view
    assert [branch["section"] for branch in view["branches"]] == list(provider.sections)
    again = provider.calls() - before
    researched = {question for kind, question, _ in again if kind not in JOINING}
    assert researched == {f"What of {one} and retries?" for one in provider.sections if one not in kept}
    assert all(f"## {one}" in text for one in provider.sections)
    assert "these are not researched" not in text
    assert (over.status_code, over.json()["type"]) == (409, "urn:elcano:resume-refused")
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)


@pytest.mark.long
async def test_a_section_that_was_cut_can_be_named(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=3)
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep", budget={"tokens": 40_000})
        await ended(api, run_id)
        unknown = await api.post(f"/v1/runs/{run_id}/resume", json={"sections": ["Nowhere"], "add": MORE})
        assert unknown.status_code == 422
        await asked(api, run_id, "resume", add=MORE, sections=["Section 3"])
        view = await ended(api, run_id)
    assert [branch["status"] for branch in view["branches"]] == ["done"] * 3


@pytest.mark.long
async def test_sections_that_ended_early_go_on_where_they_were(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    unfinished: dict[str, Any] = {"research_complete": False, "outstanding_gaps": ["more"]}
    provider.answers["knowledge_gap"] = unfinished
    provider.input_tokens = 9_000
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep", budget={"tokens": 90_000})
        first = await ended(api, run_id)
        assert (first["status"], first["ending"]["kind"]) == ("partial", "sections"), first
        text = (await api.get(f"/v1/runs/{run_id}/report", headers={"accept": "text/markdown"})).text
        assert "**Partial:**" in text.split("\n## ")[0]
        nothing = await api.post(f"/v1/runs/{run_id}/resume")
        useless = await api.post(f"/v1/runs/{run_id}/resume", json={"add": {"seconds": 60}})
        assert (nothing.status_code, useless.status_code) == (409, 409)
        before = provider.calls()
        provider.answers.clear()
        provider.answers["judge"] = ENOUGH
        await asked(api, run_id, "resume", add=MORE)
        view = await ended(api, run_id)
        text = (await api.get(f"/v1/runs/{run_id}/report", headers={"accept": "text/markdown"})).text
    assert (view["status"], view["ending"]) == ("completed", None), view
    assert "**Partial:**" not in text
    again = provider.calls() - before
    assert {kind for kind, _, _ in again} >= {"judge", "long_writer_section", "long_writer_summary"}
    repeated = {one for one, count in provider.calls().items() if count > 1 and one[0] in RESEARCH}
    assert repeated == set()
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)
