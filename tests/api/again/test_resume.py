"""Runs that are resumed after their end: what was done is kept, what failed is done again."""

import asyncio
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import JOINING, QUESTION, Provider, asked, ended, log_of, tokens, until, working
from tests.api.asking import seconds_between, start
from tests.api.sse import read_events
from tests.cases import long_case


@pytest.mark.parametrize("use_graph", [True, long_case(False)])
async def test_a_deep_run_whose_last_section_failed_repeats_no_call_and_no_section(
    api: httpx.AsyncClient,
    served: str,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    use_graph: bool,
) -> None:
    provider = Provider(sections=8)
    failing = ("judge", f"What of {provider.sections[-1]} and retries?")
    provider.off.add(failing)
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep", use_graph=use_graph)
        failed = await ended(api, run_id)
        assert (failed["status"], failed["failure"]["type"]) == ("failed", "ModelRefused")
        before = provider.calls()
        told = await read_events(f"{served}/v1/runs/{run_id}/events")

        provider.off.clear()
        answer = await asked(api, run_id, "resume", reason="a new key")
        assert (await api.get(f"/v1/runs/{run_id}")).json()["status"] == "running"
        assert (answer["node"], answer["kept"]["sections"]) == ("parallel_loops", 7)
        view = await ended(api, run_id)
    assert view["status"] == "completed", view
    again = provider.calls() - before
    anew = [(kind, question) for kind, question, _ in again.elements() if kind != "long_writer_section"]
    research_on = [("knowledge_gap", failing[1]), ("thinking", failing[1])]
    assert sorted(anew) == sorted([failing, *research_on, ("long_writer_summary", QUESTION), ("reviewer", QUESTION)])
    once = {one: count for one, count in provider.calls().items() if one[0] != "long_writer_section"}
    assert {one[:2] for one, count in once.items() if count > 1} == {failing}
    sections = [(branch["section"], branch["status"]) for branch in view["branches"]]
    assert sorted(sections) == [(section, "done") for section in provider.sections]
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)
    rest = await read_events(f"{served}/v1/runs/{run_id}/events", headers={"Last-Event-ID": str(told[-1].id)})
    assert rest[0].event == "run_resumed"
    assert [one.event for one in rest if one.event in ("failed", "execution_ended", "complete")] == ["complete"]
    whole = await read_events(f"{served}/v1/runs/{run_id}/events")
    own = [one.data["seq"] for one in whole if not one.data["path"]]
    assert own == sorted(set(own))


@pytest.mark.long
async def test_a_failed_call_is_made_again_and_time_in_between_does_not_count(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    provider.off.add(("judge", ""))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION)
        assert (await ended(api, run_id))["status"] == "failed"
        before = provider.calls()
        provider.off.clear()
        await asyncio.sleep(1.5)
        key = {"Idempotency-Key": "once"}
        first, second = await asyncio.gather(*(api.post(f"/v1/runs/{run_id}/resume", headers=key) for _ in range(2)))
        again = await api.post(f"/v1/runs/{run_id}/resume", headers=key)
        answers = [one for one in (first, second, again) if one.status_code == 202]
        assert again.status_code == 202
        assert {one.text for one in answers} == {again.text}
        answered = sum(count for (kind, _, _), count in before.items() if kind != "judge")
        assert again.json()["kept"]["calls"] == answered + 2  # and the two searches
        assert (await api.post(f"/v1/runs/{run_id}/resume", headers=key, json={"reason": "x"})).status_code == 422
        view = await ended(api, run_id)
        late = await api.post(f"/v1/runs/{run_id}/resume")
    assert view["status"] == "completed"
    once = provider.calls()
    assert once["judge", QUESTION, 1] == 2
    assert all(count == 1 for one, count in once.items() if one[0] != "judge")
    assert sorted(kind for kind, _, _ in (once - before).elements()) == [
        *("judge", "knowledge_gap", "reviewer", "thinking", "writer"),
    ]
    assert view["budget"]["used"]["seconds"] < seconds_between(view["started_at"], view["finished_at"]) - 1.5
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    assert (late.status_code, late.json()["type"]) == (409, "urn:elcano:resume-refused")
    log = await log_of(store, run_id)
    assert [entry.kind for entry in log.entries].count("run_resumed") == 1


