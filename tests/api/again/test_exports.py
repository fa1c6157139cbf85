"""What a run leaves, saved as files over HTTP, and opened again."""

import csv
import io
import json
import re
import zipfile
from unittest.mock import AsyncMock

import docx
import httpx
import pytest
from temporalio.client import Client

from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import QUESTION, Provider, ended, until, working


async def test_a_run_is_saved_in_each_form(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider = Provider(sections=2)
    async with working(temporal, store, api_settings, provider):
        started = (await api.post("/v1/runs", json={"question": QUESTION, "mode": "deep"})).json()
        run_id, exports = started["run_id"], f"/v1/runs/{started['run_id']}/exports"
        early = await api.get(f"{exports}/docx")
        assert early.status_code == 409
        assert (await api.get(f"{exports}/csv")).status_code == 200, "evidence can be saved at any time"
        assert (await ended(api, run_id))["status"] == "completed"

        async def certified() -> bool:
            return (await api.get(f"/v1/runs/{run_id}/certificate")).status_code == 200

        await until(certified)
        report = (await api.get(f"/v1/runs/{run_id}/report", headers={"Accept": "application/json"})).json()
        word = await api.get(f"{exports}/docx")
        assert word.headers["content-disposition"] == f'attachment; filename="{run_id}.docx"'
        document = docx.Document(io.BytesIO(word.content))
        assert document.paragraphs[0].text == report["title"]
        printed = await api.get(f"{exports}/pdf")
        assert (printed.status_code, printed.content[:5]) == (200, b"%PDF-")
        source = await api.get(f"{exports}/latex")
        assert source.headers["content-disposition"] == f'attachment; filename="{run_id}.latex.zip"'
        with zipfile.ZipFile(io.BytesIO(source.content)) as archive:
            assert {*archive.namelist()} == {"report.tex", "references.bib"}
        evidence = (await api.get(f"/v1/runs/{run_id}/evidence")).json()["evidence"]
        rows = list(csv.DictReader(io.StringIO((await api.get(f"{exports}/csv")).text, newline="")))
        assert [row["id"] for row in rows] == [one["id"] for one in evidence]
        lines = [json.loads(line) for line in (await api.get(f"{exports}/jsonl")).text.splitlines()]
        assert lines == evidence
        packed = await api.get(f"{exports}/zip")
        with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
            assert archive.testzip() is None
            assert {*archive.namelist()} == {
                *("report.json", "report.html", "report.md", "report.docx"),
                *("references.bib", "references.ris", "references.json"),
                *("evidence.csv", "evidence.jsonl", "certificate.json"),
            }
            assert archive.read("report.md").decode() == report["markdown"]
            certificate = await api.get(f"/v1/runs/{run_id}/certificate")
            assert archive.read("certificate.json") == certificate.content
        pictures = AsyncMock(return_value={"analysis/plots/1.svg": "<svg/>", "chart.svg": None})
        monkeypatch.setattr("elcano.doors.exports.routes.load_pictures", pictures)
        with zipfile.ZipFile(io.BytesIO((await api.get(f"{exports}/zip")).content)) as archive:
            assert archive.read("analysis/plots/1.svg") == b"<svg/>", "where the Markdown shows it"
            assert "chart.svg" not in archive.namelist()


BAD = "re\ufffetries\x1b[1m\x00 \U0001fffe"
NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U0001fffe]")


async def test_what_a_model_and_a_request_write_that_is_no_text_breaks_no_export(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    provider = Provider()
    cited = {"mark": "a", "evidence": "e1", "quote": "Retries\ufffe belong to Temporal alone"}
    provider.answers["writer"] = {
        "title": f"On {BAD}",
        "introduction": f"They belong to {BAD} [a].",
        "key_findings": f"- Not to {BAD} [a].",
        "citations": [cited],
    }
    asked = {"question": f"{QUESTION}\ufffe", "background": "\U0010ffffWe ship.", "instructions": "Short\ufdd0."}
    async with working(temporal, store, api_settings, provider):
        run_id = (await api.post("/v1/runs", json={**asked, "mode": "iterative"})).json()["run_id"]
        view = await ended(api, run_id)
        assert (view["status"], view["question"]) == ("completed", QUESTION)
        report = (await api.get(f"/v1/runs/{run_id}/report", headers={"Accept": "application/json"})).json()
        assert "On retries" in report["markdown"]
        assert not NO_TEXT.search(json.dumps(report, ensure_ascii=False))
        assert (view["report"]["verified"], view["report"]["unverified"]) == (2, 0)
        for form in ("docx", "pdf", "latex", "zip", "csv", "jsonl"):
            saved = await api.get(f"/v1/runs/{run_id}/exports/{form}")
            assert saved.status_code == 200, (form, saved.text)


async def test_what_cannot_be_saved_is_refused_in_words(api: httpx.AsyncClient) -> None:
    assert (await api.get("/v1/runs/default-nothing/exports/docx")).status_code == 404
    wrong = await api.get("/v1/runs/default-nothing/exports/odt")
    assert wrong.status_code == 422
    assert "docx" in wrong.text
