"""From a run to its page in the Temporal UI, and back."""

from collections.abc import Callable

import httpx
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from elcano.service.temporal.connection import workflows_page
from elcano.settings.settings import Settings
from tests.api.asking import QUESTION
from tests.api.serving import speaking

UI = "https://temporal.example.org/ui/"


async def test_a_run_links_to_its_page_wherever_it_is_answered(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    known = api_settings.model_copy(update={"temporal_ui_url": UI})
    async with speaking(make_app(known)) as api:
        asked = {"headers": {"Idempotency-Key": "once"}, "json": {"question": QUESTION, "sources": ["handbook"]}}
        started = (await api.post("/v1/runs", **asked)).json()  # type: ignore[arg-type]
        run_id = started["run_id"]
        again = (await api.post("/v1/runs", **asked)).json()  # type: ignore[arg-type]
        one = (await api.get(f"/v1/runs/{run_id}")).json()
        (listed,) = [run for run in (await api.get("/v1/runs")).json()["runs"] if run["run_id"] == run_id]
        links = {
            "events": f"/v1/runs/{run_id}/events",
            "report": f"/v1/runs/{run_id}/report",
            "temporal_ui": f"https://temporal.example.org/ui/namespaces/default/workflows/{run_id}",
        }
        assert [run["links"] for run in (started, again, one, listed)] == [links] * 4
        assert (await api.get(links["events"].replace("/events", ""))).is_success


async def test_without_its_address_nothing_links_there(api: httpx.AsyncClient) -> None:
    started = (await api.post("/v1/runs", json={"question": QUESTION, "sources": ["handbook"]})).json()
    assert set(started["links"]) == {"events", "report"}


async def test_the_details_of_a_workflow_lead_to_the_api(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings, temporal: Client
) -> None:
    known = api_settings.model_copy(update={"api_url": "https://research.example.org/"})
    async with speaking(make_app(known)) as api:
        started = (await api.post("/v1/runs", json={"question": QUESTION, "sources": ["handbook"]})).json()
    described = await temporal.get_workflow_handle(started["run_id"]).describe()
    address = f"https://research.example.org/v1/runs/{started['run_id']}"
    details = await described.static_details()
    assert details is not None
    assert f"[the run in the API]({address}), [its report]({address}/report)" in details


def test_the_namespace_is_that_of_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Settings(_env_file=None, temporal_ui_url="http://127.0.0.1:8233")
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "research/a")
    assert workflows_page(known) == "http://127.0.0.1:8233/namespaces/research%2Fa/workflows"
    assert workflows_page(Settings(_env_file=None, temporal_ui_url="")) == ""
