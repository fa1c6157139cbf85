"""Each graph of the gallery is pushed, tried and run over HTTP, on the real server with the model that needs no key."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from elcano.settings import Settings
from tests.api.asking import start
from tests.gallery import DOCUMENTS, QUESTIONS, WAYS, graph


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    kettles = tmp_path / "kettles"
    kettles.mkdir()
    for name, text in DOCUMENTS.items():
        (kettles / name).write_text(text, encoding="utf-8")
    return Settings(
        _env_file=None,
        data_dir=tmp_path / "data",
        collections={"kettles": kettles},
        package_readmes=False,
        shared_environment=True,
    )


async def ended(api: httpx.AsyncClient, run_id: str) -> dict[str, Any]:
    """The run once it has ended; a plan that it proposes is approved."""
    approved = False
    async with asyncio.timeout(240):
        while (run := (await api.get(f"/v1/runs/{run_id}")).json())["status"] == "running":
            if run["stage"] == "approval" and not approved:
                answer = await api.post(f"/v1/runs/{run_id}/approve")
                assert answer.status_code == 202, answer.text
                approved = True
            await asyncio.sleep(0.2)
    result: dict[str, Any] = {**run, "approved": approved}
    return result


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.usefixtures("researching")
async def test_a_graph_of_the_gallery_runs_to_its_report(api: httpx.AsyncClient, name: str) -> None:
    kept = await api.post("/v1/graphs", json=graph(name))
    assert kept.status_code == 201, kept.text
    tried = (await api.post(f"/v1/graphs/{name}/dry-run", json={"question": QUESTIONS[name]})).json()
    assert (tried["failure"], tried["cut"]) == ("", False)
    limited = {step["node"]: step["limits"] for step in tried["steps"] if step["limits"] and not step["path"]}
    assert set(limited) <= {node["id"] for node in graph(name)["nodes"] if node.get("limits")}
    assert name != "fact_check" or limited["first_look"] == "120 s, 2 tries"
    waits = name == "due_diligence"
    run = await ended(api, await start(api, QUESTIONS[name], mode=name, approve_plan=waits))
    assert (run["status"], run["mode"], run["approved"]) == ("completed", name, waits)
    assert run["budget"]["used"]["tokens"] <= run["budget"]["limits"]["tokens"]
    rows = (await api.get(f"/v1/runs/{run['run_id']}/steps")).json()["rows"]
    steps = [row for row in rows if row["row"] == "step"]
    assert [row["node"] for row in steps] == WAYS[name]
    said = {node["id"]: node.get("limits") for node in graph(name)["nodes"]}
    assert {row["node"] for row in steps if row["limits"]} == {node for node in WAYS[name] if said[node]}
    report = (await api.get(f"/v1/runs/{run['run_id']}/report", headers={"Accept": "text/markdown"})).text
    assert "[1]" in report
    assert "## References" in report
