"""Reading what a run leaves: its report in two forms, its evidence in pages."""

from hashlib import sha256

import httpx
import pytest

from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Reference, Report
from elcano.graphs.report.works import Identifiers, Work
from elcano.service.reports.bibliography import FORMS
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import Store
from tests.api.reporting import keep_reported

PAPER = Reference(
    number=1,
    document="doi:10.1/x",
    title="Öl",
    source="pubmed",
    locators=("https://example.org/",),
    content_hash="0" * 64,
    work=Work(title="Öl", kind="article", identifiers=Identifiers(doi="10.1/x"), flags=("retracted",)),
)
MARKDOWN = "# Reading PDF\n\nTwo packages can [1].\n"


@pytest.fixture
async def reported(store: Store) -> str:
    report = Report(
        run_id="run-1",
        question="q",
        title="Reading PDF",
        markdown=MARKDOWN,
        answered=True,
        partial=None,
        model="offline",
        references=(PAPER,),
        citations=(),
        unverified=(),
    )
    return await keep_reported(store, report, "iterative")


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, "text/markdown"),
        ("*/*", "text/markdown"),
        ("text/*", "text/markdown"),
        ("text/markdown", "text/markdown"),
        ("application/json", "application/json"),
        ("Application/JSON", "application/json"),
        ("application/json;q=0.2, text/markdown;q=0.9", "text/markdown"),
        ("application/json, text/markdown;q=0.9", "application/json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("text/plain, */*;q=0.1", "text/markdown"),
        ("text/markdown;q=0, */*", "application/json"),
        ("application/x-bibtex", "application/x-bibtex"),
        ("application/x-research-info-systems", "application/x-research-info-systems"),
        ("application/vnd.citationstyles.csl+json, */*;q=0.1", "application/vnd.citationstyles.csl+json"),
    ],
)
async def test_a_report_comes_in_the_form_that_is_wanted(
    api: httpx.AsyncClient, reported: str, accept: str | None, form: str
) -> None:
    headers = {} if accept is None else {"Accept": accept}
    answer = await api.get(f"/v1/runs/{reported}/report", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == form
    assert answer.headers["vary"] == "Accept"
    if form == "text/markdown":
        assert answer.text == MARKDOWN
    elif form == "text/html":
        assert '<a class="number" href="#reference-1"' in answer.text
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
        assert "content-security-policy" not in (await api.get(f"/v1/runs/{reported}/report")).headers
    elif form == "application/json":
        report = Report.model_validate(answer.json())
        assert (report.markdown, report.references) == (MARKDOWN, (PAPER,))
    else:
        assert answer.text == FORMS[form]([PAPER])
        assert "Öl" in answer.text


@pytest.mark.parametrize("accept", ["text/plain", "image/*", "application/json;q=0", "application/json;q=x"])
async def test_a_form_that_there_is_not_is_refused(api: httpx.AsyncClient, reported: str, accept: str) -> None:
    answer = await api.get(f"/v1/runs/{reported}/report", headers={"Accept": accept})
    assert answer.status_code == 406
    assert answer.json()["type"] == "urn:elcano:not-acceptable"


@pytest.mark.parametrize("status", ["failed", "cancelled", "terminated"])
async def test_a_run_without_a_report_says_how_it_stands(api: httpx.AsyncClient, store: Store, status: str) -> None:
    run = ArchivedRun.model_validate(
        {"run_id": "run-2", "question": "q", "mode": "iterative", "status": status, "started_at": 1.0}
    )
    await store.of("default").runs.archive(run, [])
    answer = await api.get("/v1/runs/run-2/report")
    assert answer.status_code == 409
    assert status in answer.json()["detail"]


@pytest.mark.usefixtures("worker")
async def test_a_running_run_has_no_report_yet(api: httpx.AsyncClient) -> None:
    run_id = (await api.post("/v1/runs", json={"question": "What?"})).json()["run_id"]
    answer = await api.get(f"/v1/runs/{run_id}/report")
    assert answer.status_code == 409
    assert "'running'" in answer.json()["detail"]


async def test_a_report_that_the_store_lost_is_our_fault(api: httpx.AsyncClient, reported: str, store: Store) -> None:
    run = await store.of("default").runs.get(reported)
    assert run is not None
    assert run.report is not None
    lost = run.report.model_copy(update={"artifact": "0" * 64})
    await store.of("default").runs.archive(run.model_copy(update={"report": lost}), [])
    answer = await api.get(f"/v1/runs/{reported}/report")
    assert answer.status_code == 500
    assert answer.json()["type"] == "urn:elcano:report-lost"


async def test_evidence_comes_whole_and_in_pages(api: httpx.AsyncClient, reported: str, store: Store) -> None:
    body = "abcdefghij"
    text = StoredText(content_hash=sha256(body.encode()).hexdigest(), document="d", title="t", text=body)
    passages = [
        Evidence(
            id=f"e-{number}",
            source="handbook",
            document="d",
            content_hash=text.content_hash,
            title="t",
            locator="d.md",
            text=body[number],
            work=PAPER.work if number == 3 else None,
            start=number,
            end=number + 1,
        )
        for number in range(5)
    ]
    await store.of("default").evidence.add(reported, passages, [text])
    first = (await api.get(f"/v1/runs/{reported}/evidence", params={"limit": 3})).json()
    assert [passage["text"] for passage in first["evidence"]] == ["a", "b", "c"]
    assert (first["total"], first["next"]) == (5, "3")
    second = (await api.get(f"/v1/runs/{reported}/evidence", params={"limit": 3, "cursor": first["next"]})).json()
    assert [passage["id"] for passage in second["evidence"]] == ["e-3", "e-4"]
    assert second["evidence"][0]["work"]["flags"] == ["retracted"]
    assert second["evidence"][1]["work"] is None
    assert second["next"] is None


async def test_a_page_that_cannot_be_is_refused(
    api: httpx.AsyncClient, reported: str, subtests: pytest.Subtests
) -> None:
    cases: list[str] = ["offset=-1", "limit=0", "limit=201", "offset=x"]
    for query in cases:
        with subtests.test(query=query):
            answer = await api.get(f"/v1/runs/{reported}/evidence?{query}")
            assert answer.status_code == 422
            assert answer.json()["errors"][0]["field"] == query.partition("=")[0]
