"""Teams that failed or were never done, taken up again over the API: the others are kept as they were."""

import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import JOINING, QUESTION, Provider, asked, ended, log_of, tokens, working
from tests.api.asking import start

WEAK = "What of Section 2 and retries?"


async def test_one_team_that_failed_is_resumed_where_it_was_and_no_other(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=3)
    provider.off.add(("team_judge", WEAK))
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="hierarchical")
        failed = await ended(api, run_id)
        assert (failed["status"], failed["failure"]["type"]) == ("failed", "ModelRefused")
        before = provider.calls()
        provider.off.clear()
        answer = await asked(api, run_id, "resume", reason="a new key")
        assert (answer["node"], answer["kept"]["sections"]) == ("teams", 2)
        view = await ended(api, run_id)
    assert view["status"] == "completed", view
    again = [(kind, iteration) for kind, question, iteration in (provider.calls() - before) if question == WEAK]
    assert ("drafter", 1) not in again, "what it had drafted is kept"
    assert {("team_judge", 1), ("drafter", 2), ("team_judge", 2)} <= set(again)
    others = {question for kind, question, _ in (provider.calls() - before) if kind not in JOINING}
    assert others == {WEAK}
    assert {(branch["section"], branch["status"]) for branch in view["branches"]} == {
        (section, "drafted") for section in provider.sections
    }
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)


@pytest.mark.long
async def test_teams_that_had_no_sub_iteration_left_get_one_more(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider(sections=2)
    async with working(temporal, store, api_settings, provider):
        run_id = await start(api, QUESTION, mode="hierarchical", budget={"iterations": 1})
        partial = await ended(api, run_id)
        assert (partial["status"], partial["ending"]["kind"]) == ("partial", "sections")
        assert "its judge was not satisfied by any sub-iteration" in partial["ending"]["detail"]
        text = (await api.get(f"/v1/runs/{run_id}/report", headers={"accept": "text/markdown"})).text
        assert "its judge was not satisfied" in text
        await asked(api, run_id, "resume", add={"iterations": 1})
        view = await ended(api, run_id)
    assert view["status"] == "completed", view
    calls = provider.calls()
    for section in provider.sections:
        question = f"What of {section} and retries?"
        assert [calls["team_judge", question, turn] for turn in (1, 2)] == [1, 1]
        assert [calls["drafter", question, turn] for turn in (1, 2)] == [1, 1]
    assert view["budget"]["used"]["tokens"] == await tokens(store, run_id)
    await log_of(store, run_id)
