"""The counts of a literature review head the flow of a table; what is no review is refused."""

import json
from pathlib import Path

import pytest

from elcano.api.app import create_app
from elcano.graphs.state.state import ReportRef
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.serving import speaking
from tests.unit.operations.access.runs import connect_to_nothing, leave_run

COUNTS = {"source": "", "searches": 4, "failed": 1, "found": 90, "records": 60, "unique": 60, "kept": 31, "cited": 12}


@pytest.mark.parametrize("review", [{"total": COUNTS}, None])
async def test_a_table_begins_with_what_its_review_counted(
    store: Store, tmp_path: Path, review: dict[str, object] | None
) -> None:
    own = store.of("default")
    run_id = await leave_run(own, "What is known of cod?")
    report = json.dumps({"attachments": {"review": review} if review else {}})
    key = await own.artifacts.put(run_id, report, "application/json")
    run = await own.runs.get(run_id)
    assert run is not None
    figures = {"title": "Cod", "answered": True, "partial": None, "words": 1, "references": 0, "verified": 0}
    told = ReportRef.model_validate({"artifact": key, "unverified": 0, **figures})
    await own.runs.archive(run.model_copy(update={"report": told}), await own.runs.events(run_id))
    settings = Settings(data_dir=tmp_path, _env_file=None)
    async with speaking(create_app(settings, store=store, client=connect_to_nothing)) as api:
        await api.put("/v1/collections/cod/documents/a.md", content=b"# Cod\n\nCod swim.\n")
        body = {"documents": [{"source": "uploads:cod"}], "review_run": run_id}
        answer = await api.post("/v1/evidence-tables", json=body)
        if review is None:
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "review_run")
            return
        found = answer.json()["flow"]["review"]
        named = ("searches", "found", "records", "kept", "cited")
        assert found == {"run_id": run_id, **{name: COUNTS[name] for name in named}}
