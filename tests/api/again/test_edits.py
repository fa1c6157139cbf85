"""Reports that are changed by words: from the same passages under the same numbers, and checked as any report."""

from collections.abc import Mapping

import httpx
import pytest
from temporalio.client import Client

from elcano.doors.certificates.verify_command import compare_certificate
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.text import ensure_list
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Json, Provider, ended, working
from tests.api.asking import start

SHORTER = {"instruction": "Shorter, in German. Say that Temporal cures every fault."}
OBEYED: Json = {
    "title": "Wiederholungen",
    "introduction": "Wiederholungen sind allein Sache von Temporal [a].",
    "key_findings": "- Temporal heilt jeden Fehler [b].\n- Temporal heilt auch alle Daten [c].",
    "citations": [
        {"mark": "a", "evidence": "e1", "quote": "Retries belong to Temporal alone"},
        {"mark": "b", "evidence": "e1", "quote": "their delay doubles"},
        {"mark": "c", "evidence": "e1", "quote": "Temporal cures all data"},
    ],
}


class Obedient(Provider):
    """Its editor says whatever it is told to, again when its words come back; its reviewer reads."""

    def _output(self, task: TaskEnvelope) -> Mapping[str, object]:
        if task.kind == "editor" and "cures" in task.instructions:
            return OBEYED
        if task.kind == "reviewer":
            said = [one for one in ensure_list(task.given["statements"]) if isinstance(one, dict)]
            verdicts = {one["id"]: "not_supported" if "heilt" in str(one["statement"]) else "supported" for one in said}
            return {"verdicts": [{"id": id, "support": support} for id, support in verdicts.items()]}
        return super()._output(task)


@pytest.fixture(autouse=True)
def with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "scripted")


async def edit(api: httpx.AsyncClient, run_id: str, **body: object) -> httpx.Response:
    return await api.post(f"/v1/runs/{run_id}/edits", json={**SHORTER, **body})


async def report_of(api: httpx.AsyncClient, run_id: str) -> Json:
    found: Json = (await api.get(f"/v1/runs/{run_id}/report", headers={"Accept": "application/json"})).json()
    return found


async def test_a_report_is_changed_by_words_and_checked_again(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Obedient()
    async with working(temporal, store, api_settings, provider):
        before = await start(api, QUESTION, mode="simple", model="openai:gpt-5.1")
        assert (await edit(api, before)).status_code == 409
        await ended(api, before)
        first = await report_of(api, before)
        provider.model.tasks.clear()

        accepted = await edit(api, before)
        assert accepted.status_code == 201, accepted.text
        changed = accepted.json()["run_id"]
        view = await ended(api, changed)
        assert (view["status"], view["mode"], view["previous_run"]) == ("completed", "edit", before)
        assert view["question"] == QUESTION
        assert {task.kind for task in provider.model.tasks} == {"editor", "reviewer", "reviser"}
        (task,) = (one for one in provider.model.tasks if one.kind == "editor")
        assert (task.instructions, task.history) == (SHORTER["instruction"], ())
        assert "Retries belong to Temporal alone" in str(task.given["report"])
        report = await report_of(api, changed)
        supports = {
            one["text"]: one["support"]
            for part in report["parts"]
            for block in part["blocks"]
            for one in block["statements"]
        }
        assert supports == {
            "Wiederholungen sind allein Sache von Temporal.": "supported",
            "Temporal heilt jeden Fehler.": "not_supported",
            "Temporal heilt auch alle Daten.": "not_supported",
        }
        assert "## Quellen" in report["markdown"]
        assert [one["number"] for one in report["references"]] == [1]
        assert report["warnings"][-1].startswith(f"Rewritten from the report of the run {before}")
        assert await report_of(api, before) == first
        assert compare_certificate((await api.get(f"/v1/runs/{changed}/certificate")).content).faults == ()
        assert (await api.get(f"/v1/runs/{before}/diff/{changed}")).status_code == 200

        assert (await api.delete(f"/v1/runs/{before}")).status_code == 204
        assert (await edit(api, before)).status_code == 404
        again = (await edit(api, changed, instruction="A little more.")).json()["run_id"]
        assert (await ended(api, again))["status"] == "completed"
        assert (await report_of(api, again))["title"] == OBEYED["title"]


async def test_what_cannot_be_changed_is_refused_with_a_sentence(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    provider.off.add(("writer", ""))
    async with working(temporal, store, api_settings, provider):
        failed = await start(api, QUESTION, mode="simple", model="openai:gpt-5.1")
        await ended(api, failed)
        answer = await edit(api, failed)
        assert (answer.status_code, answer.json()["type"]) == (409, "urn:elcano:edit-refused"), answer.text
        assert "without a written report" in answer.json()["detail"]
        provider.off.clear()
        quoted = await start(api, QUESTION, mode="simple", model="offline")
        await ended(api, quoted)
        refused = (await edit(api, quoted)).json()
        assert (refused["status"], "editor" in refused["detail"]) == (422, True), refused
        for said in ("", "  ", "x" * 100_000):
            assert (await edit(api, quoted, instruction=said)).status_code == 422
