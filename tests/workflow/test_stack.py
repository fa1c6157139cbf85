"""The whole stack as one: it comes up on one folder, mends itself, answers, and leaves nothing behind."""

import asyncio
import os
from pathlib import Path

import httpx

from elcano.dev.claims import free_ports, is_free, read_folder_owner
from elcano.dev.demo import QUESTION, QUESTION_OF_PARTS
from elcano.dev.stack import open_stack
from elcano.graphs.report.report import Report
from elcano.settings import Settings
from elcano.storage.store import open_store
from tests.unit.dev.test_dev import until


def settings_for(folder: Path) -> Settings:
    api, temporal, ui = free_ports(3)
    return Settings.model_validate(
        {
            "TEMPORAL_ADDRESS": "",
            "data_dir": folder,
            "api_url": "",
            "api_port": api,
            "temporal_port": temporal,
            "temporal_ui_port": ui,
        }
    )


async def researched(client: httpx.AsyncClient, question: str, mode: str) -> Report:
    """The report of a run that is followed to its end."""
    asked = await client.post("/v1/runs", json={"question": question, "mode": mode, "sources": ["packages"]})
    location = asked.headers["Location"]
    async with asyncio.timeout(140), client.stream("GET", f"{location}/events", timeout=140) as response:
        lines = [line async for line in response.aiter_lines()]
    assert lines.count("event: complete") == 1
    found = await client.get(f"{location}/report", headers={"Accept": "application/json"})
    return Report.model_validate(found.json())


async def assert_quotes_are_in_the_store(folder: Path, report: Report) -> None:
    hashes = {reference.number: reference.content_hash for reference in report.references}
    async with open_store(folder) as store:
        for citation in report.citations:
            assert citation.number is not None
            text = await store.of("default").evidence.text(hashes[citation.number])
            assert text is not None
            found = text.text[citation.start : citation.end]
            assert " ".join(found.split()) == " ".join(citation.quote.split())


async def test_it_comes_up_mends_itself_and_leaves_nothing_behind(tmp_path: Path) -> None:
    chosen = settings_for(tmp_path)
    said: list[str] = []
    async with (
        open_stack(chosen, say=said.append) as running,
        httpx.AsyncClient(base_url=chosen.base_url, timeout=60) as client,
    ):
        assert (await client.get("/readyz")).json()["ready"]
        assert read_folder_owner(tmp_path)["api"] == chosen.base_url
        killed = running.worker.pid
        running.worker.kill()
        await until(lambda: running.worker.pid != killed)
        assert [line for line in said if "worker was killed by SIGKILL" in line]
        await running.stop_worker()
        await running.worker.start()
        for mode, question, fewest_sections in (("iterative", QUESTION, 1), ("deep", QUESTION_OF_PARTS, 4)):
            report = await researched(client, question, mode)
            assert len(report.references) >= 3
            assert report.unverified == ()
            assert report.markdown.count("\n## How does") >= fewest_sections
            await assert_quotes_are_in_the_store(tmp_path, report)
    assert read_folder_owner(tmp_path) == {}
    assert all(is_free("127.0.0.1", port) for port in (chosen.api_port, chosen.temporal_port, chosen.temporal_ui_port))
    assert set(os.listdir(tmp_path)) >= {"temporal.db", "elcano.db", "logs"}