@pytest.mark.long
async def test_a_run_that_was_stopped_goes_on_with_its_research(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    (api_settings.collections["handbook"] / "delays.md").write_text("# Delays\n\nPauses double until an hour ends.\n")
    provider.answers["knowledge_gap"] = {"research_complete": False, "outstanding_gaps": ["more"]}
    provider.answers["tool_selector"] = {"tasks": [{"source": "handbook", "query": "pauses double until an hour"}]}
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, budget={"iterations": 1})
        partial = await ended(api, run_id)
        assert (partial["status"], partial["ending"]["kind"]) == ("partial", "iterations")
        refused = await api.post(f"/v1/runs/{run_id}/resume")
        assert refused.status_code == 409
        assert "raise the limit of iterations" in refused.json()["detail"]
        writers = provider.calls()["writer", QUESTION, 1]
        await asked(api, run_id, "resume", add={"iterations": 1})
        view = await ended(api, run_id)
    assert (view["status"], view["iterations"]) == ("partial", 2)
    calls = provider.calls()
    assert (calls["judge", QUESTION, 1], calls["judge", QUESTION, 2]) == (1, 0)
    assert (writers, calls["writer", QUESTION, 1], calls["writer", QUESTION, 2]) == (1, 1, 1)
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    lines = await store.of("default").ledger.entries(run_id)
    assert [line.undone for line in lines if line.node == "writer"] == [True, False]
    await log_of(store, run_id)


async def test_a_section_with_a_gap_is_repaired_alone_and_the_report_is_written_anew(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=3)
    weak = "What of Section 2 and retries?"
    provider.broken.add(("writer", weak))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep_brief")
        first = await ended(api, run_id)
        gaps = [branch["section"] for branch in first["branches"] if branch["status"] == "gap"]
        assert (first["status"], gaps) == ("partial", ["Section 2"])
        provider.broken.clear()
        before = provider.calls()
        answer = await asked(api, run_id, "resume")
        assert answer["kept"]["sections"] == 2
        view = await ended(api, run_id)
        unknown = await api.post(f"/v1/runs/{run_id}/resume", json={"sections": ["Nowhere"]})
        whole = await api.post(f"/v1/runs/{run_id}/resume")
        text = (await api.get(f"/v1/runs/{run_id}/report", headers={"accept": "text/markdown"})).text
    assert (view["status"], {branch["status"] for branch in view["branches"]}) == ("completed", {"drafted"})
    asked_again = {question for kind, question, _ in (provider.calls() - before) if kind not in JOINING}
    assert asked_again == {weak}
    assert "Section 2" in text
    assert (unknown.status_code, whole.status_code) == (422, 409)
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)


async def test_a_section_that_ended_early_because_a_call_was_refused_goes_on_with_another_model(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    """What the message of the refusal advises: choose another model. The section has a draft of what it had found."""
    provider = Provider(sections=3)
    weak = "What of Section 2 and retries?"
    provider.broken.add(("knowledge_gap", weak))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep_brief")
        first = await ended(api, run_id)
        assert (first["status"], first["ending"]["kind"]) == ("partial", "sections")
        assert {branch["status"] for branch in first["branches"]} == {"drafted"}
        provider.broken.clear()
        before = provider.calls()
        await asked(api, run_id, "resume", model="offline")
        view = await ended(api, run_id)
    assert view["status"] == "completed", view["ending"]
    asked_again = {question for kind, question, _ in (provider.calls() - before) if kind not in JOINING}
    assert asked_again == {weak}
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)


@pytest.mark.long
async def test_sections_that_were_added_and_dropped_midway_are_so_when_it_is_resumed(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=3)
    kept, dropped, added = "What of Section 1 and retries?", "What of Section 3 and retries?", "Who pays for retries?"
    provider.slow["judge", kept] = provider.slow["thinking", dropped] = 2.0
    provider.off |= {("long_writer_section", ""), ("long_writer_summary", "")}
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        await provider.asked(("judge", kept))
        await provider.asked(("thinking", dropped))
        await asked(
            api,
            run_id,
            "steer",
            drop_sections=["Section 3"],
            add_sections=[{"title": "Costs", "question": added}],
        )
        first = await ended(api, run_id)
        assert first["status"] == "failed", first
        before = provider.calls()
        provider.off.clear()
        await asked(api, run_id, "resume")
        view = await ended(api, run_id)
    assert view["status"] == "completed"
    assert {branch["section"] for branch in view["branches"] if branch["status"] == "done"} == {
        "Section 1",
        "Section 2",
        "Costs",
    }
    assert {kind for kind, _, _ in provider.calls() - before} == JOINING - {"proofreader"}
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)


