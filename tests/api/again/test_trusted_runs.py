"""A run is held to the rules of its asker in its sections, its forks, its follow-ups and the changes of its report."""

import httpx
import pytest
from temporalio.client import Client

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.registry import Sources
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.report.works import Work
from elcano.settings import Settings
from elcano.storage.evidence import Evidence
from elcano.storage.store import Store
from elcano.worker import build_worker
from tests.api.again.going_on import QUESTION, Json, Provider, asked, ended
from tests.api.asking import start
from tests.unit.activities.agents.material import passage, stored

GOOD, EVIL = "Retries belong to Temporal, says a good page.", "Retries belong to nobody, says an evil page."
RULES = {"blocked_domains": ["evil.org"]}


def page(number: int, text: str, url: str) -> Evidence:
    work = Work(title=f"Page {number}", kind="page", url=url, source="handbook")
    return passage(number, text).model_copy(update={"locator": url, "work": work, "source": "handbook"})


FOUND = (page(1, GOOD, "https://good.org/a"), page(2, EVIL, "https://www.evil.org/a"))


class Pages:
    """Finds one page of each of two sites."""

    spec = SourceSpec(name="handbook", kind="passages", description="Pages.")

    async def search(self, query: str, limit: int) -> SearchResults:
        return SearchResults(evidence=FOUND, texts=tuple(map(stored, FOUND)))

    async def close(self) -> None:
        """Nothing is open."""


async def found(api: httpx.AsyncClient, run_id: str) -> set[str]:
    evidence = (await api.get(f"/v1/runs/{run_id}/evidence")).json()["evidence"]
    return {one["locator"] for one in evidence}


@pytest.mark.of_plugins("edits")
async def test_rules_hold_in_sections_forks_follow_ups_and_edits(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:9")
    provider = Provider(sections=2)
    sources = Sources({"handbook": Pages()})

    def shown() -> str:
        told = "".join(task.model_dump_json() for task in provider.model.tasks)
        provider.model.tasks.clear()
        return told

    async with build_worker(temporal, store, sources, api_settings, resolve=provider.model.resolve):
        run_id = await start(api, QUESTION, mode="deep", sources=["handbook"], trust=RULES)
        view = await ended(api, run_id)
        assert view["trust"]["blocked_domains"] == ["evil.org"]
        assert await found(api, run_id) == {"https://good.org/a"}
        told = shown()
        assert GOOD in told
        assert EVIL not in told
        headers = {"Accept": "application/json"}
        report: Json = (await api.get(f"/v1/runs/{run_id}/report", headers=headers)).json()
        warned = "handbook: 1 passage refused by the asker's list: evil.org is blocked (1)"
        assert warned in report["warnings"]

        for what, body in (("fork", {"step": 1}), ("edits", {"instruction": "Shorter.", "model": "ollama:any"})):
            other = await asked(api, run_id, what, 201, **body)
            assert other["trust"] == view["trust"]
            await ended(api, other["run_id"])
            assert EVIL not in shown()

        # What follows has the rules, or narrower ones; of what was said before, only what they let in is told.
        narrow = {"allowed_domains": ["other.org"], "egress": "private"}
        further = await start(api, "And for activities?", mode="simple", previous_run=run_id, trust=narrow)
        view = await ended(api, further)
        assert view["trust"]["blocked_domains"] == ["evil.org"]
        assert await found(api, further) == set()
        assert shown() == ""  # whom the model of a private run asks is unknown, so it is never asked
        assert view["failure"]["type"] == "ModelRefused"
        assert "outside the egress scope" in view["failure"]["message"]
        wider = {"question": "And?", "mode": "simple", "previous_run": further, "trust": {"egress": "any"}}
        answer = await api.post("/v1/runs", json=wider)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "trust.egress")

        narrow.pop("egress")
        following = await start(api, "And for activities?", mode="simple", previous_run=run_id, trust=narrow)
        await ended(api, following)
        assert GOOD not in shown()