@pytest.mark.long
async def test_a_run_that_was_ended_from_outside_goes_on_where_it_was(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=3)
    slow = ("judge", "What of Section 3 and retries?")
    provider.slow[slow] = 30.0
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep")
        await provider.asked(slow)
        running = await api.post(f"/v1/runs/{run_id}/resume")
        assert (running.status_code, running.json()["type"]) == (409, "urn:elcano:run-open")
        await until(lambda: two_ended(api, run_id))
        await temporal.get_workflow_handle(run_id).terminate("by hand")
        assert (await ended(api, run_id))["status"] == "terminated"
        provider.slow.clear()
        before = provider.calls()
        await until(lambda: accepted(api, run_id, "resume"))
        view = await ended(api, run_id)
    assert view["status"] == "completed"
    asked_again = [one for one in (provider.calls() - before).elements() if one[0] not in JOINING]
    assert {question for _, question, _ in asked_again} == {slow[1]}
    assert provider.calls()["tool_selector", slow[1], 1] == 1
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)


async def two_ended(api: httpx.AsyncClient, run_id: str) -> bool:
    """Whether two sections of a run are done."""
    branches = (await api.get(f"/v1/runs/{run_id}")).json()["branches"]
    return [branch["status"] for branch in branches].count("running") == len(branches) - 2


async def accepted(api: httpx.AsyncClient, run_id: str, what: str) -> bool:
    """Whether a run may be asked for this now; sections that are still ending are waited for."""
    answer = await api.post(f"/v1/runs/{run_id}/{what}")
    assert answer.status_code == 202 or "is still ending" in answer.json()["detail"]
    return answer.status_code == 202


@pytest.mark.parametrize("how", [long_case("cancelled"), "unanswered", long_case("tokens")])
async def test_runs_that_ended_otherwise_go_on_too(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, how: str
) -> None:
    provider = Provider()
    body: dict[str, Any] = {}
    budget: dict[str, int] | None = None
    match how:
        case "cancelled":
            provider.slow["judge", ""] = 20.0
        case "unanswered":
            provider.answers["writer"] = {"title": "Nothing", "answered": False, "key_findings": []}
        case _:
            provider.input_tokens = 5_000
            budget, body = {"tokens": 18_000}, {"add": {"tokens": 40_000}}
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, **({"budget": budget} if budget else {}))
        if how == "cancelled":
            await provider.asked(("judge", QUESTION))
            await temporal.get_workflow_handle(run_id).cancel()
        first = await ended(api, run_id)
        assert first["status"] == ("partial" if how == "tokens" else how)
        if how == "tokens":
            assert first["ending"]["kind"] == "tokens"
            assert (await api.post(f"/v1/runs/{run_id}/resume")).status_code == 409
            assert (await api.post(f"/v1/runs/{run_id}/resume", json={"add": {"steps": 1}})).status_code == 409
        provider.slow.clear()
        provider.answers.clear()
        provider.input_tokens = None
        await asked(api, run_id, "resume", **body)
        view = await ended(api, run_id)
    assert view["status"] == "completed", view
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    assert view["iterations"] >= first["iterations"]
    await log_of(store, run_id)


@pytest.mark.long
async def test_sections_that_had_no_room_in_the_budget_need_more_of_it(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    """More than the budget researches is begun only where somebody wants it so: what was planned is cut before."""
    provider = Provider(sections=3)
    wanted = [{"title": title, "question": f"What of {title} and retries?"} for title in provider.sections]
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="deep", budget={"tokens": 32_000}, approve_plan=True)

        async def proposed() -> bool:
            return bool((await api.get(f"/v1/runs/{run_id}")).json()["stage"] == "approval")

        await until(proposed)
        assert len((await api.get(f"/v1/runs/{run_id}")).json()["plan"]) < 3
        await asked(api, run_id, "approve", sections=wanted)
        first = await ended(api, run_id)
        assert (first["status"], first["ending"]["kind"]) == ("partial", "sections")
        assert 0 < len(first["branches"]) < 3
        refused = await api.post(f"/v1/runs/{run_id}/resume", json={"add": {"steps": 5}})
        assert (refused.status_code, "raise its limit" in refused.json()["detail"]) == (409, True)
        assert await ended(api, run_id) == first
        await asked(api, run_id, "resume", add={"tokens": 200_000})
        view = await ended(api, run_id)
    assert [branch["status"] for branch in view["branches"]] == ["done"] * 3
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
